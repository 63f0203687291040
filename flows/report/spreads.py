"""The paper's figure 5 on our data: in the metrics' own units, and rescaled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from flows.comparing.board import numbers_of
from flows.comparing.shown_levels import LevelNote
from flows.presenting.charts import ARTICLES_SIGN, MOST_SERIES, Key, PageSigns, Sign, dots, svg
from flows.presenting.numbers import decimals, fixed
from flows.report.material import Material, Record
from flows.report.paper import PaperColumn, paper_columns
from flows.report.paper_tables import apart


@dataclass(frozen=True)
class Bar:
    """A standard deviation in words, its share of the greatest of its column in percent, and what a reader must know
    beside it."""

    words: str
    share: float
    apart: str


@dataclass(frozen=True)
class Spreads:
    """`rows` have a model each, the articles last, with a bar for each of `heads` or none. `rescaled` has all metrics
    over the paper's ranges, and those models that have a key; `levels` are of these."""

    heads: Sequence[PaperColumn]
    rows: Sequence[tuple[str, Sequence[Bar | None]]]
    keys: Sequence[Key]
    rescaled: Markup | None
    levels: Sequence[LevelNote]


def spreads(material: Material, records: Sequence[Record], page: PageSigns) -> Spreads | None:
    """The standard deviations of these runs and of the articles."""
    articles = [(material.reference, "Wikipedia")] if material.reference else []
    of_runs = [(record, material.names[record["run_id"]]) for record in records]
    named = [*of_runs, *articles]
    heads = [
        head
        for head in paper_columns(material.text_columns)
        if any(record[head.column.name + "_sd"] is not None for record, _ in named)
    ]
    if not heads or not records:
        return None
    columns = [_bars([numbers_of(record, head.column.name) for record, _ in named]) for head in heads]
    rows = [(name, [column[place] for column in columns]) for place, (_, name) in enumerate(named)]
    drawn = [*of_runs[: MOST_SERIES - len(articles)], *articles]
    signs = [
        ARTICLES_SIGN if record is material.reference else page.of(material.names[record["run_id"]])
        for record, _ in drawn
    ]
    keys = [Key(sign, text) for sign, (_, text) in zip(signs, drawn, strict=True)]
    levels = material.level_notes([record for record, _ in drawn], [head.column for head in heads])
    return Spreads(heads, rows, keys, _rescaled(heads, drawn, signs), levels)


def _bars(numbers: Sequence[Mapping[str, Any]]) -> list[Bar | None]:
    there = [of["sd"] for of in numbers if of["sd"] is not None]
    number, most = decimals(there), max(there)

    def bar(of: Mapping[str, Any]) -> Bar:
        share = round(100 * of["sd"] / most if most else 0, 1)
        return Bar(fixed(of["sd"], number), share, apart(of["status"], of["level"]))

    return [None if of["sd"] is None else bar(of) for of in numbers]


def _rescaled(
    heads: Sequence[PaperColumn], drawn: Sequence[tuple[Record, str]], signs: Sequence[Sign]
) -> Markup | None:
    ranged = [head for head in heads if head.low is not None]
    values = [
        {"metric": head.title, "who": str(place), "sd": sd / (head.high - head.low)}
        for place, (record, _) in enumerate(drawn)
        for head in ranged
        if (sd := record[head.column.name + "_sd"]) is not None and head.low is not None and head.high is not None
    ]
    if not values:
        return None
    chart = dots(values, [head.title for head in ranged], signs)
    return svg(chart, "Figure 5 rescaled; the numbers are in the table before it.")
