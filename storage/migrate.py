"""The schema, one numbered SQL file after the other. A migration and the record of it share a transaction."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path

import duckdb

from newwiki.columns import PARTS
from newwiki.errors import TerminalError
from storage import hashes, newest, short_forms, summaries

_RECORD = "create table if not exists schema_migrations (version bigint, name varchar, applied_at timestamptz)"
_VIEWS = "create table if not exists schema_views (sha256 varchar)"

Metrics = Sequence[tuple[str, str, str]]


def is_ours(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether it is a database that New-Wiki Eval manages."""
    tables = {name for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall()}
    return {"schema_migrations", "schema_views"} <= tables


def is_current(connection: duckdb.DuckDBPyConnection, path: Path) -> bool:
    """Whether the file has this program's schema. Raises TerminalError if it is another program's, or newer."""
    if not is_ours(connection):
        if connection.execute("select count(*) from duckdb_tables()").fetchall() != [(0,)]:
            raise TerminalError(f"'{path}' is not a New-Wiki Eval database: it holds other tables; name another file")
        return False
    (version,) = connection.execute("select max(version) from schema_migrations").fetchall()[0]
    newest = max(_numbered())
    if version > newest:
        raise TerminalError(
            f"'{path}' was written by a newer version (schema {version}, here {newest}); upgrade newwiki-eval"
        )
    stored = connection.execute("select sha256 from schema_views").fetchall()
    return bool(version == newest and stored == [(_views_sha256(_metrics(connection)),)])


def migrate(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Brings tables and views up to this program's schema."""
    if is_current(connection, path):
        return
    connection.begin()
    connection.execute(_RECORD)
    connection.execute(_VIEWS)
    (done,) = connection.execute("select coalesce(max(version), 0) from schema_migrations").fetchall()[0]
    for version, (name, statements) in sorted(_numbered().items()):
        if version > done:
            connection.execute(statements)
            connection.execute("insert into schema_migrations values (?, ?, now())", [version, name])
    hashes.take_all(connection)
    connection.execute(_comments())
    create_views(connection)
    short_forms.enter_missing(connection)
    newest.enter(connection)
    summaries.store_missing(connection)
    connection.commit()


def create_views(connection: duckdb.DuckDBPyConnection, *, of_metrics: bool = False) -> None:
    """Writes the views anew, with the columns of all metrics that the database knows; or only those of them that have
    columns `of_metrics`, where the others are in force."""
    metrics = _metrics(connection)
    texts = [text for text, has_metrics in _view_texts(metrics) if has_metrics or not of_metrics]
    for text in (*texts, _metric_comments(metrics)):
        connection.execute(text)
    connection.execute("delete from schema_views")
    connection.execute("insert into schema_views values (?)", [_views_sha256(metrics)])


def _metrics(connection: duckdb.DuckDBPyConnection) -> Metrics:
    """Their names, scopes and definitions."""
    found: Metrics = connection.execute("select metric, scope, definition from metrics order by metric").fetchall()
    return found


def _numbered() -> dict[int, tuple[str, str]]:
    found = {}
    for file in (files("storage") / "sql" / "migrations").iterdir():
        if match := re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name):
            found[int(match[1])] = (match[2], file.read_text("utf-8"))
    return found


def _view_texts(metrics: Metrics) -> list[tuple[str, bool]]:
    """Each file of views, and whether these have columns of metrics."""
    columns = {
        "{parts_of_each_metric}": _summary_columns(name for name, *_ in metrics),
        "{value_of_each_metric}": _value_columns(name for name, scope, _ in metrics if scope == "text"),
    }
    texts = []
    for file in sorted((files("storage") / "sql" / "views").iterdir(), key=lambda file: file.name):
        written = text = file.read_text("utf-8")
        for mark, replacement in columns.items():
            text = text.replace(mark, replacement)
        texts.append((text, text != written))
    return texts


def _summary_columns(metrics: Iterable[str]) -> str:
    return (
        ",\n    ".join(
            f"numbers.of[{_text(metric)}].{suffix[1:] or 'mean'} as {_name(metric + suffix)}"
            for metric in metrics
            for suffix in PARTS
        )
        or "null as no_metric"
    )


def _value_columns(metrics: Iterable[str]) -> str:
    return (
        ",\n    ".join(f"max(value) filter (metric = {_text(metric)}) as {_name(metric)}" for metric in metrics)
        or "null as no_metric"
    )


def _metric_comments(metrics: Metrics) -> str:
    comments = [
        f"comment on column leaderboard.{_name(metric + suffix)} is {_text(f'{metric}, {part.words}: {definition}')};"
        for metric, _, definition in metrics
        for suffix, part in PARTS.items()
    ]
    comments += [
        f"comment on column scores_wide.{_name(metric)} is {_text(definition)};"
        for metric, scope, definition in metrics
        if scope == "text"
    ]
    comments += [
        f"comment on column texts.{_name(metric)} is {_text(definition)};"
        for metric, scope, definition in metrics
        if scope == "text"
    ]
    return "\n".join(comments)


def _comments() -> str:
    return (files("storage") / "sql" / "comments.sql").read_text("utf-8")


def _views_sha256(metrics: Metrics) -> str:
    return hashlib.sha256("\n".join([_comments(), *(text for text, _ in _view_texts(metrics))]).encode()).hexdigest()


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
