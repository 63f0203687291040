"""The leaderboard over months: every run on the scale of one of them, by what `newwiki experiment linking` found."""

from collections.abc import Mapping, Sequence
from typing import Any

from flows.comparing.board import Board, Column
from flows.presenting.numbers import digits
from newwiki.columns import PARTS
from newwiki.errors import TerminalError
from newwiki.levels import Level
from storage import snapshots, verifications
from storage.database import Database

_ABOUT = ("model", "decoder", "snapshot_id", "run_id")
Row = Mapping[str, Any]


def linked_board(database: Database, snapshot: str | None) -> Board:
    """On the scale of this snapshot (the newest). `METRIC_texts` are articles, and `METRIC_status` has the mean on a
    run's own month. Raises TerminalError where nothing is linked with it.
    """
    newest = snapshots.resolve(database, snapshot or "latest").snapshot_id
    rows = database.records(dict[str, Any], "trends_on", newest)
    if not rows:
        raise TerminalError(
            f"no month is linked with {newest}: link them with `newwiki experiment linking --snapshot {newest}`"
        )
    evaluators = {row["metric"]: row["evaluator_id"] for row in rows}
    columns = tuple(Column(metric, metric, evaluators[metric]) for metric in sorted(evaluators))
    by_run: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_run.setdefault(row["run_id"], {})[row["metric"]] = row
    levels = verifications.levels(database, by_run)
    records = tuple(_record(of_run, columns, levels) for of_run in by_run.values())
    return Board(_ABOUT, columns, records, (_note(newest), *_unseen(database, rows)), levels=levels)


def _record(
    of_run: Mapping[str, Row], columns: Sequence[Column], levels: Mapping[tuple[str, str], Level]
) -> dict[str, Any]:
    about = next(iter(of_run.values()))
    record: dict[str, Any] = {name: about[name] for name in _ABOUT}
    for column in columns:
        record |= {column.name + part: None for part in PARTS}
        if row := of_run.get(column.metric):
            own = "ok" if row["linked"] == row["mean"] else f"{digits(row['mean'])} in its month"
            if row["linked"] is None:
                own += f": {row['no_link']}"
            record |= {
                column.name: row["linked"],
                f"{column.name}_low": row["low"],
                f"{column.name}_high": row["high"],
                f"{column.name}_no_interval": row["no_link"],
                f"{column.name}_texts": row["articles"],
                f"{column.name}_status": own,
                f"{column.name}_scored_by": row["evaluator_id"],
                f"{column.name}_level": levels[row["run_id"], row["evaluator_id"]].level,
            }
    return record


def _note(newest: str) -> str:
    return (
        f"all numbers are on the scale of {newest}: what a run of another month would have there, with the errors of "
        "the link in its interval (`newwiki experiment linking` has the links)"
    )


def _unseen(database: Database, rows: Sequence[Row]) -> list[str]:
    """A note on runs of which the answer knows nothing."""
    months, answers = (sorted({row[name] for row in rows}) for name in ("snapshot_id", "experiment_id"))
    left_out = [run_id for (run_id,) in database.rows("scored_since", months, answers)]
    if not left_out:
        return []
    return [
        f"not among them, as they were scored since: {', '.join(left_out)}; `newwiki experiment linking` takes them in"
    ]
