"""Build prompts and prefixes of tokens: cut from texts, shuffled, corrupted at a rate, or random."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Tokens = tuple[int, ...]
Key = tuple[int, int]  # page id, and number of the stretch of the page

MODEL, DATA, SHUFFLED, CORRUPTED = "model", "data", "shuffled", "corrupted"


@dataclass(frozen=True, order=True)
class Prefix:
    """A distribution of prefixes and a length.

    `rate` is the share of tokens that are replaced. A rate of 1 replaces all of the data, which gives a random prefix.
    """

    kind: str
    length: int
    rate: float = 0.0


def stretches(tokens: Sequence[int], length: int, most: int) -> list[Tokens]:
    """Cut at most `most` consecutive pieces of exactly this length, from the beginning."""
    count = min(most, len(tokens) // length)
    return [tuple(tokens[place * length : (place + 1) * length]) for place in range(count)]


def halves(keys: Sequence[Key], seed: int) -> tuple[list[Key], list[Key]]:
    """Split the keys into texts to continue and references, with about as many pages each, drawn by a hash.

    All stretches of a page are in the same half, so that no text is compared with the article of its own prompt.
    """
    pages = sorted({page for page, _ in keys}, key=lambda page: hashlib.sha256(f"{seed}:{page}".encode()).digest())
    continued = set(pages[: len(pages) // 2])
    return [key for key in keys if key[0] in continued], [key for key in keys if key[0] not in continued]


def distorted(tokens: Tokens, prefix: Prefix, vocabulary: Sequence[int], seed: int, key: Key) -> Tokens:
    """Return the data's tokens in another order, or with a share of `rate` replaced by uniformly drawn tokens.

    The result is deterministic for a seed and a key. A higher rate also makes all replacements of a lower rate, with
    the same tokens.
    """
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
