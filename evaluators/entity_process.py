"""Find entity spans for another process.

    python -m evaluators.entity_process FOLDER

reads a JSON list of texts per line from standard input, and writes their spans by the pipeline in the folder.
"""

import json
import os
import sys

from evaluators.entities import load_entity_pipeline
from evaluators.entity_spans import SpanFinder


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a package prints is no answer
    finder = SpanFinder(load_entity_pipeline(sys.argv[1]))
    for line in sys.stdin.buffer:
        answers.write(json.dumps(finder.find_here(json.loads(line))).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
