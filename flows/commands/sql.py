"""`newwiki sql`: queries to the database in SQL."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flows.completing import completer
from flows.listing import Argument, GroupedCommand, listed
from flows.options import Output, OwnDatabase, common, open_database
from flows.presenting import tables
from flows.progress import reporter
from newwiki.errors import UsageError
from newwiki.settings import Settings

if TYPE_CHECKING:
    from storage.cookbook import Question


@listed(
    "look",
    "Query the database in SQL.",
    examples=(
        "newwiki sql 'select model, decoder, sbert from leaderboard'",
        "newwiki sql --example worst_texts --format json",
    ),
)
@click.command(cls=GroupedCommand)
@click.argument("query", cls=Argument, description="Query in SQL.", required=False)
@click.option(
    "--example",
    metavar="NAME",
    shell_complete=completer("example"),
    help="Query of the cookbook (docs/cookbook.md), such as leaderboard.",
)
@click.option("--write", type=OwnDatabase(path_type=Path, dir_okay=False), metavar="FILE.duckdb",
              help="DuckDB file of yours to write tables to; the database is `newwiki` in it.")  # fmt: skip
@click.option("--format", "form", type=click.Choice((*tables.FORMATS, "parquet")), default="table", show_default=True,
              help="Format of the rows.")  # fmt: skip
@click.option(
    "--out",
    type=Output(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="File to write the rows to (default: stdout).",
)
@common
def sql(
    settings: Settings,
    quiet: bool,
    query: str | None,
    example: str | None,
    write: Path | None,
    form: str,
    out: Path | None,
) -> None:
    """Query the database in SQL: QUERY, the text on stdin, or else at a prompt. Separate several queries by `;`.

    Queries can only read the database: no file, no network, no extension. With --write FILE.duckdb they can write that
    file, as in `create table best as select * from newwiki.leaderboard`.
    """
    from flows.querying import statements as answers
    from flows.querying.why_empty import why_empty

    if query is not None and example:
        raise UsageError("QUERY and --example exclude each other: give one of them")
    saved = _example(settings, example) if example else None
    statement = saved.query if saved else query
    if statement is None and not sys.stdin.isatty():
        statement = sys.stdin.read()
    if form == "parquet" and out is None and sys.stdout.isatty():
        raise UsageError("cannot print Parquet to a terminal: name a file with --out FILE.parquet")
    if statement is None and out is not None:
        raise UsageError("--out needs a query: give QUERY, --example NAME, or a query on stdin")
    database = open_database(settings)

    def ask(text: str) -> None:
        results: list[answers.Kept] = []
        reasons: list[str | None] = []
        try:
            with database.beside(write) if write else database.fenced() as connection:
                answers.ask(connection, _in_utf8(text), form, results, writing=write is not None)
                if write is None and results and not results[-1].rows:
                    reasons.append(why_empty(connection, text, saved.empty if saved else None))
        finally:  # prints the answers before a statement that fails
            answers.tell(results, form, reporter(quiet))
            for reason in filter(None, reasons):
                reporter(quiet).note(reason)

    if statement is not None:
        with _into(out):
            ask(statement)
        if out:
            reporter(quiet).note(f"wrote {out}")
    else:
        from flows.querying.prompt import converse
        from storage.schema import names

        converse(ask, names(database))


def _in_utf8(text: str) -> str:
    """Decode text that Python read as ASCII, as in the locale C, because DuckDB accepts UTF-8 only."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _example(settings: Settings, name: str) -> "Question":
    from storage.cookbook import question, require_metrics

    saved = question(name)
    require_metrics(saved, open_database(settings))
    return saved


@contextlib.contextmanager
def _into(out: Path | None) -> Iterator[None]:
    """Redirect stdout into the file, which appears only if everything succeeds."""
    if out is None:
        yield
        return
    from storage.outputs import unfinished

    part, _ = unfinished(out)
    try:
        with open(part, "w", encoding="utf-8", newline="") as stream, contextlib.redirect_stdout(stream):
            yield
        os.replace(part, out)
    except OSError as error:
        raise UsageError(f"cannot write '{out}': {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
