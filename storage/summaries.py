"""What finished scorings amount to: means by page and by run, stored in the transaction that finishes or adds to them.

So no question has to go through all scores, and no summary is ever another than its scores'.
"""

from collections.abc import Collection, Sequence

import duckdb

from storage import batches
from storage.queries import query


def store(connection: duckdb.DuckDBPyConnection, run_id: str, evaluator_ids: Collection[str]) -> None:
    """Enters the summaries of these scorings, which have none yet."""
    if evaluator_ids:
        for store_one in (query("store_page_means"), query("store_page_gaps")):
            connection.execute(store_one, [run_id, list(evaluator_ids)])
        for take in (query("take_page_means"), query("take_page_gaps")):
            connection.execute(take, [run_id, list(evaluator_ids)])
        connection.execute(query("store_summaries"))


def renew_finished(connection: duckdb.DuckDBPyConnection, run_id: str, evaluator_ids: Collection[str]) -> None:
    """Enters anew the summaries of those of these scorings that are finished; the others have none."""
    found = connection.execute("select evaluator_id from scorings where run_id = ?", [run_id]).fetchall()
    if finished := [evaluator_id for (evaluator_id,) in found if evaluator_id in evaluator_ids]:
        for forget_one in (query("forget_page_means"), query("forget_page_gaps"), query("forget_summaries")):
            connection.execute(forget_one, [run_id, finished])
        store(connection, run_id, finished)


def stale(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """A sentence for each run whose stored summaries are not what its scores amount to."""
    run_ids = [run_id for (run_id,) in connection.execute(query("summarised_runs")).fetchall()]
    return [sentence for some in batches.of_runs(run_ids) for sentence in _stale(connection, some)]


def _stale(connection: duckdb.DuckDBPyConnection, run_ids: Sequence[str]) -> list[str]:
    for take in (query("take_page_means_anew"), query("take_page_gaps_anew")):
        connection.execute(take, [run_ids])
    for take in (query("take_page_means_of_runs"), query("take_page_gaps_of_runs")):
        connection.execute(take, [run_ids])
    return [sentence for (sentence,) in connection.execute(query("stale_summaries"), [run_ids]).fetchall()]


def lacking(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, list[str]]]:
    """By run the evaluators that have finished scoring its texts and have no summary, as after a migration."""
    found: list[tuple[str, list[str]]] = connection.execute(query("unsummarised")).fetchall()
    return found
