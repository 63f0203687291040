"""Tables of numbers on pages: columns in the paper's order, cells with their intervals, blocks that fit a screen."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from flows.comparing.board import Board, Column, number_of
from flows.comparing.headline import reason
from flows.presenting.material import Material, Record
from flows.presenting.numbers import AlignedNumber, align, fixed
from newwiki.anchors import ANCHORS
from newwiki.columns import CALIBRATED, READING
from newwiki.levels import CLAIMED, VERIFIED
from newwiki.paper_metrics import paper_metrics
from newwiki.protocol import PROTOCOL, varying

ROOM = 180  # letters beside each other on a screen of 1440 pixels, in a font as wide as DejaVu Sans
FIRST = 26  # letters of the column that says which run
_GAP = 2.4
_SMALL = 0.85  # how large the letters of intervals are
_PARTS = re.compile(r"[\s_]+")


@dataclass(frozen=True)
class PaperColumn:
    """A metric of the paper by a column of the board."""

    title: str
    column: Column
    low: float | None
    high: float | None

    def rescaled(self, value: float) -> float:
        """Return the value on a scale where `low` is 0 and `high` is 1."""
        assert self.low is not None and self.high is not None
        return (value - self.low) / (self.high - self.low)


def paper_columns(columns: Iterable[Column]) -> list[PaperColumn]:
    """Return the paper's metrics on the board, each by our nearest metric; several evaluators make several columns."""
    by_metric: dict[str, list[Column]] = {}
    for column in columns:
        by_metric.setdefault(column.metric, []).append(column)
    headed = []
    for metric in paper_metrics():
        ours = next((by_metric[name] for name in metric.here if name in by_metric), [])
        for column in ours:
            title = metric.title + column.name.removeprefix(column.metric)
            headed.append(PaperColumn(title, column, metric.low, metric.high))
    return headed


def ordered(columns: Iterable[Column], directions: Mapping[str, str]) -> list[Column]:
    """Sort columns for pages: the paper's metrics first, and among them those with a better direction."""
    listed = list(columns)
    paper = [head.column for head in paper_columns(listed)]
    paper.sort(key=lambda column: directions[column.metric] == "none")
    return [*paper, *(column for column in listed if column not in paper)]


def ordered_by(columns: Iterable[Column], directions: Mapping[str, str], by: Column | None) -> list[Column]:
    """Sort columns for leaderboards: the one that orders the runs, bits per byte, then as `ordered`."""
    return sorted(ordered(columns, directions), key=lambda column: (column != by, column.metric != READING))


@dataclass(frozen=True)
class Cell:
    """A mean with its spread and both ends of its 95 % interval, and all of them as they are `shown` below each other;
    `left` and `width` are where that interval lies between the column's least (0) and greatest (100) number.
    `no_interval` is the reason if there is none. `best` is True if no mean in the column is better, and never across
    protocols. `apart` states the number of texts behind the mean if some lack a score. `calibrated` is the number on
    the scale from another article (0) to the article itself (100), in words."""

    mean: float | None
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    no_interval: str | None = None
    left: float = 0.0
    width: float = 0.0
    best: bool = False
    apart: str = ""
    level: str | None = None
    calibrated: str = ""
    shown: AlignedNumber | None = None


@dataclass(frozen=True)
class Row:
    record: Record
    cells: Sequence[Cell]


def in_order(material: Material, first: Column | None = None) -> list[Column]:
    """Return the leaderboard's columns: that which orders the runs, bits per byte, and the others in the order of
    pages."""
    columns = ordered(material.board.columns, {name: metric.direction for name, metric in material.metrics.items()})
    return sorted(columns, key=lambda column: (column != first, column.metric != READING))


def best_first(material: Material, column: Column | None) -> list[Record]:
    """Sort the runs by this column, runs without a number last; by their start where the metric has no direction."""
    if column is None or material.direction(column) == "none":
        return material.records
    sign = -1 if material.direction(column) == "higher" else 1
    name = column.name
    return sorted(material.records, key=lambda record: (record[name] is None, sign * (record[name] or 0)))


def rows(material: Material, records: Iterable[Record], columns: Sequence[Column]) -> list[Row]:
    """Return a row for each record with a cell for each column."""
    listed = list(records)
    by_column = [cells(listed, column, direction(material, listed, column)) for column in columns]
    return [Row(record, cells) for record, *cells in zip(listed, *by_column, strict=True)]


def direction(material: Material, records: Iterable[Record], column: Column) -> str:
    """Return the better direction; `none` for runs of several protocols or sets of articles."""
    settings = [material.settings[record["run_id"]] for record in records if record["run_id"] in material.settings]
    is_apart = any(name in PROTOCOL for name in varying(settings)) or not material.board.same_articles
    return "none" if is_apart else material.direction(column)


def apart(status: str | None, level: str | None = None) -> str:
    """Return what a reader must know beside a number: its status unless it covers all texts, and its level unless it is
    fully verified."""
    return "; ".join(
        [*([status] if status and status != "ok" else []), *([level] if level not in (None, VERIFIED) else [])]
    )


def cells(records: Sequence[Record], column: Column, direction: str) -> list[Cell]:
    """Return a column's cells, one for each record."""
    column_numbers = [number_of(record, column.name) for record in records]
    ends = [end for number in column_numbers for end in (number.mean, number.low, number.high) if end is not None]
    means = [number.mean for number in column_numbers if number.mean is not None and number.level != CLAIMED]
    best = {"higher": max, "lower": min}.get(direction, lambda means, default: None)(means, default=None)
    start, span = (min(ends), max(ends) - min(ends)) if ends else (0.0, 0.0)

    def at(value: float) -> float:
        return round(100 * (value - start) / span, 1) if span else 50.0

    unaligned = [
        Cell(None, apart=apart(number.status, number.level))
        if number.mean is None
        else Cell(
            number.mean,
            number.sd,
            number.low,
            number.high,
            number.no_interval,
            left=at(number.mean if number.low is None else number.low),
            width=0.0 if number.low is None or number.high is None else round(at(number.high) - at(number.low), 1),
            best=number.mean == best and number.level != CLAIMED and len(means) > 1,
            apart=apart(number.status, number.level),
            level=number.level,
            calibrated=calibrated_words(record, column.name),
        )
        for record, number in zip(records, column_numbers, strict=True)
    ]
    return _aligned(unaligned)


def calibrated_words(record: Record, column: str) -> str:
    """Return the calibrated number of a column, such as `63 of 100 [59, 67]`; empty if there is none."""
    mean, low, high = (record.get(column + end) for end in CALIBRATED)
    if mean is None:
        return ""
    ends = "" if low is None or high is None else f" [{fixed(low, 0)}, {fixed(high, 0)}]"
    return f"{fixed(mean, 0)} of 100{ends}"


@dataclass(frozen=True)
class AnchorTable:
    """The anchors of a snapshot: a row of means for each kind of text, and the metrics that cannot see content."""

    words: int
    columns: Sequence[Column]
    rows: Sequence[tuple[str, str, Sequence[str]]]
    blind: Sequence[str]
    fooled: Sequence[str]
    order: str


def anchor_table(board: Board, snapshot_id: str, columns: Sequence[Column], by: Column | None) -> AnchorTable | None:
    """Return the anchors of a snapshot with those of these columns that have them; None if there are none. `by`
    is the column that orders the runs."""
    anchors = next((found for found in board.calibrations.anchors if found.snapshot_id == snapshot_id), None)
    if anchors is None:
        return None
    shown = [column for column in columns if any((anchor, column.metric) in anchors.means for anchor in ANCHORS)]
    by_column = [anchors.shown(column.metric) for column in shown]
    rows = [
        (anchor, words, [cells[place] for cells in by_column]) for place, (anchor, words) in enumerate(ANCHORS.items())
    ]
    return AnchorTable(anchors.words, shown, rows, anchors.blind, anchors.fooled, reason(board, by))


def together(*groups: Sequence[Row]) -> list[list[Row]]:
    """Return the same groups of rows, aligned so that each column has the same decimals in all of them."""
    listed = [row for group in groups for row in group]
    by_column = [_aligned(column) for column in zip(*[row.cells for row in listed], strict=True)]
    aligned = iter([Row(row.record, cells) for row, *cells in zip(listed, *by_column, strict=True)])
    return [[next(aligned) for _ in group] for group in groups]


def _aligned(column: Sequence[Cell]) -> list[Cell]:
    return [replace(cell, shown=shown) for cell, shown in zip(column, align(column), strict=True)]


def blocks(heads: Sequence[str], rows: Sequence[Row], beside: float = 0) -> list[range]:
    """Split the columns into blocks as wide as a screen; the first block leaves room for `beside` letters."""
    column_blocks: list[range] = []
    start, used = 0, FIRST + beside
    for place, head in enumerate(heads):
        width = _width(head, rows, place) + _GAP
        if place > start and used + width > ROOM:
            column_blocks.append(range(start, place))
            start, used = place, FIRST
        used += width
    return [*column_blocks, range(start, len(heads))]


def width_of(head: str, cells: Sequence[str]) -> float:
    """Return the width of a column in letters, with the gap to the next."""
    return max(map(len, (*_PARTS.split(head), *cells))) + _GAP


def _width(head: str, rows: Sequence[Row], place: int) -> float:
    parts = [len(part) for part in _PARTS.split(head)]
    shown = [cell.shown for row in rows if (cell := row.cells[place]).shown]
    numbers = [max(len(number.mean), _SMALL * len(number.interval)) for number in shown]
    deviations = [_SMALL * len(number.sd) for number in shown]
    return max([*parts, *numbers]) + _GAP + max(deviations, default=0)
