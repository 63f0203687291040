"""Rows as people and programs want them: a table to look at, or CSV, JSON or Markdown, on stdout."""

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

    from flows.table_layout import Column
    from storage.database import Database

FORMATS = ("table", "csv", "json", "markdown")
MACHINE_FORMATS = ("csv", "json")  # of which programs read the rows
Rows = Sequence[Sequence[Any]]
_NO_EDGE = 1_000_000


def show(columns: Sequence[str], rows: Iterable[Sequence[Any]], form: str, title: str | None = None) -> None:
    """Writes the rows to stdout. Numbers are rounded only where people look: `table` and `markdown`.

    All but `table` write each row as it comes, so they may be as many as there are.
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
    """The rows as a Markdown table."""
    return "".join(_markdown_lines(columns, rows))


def _markdown_lines(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    yield f"| {' | '.join(map(in_markdown, columns))} |\n"
    yield f"| {' | '.join(['---'] * len(columns))} |\n"
    for row in rows:
        yield f"| {' | '.join(in_markdown(short(cell)) for cell in row)} |\n"


def _csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Each cell as it is for a program that reads a file or a pipe, and as `visible` shows it on a terminal."""
    out = machine_output()

    def cell(value: Any) -> Any:
        known = "" if value is None else plain(value)
        return visible(known) if isinstance(known, str) and out.isatty() else known

    write_csv(out, map(cell, columns), (map(cell, row) for row in rows))


def _json(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A list of objects, as `json.dumps` with an indent of 1 writes it; a number that JSON has not is null."""
    out, before = machine_output(), "[\n "
    only_ascii = not holds_any_character(out)
    for row in rows:
        record = {name: finite(cell) for name, cell in zip(columns, row, strict=True)}
        written = in_json(json.dumps(record, default=plain, ensure_ascii=only_ascii, indent=1))
        out.write(before + written.replace("\n", "\n "))
        before = ",\n "
    out.write("[]\n" if before.startswith("[") else "\n]\n")


def finite(cell: Any) -> Any:
    """None for a number that JSON does not have (NaN and the infinities)."""
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def write_record(record: Mapping[str, Any]) -> None:
    """Writes one JSON object to stdout; a number that JSON has not is null."""
    out = machine_output()
    only_ascii = not holds_any_character(out)
    out.write(in_json(json.dumps(record, default=plain, ensure_ascii=only_ascii, indent=1, allow_nan=False)) + "\n")


def show_query(database: "Database", name: str, form: str, *parameters: object) -> None:
    """Writes what a stored query answers, under its own columns."""
    from storage.queries import query

    with database.read() as connection:
        cursor = connection.execute(query(name), list(parameters))
        columns, rows = [column[0] for column in cursor.description or []], cursor.fetchall()
    show(columns, rows, form)


def show_columns(
    columns: Sequence["Column"], title: str | None = None, keys: int = 1, parted: Collection[int] = ()
) -> None:
    """Writes a table as `flows.table_layout.lines` lays it out in the `room` that there is, below its title."""
    from rich.text import Text

    from flows.table_layout import lines, wrapped

    console, width = _console(), room()
    for line in wrapped(visible(title), width) if title else ():
        console.print(Text(line, style="bold"), soft_wrap=True)
    if title:
        console.print()
    for line, is_head in lines(columns, width, keys, parted):
        console.print(Text(visible(line), style="bold" if is_head else ""), soft_wrap=True)
    console.print()


def room() -> int:
    """How many letters fit beside each other: as many as the terminal has. A file or a pipe has no edge, unless COLUMNS
    in the environment names one."""
    console = _console()
    asked = os.environ.get("COLUMNS", "")
    return console.width if console.is_terminal else int(asked) if asked.isdecimal() and int(asked) else _NO_EDGE


def _console() -> "Console":
    from rich.console import Console

    return Console(highlight=False)


def _table(columns: Sequence[str], rows: Rows, title: str | None) -> None:
    from flows.table_layout import Column

    made = []
    for place, column in enumerate(columns):
        numeric = any(row[place] is not None for row in rows) and all(_is_number(row[place]) for row in rows)
        made.append(Column(visible(column), [short(row[place]) for row in rows], right=numeric))
    show_columns(made, title)


def _is_number(cell: object) -> bool:
    return cell is None or (isinstance(cell, int | float | Decimal) and not isinstance(cell, bool))


def short(cell: object) -> str:
    """A cell for people: numbers rounded, times to the minute, nothing that a terminal would obey."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.4g}" if abs(cell) < 1000 else f"{cell:,.0f}"
    if isinstance(cell, datetime):
        return f"{cell:%Y-%m-%d %H:%M}"
    return visible(str(cell))


def plain(cell: Any) -> Any:
    """A cell for programs: as it is where JSON has its like, otherwise as text."""
    if isinstance(cell, datetime | date):
        return cell.isoformat()
    if isinstance(cell, Decimal):
        return int(cell) if cell == cell.to_integral_value() else float(cell)
    return cell if isinstance(cell, int | float | str | bool | dict | list) else str(cell)


def in_spreadsheet(cell: Any) -> Any:
    """A cell of CSV that people open: a number as it is, and a text that no spreadsheet computes."""
    known = "" if cell is None else plain(cell)
    return in_csv(known) if isinstance(known, str) else known


def plain_record(record: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Its cells under these names, as JSON has them."""
    return {name: None if record[name] is None else plain(record[name]) for name in names}
