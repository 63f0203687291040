"""Write rows to stdout as a table for people, or as CSV, JSON or Markdown."""

import json
import math
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from flows.printing import holds_any_character, machine_output, write_lines
from newwiki.csv_files import write_csv
from newwiki.visible import in_csv, in_json, in_markdown, visible

if TYPE_CHECKING:
    from rich.console import Console

    from flows.presenting.table_layout import Column
    from storage.database import Database

FORMATS = ("table", "csv", "json", "markdown")
MACHINE_FORMATS = ("csv", "json")  # formats that programs read
Rows = Sequence[Sequence[Any]]
_NO_EDGE = 1_000_000


def show(columns: Sequence[str], rows: Iterable[Sequence[Any]], form: str, title: str | None = None) -> None:
    """Write the rows to stdout. Numbers are rounded only in the formats for people, `table` and `markdown`.

    All formats except `table` write each row immediately, so the number of rows is unlimited.
    """
    if form == "json":
        _json(columns, rows)
    elif form == "csv":
        _csv(columns, rows)
    elif form == "markdown":
        write_lines(_markdown_lines(columns, rows))
    else:
        _table(columns, list(rows), title)


def markdown(columns: Sequence[str], rows: Rows) -> str:
    """Return the rows as a Markdown table."""
    return "".join(_markdown_lines(columns, rows))


def _markdown_lines(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    yield f"| {' | '.join(map(in_markdown, columns))} |\n"
    yield f"| {' | '.join(['---'] * len(columns))} |\n"
    for row in rows:
        yield f"| {' | '.join(in_markdown(short(cell)) for cell in row)} |\n"


def _csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write cells unchanged to a file or a pipe, and as `visible` shows them to a terminal."""
    out = machine_output()

    def cell(value: Any) -> Any:
        known = "" if value is None else plain(value)
        return visible(known) if isinstance(known, str) and out.isatty() else known

    write_csv(out, map(cell, columns), (map(cell, row) for row in rows))


def _json(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a list of objects in the form of `json.dumps` with an indent of 1. NaN and infinities become null."""
    out, before = machine_output(), "[\n "
    only_ascii = not holds_any_character(out)
    for row in rows:
        record = {name: finite(cell) for name, cell in zip(columns, row, strict=True)}
        written = in_json(json.dumps(record, default=plain, ensure_ascii=only_ascii, indent=1))
        out.write(before + written.replace("\n", "\n "))
        before = ",\n "
    out.write("[]\n" if before.startswith("[") else "\n]\n")


def finite(cell: Any) -> Any:
    """Return None for NaN and infinities, which JSON cannot express, and every other cell unchanged."""
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def write_record(record: Mapping[str, Any]) -> None:
    """Write a JSON object to stdout. Raises ValueError for NaN and infinities."""
    out = machine_output()
    only_ascii = not holds_any_character(out)
    out.write(in_json(json.dumps(record, default=plain, ensure_ascii=only_ascii, indent=1, allow_nan=False)) + "\n")


def show_query(database: "Database", name: str, form: str, *parameters: object) -> None:
    """Write the result of a stored query, under the query's own columns."""
    from storage.queries import query

    with database.read() as connection:
        cursor = connection.execute(query(name), list(parameters))
        columns, rows = [column[0] for column in cursor.description or []], cursor.fetchall()
    show(columns, rows, form)


def show_columns(
    columns: Sequence["Column"],
    title: str | None = None,
    keys: int = 1,
    parted: Collection[int] = (),
    style: str = "",
) -> None:
    """Write a table below its title in the layout of `table_layout.lines`, within the width of `room`. `style` is
    rich's, such as `dim`, for a terminal."""
    from rich.text import Text

    from flows.presenting.table_layout import lines, wrapped

    console, width = _console(), room()
    for line in wrapped(visible(title), width) if title else ():
        console.print(Text(line, style=style or "bold"), soft_wrap=True)
    if title:
        console.print()
    for line, is_head in lines(columns, width, keys, parted):
        console.print(Text(visible(line), style=style or ("bold" if is_head else "")), soft_wrap=True)
    console.print()


def room() -> int:
    """Return the available width in characters: that of the terminal, or of COLUMNS in the environment.

    A file or a pipe without COLUMNS has an unlimited width.
    """
    console = _console()
    columns = os.environ.get("COLUMNS", "")
    return console.width if console.is_terminal else int(columns) if columns.isdecimal() and int(columns) else _NO_EDGE


def _console() -> "Console":
    from rich.console import Console

    return Console(highlight=False)


def _table(columns: Sequence[str], rows: Rows, title: str | None) -> None:
    from flows.presenting.table_layout import Column

    aligned = []
    for place, column in enumerate(columns):
        numeric = any(row[place] is not None for row in rows) and all(_is_number(row[place]) for row in rows)
        aligned.append(Column(visible(column), [short(row[place]) for row in rows], right=numeric))
    show_columns(aligned, title)


def _is_number(cell: object) -> bool:
    return cell is None or (isinstance(cell, int | float | Decimal) and not isinstance(cell, bool))


def short(cell: object) -> str:
    """Format a cell for people: rounded numbers, times to the minute, no control characters."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.4g}" if abs(cell) < 1000 else f"{cell:,.0f}"
    if isinstance(cell, datetime):
        return f"{cell:%Y-%m-%d %H:%M}"
    return visible(str(cell))


def plain(cell: Any) -> Any:
    """Convert a cell for programs: unchanged if JSON has its type, otherwise text."""
    if isinstance(cell, datetime | date):
        return cell.isoformat()
    if isinstance(cell, Decimal):
        return int(cell) if cell == cell.to_integral_value() else float(cell)
    return cell if isinstance(cell, int | float | str | bool | dict | list) else str(cell)


def in_spreadsheet(cell: Any) -> Any:
    """Convert a cell of a CSV file for people: numbers unchanged, and texts in a form that no spreadsheet computes."""
    known = "" if cell is None else plain(cell)
    return in_csv(known) if isinstance(known, str) else known


def plain_record(record: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the cells of a record under these names, with JSON types."""
    return {name: None if record[name] is None else plain(record[name]) for name in names}
