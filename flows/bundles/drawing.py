"""Which completions are made anew: nobody can know before the checker has drawn a number."""

import hashlib
import heapq
import secrets
from collections.abc import Collection

Key = tuple[str, int, int]  # run id, page id, sample

_NUMBERS = 2**63


def new_number() -> int:
    """One that nobody can guess."""
    return secrets.randbelow(_NUMBERS)


def draw(keys: Collection[Key], count: int, number: int, bundle_sha256: str) -> list[Key]:
    """So many of the keys, or all where there are fewer: those with the smallest hashes of number, bundle and key.

    Every choice of so many is as likely as any other over the numbers. With a higher count it is these and more.
    """

    def place(key: Key) -> bytes:
        return hashlib.sha256(repr((number, bundle_sha256, *key)).encode()).digest()

    return heapq.nsmallest(count, keys, key=place)


def passes(share: float, drawn: int) -> float:
    """At most how likely a bundle passes in which this share of the completions was changed: (1 − share) ^ drawn. It is
    exactly so with replacement; without, as here, it is less."""
    return (1 - share) ** drawn
