"""Measure how fast texts are scored without a model: one shared analysis against a library call per metric.

    python benchmarks/metrics_speed.py [TEXTS.jsonl]

Both score the same texts in the same process: the texts of the file (one JSON object with a `text` per line), or 200
made-up texts of about 500 words. The naive script calls textstat and nltk, with textstat's syllables by hyphenation, as
in this project. Entities and embeddings are left out, because their cost is that of their models.
"""

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import textstat
import textstat.backend.counts._count_syllables as textstat_syllables
from nltk.util import ngrams

from evaluators.analysis import Analyst
from evaluators.scoring import fingerprint, score, select

METRICS = "flesch_reading_ease,gunning_fog,distinct_2,rep_4"


def naive(texts: list[str]) -> list[list[float]]:
    return [
        [
            textstat.flesch_reading_ease(text),
            textstat.gunning_fog(text),
            len(set(ngrams(text.split(), 2))) / len(text.split()),
            1 - len(set(ngrams(text.split(), 4))) / len(list(ngrams(text.split(), 4))),
        ]
        for text in texts
    ]


def ours(texts: list[str]) -> list[list[float | None]]:
    chosen, analyst = select(METRICS), Analyst()
    fingerprints = {evaluator.name: fingerprint(evaluator, analyst) for evaluator in chosen}
    analyses = analyst.analyse(texts, frozenset())
    keys = [(page, 0) for page in range(len(texts))]
    values = [one.value for one in score(chosen, fingerprints, keys, analyses, dict(enumerate(analyses)))]
    return [values[start : start + len(chosen)] for start in range(0, len(values), len(chosen))]


def made_texts() -> list[str]:
    chance = random.Random(0)
    syllables = ["ta", "ri", "mo", "lan", "der", "ing", "pol", "es", "ver", "con"]
    words = ["".join(chance.choices(syllables, k=chance.choice([1, 1, 2, 2, 3, 4]))) for _ in range(4000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    return [
        " ".join(" ".join(chance.choices(words, weights, k=20)).capitalize() + "." for _ in range(25))
        for _ in range(200)
    ]


def seconds(work: Callable[[list[str]], object], texts: list[str]) -> float:
    start = time.perf_counter()
    work(texts)
    return time.perf_counter() - start


def main() -> None:
    lines = Path(sys.argv[1]).read_text().splitlines() if sys.argv[1:] else []
    texts = [json.loads(line)["text"] for line in lines] or made_texts()
    textstat_syllables.get_cmudict = lambda lang: None
    # Run once to warm the syllable cache of each side, then once with the clock
    theirs, slow = naive(texts), seconds(naive, texts)
    mine, fast = ours(texts), seconds(ours, texts)
    differing = sum(
        value is None or abs(value - their_value) > 1e-6
        for row, their_row in zip(mine, theirs, strict=True)
        for value, their_value in zip(row, their_row, strict=True)
    )
    print(f"{len(texts)} texts, {sum(len(text.split()) for text in texts)} words; {METRICS}")
    print(f"{'':24}{'ms a text':>12}{'texts/s':>12}")
    for name, took in (("textstat and nltk", slow), ("one shared analysis", fast)):
        print(f"{name:24}{1000 * took / len(texts):12.2f}{len(texts) / took:12.0f}")
    print(f"ratio {slow / fast:.1f}; values that differ: {differing} of {4 * len(texts)}")


if __name__ == "__main__":
    main()
