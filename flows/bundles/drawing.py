"""Draw the completions that a check replays. Nobody can predict them before the checker has drawn a number."""

import hashlib
import heapq
import secrets
from collections.abc import Collection

Key = tuple[str, int, int]  # run id, page id, sample

_NUMBERS = 2**63


def new_number() -> int:
    """Return an unpredictable number."""
    return secrets.randbelow(_NUMBERS)


def draw(keys: Collection[Key], count: int, number: int, bundle_sha256: str) -> list[Key]:
    """Return the `count` keys with the smallest hashes of number, bundle and key, or all keys if there are fewer.

    Over all numbers, every subset of this size is equally likely. A higher count adds keys to those of a lower count.
    """

    def place(key: Key) -> bytes:
        return hashlib.sha256(repr((number, bundle_sha256, *key)).encode()).digest()

    return heapq.nsmallest(count, keys, key=place)


def passes(share: float, drawn: int) -> float:
    """Return an upper bound of the probability that a bundle passes: (1 − share) ^ drawn.

    `share` is the share of changed completions. The value is exact for draws with replacement, and too high for draws
    without replacement, which newwiki uses.
    """
    return (1 - share) ** drawn
