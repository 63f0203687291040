"""Where runs and scorings came from that were not made here, and which keys signed them."""

from datetime import UTC, datetime

import duckdb

from storage.queries import first_row, query


def record(connection: duckdb.DuckDBPyConnection, run_id: str, evaluator_id: str, source: str, signer: str) -> None:
    """Enter that a run (with an empty `evaluator_id`) or a scoring was taken in; what is entered stays."""
    now = datetime.now(UTC).replace(microsecond=0)
    connection.execute(query("record_origin"), [run_id, evaluator_id, source, signer, now])


def record_again(
    connection: duckdb.DuckDBPyConnection, run_id: str, evaluator_id: str, source: str, signer: str
) -> None:
    """Enter the same of what is here already and is the same, unless it was made here."""
    if first_row(connection.execute(query("has_origin"), [run_id, evaluator_id])):
        record(connection, run_id, evaluator_id, source, signer)


def forget(connection: duckdb.DuckDBPyConnection, run_id: str, evaluator_id: str) -> None:
    """Forget where a scoring came from whose numbers are replaced."""
    connection.execute("delete from origins where run_id = ? and evaluator_id = ?", [run_id, evaluator_id])
