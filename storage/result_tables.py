"""Declare the result tables of experiments, each once, on the dataclass of its rows.

The declaration defines how rows are stored (as JSON, in the table `experiment_rows`) and the typed view that users
query. It also defines the comments of the view and its columns, and the key that `newwiki doctor` checks. An experiment
therefore needs no migration.

    @result_table("leakage_pairs", key=("old_page_id",))
    @dataclass(frozen=True, kw_only=True)
    class MatchedPair:
        \"\"\"The new article that each old article is matched with.\"\"\"

        old_page_id: int = column("The old article.")
"""

import functools
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from datetime import date
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import duckdb

from newwiki.errors import TerminalError
from newwiki.registry import Registry
from storage.fences import quoted
from storage.queries import filled, query, require_identifier

if TYPE_CHECKING:
    import pyarrow as pa

R = TypeVar("R")

_COMMENT = "comment"
_ANSWER = "The answer."
# Types are in capitals, as DuckDB writes them, because a file's views are compared with these texts
# (`storage.definitions`).
_TYPES: Mapping[object, str] = {
    str: "VARCHAR",
    int: "BIGINT",
    float: "DOUBLE",
    bool: "BOOLEAN",
    date: "DATE",
    Sequence[str]: "JSON::VARCHAR[]",
}
_JSON_TYPES: Mapping[str, Any] = {"JSON::VARCHAR[]": ["VARCHAR"]}  # as json_transform names them


@dataclass(frozen=True)
class Column:
    """A field of the rows: its SQL type, and whether it can be NULL."""

    name: str
    sql_type: str
    optional: bool
    comment: str


@dataclass(frozen=True)
class ResultTable:
    """A declared table. The `key` identifies a row within one answer."""

    name: str
    key: tuple[str, ...]
    comment: str
    columns: tuple[Column, ...]

    @functools.cache  # noqa: B019 (the declared tables live as long as the process)
    def view(self) -> str:
        """Return the SQL that creates the typed view with its comments."""
        described = [
            ("experiment_id", _ANSWER),
            *((result_column.name, result_column.comment) for result_column in self.columns),
        ]
        return "\n".join(
            [
                filled(query("result_view"), self._parts()),
                f"comment on view {self.name} is {quoted(self.comment)};",
                *(f'comment on column {self.name}."{name}" is {quoted(comment)};' for name, comment in described),
            ]
        )

    def insert(self, connection: duckdb.DuckDBPyConnection, experiment_id: str, rows: Sequence[Any]) -> None:
        """Store the rows of an answer in one statement.

        Raises ValueError for None in a column that cannot be NULL, and pyarrow.ArrowException for a value of another
        type.
        """
        import pyarrow as pa

        types = _arrow_types()
        values = [
            pa.array([getattr(row, result_column.name) for row in rows]).cast(types[result_column.sql_type])
            for result_column in self.columns
        ]
        for result_column, column_values in zip(self.columns, values, strict=True):
            if column_values.null_count and not result_column.optional:
                raise ValueError(f"a row of {self.name} has no {result_column.name}")
        structs = pa.StructArray.from_arrays(values, [result_column.name for result_column in self.columns])
        connection.register("incoming", pa.table({"position": range(len(rows)), "row": structs}))
        connection.execute(query("keep_result_rows"), [experiment_id, self.name])
        connection.unregister("incoming")

    def rows(self, connection: duckdb.DuckDBPyConnection, experiment_id: str) -> duckdb.DuckDBPyConnection:
        """Return the typed rows of an answer, in the order in which they were stored."""
        return connection.execute(filled(query("result_rows"), self._parts()), [experiment_id, self.name])

    def mistyped(self, connection: duckdb.DuckDBPyConnection) -> int:
        """Return the number of stored rows that have a value of another type than their column."""
        (count,) = connection.execute(filled(query("mistyped_result_rows"), self._parts()), [self.name]).fetchall()[0]
        return int(count)

    def adopt(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Move the rows of the table that has this view's name into `experiment_rows`, and drop the table."""
        row = ", ".join(f'"{result_column.name}" := "{result_column.name}"' for result_column in self.columns)
        connection.execute(filled(query("adopt_result_rows"), {**self._parts(), "{row}": f"struct_pack({row})"}))

    def _parts(self) -> dict[str, str]:
        return {
            "{table}": self.name,
            "{structure}": json.dumps(
                {
                    result_column.name: _JSON_TYPES.get(result_column.sql_type, result_column.sql_type)
                    for result_column in self.columns
                }
            ),
            "{fields}": ", ".join(quoted(result_column.name) for result_column in self.columns),
            "{columns}": ", ".join(
                f'found[{place}]::{result_column.sql_type} as "{result_column.name}"'
                for place, result_column in enumerate(self.columns, start=1)
            ),
            "{mistyped}": " or ".join(
                f"(found[{place}] is not null and {_tried(place, result_column.sql_type)} is null)"
                for place, result_column in enumerate(self.columns, start=1)
            ),
        }


def _tried(place: int, sql_type: str) -> str:
    """Return the SQL of a value that is NULL if it cannot have this type."""
    tried = f"found[{place}]"
    for each in sql_type.split("::"):
        tried = f"try_cast({tried} as {each})"
    return tried


_TABLES: Registry[ResultTable] = Registry("result table", "newwiki.result_tables")
_ATTRIBUTE = "__result_table__"


def column(comment: str, default: Any = MISSING) -> Any:
    """Declare a field of a row with a sentence that states its meaning, its unit, and when it is NULL."""
    return field(default=default, metadata={_COMMENT: comment})


def result_table(name: str, *, key: Sequence[str]) -> Callable[[type[R]], type[R]]:
    """Declare a dataclass as the rows of a result table. Its docstring describes the table.

    Raises ValueError for a `key` that names no field. Raises TypeError for a field without a description, or of a type
    that no column can have.
    """

    def declare(rows: type[R]) -> type[R]:
        columns = _columns(rows)
        if unknown := set(key) - {result_column.name for result_column in columns}:
            raise ValueError(f"the key of {name} names no field: {', '.join(sorted(unknown))}")
        comment = " ".join((rows.__doc__ or "").split())
        declared = ResultTable(require_identifier(name), tuple(key), comment, columns)
        _TABLES.add(name, declared)
        setattr(rows, _ATTRIBUTE, declared)
        return rows

    return declare


def table_of(rows: type) -> ResultTable:
    """Return the table that is declared on the class of its rows."""
    declared: ResultTable = getattr(rows, _ATTRIBUTE)
    return declared


def declared_tables() -> list[ResultTable]:
    """Return the tables of all installed experiments, by name.

    Raises TerminalError if the installation lists no experiments, because every database would lose their views.
    """
    tables = _TABLES.all()
    if not tables:
        raise TerminalError("this installation of newwiki-eval lists no experiments; install it again")
    return [tables[name] for name in sorted(tables)]


def views() -> str:
    """Return the SQL that creates the typed views of all result tables."""
    return "\n".join(table.view() for table in declared_tables())


def keys() -> dict[str, tuple[str, ...]]:
    """Return the key of each result table, which begins with the id of the answer."""
    return {table.name: ("experiment_id", *table.key) for table in declared_tables()}


def mistyped(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, int]]:
    """Count the rows that have a value of another type, for which the typed views have NULL.

    Returns a description and the number for each result table with such rows.
    """
    counted = {table.name: table.mistyped(connection) for table in declared_tables()}
    return [(f"rows of {table} with a value of another type", count) for table, count in counted.items() if count]


def adopt(connection: duckdb.DuckDBPyConnection, tables: Collection[str]) -> None:
    """Move the rows of those result tables that are separate tables, as in development versions before 0.2.0."""
    for table in declared_tables():
        if table.name in tables:
            table.adopt(connection)


def _columns(rows: Any) -> tuple[Column, ...]:
    kinds = get_type_hints(rows)
    return tuple(
        _column(
            f"{rows.__name__}.{declared_field.name}",
            declared_field.name,
            kinds[declared_field.name],
            declared_field.metadata,
        )
        for declared_field in fields(rows)
    )


def _column(where: str, name: str, kind: Any, metadata: Mapping[str, str]) -> Column:
    if _COMMENT not in metadata:
        raise TypeError(f"{where} has no description: give it `= column(…)`")
    optional = isinstance(kind, UnionType) and NoneType in get_args(kind)
    plain = get_args(kind)[0] if optional else kind
    if get_origin(plain) is Literal:
        plain = type(get_args(plain)[0])
    if plain not in _TYPES:
        raise TypeError(f"{where} is {kind}: a column holds text, a number, true or false, a day, or a list of texts")
    return Column(require_identifier(name), _TYPES[plain], optional, metadata[_COMMENT])


def _arrow_types() -> Mapping[str, "pa.DataType"]:
    import pyarrow as pa

    return {
        "VARCHAR": pa.string(),
        "BIGINT": pa.int64(),
        "DOUBLE": pa.float64(),
        "BOOLEAN": pa.bool_(),
        "DATE": pa.date32(),
        "JSON::VARCHAR[]": pa.list_(pa.string()),
    }
