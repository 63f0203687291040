"""The leaderboard, and the paper's tables 3 and 4 on our data."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from flows.comparing.board import Column, numbers_of
from flows.presenting.numbers import AlignedNumber, align
from flows.report.material import Material, Record, gather
from flows.report.paper import PaperColumn, ordered, paper_columns
from newwiki.levels import CLAIMED, VERIFIED
from newwiki.protocol import PROTOCOL, varying
from storage.database import Database

PAPER_DECODER = "sample:frequency_penalty=0,presence_penalty=0,repetition_penalty=1,temperature=0.9,top_k=20,top_p=0.9"


@dataclass(frozen=True)
class Cell:
    """A mean with its spread and both ends of its 95 % interval, and all of them as they are `shown` below each other;
    `left` and `width` are where that interval lies between the column's least (0) and greatest (100) number.
    `no_interval` is why there is none. `best` says that no other of its column is better, and is not said of runs that
    were asked otherwise. `apart` is on how many texts the mean stands, if these are not all."""

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
    shown: AlignedNumber | None = None


@dataclass(frozen=True)
class Row:
    record: Record
    cells: Sequence[Cell]


@dataclass(frozen=True)
class Pair:
    """The same request on two snapshots: of new articles and of old ones; `run_id` is that of the report's snapshot."""

    run_id: str
    new: Row
    old: Row


@dataclass(frozen=True)
class OldAndNew:
    """`left_out` are metrics that were scored by different evaluators, whose numbers are not set beside each other."""

    new_id: str
    old_id: str
    heads: Sequence[PaperColumn]
    pairs: Sequence[Pair]
    left_out: Sequence[str]


def in_order(material: Material) -> list[Column]:
    """The columns of the leaderboard."""
    return ordered(material.board.columns, {name: one.direction for name, one in material.metrics.items()})


def best_first(material: Material, column: Column | None) -> list[Record]:
    """The runs by this column, those without a number last; as they were started where nothing is better."""
    if column is None or material.direction(column) == "none":
        return material.records
    sign = -1 if material.direction(column) == "higher" else 1
    name = column.name
    return sorted(material.records, key=lambda one: (one[name] is None, sign * (one[name] or 0)))


def rows(material: Material, records: Iterable[Record], columns: Sequence[Column]) -> list[Row]:
    """A row a record with a cell a column."""
    listed = list(records)
    by_column = [cells(listed, column, direction(material, listed, column)) for column in columns]
    return [Row(record, cells) for record, *cells in zip(listed, *by_column, strict=True)]


def direction(material: Material, records: Iterable[Record], column: Column) -> str:
    """Which is better; `none` where the runs were asked otherwise, or of other articles, so that none is the best."""
    asked = [material.settings[one["run_id"]] for one in records if one["run_id"] in material.settings]
    is_apart = any(name in PROTOCOL for name in varying(asked)) or not material.board.same_articles
    return "none" if is_apart else material.direction(column)


def alike(material: Material) -> list[Record]:
    """The runs of table 3: those of one decoder and request that the most models have, the paper's decoder first among
    equals."""
    groups: dict[object, list[Record]] = defaultdict(list)
    for record in material.records:
        entry = material.entries[record["run_id"]]
        if entry.run.samples:
            groups[record["decoder"], entry.request].append(record)

    def rank(group: list[Record]) -> tuple[int, bool]:
        models = {material.entries[record["run_id"]].run.model_sha256 for record in group}
        return len(models), group[0]["decoder"].startswith(PAPER_DECODER)

    return max(groups.values(), key=rank, default=[])


def old_and_new(database: Database, material: Material) -> OldAndNew | None:
    """Table 4: the newest snapshot of the other kind on which the same was asked of the same model, if there is one."""
    for other_id, _ in database.rows("report_counterparts", material.snapshot.snapshot_id):
        other = gather(database, other_id)
        there = {_asked(other, record): record for record in other.records}
        found = [(record, there[key]) for record in material.records if (key := _asked(material, record)) in there]
        if found:
            return _paired(material, other, found)
    return None


def _paired(material: Material, other: Material, found: Sequence[tuple[Record, Record]]) -> OldAndNew:
    heads = paper_columns(material.board.columns)
    shared = [one for one in heads if one.column in other.board.columns]
    columns = [one.column for one in shared]
    step = 1 if material.snapshot.kind == "new" else -1
    new_id, old_id = (material.snapshot.snapshot_id, other.snapshot.snapshot_id)[::step]
    listed = together(*[rows(material, pair[::step], columns) for pair in found])
    pairs = [Pair(pair[0]["run_id"], *of_pair) for pair, of_pair in zip(found, listed, strict=True)]
    return OldAndNew(new_id, old_id, shared, pairs, [one.title for one in heads if one not in shared])


def _asked(material: Material, record: Record) -> tuple[object, ...]:
    entry = material.entries[record["run_id"]]
    return entry.run.model_sha256, record["decoder"], entry.request


def apart(status: str | None, level: str | None = None) -> str:
    """What a reader must know beside a number: nothing where it stands on all texts and was wholly verified, or was
    never asked for."""
    return "; ".join(
        [*([status] if status and status != "ok" else []), *([level] if level not in (None, VERIFIED) else [])]
    )


def cells(records: Sequence[Record], column: Column, direction: str) -> list[Cell]:
    """A column's cells, one a record."""
    found = [numbers_of(record, column.name) for record in records]
    ends = [of[end] for of in found for end in ("mean", "low", "high") if of[end] is not None]
    means = [of["mean"] for of in found if of["mean"] is not None and of["level"] != CLAIMED]
    best = {"higher": max, "lower": min}.get(direction, lambda means, default: None)(means, default=None)
    start, span = (min(ends), max(ends) - min(ends)) if ends else (0.0, 0.0)

    def at(value: float) -> float:
        return round(100 * (value - start) / span, 1) if span else 50.0

    made = [
        Cell(None, apart=apart(of["status"], of["level"]))
        if of["mean"] is None
        else Cell(
            **{name: of[name] for name in ("mean", "sd", "low", "high", "no_interval")},
            left=at(of["mean"] if of["low"] is None else of["low"]),
            width=0.0 if of["low"] is None else round(at(of["high"]) - at(of["low"]), 1),
            best=of["mean"] == best and of["level"] != CLAIMED and len(means) > 1,
            apart=apart(of["status"], of["level"]),
            level=of["level"],
        )
        for of in found
    ]
    return _aligned(made)


def together(*groups: Sequence[Row]) -> list[list[Row]]:
    """The same rows, with the same digits in a column of all of them."""
    listed = [row for group in groups for row in group]
    by_column = [_aligned(column) for column in zip(*[row.cells for row in listed], strict=True)]
    made = iter([Row(row.record, cells) for row, *cells in zip(listed, *by_column, strict=True)])
    return [[next(made) for _ in group] for group in groups]


def _aligned(column: Sequence[Cell]) -> list[Cell]:
    return [replace(cell, shown=shown) for cell, shown in zip(column, align(column), strict=True)]
