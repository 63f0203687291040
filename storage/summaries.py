"""Store means by page and by run, in the transaction that finishes a scoring or adds to it.

Queries therefore need not read all scores, and the summaries always agree with the scores.
"""

from collections.abc import Collection, Sequence

import duckdb

from storage import batches
from storage.queries import query


def store(
    connection: duckdb.DuckDBPyConnection, run_id: str, evaluator_ids: Collection[str], *, choose: bool = True
) -> None:
    """Store the summaries of these scorings, which have no summaries yet.

    With `choose`, also choose the evaluator for the column of each metric. Without it, `choose_columns` must follow in
    the same transaction.
    """
    if evaluator_ids:
        _store(connection, run_id, evaluator_ids)
        if choose:
            choose_columns(connection)


def store_missing(connection: duckdb.DuckDBPyConnection) -> None:
    """Store the missing summaries of finished scorings, for example after a migration that changed the summaries."""
    for run_id, evaluator_ids in connection.execute(query("unsummarised")).fetchall():
        _store(connection, run_id, evaluator_ids)
    choose_columns(connection)


def choose_columns(connection: duckdb.DuckDBPyConnection) -> None:
    """Choose again which evaluator's scores fill the column of each metric, and which likelihood run a run has."""
    for forget, choose in (
        (query("forget_readings"), query("store_readings")),
        (query("forget_columns"), query("store_columns")),
    ):
        connection.execute(forget)
        connection.execute(choose)


def _store(connection: duckdb.DuckDBPyConnection, run_id: str, evaluator_ids: Collection[str]) -> None:
    for store_one in (query("store_page_means"), query("store_page_gaps")):
        connection.execute(store_one, [run_id, list(evaluator_ids)])
    for take in (query("take_page_means"), query("take_page_gaps")):
        connection.execute(take, [run_id, list(evaluator_ids)])
    connection.execute(query("store_summaries"))


def renew_finished(
    connection: duckdb.DuckDBPyConnection, run_id: str, evaluator_ids: Collection[str], *, choose: bool = True
) -> None:
    """Recompute the summaries of the finished scorings among these, as `store` does.

    Unfinished scorings have no summaries.
    """
    rows = connection.execute("select evaluator_id from scorings where run_id = ?", [run_id]).fetchall()
    if finished := [evaluator_id for (evaluator_id,) in rows if evaluator_id in evaluator_ids]:
        for statement in (query("forget_page_means"), query("forget_page_gaps"), query("forget_summaries")):
            connection.execute(statement, [run_id, finished])
        store(connection, run_id, finished, choose=choose)


def stale(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return a sentence for each run whose stored summaries do not match its scores.

    Also returns a sentence for each metric whose column has the scores of another evaluator than it should, and for
    each run that has another likelihood run than it should.
    """
    run_ids = [run_id for (run_id,) in connection.execute(query("summarised_runs")).fetchall()]
    chosen = [
        sentence
        for statement in (query("stale_columns"), query("stale_readings"))
        for (sentence,) in connection.execute(statement).fetchall()
    ]
    return [*(sentence for batch in batches.of_runs(run_ids) for sentence in _stale(connection, batch)), *chosen]


def _stale(connection: duckdb.DuckDBPyConnection, run_ids: Sequence[str]) -> list[str]:
    for take in (query("take_page_means_of_runs"), query("take_page_gaps_of_runs")):
        connection.execute(take, [run_ids])
    return [sentence for (sentence,) in connection.execute(query("stale_summaries"), [run_ids]).fetchall()]
