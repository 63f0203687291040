"""Sort pages by title, whatever order they come in, without holding all of them in memory."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

_HELD = 1 << 26  # characters of sentences sorted in memory


class SortedPages:
    """Collects pages, writes what exceeds the memory to files in `folder`, and returns one page per title."""

    def __init__(self, folder: Path, held: int = _HELD) -> None:
        self._folder, self._most = folder, held
        self._pages: list[tuple[str, Sequence[str]]] = []
        self._held = 0
        self._files: list[Path] = []
        self.sentences = 0  # of all pages, including repeated ones

    def add(self, title: str, sentences: Sequence[str]) -> None:
        self.sentences += len(sentences)
        self._pages.append((title, sentences))
        self._held += len(title) + sum(map(len, sentences))
        if self._held >= self._most:
            self._put_away()

    def by_title(self) -> Iterator[tuple[str, dict[str, int]]]:
        """Yield each title with its distinct sentences in order and the position of each in its page. Pages that share
        a title follow each other."""
        if self._files and self._pages:
            self._put_away()
        pages = heapq.merge(*map(_read, self._files)) if self._files else iter(sorted(self._pages))
        for title, same in groupby(pages, key=lambda page: page[0]):
            kept: dict[str, int] = {}
            for _, sentences in same:
                for place, sentence in enumerate(sentences):
                    kept.setdefault(sentence, place)
            yield title, kept
        for file in self._files:
            file.unlink()

    def _put_away(self) -> None:
        file = self._folder / f"sorted-{len(self._files)}.jsonl"
        with file.open("w", encoding="ascii") as stream:
            for page in sorted(self._pages):
                stream.write(json.dumps(page) + "\n")
        self._files.append(file)
        self._pages, self._held = [], 0


def _read(file: Path) -> Iterator[tuple[str, Sequence[str]]]:
    with file.open(encoding="ascii") as stream:
        for line in stream:
            title, sentences = json.loads(line)
            yield title, tuple(sentences)
