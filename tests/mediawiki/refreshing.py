"""`newwiki refresh` as its users run it, and what it leaves in the database."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import duckdb

from flows.progress import Silent
from flows.refreshing import gather_and_publish
from flows.refreshing.gather_and_publish import SnapshotDefinition
from newwiki.sources.source import Source
from storage.database import Database
from tests import processes

CONTACT = "tester@newwiki.example"


@dataclass(frozen=True)
class Refreshed:
    """A database that a refresh has published its only snapshot to."""

    path: Path

    def rows(self, table: str, without: str = "") -> list[dict[str, Any]]:
        """The table's rows in an order that only they decide, but for the columns `without`."""
        with duckdb.connect(str(self.path), read_only=True) as connection:
            return _rows(connection, table, without)

    def all_rows(self, without: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
        """The rows of every table but the commit counter; `without` has the columns to leave out by table."""
        with duckdb.connect(str(self.path), read_only=True) as connection:
            names = connection.execute(
                "select table_name from duckdb_tables() where table_name != 'commit_counter' order by 1"
            ).fetchall()
            return {name: _rows(connection, name, without.get(name, "")) for (name,) in names}

    @property
    def content_sha256(self) -> str:
        (snapshot,) = self.rows("snapshots")
        return str(snapshot["content_sha256"])

    @property
    def funnel(self) -> dict[str, int]:
        return {row["verdict"]: row["pages"] for row in self.rows("funnel")}

    @property
    def verdicts(self) -> dict[str, str]:
        """Of every page by its title."""
        return {row["title"]: row["verdict"] for row in self.rows("candidates")}


def _rows(connection: duckdb.DuckDBPyConnection, table: str, without: str) -> list[dict[str, Any]]:
    left_out = f"exclude ({without})" if without else ""
    # the names are the tests' own
    cursor = connection.execute(f"select * {left_out} from {table} order by all")  # noqa: S608
    columns = [column[0] for column in cursor.description or []]
    return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def start(database: Path, *arguments: object) -> ForkServerProcess:
    """A running `newwiki refresh`, in the database's folder."""
    return processes.start(["refresh", "--db", database, *arguments], database.parent, environment())


def environment() -> dict[str, str]:
    """This process's, without what would change the command's behaviour, and with the operator's contact."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NEWWIKI_", "PREFECT_"))}
    return kept | {"NEWWIKI_CONTACT": CONTACT}


def refresh(database: Path, *arguments: object) -> Refreshed:
    """Runs `newwiki refresh` in a process of its own, in the database's folder."""
    ended = processes.run(["refresh", "--db", database, *arguments], database.parent, environment())
    assert ended.returncode == 0, ended.stderr
    return Refreshed(database)


def ask(source: Source, request: SnapshotDefinition, database: Path) -> Refreshed:
    """Refreshes in this process."""
    gather_and_publish.refresh(Database(database), source, request, Silent())
    return Refreshed(database)
