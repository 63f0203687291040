"""Lines over months as SVG that stands in a page: drawn here, as a page has many, and each must be small."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flows.tables import digits

WIDTH, HEIGHT = 340, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 10, 10, 34
_TICKS = 4
_LABELS = 7  # months that have room for their names


@dataclass(frozen=True)
class Point:
    """A number of the month at this place, with both ends of its interval where it has one."""

    place: int
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Line:
    """One that is seen from month to month: `points` in their order, `dotted` where they are on no common scale."""

    who: str
    number: int  # its colour and its sign
    points: Sequence[Point]
    dotted: bool = False


@dataclass(frozen=True)
class DrawnLine:
    """Its points are marked, unless it is dotted beside one that is not."""

    who: str
    number: int
    dotted: bool
    path: str
    band: str
    marks: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Chart:
    """In the picture's own coordinates; `words` are for those who cannot see it."""

    words: str
    lines: Sequence[DrawnLine]
    ticks: Sequence[tuple[float, str]]
    months: Sequence[tuple[float, str]]


def chart(words: str, months: Sequence[str], lines: Sequence[Line]) -> Chart | None:
    """None where there is nothing to draw a line between."""
    if not any(len(line.points) > 1 for line in lines):
        return None
    ends = [end for line in lines for one in line.points for end in (one.value, one.low, one.high) if end is not None]
    low, high, step = _scale(min(ends), max(ends))
    inner = WIDTH - _LEFT - _RIGHT

    def x(place: int) -> float:
        return round(_LEFT + inner * (place + 0.5) / len(months), 1)

    def y(value: float) -> float:
        return round(_TOP + (HEIGHT - _TOP - _BOTTOM) * (high - value) / (high - low), 1)

    all_dotted = all(line.dotted for line in lines)
    drawn = [
        DrawnLine(
            line.who,
            line.number,
            line.dotted,
            _path([(x(one.place), y(one.value)) for one in line.points]),
            _band(line, x, y),
            [(x(one.place), y(one.value)) for one in line.points] if line.dotted == all_dotted else [],
        )
        for line in lines
    ]
    ticks = [(y(low + step * number), _tick(low + step * number, step)) for number in range(round((high - low) / step) + 1)]
    every = math.ceil(len(months) / _LABELS)
    labels = [(x(place), month) for place, month in enumerate(months) if (len(months) - 1 - place) % every == 0]
    return Chart(words, drawn, ticks, labels)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:g},{y:g}" for x, y in points)


def _band(line: Line, x: Callable[[int], float], y: Callable[[float], float]) -> str:
    """Around the points that have an interval."""
    with_ends = [(one.place, one.low, one.high) for one in line.points if one.low is not None and one.high is not None]
    if len(with_ends) < 2:
        return ""
    upper = [(x(place), y(high)) for place, _, high in with_ends]
    lower = [(x(place), y(low)) for place, low, _ in reversed(with_ends)]
    return _path([*upper, *lower]) + "Z"


def _scale(low: float, high: float) -> tuple[float, float, float]:
    """Round ends that hold both, and the step between two ticks."""
    span = (high - low) or abs(high) or 1.0
    rough = span / _TICKS
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough)
    return math.floor(low / step) * step, math.ceil(high / step) * step or step, step


def _tick(value: float, step: float) -> str:
    """With as many decimals as the step has."""
    decimals = next((count for count in range(7) if math.isclose(round(step, count), step)), 7)
    return f"{value:.{decimals}f}".replace("-", "−" if round(value, decimals) else "")


def told(who: str, metric: str, months: Sequence[str], points: Sequence[Point]) -> str:
    """A line in words."""
    numbers = ", ".join(f"{months[one.place]} {digits(one.value)}" for one in points)
    return f"{who}, {metric}: {numbers}"
