"""Find the pairs of brackets of a text, in linear time."""

import functools
import re
from bisect import bisect_left

BRACKETS = dict(zip(")]）」』》〉】", "([（「『《〈【", strict=True))
"""Closing brackets with the opening ones."""
QUOTES = {"”": "“", "’": "‘"}

_LONGEST = 1_000  # characters; a longer pair is an accident


class Brackets:
    """The outermost pairs of brackets of a text. Brackets without a partner, or too far from it, are none."""

    def __init__(self, text: str, partners: dict[str, str]) -> None:
        self._pairs: list[tuple[int, int]] = []
        pattern = _any_of("".join([*partners, *partners.values()]))
        opened: list[tuple[str, int]] = []
        counts = dict.fromkeys(partners.values(), 0)
        for bracket in pattern.finditer(text):
            character, place = bracket[0], bracket.start()
            if character in counts:
                opened.append((character, place))
                counts[character] += 1
            elif counts[partners[character]]:
                while True:
                    opener, begin = opened.pop()
                    counts[opener] -= 1
                    if opener == partners[character]:
                        break
                if place - begin <= _LONGEST:
                    while self._pairs and self._pairs[-1][0] > begin:
                        self._pairs.pop()
                    self._pairs.append((begin, place))

    def around(self, place: int) -> tuple[int, int] | None:
        """Return the pair around the position."""
        after = bisect_left(self._pairs, (place,))
        return self._pairs[after - 1] if after and self._pairs[after - 1][1] >= place else None


@functools.cache
def _any_of(characters: str) -> re.Pattern[str]:
    return re.compile(f"[{re.escape(characters)}]")
