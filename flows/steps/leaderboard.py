"""The scored runs beside each other. A column holds the numbers of one evaluator, or there is no such column."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from flows.steps.agreement import agreed, apart, by_metric, remedy
from flows.steps.leak import leaks
from newwiki.errors import TerminalError
from storage import snapshots
from storage.comparison import Scoring, evaluator_words
from storage.database import Database

ABOUT = ("model", "decoder", "snapshot_id", "run_id", "prompts", "completions", "scored_by")
PARTS = ("", "_sd", "_low", "_high")
_SNAPSHOT_ID, _RUN_ID = 2, 3
_NOTHING = (None,) * len(PARTS)


@dataclass(frozen=True)
class Column:
    """A metric by one evaluator; its name tells the evaluator too where there are several."""

    name: str
    metric: str
    evaluator_id: str


@dataclass(frozen=True)
class Board:
    """Records with a value for each name in `about`, and four for each of `columns`: mean, sd and both ends of the 95 %
    interval, under the column's name and `PARTS`. `notes` are what a reader must know beside it."""

    about: tuple[str, ...]
    columns: tuple[Column, ...]
    records: tuple[dict[str, Any], ...]
    notes: tuple[str, ...] = ()

    @property
    def heads(self) -> list[str]:
        return [*self.about, *[column.name + part for column in self.columns for part in PARTS]]


def board(
    database: Database,
    snapshot: str | None = None,
    *,
    by_evaluator: bool = False,
    prefer: Collection[str] | None = None,
) -> Board:
    """The board of one snapshot (`latest` too), or of all.

    A metric is shown by the newest evaluator that has scored every run which has the metric. Where there is none, a
    TerminalError says who has scored which run; with `by_evaluator` each gets a column. With `prefer` nothing is
    refused: a metric is shown by one of these evaluators if it can be, and runs that it has not scored have no number.
    """
    name = snapshots.resolve(database, snapshot).snapshot_id if snapshot else None
    rows = database.rows("board_rows", name)
    summaries = database.rows("board_summaries", [row[_RUN_ID] for row in rows])
    scorings = _by_metric(Scoring(*row[:4]) for row in summaries)
    if by_evaluator:
        columns = [column for metric, found in scorings.items() for column in _each(database, metric, found)]
        notes: tuple[str, ...] = ()
    else:
        shown = {metric: _one(found, prefer) for metric, found in scorings.items()}
        if disputed := {metric: scorings[metric] for metric, evaluator_id in shown.items() if evaluator_id is None}:
            raise TerminalError(_refusal(database, disputed, several=len({row[_SNAPSHOT_ID] for row in rows}) > 1))
        columns = [Column(metric, metric, evaluator_id) for metric, evaluator_id in shown.items() if evaluator_id]
        notes = _unseen(database, columns, scorings)
    cells = {row[:3]: row[4:] for row in summaries}
    records = tuple(_record(row, columns, cells) for row in rows)
    return Board(ABOUT, tuple(columns), records, (*notes, *leaks(database, name)))


def _by_metric(scorings: Iterable[Scoring]) -> dict[str, list[Scoring]]:
    """Those of runs. The articles are scored by whoever scored a run, so they decide only what no run has."""
    everything = list(scorings)
    return by_metric(everything) | by_metric(one for one in everything if not one.run_id.startswith("reference:"))


def _one(scorings: Sequence[Scoring], prefer: Collection[str] | None) -> str | None:
    """The evaluator whose numbers a metric's column holds."""
    if prefer is None:
        return agreed(scorings)
    preferred = next((one.evaluator_id for one in scorings if one.evaluator_id in prefer), None)
    return preferred or agreed(scorings) or scorings[0].evaluator_id


def _each(database: Database, metric: str, scorings: Sequence[Scoring]) -> list[Column]:
    names = list(dict.fromkeys(one.evaluator_id for one in scorings))
    if len(names) == 1:
        return [Column(metric, metric, names[0])]
    words = evaluator_words(database, names)
    return [Column(f"{metric} by {words[name]}", metric, name) for name in names]


def _unseen(
    database: Database, columns: Sequence[Column], scorings: Mapping[str, Sequence[Scoring]]
) -> tuple[str, ...]:
    """A note on the newest numbers of runs that stand in no column, if there are such."""
    left_out = {}
    for column in columns:
        made = scorings[column.metric]
        newest = {one.run_id: one for one in reversed(made)}
        if others := [one for one in newest.values() if one.evaluator_id != column.evaluator_id]:
            left_out[column.metric] = [*others, *(one for one in made if one.evaluator_id == column.evaluator_id)]
    if not left_out:
        return ()
    shown = {column.metric: column.evaluator_id for column in columns}
    return (
        f"not shown, as a column holds the numbers of one evaluator: {apart(database, left_out, shown)}; "
        f"{remedy(left_out)} has all runs scored by one, `newwiki leaderboard --by-evaluator` shows each",
    )


def _refusal(database: Database, disputed: Mapping[str, Sequence[Scoring]], several: bool) -> str:
    return (
        f"numbers of different evaluators cannot stand in one column: {apart(database, disputed)}. "
        f"Have all runs scored by one: {remedy(disputed)}; or see a column for each: "
        f"`newwiki leaderboard --by-evaluator`{', or one snapshot: --snapshot ID' if several else ''}"
    )


def _record(row: tuple[Any, ...], columns: Iterable[Column], cells: dict[Any, tuple[Any, ...]]) -> dict[str, Any]:
    run_id = row[_RUN_ID]
    record = dict(zip(ABOUT, row, strict=False))
    shown = [column.evaluator_id for column in columns if (run_id, column.metric, column.evaluator_id) in cells]
    record["scored_by"] = sha256(",".join(shown).encode()).hexdigest()[:8]
    for column in columns:
        values = cells.get((run_id, column.metric, column.evaluator_id), _NOTHING)
        record |= {column.name + part: value for part, value in zip(PARTS, values, strict=True)}
    return record
