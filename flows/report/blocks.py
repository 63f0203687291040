"""The columns of a wide table in blocks, each as wide as a screen: nothing of them needs scrolling sideways there."""

import re
from collections.abc import Sequence

from flows.report.paper_tables import Row

ROOM = 180  # letters beside each other on a screen of 1440 pixels, in a font as wide as DejaVu Sans
FIRST = 26  # letters of the column that says which run
_GAP = 2.4
_SMALL = 0.85  # how large the letters of intervals are
_PARTS = re.compile(r"[\s_]+")


def blocks(heads: Sequence[str], rows: Sequence[Row], beside: float = 0) -> list[range]:
    """The places of the cells that fit beside each other, and beside so many letters of other columns in the first."""
    found: list[range] = []
    start, used = 0, FIRST + beside
    for place, head in enumerate(heads):
        width = _width(head, rows, place) + _GAP
        if place > start and used + width > ROOM:
            found.append(range(start, place))
            start, used = place, FIRST
        used += width
    return [*found, range(start, len(heads))]


def width_of(head: str, cells: Sequence[str]) -> float:
    """How wide a column of such words is, its gap with it."""
    return max(map(len, (*_PARTS.split(head), *cells))) + _GAP


def _width(head: str, rows: Sequence[Row], place: int) -> float:
    parts = [len(part) for part in _PARTS.split(head)]
    shown = [cell.shown for row in rows if (cell := row.cells[place]).shown]
    numbers = [len(one.mean) + _SMALL * len(one.sd) + bool(one.sd) for one in shown]
    intervals = [_SMALL * len(one.interval) for one in shown]
    return max([*parts, *numbers, *intervals])
