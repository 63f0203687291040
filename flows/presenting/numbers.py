"""Numbers as people read them: digits by scale, signs, intervals, p values, shares, and columns whose points line up.

Pages, terminal tables and sentences take their numbers from here. Formats for programs keep unrounded numbers.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeGuard

MINUS = "−"
NONE = "–"  # in the place of a number that does not exist
_FIGURE_SPACE = "\u2007"  # as wide as a digit
_MOST_DECIMALS = 6

Write = Callable[[float], str]


def fixed(number: float, decimals: int, *, signed: bool = False) -> str:
    """Format a number with this many decimals, thousands separators and a true minus; a rounded zero is never negative.

    With `signed`, positive numbers and zero begin with a plus.
    """
    rounded = round(number, decimals) + 0.0
    return f"{rounded:{'+' if signed else ''},.{decimals}f}".replace("-", MINUS)


def digits(number: float | None, like: float | None = None, *, signed: bool = False) -> str:
    """Format a number of any metric by its scale: one decimal from 10 upwards, three below, and two significant digits
    below 0.01 (at most six decimals).

    With `like`, the number has as many decimals as the number that it belongs to. Returns a dash for None.
    """
    if number is None:
        return NONE
    return fixed(number, _decimals_of(number if like is None else like), signed=signed)


def signed(number: float) -> str:
    """Format a difference of any metric like `digits`, with its sign."""
    return digits(number, signed=True)


def estimate(
    number: float | None, low: float | None, high: float | None, write: Write = digits, lacking: str | None = None
) -> str:
    """Format a number with its interval, `0.41 [0.38, 0.44]`, each part as `write` formats it.

    Without an interval the brackets hold the reason, `lacking`, or are left out. Returns a dash for None.
    """
    if number is None:
        return NONE
    if low is None or high is None:
        return f"{write(number)} [{lacking}]" if lacking else write(number)
    return f"{write(number)} {interval(low, high, write)}"


def interval(low: float, high: float, write: Write = digits) -> str:
    """Format the two ends of an interval: `[0.38, 0.44]`."""
    return f"[{write(low)}, {write(high)}]"


def p_value(p: float | None) -> str:
    """Format a p value with three decimals, `< 0.001` for smaller ones. Returns a dash for None."""
    if p is None:
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def percent(share: float | None, decimals: int = 1) -> str:
    """Format a share in [0, 1] as `41.3%`. Returns a dash for None."""
    return NONE if share is None else f"{fixed(share * 100, decimals)}%"


def hundredths(share: float, decimals: int = 1, *, signed: bool = False) -> str:
    """Format a share, or a difference of shares, in percentage points without a sign of percent: `41.3`."""
    return fixed(share * 100, decimals, signed=signed)


def counted(number: int, noun: str) -> str:
    """Return the number with its noun in the right form: `1 prompt`, `1,200 prompts`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def decimals(means: Iterable[float], arms: Iterable[float] = ()) -> int:
    """Return how many decimals all numbers of a column have: one from 10 upwards, three below, and more (at most six)
    where an arm of an interval, or every mean, would round to 0. An arm below a millionth of the largest mean is the
    rounding of a computation and asks for no decimals."""
    largest = max(map(abs, means), default=0)
    smallest = min([*(arm for arm in arms if arm > 1e-6 * largest), *filter(None, [largest])], default=1)
    number = 1 if largest >= 10 else 3
    while number < _MOST_DECIMALS and not float(f"{smallest:.{number}f}"):
        number += 1
    return number


class Numbers(Protocol):
    """A mean with its standard deviation and the ends of its interval; each is None where it does not exist."""

    @property
    def mean(self) -> float | None: ...
    @property
    def sd(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


@dataclass(frozen=True)
class AlignedNumber:
    """A mean, its standard deviation and its `[low, high]` as text. In a column each part has one width, padded on its
    left with blanks as wide as a digit; a part that a number lacks is empty."""

    mean: str
    sd: str
    interval: str


def align(column: Sequence[Numbers]) -> list[AlignedNumber | None]:
    """Format a column's numbers with the same decimals, so that their points line up; None where there is no mean."""
    means = [entry.mean for entry in column if entry.mean is not None]
    spreads = [spread for entry in column for spread in (longer_arm(entry), entry.sd) if varies(spread)]
    number = decimals(means, spreads)
    sds = _padded([entry.sd for entry in column], number)
    lows = _padded([entry.low for entry in column], number)
    highs = _padded([entry.high for entry in column], number)
    return [
        None
        if entry.mean is None
        else AlignedNumber(
            fixed(entry.mean, number),
            sd if entry.sd is not None else "",
            f"[{low}, {high}]" if entry.low is not None else "",
        )
        for entry, sd, low, high in zip(column, sds, lows, highs, strict=True)
    ]


def varies(spread: float | None) -> TypeGuard[float]:
    """Return whether a spread is more than rounding: articles scored against themselves all have the same number."""
    return spread is not None and spread > 1e-6


def _decimals_of(number: float) -> int:
    size = abs(round(number, _MOST_DECIMALS))
    if not size or size >= 0.01:
        return 1 if size >= 10 else 3
    return min(_MOST_DECIMALS, 1 - math.floor(math.log10(size)))


def _padded(numbers: Sequence[float | None], decimals: int) -> list[str]:
    texts = ["" if number is None else fixed(number, decimals) for number in numbers]
    width = max(map(len, texts), default=0)
    return [text.rjust(width, _FIGURE_SPACE) for text in texts]


def longer_arm(numbers: Numbers) -> float | None:
    """Return how far the interval reaches on its longer side; None where there is no interval."""
    if numbers.mean is None or numbers.low is None or numbers.high is None:
        return None
    return max(numbers.mean - numbers.low, numbers.high - numbers.mean)
