"""The pages of a wiki over its months: all metrics in pictures, and a page with the numbers of each."""

from collections.abc import Mapping, Sequence

from flows.comparing.board import Column
from flows.presenting.charts import PALETTE
from flows.site import month_tables
from flows.site.contents import Contents
from flows.site.month_tables import Months, MonthTable
from flows.site.trend_chart import LARGE, SMALL, Chart, Line, chart, line_words
from flows.site.writing import REAL, TEXT, Writer, table_of
from newwiki.file_names import file_name

_COLUMNS = {
    "model": TEXT, "model_sha256": TEXT, "decoder": TEXT, "protocol": TEXT, "metric": TEXT, "evaluator_id": TEXT,
    "snapshot_id": TEXT, "run_id": TEXT, "mean": REAL, "to_snapshot": TEXT, "linked": REAL, "low": REAL, "high": REAL,
    "lacking": TEXT, "level": TEXT,
}  # fmt: skip


def wiki_file(wiki: str) -> str:
    return f"months/{file_name(wiki)}.html"


def metric_file(wiki: str, column: Column) -> str:
    return f"{_metric_stem(wiki, column)}.html"


def _metric_stem(wiki: str, column: Column) -> str:
    return f"months/{file_name(wiki)}/{file_name(column.name)}"


def write_months(writer: Writer, contents: Contents, months: Months, wiki: str) -> None:
    by_column = {column: months[wiki, column] for column in contents.columns}
    data = f"data/{file_name(wiki)}/months"
    rows = [row for tables in by_column.values() for table in tables for row in month_tables.records_of(table)]
    writer.files(data, table_of(_COLUMNS, {tuple(row.values()): row for row in rows}.values()))
    shown: list[tuple[Column, Chart | None, str, str | None]] = []
    keys: Sequence[Line] = ()
    who = lasting(contents, by_column)
    for column, tables in by_column.items():
        if not tables:
            continue
        path, stem = metric_file(wiki, column), _metric_stem(wiki, column)
        cut = [piece for table in tables for piece in month_tables.pieces(table)]
        addresses = [path, *(f"{stem}~{number}.html" for number in range(2, len(cut) + 1))]  # names never contain ~
        drawn = lines_of(contents, tables[0], who)
        keys = keys or drawn
        shown.append((column, picture_of(column, tables[0], drawn), path, tables[0].scale))
        both = pictures_of(column, tables[0], drawn)
        for number, table in enumerate(cut):
            writer.page(
                addresses[number], "metric_page.html", wiki=wiki, column=column, table=table,
                addresses=addresses, number=number, drawn=None if number else both, keys=drawn,
                main=wiki_file(wiki), downloads=data,
            )  # fmt: skip
    writer.page(
        wiki_file(wiki), "wiki_page.html", wiki=wiki, shown=shown, keys=keys, downloads=data,
        scales=sorted({scale for *_, scale in shown if scale}),
    )  # fmt: skip


def lasting(contents: Contents, by_column: Mapping[Column, Sequence[MonthTable]]) -> list[month_tables.Key]:
    """Return the runs whose lines every picture draws: the first of several months in the headline's table."""
    headline = contents.headline
    tables = (headline and by_column.get(headline)) or next((listed for listed in by_column.values() if listed), [])
    if not tables:
        return []
    several = [row.key for row in tables[0].rows if len(row.cells) > 1]
    return list(dict.fromkeys(several))[: len(PALETTE)]


def lines_of(contents: Contents, table: MonthTable, who: Sequence[month_tables.Key]) -> list[Line]:
    drawn: list[tuple[month_tables.Key, Line]] = []
    for row in table.rows:
        points = month_tables.points_of(row, table)
        if row.key in who and points and row.key not in [entry[0] for entry in drawn]:
            line = Line(month_tables.label(contents, row), who.index(row.key), points, dotted=table.scale is None)
            drawn.append((row.key, line))
    return sorted((line for _, line in drawn), key=lambda line: line.number)


def picture_of(column: Column, table: MonthTable, drawn: Sequence[Line], size: tuple[int, int] = SMALL) -> Chart | None:
    months = month_tables.month_names(table)
    words = "; ".join(line_words(line.who, column.name, months, line.points) for line in drawn)
    return chart(words, months, drawn, size)


def pictures_of(column: Column, table: MonthTable, drawn: Sequence[Line]) -> tuple[Chart, Chart] | None:
    """Return the pictures for a phone and for a wide page, or None if there is nothing to draw."""
    small, large = (picture_of(column, table, drawn, size) for size in (SMALL, LARGE))
    return (small, large) if small and large else None


def headline_pictures(
    contents: Contents, months: Months, wiki: str
) -> tuple[tuple[Chart, Chart], Sequence[Line], str | None] | None:
    """Return the wiki's pictures by the headline metric with keys and scale, or None if there is nothing to draw."""
    column = contents.headline
    tables = months[wiki, column] if column else []
    if column is None or not tables:
        return None
    drawn = lines_of(contents, tables[0], lasting(contents, {column: tables}))
    both = pictures_of(column, tables[0], drawn)
    return (both, drawn, tables[0].scale) if both else None
