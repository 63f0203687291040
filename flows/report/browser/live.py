"""Read the live database in short turns that leave a writer time to connect.

DuckDB does not queue writers. A writer retries at least every half second, and succeeds only while nobody reads. After
each turn, no other turn begins for half as long as the turn took. A single reader does not notice this delay, and a run
can be written while many people read.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb

from newwiki.errors import TransientError
from storage.database import Database
from storage.queries import query

_SHORTEST, _LONGEST = 0.02, 0.6  # seconds of rest; the longer rest exceeds any pause between a writer's attempts

Record = dict[str, Any]


class Live:
    """A database for many threads. One page reads at a time, in parallel with at most one query of a reader."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._page, self._query = threading.Lock(), threading.Lock()
        self._free_at, self._closed = 0.0, False

    def close(self) -> None:
        """Prevent further turns from beginning."""
        self._closed = True

    @contextmanager
    def read(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open the database once for everything that a page reads. Do not render or send anything inside."""
        with self._turn(self._page), self.database.read() as connection:
            yield connection

    @contextmanager
    def query(self) -> Iterator[None]:
        """Hold the turn of a query that another process answers."""
        with self._turn(self._query):
            yield

    @contextmanager
    def _turn(self, lock: threading.Lock) -> Iterator[None]:
        with lock:
            while (wait := self._free_at - time.monotonic()) > 0:
                time.sleep(wait)
            if self._closed:
                raise TransientError("`newwiki browse` has stopped; start it again")
            begun = time.monotonic()
            try:
                yield
            finally:
                ended = time.monotonic()
                rest = min(max((ended - begun) / 2, _SHORTEST), _LONGEST)
                self._free_at = max(self._free_at, ended + rest)


def records(connection: duckdb.DuckDBPyConnection, name: str, *parameters: object) -> list[Record]:
    """Return the rows of the named query, each as a mapping from column names."""
    cursor = connection.execute(query(name), list(parameters))
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
