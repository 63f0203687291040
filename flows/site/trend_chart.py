"""Lines over months as small SVG charts, sized for pages with many of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from flows.presenting.numbers import digits, fixed

SMALL, LARGE = (340, 200), (760, 260)
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 10, 10, 28
_TICKS = 4
_LABEL = 56  # pixels for a month's name
_ASIDE = 7  # maximum distance between two lines' intervals


@dataclass(frozen=True)
class Point:
    """The number of the month at this place, with the ends of its interval if it has one."""

    place: int
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Line:
    """A series over the months, with its `points` in order; it is `dotted` if it has no common scale."""

    who: str
    number: int  # selects its color and its sign
    points: Sequence[Point]
    dotted: bool = False


@dataclass(frozen=True)
class DrawnLine:
    """The geometry of a line. Points are marked, except on a dotted line that accompanies a solid line."""

    who: str
    number: int
    dotted: bool
    path: str
    intervals: Sequence[tuple[float, float, float]]
    marks: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Chart:
    """The geometry of a chart, in the picture's coordinates.

    An interval is its place, its upper end and its lower end. `words` describe the chart for people who cannot see it.
    """

    words: str
    width: int
    height: int
    lines: Sequence[DrawnLine]
    ticks: Sequence[tuple[float, str]]
    months: Sequence[tuple[float, str]]


def chart(words: str, months: Sequence[str], lines: Sequence[Line], size: tuple[int, int] = SMALL) -> Chart | None:
    """Lay out a chart, or return None if no line has two points."""
    if not any(len(line.points) > 1 for line in lines):
        return None
    ends = [
        end
        for line in lines
        for point in line.points
        for end in (point.value, point.low, point.high)
        if end is not None
    ]
    low, high, step = _scale(min(ends), max(ends))
    width, height = size
    room = (width - _LEFT - _RIGHT) / len(months)
    numbers = sorted({line.number for line in lines})
    aside = min(_ASIDE, 0.7 * room / len(numbers))

    def x(place: int, number: int) -> float:
        """Return the place of a point; lines are shifted slightly, so that their intervals do not overlap."""
        return round(_LEFT + room * (place + 0.5) + aside * (numbers.index(number) - (len(numbers) - 1) / 2), 1)

    def y(value: float) -> float:
        return round(_TOP + (height - _TOP - _BOTTOM) * (high - value) / (high - low), 1)

    all_dotted = all(line.dotted for line in lines)
    drawn = []
    for line in lines:
        points = [(x(point.place, line.number), y(point.value)) for point in line.points]
        intervals = [
            (x(point.place, line.number), y(point.high), y(point.low))
            for point in line.points
            if point.low is not None and point.high is not None
        ]
        marks = points if line.dotted == all_dotted else []
        drawn.append(DrawnLine(line.who, line.number, line.dotted, _path(points), intervals, marks))
    ticks = [(y(value), _tick(value, step)) for value in _ticks(low, high, step)]
    every = math.ceil(_LABEL / room)
    labels = [
        (round(_LEFT + room * (place + 0.5), 1), month)
        for place, month in enumerate(months)
        if (len(months) - 1 - place) % every == 0
    ]
    return Chart(words, width, height, drawn, ticks, labels)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:g},{y:g}" for x, y in points)


def _scale(low: float, high: float) -> tuple[float, float, float]:
    """Return round ends that enclose both numbers, and the step between two ticks."""
    rough = ((high - low) or abs(high) or 1.0) / _TICKS
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    # rounding errors must not add a step
    first, last = math.floor(round(low / step, 6)), math.ceil(round(high / step, 6))
    return first * step, max(last, first + 1) * step, step


def _ticks(low: float, high: float, step: float) -> list[float]:
    return [low + step * number for number in range(round((high - low) / step) + 1)]


def _tick(value: float, step: float) -> str:
    """Format a tick with as many decimals as the step."""
    decimals = next((count for count in range(7) if math.isclose(round(step, count), step)), 7)
    return fixed(value, decimals)


def line_words(who: str, metric: str, months: Sequence[str], points: Sequence[Point]) -> str:
    """Describe a line in words."""
    numbers = ", ".join(f"{months[point.place]} {digits(point.value)}" for point in points)
    return f"{who}, {metric}: {numbers}"
