"""Record the sources and signing keys of runs and scorings that were made in other databases."""

from datetime import UTC, datetime

import duckdb

from storage.queries import first_row, query


def record(connection: duckdb.DuckDBPyConnection, run_id: str, evaluator_id: str, source: str, signer: str) -> None:
    """Record that a run (with an empty `evaluator_id`) or a scoring was taken in. Existing records stay."""
    now = datetime.now(UTC).replace(microsecond=0)
    connection.execute(query("record_origin"), [run_id, evaluator_id, source, signer, now])


def record_again(
    connection: duckdb.DuckDBPyConnection, run_id: str, evaluator_id: str, source: str, signer: str
) -> None:
    """Record another source of a run or scoring that is stored with the same content, unless this database made it."""
    if first_row(connection.execute(query("has_origin"), [run_id, evaluator_id])):
        record(connection, run_id, evaluator_id, source, signer)


def forget(connection: duckdb.DuckDBPyConnection, run_id: str, evaluator_id: str) -> None:
    """Delete the recorded sources of a scoring whose scores are replaced."""
    connection.execute("delete from origins where run_id = ? and evaluator_id = ?", [run_id, evaluator_id])
