"""Write for each word the sentences that contain it and its weight there, in bounded memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluators.claims import bm25
from evaluators.claims.mapped_files import NumberWriter, Texts, TextWriter, key, room_for

_BLOCK = 50_000  # sentences counted at once


def write_postings(sentences: Texts, folder: Path, tell: Callable[[int, int], None]) -> int:
    """Write the words of the sentences and their postings; return the number of words.

    Memory holds the words (some 150 bytes each), 8 bytes per sentence, and one block of sentences. Counted words wait
    in files until it is known how many sentences contain each word.
    """
    counted = _count(sentences, folder, tell)
    place_of = _write_words(counted.words, folder)
    frequencies = np.zeros(len(place_of), np.int64)
    frequencies[place_of] = counted.frequencies
    starts = np.concatenate(([0], np.cumsum(frequencies)))
    with NumberWriter(folder / "postings.starts") as stream:
        stream.add(starts)
    inverse = bm25.inverse_frequencies(counted.frequencies, len(sentences))
    mean = float(counted.lengths.mean()) if len(sentences) else 1.0
    places = room_for(folder / "postings.sentences", int(starts[-1]))
    weights = room_for(folder / "postings.weights", int(starts[-1]))
    heads = starts[:-1][place_of]  # for each word, by its number in counting, the position of its next posting
    for block in range(counted.blocks):
        word, sentence, count = _taken(folder, block)
        first = np.flatnonzero(np.diff(word, prepend=-1))  # the first row of each word in the block
        many = np.diff(first, append=len(word))
        into = heads[word] + np.arange(len(word)) - np.repeat(first, many)
        places[into] = sentence
        weights[into] = bm25.weights(inverse[word], count, counted.lengths[sentence], mean)
        heads[word[first]] += many
    return len(place_of)


@dataclass(frozen=True)
class _Counted:
    words: Sequence[str]
    frequencies: NDArray[np.int64]
    lengths: NDArray[np.int64]
    blocks: int


def _count(sentences: Texts, folder: Path, tell: Callable[[int, int], None]) -> _Counted:
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    frequencies = np.zeros(0, np.int64)
    lengths = np.zeros(len(sentences), np.int64)
    starts = range(0, len(sentences), _BLOCK)
    for block, start in enumerate(starts):
        split = [bm25.words(sentences[place]) for place in range(start, min(start + _BLOCK, len(sentences)))]
        own = np.array([len(words) for words in split], np.int64)
        lengths[start : start + len(split)] = own
        ids = np.fromiter((numbers[word] for words in split for word in words), np.int64, int(own.sum()))
        word, sentence, count = bm25.counted(ids, np.repeat(np.arange(start, start + len(split)), own))
        more = np.bincount(word, minlength=len(numbers)).astype(np.int64)
        more[: len(frequencies)] += frequencies
        frequencies = more
        for file, column in zip(_files(folder, block), (word, sentence, count), strict=True):
            column.astype("<i4").tofile(file)
        tell(start + len(split), len(sentences))
    return _Counted(list(numbers), frequencies, lengths, len(starts))


def _write_words(words: Sequence[str], folder: Path) -> NDArray[np.int64]:
    """Write the words in the order of their keys; return the position of each."""
    keys = list(map(key, words))
    order = sorted(range(len(words)), key=lambda number: (keys[number], words[number]))
    with TextWriter(folder, "words") as texts, NumberWriter(folder / "words.keys") as stream:
        texts.add(words[number] for number in order)
        stream.add(np.array([keys[number] for number in order], np.uint64))
    places = np.empty(len(words), np.int64)
    places[order] = np.arange(len(words))
    return places


def _files(folder: Path, block: int) -> list[Path]:
    return [folder / f"counted-{block}-{column}" for column in ("words", "sentences", "counts")]


def _taken(folder: Path, block: int) -> list[NDArray[Any]]:
    files = _files(folder, block)
    columns = [np.fromfile(file, "<i4").astype(np.int64) for file in files]
    for file in files:
        file.unlink()
    return columns
