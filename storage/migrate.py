"""Create and migrate the schema from numbered SQL files. Each migration and its record share a transaction."""

import functools
import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

import duckdb

from newwiki import interval
from newwiki.columns import PARTS
from newwiki.errors import TerminalError
from newwiki.registry import require_metric_names
from storage import definitions, hashes, newest, result_tables, short_forms, summaries
from storage.fences import quoted
from storage.keys import KEYS
from storage.queries import filled

_RECORD = "create table if not exists schema_migrations (version bigint, name varchar, applied_at timestamptz)"
_LAST_OF_0_1_0, _FIRST_OF_0_2_0 = 14, 49
_RECORDS = {"schema_migrations", "schema_views"}
_VIEWS = "create table if not exists schema_views (sha256 varchar)"

# The state of each file, by path, when this process found that its schema was current.
_CURRENT: dict[str, tuple[object, ...]] = {}

Metrics = Sequence[tuple[str, str, str]]


def is_ours(connection: duckdb.DuckDBPyConnection) -> bool:
    """Return whether the connection's database is managed by New-Wiki Eval."""
    return definitions.catalogue(connection).tables.keys() >= _RECORDS


def is_current(connection: duckdb.DuckDBPyConnection, path: Path) -> bool:
    """Return whether the file has this program's schema: its tables, and exactly this program's views and macros.

    The check runs none of the file's views and macros. A file that has not changed since the last check of this process
    is not checked again. Raises TerminalError if the file belongs to another program, has a newer schema, or was
    changed by other means than this program.
    """
    place, state = os.path.abspath(path), _state(path)
    if state and _CURRENT.get(place) == state:
        return True
    _CURRENT.pop(place, None)
    if is_found := _is_current(connection, path):
        _CURRENT[place] = state
    return is_found


def keep_current(path: Path) -> None:
    """Record that the file is current after this process has written to it."""
    _CURRENT[os.path.abspath(path)] = _state(path)


def _state(path: Path) -> tuple[object, ...]:
    """Return values that change when any process writes to the file; empty if there is no file."""
    with suppress(OSError):
        log = path.with_name(f"{path.name}.wal")
        states = [file.stat() for file in (path, log) if file.exists()]
        return (
            str(files("storage")),
            max(_numbered()),
            *((state.st_ino, state.st_size, state.st_mtime_ns) for state in states),
        )
    return ()


def _is_current(connection: duckdb.DuckDBPyConnection, path: Path) -> bool:
    held = definitions.catalogue(connection)
    if not held.tables.keys() >= _RECORDS:
        if held.tables:
            raise TerminalError(f"'{path}' is not a New-Wiki Eval database: it holds other tables; name another file")
        return False
    definitions.require_plain(held, path)
    numbers = connection.execute("select version from schema_migrations").fetchall()
    version = max((number for (number,) in numbers if number is not None), default=0)
    newest = max(_numbered())
    if version > newest:
        raise TerminalError(
            f"'{path}' was written by a newer version (schema {version}, here {newest}); upgrade newwiki-eval"
        )
    if version < newest:
        return False
    if lacking := sorted(KEYS.keys() - held.tables.keys()):
        raise TerminalError(f"'{path}' is not whole: it has no table '{lacking[0]}'; put a copy of it in its place")
    texts = [text for text, _ in _view_texts(_metrics(connection, f"'{path}'"))]
    definitions.require_no_tables(held, path, texts)
    stored = connection.execute("select sha256 from schema_views").fetchall()
    return stored == [(_views_sha256(texts),)] and definitions.are_ours(connection, held, texts)


def migrate(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Bring tables and views up to this program's schema.

    Drops all macros that are not this program's, and all views that have the names of this program's views.
    """
    if is_current(connection, path):
        return
    connection.begin()
    if is_ours(connection):
        definitions.drop(connection, [text for text, _ in _view_texts([])])
    connection.execute(_RECORD)
    _require_released(_version(connection), path)
    create_tables(connection)
    result_tables.adopt(connection, definitions.catalogue(connection).tables)
    hashes.take_all(connection)
    connection.execute(_comments())
    metrics = _metrics(connection, f"'{path}'")
    held, texts = definitions.catalogue(connection), [text for text, _ in _view_texts(metrics)]
    definitions.require_no_tables(held, path, texts)
    create_views(connection)
    short_forms.enter_missing(connection)
    newest.enter(connection)
    summaries.store_missing(connection)
    connection.commit()


def create_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """Run the migrations that the database lacks, without the views and the comments."""
    connection.execute(_RECORD)
    connection.execute(_VIEWS)
    done = _version(connection)
    for version, (name, statements) in sorted(_numbered().items()):
        if version > done:
            connection.execute(statements)
            connection.execute("insert into schema_migrations values (?, ?, now())", [version, name])


def _version(connection: duckdb.DuckDBPyConnection) -> int:
    (version,) = connection.execute("select coalesce(max(version), 0) from schema_migrations").fetchall()[0]
    return int(version)


def _require_released(version: int, path: Path) -> None:
    """Raise TerminalError for the schema of a development version between 0.1.0 and 0.2.0.

    The migrations of these versions have been merged into one file.
    """
    if _LAST_OF_0_1_0 < version < _FIRST_OF_0_2_0:
        raise TerminalError(
            f"'{path}' was written by a development version between 0.1.0 and 0.2.0 (schema {version}), which this "
            f"version cannot open: open it once with the last version of schema {_FIRST_OF_0_2_0}, or make it anew"
        )


def create_views(connection: duckdb.DuckDBPyConnection, *, only_metrics: bool = False) -> None:
    """Create or replace the views, with columns for all metrics in the database.

    With `only_metrics`, only the views with metric columns are replaced, because the others are unchanged.
    """
    metrics = _metrics(connection, "the database")
    texts = _view_texts(metrics)
    replaced = [text for text, has_metrics in texts if has_metrics or not only_metrics]
    for text in (*replaced, _metric_comments(metrics)):
        connection.execute(text)
    connection.execute("delete from schema_views")
    connection.execute("insert into schema_views values (?)", [_views_sha256(text for text, _ in texts)])


def _metrics(connection: duckdb.DuckDBPyConnection, where: str) -> Metrics:
    """Return the names, scopes and definitions of the metrics.

    Raises TerminalError for a name that no column can have.
    """
    metrics: Metrics = connection.execute("select metric, scope, definition from metrics order by metric").fetchall()
    require_metric_names((metric for metric, *_ in metrics), where)
    return metrics


def _numbered() -> Mapping[int, tuple[str, str]]:
    """Return the name and the statements of each migration, by its number."""
    return _migrations_in(Path(str(files("storage"))))


@functools.cache
def _migrations_in(package: Path) -> Mapping[int, tuple[str, str]]:
    migrations = {}
    for file in (package / "sql" / "migrations").iterdir():
        if match := re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name):
            migrations[int(match[1])] = (match[2], file.read_text("utf-8"))
    return MappingProxyType(migrations)


def _view_texts(metrics: Metrics) -> list[tuple[str, bool]]:
    """Return the text of each file of views, and whether its views have metric columns."""
    columns = {
        "{parts_of_each_metric}": _summary_columns(name for name, *_ in metrics),
        "{value_of_each_metric}": _value_columns(name for name, scope, _ in metrics if scope == "text"),
    }
    texts = [(result_tables.views(), False)]
    for file in sorted((files("storage") / "sql" / "views").iterdir(), key=lambda file: file.name):
        written = file.read_text("utf-8").replace("{fewest_clusters}", str(interval.FEWEST))
        text = filled(written, columns)
        texts.append((text, text != written))
    return texts


def _summary_columns(metrics: Iterable[str]) -> str:
    return (
        ",\n    ".join(
            f"numbers.of[{quoted(metric)}].{suffix[1:] or 'mean'} as {_name(metric, suffix)}"
            for metric in metrics
            for suffix in PARTS
        )
        or "null as no_metric"
    )


def _value_columns(metrics: Iterable[str]) -> str:
    return (
        ",\n    ".join(f"max(value) filter (metric = {quoted(metric)}) as {_name(metric)}" for metric in metrics)
        or "null as no_metric"
    )


def _metric_comments(metrics: Metrics) -> str:
    comments = [
        f"comment on column leaderboard.{_name(metric, suffix)} is {quoted(f'{metric}, {part.words}: {definition}')};"
        for metric, _, definition in metrics
        for suffix, part in PARTS.items()
    ]
    comments += [
        f"comment on column scores_wide.{_name(metric)} is {quoted(definition)};"
        for metric, scope, definition in metrics
        if scope == "text"
    ]
    comments += [
        f"comment on column texts.{_name(metric)} is {quoted(definition)};"
        for metric, scope, definition in metrics
        if scope == "text"
    ]
    return "\n".join(comments)


def _comments() -> str:
    return (files("storage") / "sql" / "comments.sql").read_text("utf-8")


def _views_sha256(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join([_comments(), *texts]).encode()).hexdigest()


def _name(metric: str, suffix: str = "") -> str:
    """Return a metric's column as an SQL identifier. Raises TerminalError for a name that no metric can have."""
    require_metric_names([metric], "the database")
    return f'"{metric}{suffix}"'
