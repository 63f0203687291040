"""Prompts and prefixes of tokens: cut out of texts, shuffled, corrupted at a rate, or random."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Tokens = tuple[int, ...]
Key = tuple[int, int]  # page id, and which stretch of the page

MODEL, DATA, SHUFFLED, CORRUPTED = "model", "data", "shuffled", "corrupted"


@dataclass(frozen=True, order=True)
class Prefix:
    """A distribution of prefixes and a length. `rate` is the share of tokens that are replaced; a rate of 1 leaves
    nothing of the data, and is a random prefix."""

    kind: str
    length: int
    rate: float = 0.0


def stretches(tokens: Sequence[int], length: int, most: int) -> list[Tokens]:
    """Pieces of exactly this length, one after the other from the beginning, `most` at most."""
    count = min(most, len(tokens) // length)
    return [tuple(tokens[place * length : (place + 1) * length]) for place in range(count)]


def halves(keys: Sequence[Key], seed: int) -> tuple[list[Key], list[Key]]:
    """Those that are gone on from and those that are references, about as many pages each, drawn by a hash. A page is
    in one of them with all of its stretches, so that no text is compared with what its prompt stands in."""
    pages = sorted({page for page, _ in keys}, key=lambda page: hashlib.sha256(f"{seed}:{page}".encode()).digest())
    asked = set(pages[: len(pages) // 2])
    return [key for key in keys if key[0] in asked], [key for key in keys if key[0] not in asked]


def distorted(tokens: Tokens, prefix: Prefix, vocabulary: Sequence[int], seed: int, key: Key) -> Tokens:
    """The data's tokens in another order, or `rate` of them, rounded, replaced by uniformly drawn ones: the same always
    for a seed and a key, and what a lower rate replaces a higher one replaces too, by the same."""
    digest = hashlib.sha256(f"{seed}:{prefix.kind}:{prefix.length}:{key}".encode()).digest()
    random = np.random.default_rng(int.from_bytes(digest[:8], "big"))
    order = random.permutation(len(tokens))
    if prefix.kind == SHUFFLED:
        return tuple(tokens[place] for place in order)
    drawn = random.integers(len(vocabulary), size=len(tokens))
    replaced = list(tokens)
    for place in order[: round(prefix.rate * len(tokens))]:
        replaced[place] = vocabulary[drawn[place]]
    return tuple(replaced)
