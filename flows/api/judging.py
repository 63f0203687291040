"""Runs beside each other."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from flows.api.opening import PathLike, database_at, joined, rows_of, say
from storage.database import Database


def leaderboard(
    snapshot: str | None = None,
    *,
    rank: str | None = None,
    seed: int = 0,
    by_evaluator: bool = False,
    across: str | Sequence[str] = (),
    by: str | None = None,
    db: PathLike | None = None,
    quiet: bool = False,
) -> pa.Table:
    """A row a scored run, and the articles themselves (`Wikipedia`): of each metric the mean, under METRIC_sd,
    METRIC_low and METRIC_high its standard deviation and 95 % interval, under METRIC_no_interval why there is none,
    under METRIC_texts and METRIC_status on how many texts it stands and why not on the others, under METRIC_scored_by
    who made it. Settings in which runs differ are columns. `by` a stratum (length, citations, infobox, topic or age) it
    has a row for each run and `part`."""
    choices = {"rank": rank, "seed": seed, "by_evaluator": by_evaluator, "across": _several(across), "by": by}
    return board_table(database_at(db), snapshot, quiet, **choices)


def compare(
    *runs: str,
    metrics: str | Sequence[str] = "all",
    seed: int = 0,
    across: str | Sequence[str] = (),
    by: str | None = None,
    db: PathLike | None = None,
    quiet: bool = False,
) -> pa.Table:
    """Whether runs differ from the first one: a row a run and metric, as `flows.comparing.differences.Difference` says.

    Runs that were asked otherwise are refused, unless `across` names all settings of the protocol that differ. `by` a
    stratum there is a row for each part too, which the column `part` names.
    """
    from flows.comparing.differences import columns, compare_all

    compared = compare_all(database_at(db), runs, joined(metrics), seed, _several(across), by)
    say((note for *_, notes in compared for note in notes), quiet)
    return rows_of([asdict(row) for _, _, rows, _ in compared for row in rows], columns(by))


def gate(*, baseline: str, candidate: str, fail_if: str, db: PathLike | None = None, quiet: bool = False) -> pa.Table:
    """The candidate by every bound: its `outcome` is `failed`, `passed` or `not sure`; a failure raises nothing."""
    from flows.comparing.bounds import COLUMNS, judge, parse_bounds
    from storage.comparison import contenders

    bounds, database = parse_bounds(fail_if), database_at(db)
    first, second = contenders(database, [baseline, candidate])
    judgements, notes = judge(database, first, second, bounds)
    say(notes, quiet)
    return rows_of([dict(zip(COLUMNS, one.row, strict=True)) for one in judgements], COLUMNS)


def board_table(database: Database, snapshot: str | None, quiet: bool, **choices: Any) -> pa.Table:
    from flows.comparing import ranked as ranking

    board = ranking.leaderboard(database, snapshot, **choices)
    say(board.notes, quiet)
    return rows_of(board.records, board.heads)


def _several(names: str | Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else names
