"""Numbers below each other: those of a column have the same digits, and their points stand in one line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeGuard

from flows.tables import decimals

_BLANK = "\u2007"  # as wide as a digit


class Numbers(Protocol):
    """A mean, and what is known of its spread."""

    @property
    def mean(self) -> float | None: ...
    @property
    def sd(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


@dataclass(frozen=True)
class Numerals:
    """A mean, its `± sd` and its `[low, high]`, each as long as the others of its column, or empty. Where a digit is
    lacking in front stands a blank as wide as one."""

    mean: str
    sd: str
    interval: str


def numerals(column: Sequence[Numbers]) -> list[Numerals | None]:
    """Of a column's numbers, None where there is no mean."""
    means = [one.mean for one in column if one.mean is not None]
    spreads = [spread for one in column for spread in (_longer_arm(one), one.sd) if varies(spread)]
    number = decimals(means, spreads)
    sds = _below_each_other([one.sd for one in column], number)
    lows = _below_each_other([one.low for one in column], number)
    highs = _below_each_other([one.high for one in column], number)
    return [
        None
        if one.mean is None
        else Numerals(
            in_words(one.mean, number),
            f"± {sd}" if one.sd is not None else _BLANK * (len(sd) + 1) if sd else "",
            f"[{low}, {high}]" if one.low is not None else "",
        )
        for one, sd, low, high in zip(column, sds, lows, highs, strict=True)
    ]


def varies(spread: float | None) -> TypeGuard[float]:
    """Whether that is more than rounding: the articles beside themselves are all the same, but for it."""
    return spread is not None and spread > 1e-6


def in_words(number: float, decimals: int) -> str:
    """With a true minus, and none before 0."""
    text = f"{number:,.{decimals}f}"
    return text.replace("-", "−" if float(text.replace(",", "")) else "")


def _below_each_other(numbers: Sequence[float | None], decimals: int) -> list[str]:
    texts = ["" if number is None else in_words(number, decimals) for number in numbers]
    width = max(map(len, texts), default=0)
    return [text.rjust(width, _BLANK) for text in texts]


def _longer_arm(one: Numbers) -> float | None:
    if one.mean is None or one.low is None or one.high is None:
        return None
    return max(one.mean - one.low, one.high - one.mean)
