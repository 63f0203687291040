"""A hash of every column of every table that belongs to a snapshot, stored with it, so that no change goes unseen.

`content_sha256` says whether two snapshots are the same test set, wherever they are. These say whether this database
still holds what was put into it: numbers of pages, verdicts, hashes, novelty and topics too.
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

# What makes up a snapshot; its own row comes last.
TABLES = (
    "candidates", "stored_articles", "article_structure", "article_facts", "article_citations", "requests", "novelty",
    "topics", "snapshots",
)  # fmt: skip
# What names a snapshot and is no part of it: what was made of it, and what was done about it.
ELSEWHERE = frozenset({"experiments", "runs", "reference_parts", "months", "snapshot_hashes"})

Taken = Literal["published", "looked up", "taken in", "migrated"]
_WAS = {
    "published": "what was published",
    "looked up": "what was looked up",
    "taken in": "what was taken in",
    "migrated": "what it was on {:%Y-%m-%d}, when it was hashed for the first time",
}


@dataclass(frozen=True)
class ColumnHash:
    """The hash of a column of a snapshot's `rows` in the order of their key, and of all that is said of it here."""

    table_name: str
    column_name: str
    rows: int
    taken: str
    taken_at: datetime
    sha256: str


def take(connection: duckdb.DuckDBPyConnection, snapshot_id: str, taken: Taken, tables: Sequence[str] = TABLES) -> None:
    """Stores the hashes of those columns of these tables that have none yet."""
    there = {(one.table_name, one.column_name) for one in _stored(connection, snapshot_id)}
    now = datetime.now(UTC).replace(microsecond=0)
    made = [
        _hashed(table, column, rows, taken, now, digest)
        for table in tables
        for column, (rows, digest) in _digests(connection, snapshot_id, table).items()
        if (table, column) not in there
    ]
    if made:
        columns = [list(values) for values in zip(*map(astuple, made), strict=True)]
        each = ", ".join(["unnest(?)"] * len(columns))
        connection.execute(f"insert into snapshot_hashes select ?, {each}", [snapshot_id, *columns])


def take_all(connection: duckdb.DuckDBPyConnection) -> None:
    """Stores those that are missing of any snapshot: it was published before there were hashes, or the column."""
    for (snapshot_id,) in connection.execute("select snapshot_id from snapshots order by 1").fetchall():
        take(connection, snapshot_id, "migrated")


def take_anew(connection: duckdb.DuckDBPyConnection, snapshot_id: str, taken: Taken, table: str) -> None:
    """Stores those of a table whose rows were put in the place of others."""
    connection.execute("delete from snapshot_hashes where snapshot_id = ? and table_name = ?", [snapshot_id, table])
    take(connection, snapshot_id, taken, [table])


def changes(connection: duckdb.DuckDBPyConnection, snapshot_id: str) -> list[str]:
    """A sentence for each column that is not what was hashed; empty where all are."""
    stored = {(one.table_name, one.column_name): one for one in _stored(connection, snapshot_id)}
    found = []
    for table in TABLES:
        digests = _digests(connection, snapshot_id, table)
        of_table = {column: stored.pop((table, column), None) for column in digests}
        found += list(dict.fromkeys(_changes(table, of_table.items(), digests)))
    return found + [f"{table}.{column} is hashed, and not there" for table, column in stored]


def first_hashed(connection: duckdb.DuckDBPyConnection, snapshot_id: str) -> datetime | None:
    """When a snapshot was hashed that had been published before there were hashes; None for a later one."""
    return min((one.taken_at for one in _stored(connection, snapshot_id) if one.taken == "migrated"), default=None)


def _changes(
    table: str, stored: Iterable[tuple[str, ColumnHash | None]], digests: dict[str, tuple[int, str]]
) -> Iterable[str]:
    for column, one in stored:
        rows, digest = digests[column]
        if one is None:
            yield f"{table}.{column} has no hash"
        elif one.rows != rows:
            yield f"{table}: {rows} rows are stored, {one.rows} were hashed"
        elif _hashed(table, column, rows, one.taken, one.taken_at, digest) != one:
            was = _WAS.get(one.taken, "what was hashed").format(one.taken_at)
            yield f"{table}.{column} is not {was}"


def _stored(connection: duckdb.DuckDBPyConnection, snapshot_id: str) -> list[ColumnHash]:
    columns = "table_name, column_name, rows, taken, taken_at, sha256"
    asked = f"select {columns} from snapshot_hashes where snapshot_id = ? order by all"  # noqa: S608 (our own names)
    return records(ColumnHash, connection.execute(asked, [snapshot_id]))


def _hashed(table: str, column: str, rows: int, taken: str, taken_at: datetime, digest: str) -> ColumnHash:
    said = [table, column, rows, taken, taken_at.astimezone(UTC).isoformat(), digest]
    return ColumnHash(table, column, rows, taken, taken_at, hashlib.sha256(json.dumps(said).encode()).hexdigest())


def _digests(connection: duckdb.DuckDBPyConnection, snapshot_id: str, table: str) -> dict[str, tuple[int, str]]:
    """By column, how many rows there are and a hash of their values, a new column's too."""
    answer = connection.execute(query("column_hashes", table=table, key=", ".join(KEYS[table])), [snapshot_id])
    names = [column[0] for column in answer.description or []]
    ((rows, *digests),) = answer.fetchall()
    return {name: (rows, digest) for name, digest in zip(names[1:], digests, strict=True)}
