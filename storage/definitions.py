"""Compare the views and macros in a database file with this program's.

Files that this program cannot have written are refused. A file from another person can define any views and macros, and
a macro can replace any function of DuckDB, such as `count`. The queries in this module therefore name each function
with its schema, `system.main`, and all other work is done in Python.
"""

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from newwiki.errors import TerminalError
from newwiki.registry import shown
from storage.fences import MEMORY, connect
from storage.keys import KEYS

_STATEMENT = re.compile(
    r"^create or replace (?P<kind>view|macro) (?P<name>\w+)(?:\((?P<parameters>[^)]*)\))? as(?P<table> table)?\s"
    r"(?P<body>.*?);$",
    re.MULTILINE | re.DOTALL,
)
# DuckDB stores these names in no fixed order.
_EXCLUDED = re.compile(r'EXCLUDE \(([\w, "]+)\)')
# The macros of `storage.newest`, whose values depend on the database.
_NEWEST = frozenset({"newest_run", "newest_snapshot"})
_CONSTANT = re.compile(r"'(?:[^']|'')*'|CAST\(NULL AS VARCHAR\)", re.IGNORECASE)
_KINDS = {"macro": "macro", "table_macro": "macro table"}
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_DEFAULT = re.compile(r"DEFAULT\s*\(?(?:'(?:[^']|'')*'|-?\d+|NULL)\)?", re.IGNORECASE)
_COMPUTED = re.compile(r"\b(?:GENERATED|DEFAULT|CHECK|UNIQUE|PRIMARY|REFERENCES|COLLATE)\b|\bAS\s*\(", re.IGNORECASE)
_CATALOGUE = """select database_name, 'table' as kind, table_name as name, sql
from system.main.duckdb_tables() where not internal
union all
select database_name, 'view', view_name, sql from system.main.duckdb_views() where not internal
union all
select database_name, 'sequence', sequence_name, '' from system.main.duckdb_sequences()
union all
select database_name, 'type', type_name, '' from system.main.duckdb_types() where not internal
union all
select database_name, 'schema', schema_name, '' from system.main.duckdb_schemas() where not internal
union all
select database_name, 'index', index_name, '' from system.main.duckdb_indexes()
union all
select database_name, 'trigger', trigger_name, '' from system.main.duckdb_triggers()"""
# A cache of the definitions, as DuckDB writes them, by the text of the file. A new metric changes some of the files.
_WRITTEN: dict[str, list["Definition"]] = {}
_MOST_WRITTEN = 256
_MACROS = """select database_name, function_name, function_type, parameters, parameter_types, macro_definition
from system.main.duckdb_functions() where not internal"""


@dataclass(frozen=True, order=True)
class Definition:
    """A view or macro: `kind` is `view`, `macro` or `macro table`, and `sql` is the text as DuckDB writes it."""

    kind: str
    name: str
    parameters: tuple[str, ...]
    sql: str


@dataclass(frozen=True)
class Catalogue:
    """The content of the database called `name`.

    `tables` and `views` map names to SQL. `others` has the kind and the name of each other object, except macros.
    """

    name: str
    tables: Mapping[str, str]
    views: Mapping[str, str]
    others: Sequence[tuple[str, str]]


def catalogue(connection: duckdb.DuckDBPyConnection) -> Catalogue:
    """Return the content of the connection's current database."""
    [(current,)] = connection.execute("select system.main.current_database()").fetchall()
    definitions = [row for database, *row in connection.execute(_CATALOGUE).fetchall() if database == current]
    return Catalogue(
        current,
        {name: sql for kind, name, sql in definitions if kind == "table"},
        {name: sql for kind, name, sql in definitions if kind == "view"},
        [(kind, name) for kind, name, _ in definitions if kind not in ("table", "view")],
    )


def require_plain(held: Catalogue, path: Path) -> None:
    """Raises TerminalError for a file that no version of this program has written.

    The file is refused if a table of this program is a view in the file, or has computed columns or constraints. It is
    also refused if it has objects other than tables, views and macros.
    """
    problems = [f"{name} is a view there, and a table of New-Wiki Eval" for name in sorted(held.views.keys() & KEYS)]
    problems += [
        f"the table {name} has columns that compute, or conditions"
        for name in sorted(held.tables.keys() & KEYS)
        if _COMPUTED.search(_DEFAULT.sub("", _QUOTED.sub("", held.tables[name])))
    ]
    problems += [f"it has a {kind} of its own, {shown(name)}" for kind, name in held.others]
    _require_none(path, problems)


def require_no_tables(held: Catalogue, path: Path, texts: Sequence[str]) -> None:
    """Raises TerminalError if a view of this program's schema is a table in the file."""
    tables = sorted(held.tables.keys() & _view_names(texts))
    _require_none(path, [f"{view} is a table there, and a view of New-Wiki Eval" for view in tables])


def are_ours(connection: duckdb.DuckDBPyConnection, held: Catalogue, texts: Sequence[str]) -> bool:
    """Return whether the file has exactly the views and macros that `texts` define.

    Views with other names are allowed, because they replace nothing and belong to the owner of the file.
    """
    ours = sorted(_written(texts))
    views = sorted(definition for definition in ours if definition.kind == "view")
    names = _view_names(texts)
    if views != sorted(view for view in _views(held) if view.name in names):
        return False
    macros = [macro for macro in _macros(connection, held.name) if not _is_newest(macro)]
    return sorted(macros) == [definition for definition in ours if definition.kind != "view"]


def drop(connection: duckdb.DuckDBPyConnection, texts: Sequence[str]) -> None:
    """Drop every macro, and the views that have this program's names, without evaluating them."""
    held = catalogue(connection)
    views = sorted(held.views.keys() & _view_names(texts))
    for kind, name in [*(("view", view) for view in views), *_names_of_macros(connection, held.name)]:
        connection.execute(f"drop {kind} {_identifier(held.name)}.main.{_identifier(name)}")


def _view_names(texts: Sequence[str]) -> set[str]:
    return {name for text in texts for name in _view_names_in(text)}


@functools.lru_cache(maxsize=_MOST_WRITTEN)
def _view_names_in(text: str) -> frozenset[str]:
    return frozenset(match["name"] for match in _STATEMENT.finditer(text) if match["kind"] == "view")


def _require_none(path: Path, problems: Sequence[str]) -> None:
    if problems:
        raise TerminalError(
            f"'{path}' is not as New-Wiki Eval writes a database: {'; '.join(problems[:3])}; use a copy that its owner "
            "has not changed, or ask them for `newwiki sync push`"
        )


def _views(held: Catalogue) -> Iterator[Definition]:
    for name, sql in held.views.items():
        yield Definition("view", name, (), _in_order(sql.removeprefix(f"CREATE VIEW {name} AS ").removesuffix(";")))


def _macros(connection: duckdb.DuckDBPyConnection, current: str) -> Iterator[Definition]:
    for database, name, kind, parameters, types, sql in connection.execute(_MACROS).fetchall():
        if database == current:
            typed = [
                f"{parameter} {parameter_type}" if parameter_type else parameter
                for parameter, parameter_type in zip(parameters, types, strict=True)
            ]
            yield Definition(_KINDS[kind], name, tuple(typed), _in_order(sql))


def _names_of_macros(connection: duckdb.DuckDBPyConnection, current: str) -> list[tuple[str, str]]:
    """Return (kind, name) of each macro once. A macro with several signatures has several definitions."""
    return list(dict.fromkeys((macro.kind, macro.name) for macro in _macros(connection, current)))


def _written(texts: Sequence[str]) -> list[Definition]:
    """Return the definitions in files of views and macros, as DuckDB writes them. DuckDB only parses the statements.

    One engine parses all new files together, because starting DuckDB takes longer than parsing a file.
    """
    if new := [text for text in texts if text not in _WRITTEN]:
        if len(_WRITTEN) > _MOST_WRITTEN:
            _WRITTEN.clear()
            new = list(texts)
        matches = [(text, match) for text in new for match in _STATEMENT.finditer(text)]
        bodies = ["select " * _is_scalar(match) + match["body"] for _, match in matches]
        with connect(MEMORY) as connection:
            statement = "select json_deserialize_sql(json_serialize_sql(sql)) from (select unnest(?) as sql)"
            answers = connection.execute(statement, [bodies]).fetchall()
        _WRITTEN.update({text: [] for text in new})
        for (text, match), (sql,) in zip(matches, answers, strict=True):
            _WRITTEN[text].append(_definition(match, sql))
    return [definition for text in texts for definition in _WRITTEN[text]]


def _definition(match: re.Match[str], sql: str) -> Definition:
    parameters = tuple(parameter.strip() for parameter in (match["parameters"] or "").split(",") if parameter.strip())
    body = sql.removeprefix("SELECT ") if _is_scalar(match) else sql
    return Definition(match["kind"] + (match["table"] or ""), match["name"], parameters, _in_order(body))


def _is_scalar(match: re.Match[str]) -> bool:
    return match["kind"] == "macro" and not match["table"]


def _is_newest(definition: Definition) -> bool:
    return (
        definition.kind == "macro"
        and definition.name in _NEWEST
        and not definition.parameters
        and bool(_CONSTANT.fullmatch(definition.sql))
    )


def _in_order(sql: str) -> str:
    return _EXCLUDED.sub(lambda match: f"EXCLUDE ({', '.join(sorted(match[1].split(', ')))})", sql)


def _identifier(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
