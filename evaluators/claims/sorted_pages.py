"""Pages in the order of their titles, whatever order they come in, without holding all of them."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

_HELD = 1 << 26  # characters of sentences that are sorted at once


class SortedPages:
    """Takes pages, keeps what is too much for the memory in files of `folder`, and gives a page for each title."""

    def __init__(self, folder: Path, held: int = _HELD) -> None:
        self._folder, self._most = folder, held
        self._pages: list[tuple[str, Sequence[str]]] = []
        self._held = 0
        self._files: list[Path] = []
        self.sentences = 0  # of all pages, the repeated ones too

    def add(self, title: str, sentences: Sequence[str]) -> None:
        self.sentences += len(sentences)
        self._pages.append((title, sentences))
        self._held += len(title) + sum(map(len, sentences))
        if self._held >= self._most:
            self._put_away()

    def by_title(self) -> Iterator[tuple[str, dict[str, int]]]:
        """Each title with its different sentences in order and the place that each has in its page. Where pages share a
        title, theirs stand one page after the other."""
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
