"""Keep the intermediate results of a refresh in a file beside the database.

The database changes only when a snapshot is published. The file holds the cutoff of the first attempt, so that a
resumed refresh uses the same cutoff.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from glob import escape
from importlib.resources import files
from pathlib import Path
from typing import Self

import duckdb
import pyarrow as pa

from newwiki.errors import TransientError
from newwiki.selection import RULES
from newwiki.snapshot import Judged, Page, Requests, TemplateSource, WaitingPage
from storage.attached import attached
from storage.database import insert, insert_arrow, transaction
from storage.failures import described_errors, is_busy
from storage.queries import first_row, query, records
from storage.snapshot_templates import titles_read

_TIME = pa.timestamp("us", "UTC")
_TEMPLATES = pa.schema([("title", pa.string()), ("rev_id", pa.int64()), ("wikitext", pa.string())])
_WAITING = pa.schema(
    [
        ("page_id", pa.int64()), ("title", pa.string()), ("created_at", _TIME), ("rev_id", pa.int64()),
        ("revised_at", _TIME), ("revisions", pa.int64()), ("wikitext", pa.string()), ("absent", pa.string()),
        ("summary", pa.string()), ("tags", pa.list_(pa.string())), ("stepped_over", pa.string()),
        ("wanted", pa.list_(pa.string())),
    ]
)  # fmt: skip


class Staging:
    """A refresh in progress. `cutoff` is the start of its first attempt, or the requested cutoff."""

    def __init__(self, path: Path, cutoff: datetime) -> None:
        self._path = path
        self._held: duckdb.DuckDBPyConnection | None = None
        self.cutoff = cutoff

    @classmethod
    def open(cls, database: Path, snapshot_id: str, cutoff: datetime) -> Self:
        """Resume an interrupted refresh for this snapshot, or begin a new refresh.

        Verdicts by another version of the rules are discarded; the cutoff and the answers to the lists are kept.
        """
        path = _path(database, snapshot_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        with _connect(path) as connection:
            connection.execute((files("storage") / "sql" / "staging.sql").read_text("utf-8"))
            # older versions created the tables without these columns
            connection.execute("alter table judged add column if not exists structure json")
            connection.execute("alter table judged add column if not exists templates json")
            connection.execute("alter table request add column if not exists rules bigint")
            if not first_row(connection.execute("select 1 from request")):
                connection.execute("insert into request values (?, ?, ?)", [snapshot_id, cutoff, RULES])
            stored_cutoff, rules = connection.execute("select cutoff, rules from request").fetchall()[0]
            if rules != RULES:
                connection.execute("delete from judged")
                connection.execute("delete from waiting")
                connection.execute("update request set rules = ?", [RULES])
        return cls(path, stored_cutoff)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep the file open for several operations, each in its own transaction.

        Opening the file takes longer than most operations. Raises TransientError if another process is using the file.
        """
        with _connection(self._path) as self._held:
            try:
                yield
            finally:
                self._held = None

    def add(
        self,
        pages: Sequence[Judged],
        requests: Sequence[Requests] = (),
        waiting: Sequence[WaitingPage] = (),
        templates: Sequence[TemplateSource] = (),
    ) -> None:
        """Store verdicts, the requests that they needed, pages that wait for templates, and templates.

        A page with a verdict waits no longer. Raises TransientError if another process has stored some of the pages.
        """
        with self._connect() as connection:
            insert(connection, "judged", pages)
            insert(connection, "requests", requests)
            if pages:
                connection.execute("delete from waiting where page_id in (select unnest(?))", [_ids(pages)])
            if waiting:
                rows = [vars(each.page) | {"wanted": sorted(each.templates)} for each in waiting]
                insert_arrow(connection, "waiting", pa.Table.from_pylist(rows, _WAITING))
            if templates:
                incoming = pa.Table.from_pylist(list(map(vars, templates)), _TEMPLATES)
                connection.register("incoming", incoming)
                connection.execute("insert or ignore into templates by name select * from incoming")
                connection.unregister("incoming")

    def keep(self, question: str, answer: str) -> None:
        """Store the next answer to a question. Raises TransientError if another process has stored it."""
        with self._connect() as connection:
            connection.execute(
                "insert into remembered select $1, count(*), $2 from remembered where question = $1", [question, answer]
            )

    def recall(self, question: str) -> list[str]:
        """Return the stored answers to a question, in their order."""
        with self._connect() as connection:
            statement = "select answer from remembered where question = ? order by number"
            return [answer for (answer,) in connection.execute(statement, [question]).fetchall()]

    def requests(self) -> list[Requests]:
        """Return the requests of all attempts, with one row per kind."""
        with self._connect() as connection:
            return records(Requests, connection.execute(query("staged_requests")))

    def done(self) -> set[int]:
        """Return the ids of the pages that have a verdict or wait for templates."""
        with self._connect() as connection:
            statement = "select page_id from judged union all select page_id from waiting"
            return {page_id for (page_id,) in connection.execute(statement).fetchall()}

    def waiting(self, limit: int) -> list[Page]:
        """Return the first pages that wait for templates, by page id."""
        with self._connect() as connection:
            pages = records(Page, connection.execute(query("staged_waiting"), [limit]))
        return [replace(page, tags=tuple(page.tags)) for page in pages]

    def wanted(self) -> set[str]:
        """Return the titles of the templates for which pages wait."""
        with self._connect() as connection:
            rows = connection.execute("select distinct unnest(wanted) from waiting").fetchall()
        return {title for (title,) in rows}

    def templates(self, titles: Collection[str]) -> dict[str, TemplateSource]:
        """Return those of these templates that have been read, by title."""
        with self._connect() as connection:
            statement = "select title, rev_id, wikitext from templates where title in (select unnest(?::varchar[]))"
            found = records(TemplateSource, connection.execute(statement, [sorted(titles)]))
        return {template.title: template for template in found}

    def passed(self) -> set[int]:
        """Return the ids of the selected pages."""
        with self._connect() as connection:
            rows = connection.execute("select page_id from judged where verdict = 'selected'").fetchall()
        return {page_id for (page_id,) in rows}

    def pages(self) -> list[Judged]:
        with self._connect() as connection:
            return records(Judged, connection.execute("select * from judged order by page_id"))

    def templates_read(self, pages: Iterable[Judged]) -> list[TemplateSource]:
        """Return the templates that decided about the texts of the selected pages, ordered by title."""
        templates = self.templates(titles_read(pages))
        return [template for _, template in sorted(templates.items())]

    @contextmanager
    def _connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        if not self._held:
            with _connect(self._path) as connection:
                yield connection
            return
        with _one_at_work(self._path), transaction(self._held):
            yield self._held

    @classmethod
    def discard_leftover(cls, database: Path, snapshot_id: str) -> None:
        """Remove the file of a refresh that was killed between publishing and cleaning up."""
        _remove(_path(database, snapshot_id))

    @classmethod
    def leftovers(cls, database: Path, beginning: str) -> list[str]:
        """Return the snapshots whose ids start with `beginning` and whose refresh has left a file."""
        before = f"{database.name}.refresh-"
        names = [path.name.removeprefix(before) for path in database.parent.glob(f"{escape(before + beginning)}*")]
        return sorted(name for name in names if not name.endswith(".wal"))

    def discard(self) -> None:
        _remove(self._path)


@contextmanager
def _connect(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open one transaction. Raises TransientError if another process is working on the same refresh."""
    with _connection(path) as connection, _one_at_work(path), transaction(connection):
        yield connection


@contextmanager
def _connection(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with ExitStack() as open_file:
        with _one_at_work(path):
            connection = open_file.enter_context(attached(path, read_only=False))
        connection.execute("set TimeZone = 'UTC'")
        yield connection


@contextmanager
def _one_at_work(path: Path) -> Iterator[None]:
    """Raises TransientError if another process is using the file.

    For other failures, raises the error of `described_errors`.
    """
    with described_errors(path):
        try:
            yield
        except (duckdb.ConstraintException, duckdb.IOException) as error:
            if isinstance(error, duckdb.IOException) and not is_busy(error):
                raise
            raise TransientError(f"another process is at work on {path.name}; wait for it to end") from error


def _ids(pages: Sequence[Judged]) -> list[int]:
    return [page.page_id for page in pages]


def _path(database: Path, snapshot_id: str) -> Path:
    return database.with_name(f"{database.name}.refresh-{snapshot_id}")


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.with_name(path.name + ".wal").unlink(missing_ok=True)
