"""The section on later editions: the articles at later cutoffs, and the runs' scores against them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.presenting.numbers import decimals
from storage import editions
from storage.database import Database

SHOWN = 30  # maximum number of things that came true

Record = Mapping[str, Any]


@dataclass(frozen=True)
class DifferenceColumn:
    """A metric by one evaluator, with the decimals of its differences and of its means.

    The `title` includes the evaluator's id if several evaluators scored by the metric.
    """

    title: str
    metric: str
    evaluator_id: str
    difference_decimals: int
    mean_decimals: int


@dataclass(frozen=True)
class LaterEdition:
    """A later edition of the snapshot.

    - `about` is its row of `editions`.
    - `outcomes` are the outcomes of the articles.
    - `runs` are the runs' differences by run and column.
    - `came_true` counts by run the things that came true.

    The remaining fields are the decimals of its numbers by name, and the things that most texts said first.
    """

    about: Record
    outcomes: Sequence[tuple[str, int, str, str]]
    columns: Sequence[DifferenceColumn]
    runs: Mapping[str, Mapping[DifferenceColumn, Record]]
    came_true: Sequence[Record]
    decimals: Mapping[str, int]
    things: Sequence[Record]


def later_editions(database: Database, snapshot_id: str) -> list[LaterEdition]:
    """Return all editions of the snapshot, the earliest cutoff first."""
    return [_edition(database, name) for name in editions.editions_of(database, snapshot_id)]


def _edition(database: Database, name: str) -> LaterEdition:
    [about] = database.records(dict[str, Any], "edition_one", name)
    differences = database.records(dict[str, Any], "edition_differences", name)
    columns = _columns(differences)
    by_key = {(column.metric, column.evaluator_id): column for column in columns}
    runs: dict[str, dict[DifferenceColumn, Record]] = {}
    for row in differences:
        runs.setdefault(row["run_id"], {})[by_key[row["metric"], row["evaluator_id"]]] = row
    came_true = database.records(dict[str, Any], "came_true_by_run", name)
    return LaterEdition(
        about,
        database.rows("edition_outcomes", name),
        columns,
        runs,
        came_true,
        {part: decimals(_numbers(came_true, part)) for part in ("chance", "excess")},
        database.records(dict[str, Any], "came_true_first", name, SHOWN),
    )


def _columns(differences: Sequence[Record]) -> list[DifferenceColumn]:
    keys = sorted({(row["metric"], row["evaluator_id"]) for row in differences})
    metrics = [metric for metric, _ in keys]
    columns = []
    for metric, by in keys:
        title = metric if metrics.count(metric) == 1 else f"{metric} ({by[:6]})"
        rows = [row for row in differences if (row["metric"], row["evaluator_id"]) == (metric, by)]
        means = [*_numbers(rows, "first_mean"), *_numbers(rows, "later_mean")]
        columns.append(DifferenceColumn(title, metric, by, decimals(_numbers(rows, "difference")), decimals(means)))
    return columns


def _numbers(rows: Sequence[Record], name: str) -> list[float]:
    return [row[name] for row in rows if row[name] is not None]
