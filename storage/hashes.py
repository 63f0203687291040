"""Store a hash of every column of every table of a snapshot, so that any change is detected.

`content_sha256` shows whether two snapshots are the same test set, in any database. These hashes show whether this
database still holds the rows that were stored, including page ids, verdicts, hashes, novelty and topics.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from typing import Literal

import duckdb

from storage.keys import KEYS
from storage.queries import query, records

# The tables that make up a snapshot. The snapshot's own row comes last.
TABLES = (
    "candidates", "stored_articles", "article_structure", "article_facts", "article_citations", "article_tags",
    "deletions", "requests", "novelty", "topics", "snapshot_templates",
    "snapshots",
)  # fmt: skip
# Tables that refer to a snapshot without being part of it, such as its runs and experiments.
ELSEWHERE = frozenset(
    {"anchor_scores", "experiments", "ladder_scores", "runs", "reference_parts", "months", "snapshot_hashes"}
)

Taken = Literal["published", "looked up", "taken in", "migrated"]
_WAS = {
    "published": "what was published",
    "looked up": "what was looked up",
    "taken in": "what was taken in",
    "migrated": "what it was on {:%Y-%m-%d}, when it was hashed for the first time",
}


@dataclass(frozen=True)
class ColumnHash:
    """The hash of one column of a snapshot, whose `rows` are ordered by their key. It also covers the other fields."""

    table_name: str
    column_name: str
    rows: int
    taken: str
    taken_at: datetime
    sha256: str


def take(connection: duckdb.DuckDBPyConnection, snapshot_id: str, taken: Taken, tables: Sequence[str] = TABLES) -> None:
    """Store the hashes of those columns of `tables` that have no hash yet."""
    hashed = {(stored.table_name, stored.column_name) for stored in _stored(connection, snapshot_id)}
    now = datetime.now(UTC).replace(microsecond=0)
    hashes = [
        _hashed(table, column, rows, taken, now, digest)
        for table in tables
        for column, (rows, digest) in _digests(connection, snapshot_id, table).items()
        if (table, column) not in hashed
    ]
    if hashes:
        columns = [list(values) for values in zip(*map(astuple, hashes), strict=True)]
        each = ", ".join(["unnest(?)"] * len(columns))
        connection.execute(f"insert into snapshot_hashes select ?, {each}", [snapshot_id, *columns])


def take_all(connection: duckdb.DuckDBPyConnection) -> None:
    """Store the missing hashes of all snapshots.

    They are missing if the snapshot is older than the hashes or the column.
    """
    for (snapshot_id,) in connection.execute("select snapshot_id from snapshots order by 1").fetchall():
        take(connection, snapshot_id, "migrated")


def take_anew(connection: duckdb.DuckDBPyConnection, snapshot_id: str, taken: Taken, table: str) -> None:
    """Replace the hashes of a table whose rows were replaced."""
    connection.execute("delete from snapshot_hashes where snapshot_id = ? and table_name = ?", [snapshot_id, table])
    take(connection, snapshot_id, taken, [table])


def changes(connection: duckdb.DuckDBPyConnection, snapshot_id: str) -> list[str]:
    """Return a sentence for each column that differs from its hash; an empty list if none does."""
    stored = {
        (stored_hash.table_name, stored_hash.column_name): stored_hash
        for stored_hash in _stored(connection, snapshot_id)
    }
    sentences = []
    for table in TABLES:
        digests = _digests(connection, snapshot_id, table)
        stored_hashes = {column: stored.pop((table, column), None) for column in digests}
        sentences += list(dict.fromkeys(_changes(table, stored_hashes.items(), digests)))
    return sentences + [f"{table}.{column} is hashed, and not there" for table, column in stored]


def first_hashed(connection: duckdb.DuckDBPyConnection, snapshot_id: str) -> datetime | None:
    """Return the earliest time at which a migration hashed columns of a snapshot; None if no migration did."""
    return min(
        (stored_hash.taken_at for stored_hash in _stored(connection, snapshot_id) if stored_hash.taken == "migrated"),
        default=None,
    )


def _changes(
    table: str, stored: Iterable[tuple[str, ColumnHash | None]], digests: dict[str, tuple[int, str]]
) -> Iterable[str]:
    for column, stored_hash in stored:
        rows, digest = digests[column]
        if stored_hash is None:
            yield f"{table}.{column} has no hash"
        elif stored_hash.rows != rows:
            yield f"{table}: {rows} rows are stored, {stored_hash.rows} were hashed"
        elif _hashed(table, column, rows, stored_hash.taken, stored_hash.taken_at, digest) != stored_hash:
            was = _WAS.get(stored_hash.taken, "what was hashed").format(stored_hash.taken_at)
            yield f"{table}.{column} is not {was}"


def _stored(connection: duckdb.DuckDBPyConnection, snapshot_id: str) -> list[ColumnHash]:
    columns = "table_name, column_name, rows, taken, taken_at, sha256"
    statement = f"select {columns} from snapshot_hashes where snapshot_id = ? order by all"  # noqa: S608 (our own names)
    return records(ColumnHash, connection.execute(statement, [snapshot_id]))


def _hashed(table: str, column: str, rows: int, taken: str, taken_at: datetime, digest: str) -> ColumnHash:
    hashed = [table, column, rows, taken, taken_at.astimezone(UTC).isoformat(), digest]
    return ColumnHash(table, column, rows, taken, taken_at, hashlib.sha256(json.dumps(hashed).encode()).hexdigest())


def _digests(connection: duckdb.DuckDBPyConnection, snapshot_id: str, table: str) -> dict[str, tuple[int, str]]:
    """Return the number of rows and the hash of the values, by column. New columns are included."""
    answer = connection.execute(query("column_hashes", table=table, key=", ".join(KEYS[table])), [snapshot_id])
    names = [column[0] for column in answer.description or []]
    ((rows, *digests),) = answer.fetchall()
    return {name: (rows, digest) for name, digest in zip(names[1:], digests, strict=True)}
