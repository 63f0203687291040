"""Find entity spans with a spaCy pipeline, in one process per core if there is much text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING

from evaluators.numpy_products import one_thread
from evaluators.spacy_pipeline import documents
from newwiki.errors import TerminalError

if TYPE_CHECKING:
    from spacy.language import Language

Span = tuple[int, int, str]  # first character, end, label

# spaCy's own components, which another process loads from the pipeline's folder alone.
_PORTABLE = {"tok2vec", "parser", "senter", "ner"}

_MUCH = 200_000  # characters: some 6 seconds on one core, where starting a process takes 2 to 3
_SHARES = range(4_000, 40_000)  # characters that a process receives at a time: fewer towards the end
_MOST_HELPERS = 3  # each has a copy of the pipeline


class SpanFinder:
    """Finds the entity spans of texts. Equal texts are read once.

    The spans do not depend on the processes: a text's numbers are the same in every batch.
    """

    def __init__(self, nlp: Language) -> None:
        self._nlp = nlp

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return for each text its spans in order. Raises TerminalError if a process ends early."""
        distinct = list(dict.fromkeys(texts))
        shares = deque(_shares(distinct))
        found: dict[str, list[Span]] = {}

        def work(finder: SpanFinder | _Helper) -> None:
            while shares:
                try:
                    share = shares.popleft()
                except IndexError:  # another thread took the last one
                    return
                found.update(zip(share, finder.find_here(share), strict=True))

        helpers = self._helpers if sum(map(len, distinct)) >= _MUCH else []
        with ThreadPoolExecutor(max(1, len(helpers))) as threads:
            helping = [threads.submit(work, helper) for helper in helpers]
            work(self)
        for future in helping:
            future.result()
        return [found[text] for text in texts]

    def find_here(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return the spans of each text, found in this process."""
        with one_thread(), documents(self._nlp, texts) as read:
            return [[(span.start_char, span.end_char, span.label_) for span in doc.ents] for doc in read]

    @cached_property
    def _helpers(self) -> list[_Helper]:
        import torch

        factories = {self._nlp.get_pipe_meta(name).factory for name in self._nlp.pipe_names}
        if self._nlp.path is None or not factories <= _PORTABLE:
            return []
        # Workers of a runner set torch's threads to their share of the cores.
        return [_Helper(self._nlp.path) for _ in range(min(torch.get_num_threads() - 1, _MOST_HELPERS))]


class _Helper:
    """Another process that finds spans. It ends with this object, or with this process."""

    def __init__(self, folder: Path) -> None:
        path = [str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "evaluators.entity_process", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path)), "OMP_NUM_THREADS": "1"},
            start_new_session=True,  # an interruption from the keyboard reaches this process only
        )
        weakref.finalize(self, _end, self._process)

    def find_here(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return the spans of each text, found in the other process."""
        sent, received = _pipes(self._process)
        try:
            sent.write(json.dumps(texts).encode() + b"\n")
            sent.flush()
            answer = received.readline()
        except BrokenPipeError:
            answer = b""
        if not answer:
            raise TerminalError(
                f"a process that finds named entities ended with status {self._process.wait()}, perhaps for lack of "
                "memory; run the command again to resume, with OMP_NUM_THREADS=1 for a single process"
            )
        return [[(start, end, label) for start, end, label in spans] for spans in json.loads(answer)]


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None and process.stdout is not None
    return process.stdin, process.stdout


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in _pipes(process):
        pipe.close()
    process.wait()


def _shares(texts: Sequence[str]) -> Iterator[list[str]]:
    """Divide the texts into lists, the longest texts first. A list has about an eighth of the characters left, within
    `_SHARES`, so that all processes end at nearly the same time."""
    left = sum(map(len, texts))
    share: list[str] = []
    length = 0
    for text in sorted(texts, key=len, reverse=True):
        share.append(text)
        length += len(text)
        if length >= min(max(_SHARES.start, left // 8), _SHARES.stop):
            yield share
            left -= length
            share, length = [], 0
    if share:
        yield share
