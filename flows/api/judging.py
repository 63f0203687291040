"""Runs beside each other."""

from collections.abc import Collection
from dataclasses import asdict

import pyarrow as pa

from flows.api.arguments import asks
from flows.api.opening import PathLike, opened, rows_of, say
from newwiki.request import ComparisonRequest, GateRequest, LeaderboardRequest
from storage.database import Database


@asks(LeaderboardRequest, by_place=("snapshot",))
def leaderboard(
    request: LeaderboardRequest, *, db: PathLike | None = None, quiet: bool = False, **settings: str
) -> pa.Table:
    """A row a scored run, and the articles themselves (`Wikipedia`): of each metric the mean, under METRIC_sd,
    METRIC_low and METRIC_high its standard deviation and 95 % interval, under METRIC_no_interval why there is none,
    under METRIC_texts and METRIC_status on how many texts it stands and why not on the others, under METRIC_scored_by
    who made it. `seen_share` is the share of a run's articles that are not after its model's `knowledge_cutoff`.
    Settings in which runs differ are columns. `by` a stratum it has a row for each run and `part`; with `after_cutoff`
    each run stands only on the articles that are after its model's cutoff."""
    return board_table(opened(db, settings)[1], request, quiet)


@asks(ComparisonRequest)
def compare(
    request: ComparisonRequest, *, db: PathLike | None = None, quiet: bool = False, **settings: str
) -> pa.Table:
    """Whether runs differ from the first one: a row a run and metric, as `flows.comparing.difference.Difference` says.

    Runs that were asked otherwise are refused, unless `across` names all settings of the protocol that differ. `by` a
    stratum there is a row for each part too, which the column `part` names.
    """
    from flows.comparing.difference import columns
    from flows.comparing.differences import compare_all

    compared = compare_all(opened(db, settings)[1], request)
    say((note for *_, notes in compared for note in notes), quiet)
    return rows_of([asdict(row) for _, _, rows, _ in compared for row in rows], columns(request.by))


@asks(GateRequest)
def gate(request: GateRequest, *, db: PathLike | None = None, quiet: bool = False, **settings: str) -> pa.Table:
    """The candidate by every bound: its `outcome` is `failed`, `passed` or `not sure`; a failure raises nothing."""
    from flows.comparing.bounds import COLUMNS, judge, parse_bounds
    from storage.comparison import contenders

    bounds, (_, database) = parse_bounds(request.fail_if), opened(db, settings)
    first, second = contenders(database, [request.baseline, request.candidate])
    judgements, notes = judge(database, first, second, bounds)
    say(notes, quiet)
    return rows_of([dict(zip(COLUMNS, one.row, strict=True)) for one in judgements], COLUMNS)


def board_table(
    database: Database, request: LeaderboardRequest, quiet: bool, prefer: Collection[str] | None = None
) -> pa.Table:
    """The leaderboard as a table; `prefer` is that of `flows.comparing.board.board`."""
    from flows.comparing import ranked as ranking

    board = ranking.leaderboard(database, request, prefer)
    say(board.notes, quiet)
    return rows_of(board.records, board.heads)
