"""Store decoders without their default parameters (`runs.decoder_short`), by the rule of `newwiki.decoding.grammar`."""

import duckdb

from newwiki.decoding.grammar import short_form
from newwiki.registry import decoders
from storage.queries import query


def enter(connection: duckdb.DuckDBPyConnection, run_id: str) -> None:
    """Store the short form of a run's decoder, replacing the stored short form."""
    for (decoder,) in connection.execute("select decoder from runs where run_id = ?", [run_id]).fetchall():
        connection.execute("update runs set decoder_short = ? where run_id = ?", [short_form(decoder), run_id])


def enter_missing(connection: duckdb.DuckDBPyConnection) -> None:
    """Store the missing short forms of all runs, for example after a migration."""
    for (run_id,) in connection.execute("select run_id from runs where decoder_short is null").fetchall():
        enter(connection, run_id)


def doubtful(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return a sentence for each run whose short form does not match its decoder.

    Decoders of plug-ins that are not installed cannot be checked.
    """
    return [
        f"run {run_id} is under {decoder}, and its short form is {short or 'NULL'}"
        for run_id, decoder, short in connection.execute(query("short_forms")).fetchall()
        if short is None or (short not in (decoder, short_form(decoder)) and _is_at_hand(decoder))
    ]


def _is_at_hand(decoder: str) -> bool:
    return decoder.partition(":")[0] in decoders.all()
