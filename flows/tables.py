"""Rows as people and programs want them: a table to look at, or CSV, JSON or Markdown, on stdout."""

import csv
import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from newwiki.visible import visible

if TYPE_CHECKING:
    from storage.database import Database

FORMATS = ("table", "csv", "json", "markdown")
Rows = Sequence[Sequence[Any]]


def show(columns: Sequence[str], rows: Iterable[Sequence[Any]], form: str, title: str | None = None) -> None:
    """Writes the rows to stdout. Numbers are rounded only where people look: `table` and `markdown`.

    All but `table` write each row as it comes, so they may be as many as there are.
    """
    if form == "json":
        _json(columns, rows)
    elif form == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow([*map(_told, columns)])
        writer.writerows([_told("" if cell is None else plain(cell)) for cell in row] for row in rows)
    elif form == "markdown":
        sys.stdout.writelines(_markdown_lines(columns, rows))
    else:
        _table(columns, list(rows), title)


def markdown(columns: Sequence[str], rows: Rows) -> str:
    """The rows as a Markdown table."""
    return "".join(_markdown_lines(columns, rows))


def _markdown_lines(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    yield f"| {' | '.join(map(_escaped, columns))} |\n"
    yield f"| {' | '.join(['---'] * len(columns))} |\n"
    for row in rows:
        yield f"| {' | '.join(_escaped(short(cell)) for cell in row)} |\n"


def _json(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A list of objects, as `json.dumps` with an indent of 1 writes it; a number that JSON has not is null."""
    before = "[\n "
    for row in rows:
        record = {name: _finite(cell) for name, cell in zip(columns, row, strict=True)}
        written = json.dumps(record, default=plain, ensure_ascii=False, indent=1)
        sys.stdout.write(_told(before + written.replace("\n", "\n ")))
        before = ",\n "
    sys.stdout.write("[]\n" if before.startswith("[") else "\n]\n")


def _told(cell: Any) -> Any:
    """A cell for programs as it is, and for a terminal without what it would obey."""
    return visible(cell) if isinstance(cell, str) and sys.stdout.isatty() else cell


def _finite(cell: Any) -> Any:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def show_query(database: "Database", name: str, form: str, *parameters: object) -> None:
    """Writes what a stored query answers, under its own columns."""
    from storage.queries import query

    with database.read() as connection:
        cursor = connection.execute(query(name), list(parameters))
        columns, rows = [column[0] for column in cursor.description or []], cursor.fetchall()
    show(columns, rows, form)


def digits(number: float) -> str:
    """A number of any metric for people: one decimal from 10 upwards, three below."""
    return f"{number:.1f}" if abs(number) >= 10 else f"{number:.3f}"


def p_value(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _table(columns: Sequence[str], rows: Rows, title: str | None) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 10_000  # a file or a pipe has no edge to wrap at
    table = Table(
        title=title and Text(visible(title)),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for place, column in enumerate(columns):
        numeric = any(row[place] is not None for row in rows) and all(_is_number(row[place]) for row in rows)
        table.add_column(Text(visible(column)), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*[Text(short(cell)) for cell in row])
    console.print(table)


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


def plain_record(record: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Its cells under these names, as JSON has them."""
    return {name: None if record[name] is None else plain(record[name]) for name in names}


def _escaped(cell: str) -> str:
    return visible(cell).replace("|", "\\|").replace("\n", " ")
