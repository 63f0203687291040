"""Plot a query's result: choose the columns, and draw them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from flows.presenting.charts import PALETTE, svg
from flows.report.browser.query_process import QueryAnswer
from newwiki.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    import altair

# kinds of plot, and the maximum number of rows drawn
KINDS = {"line": 1_000, "bar": 1_000, "points": 2_000, "histogram": 100_000}
_EXACT = 2**53  # up to this value a plot represents whole numbers exactly
_BINS, _MOST_COLOURS = 40, len(PALETTE)
_WORDS = {"line": "Line", "bar": "Bars", "points": "Points"}
# The measuring font differs from the browser's, so the padding leaves room for wider letters
_SIZE = {"width": 640, "height": 320, "padding": {"left": 40, "right": 40, "top": 10, "bottom": 10}}
_TEXT = {"labelFontSize": 12, "titleFontSize": 12, "labelLimit": 260}


@dataclass(frozen=True)
class ChosenPlot:
    """The columns of a plot. A histogram counts `x` and has no `y`."""

    kind: str
    x: str
    y: str | None
    color: str | None

    @property
    def label(self) -> str:
        """The description of the plot in words."""
        what = f"Histogram of {self.x}" if self.y is None else f"{_WORDS[self.kind]} of {self.y} by {self.x}"
        return what + (f", colored by {self.color}" if self.color else "")


def choose(answer: QueryAnswer, kind: str, x: str | None, y: str | None, color: str | None) -> ChosenPlot:
    """Choose the columns of a plot.

    Named columns are used. By default x is the first non-numeric column and y the first numeric column; points and
    histograms use numeric columns for both. Raises UsageError if a column does not exist or does not fit.
    """
    if not answer.rows:
        raise UsageError("the result has no rows to plot")
    for name in (x, y, color):
        if name and name not in answer.columns:
            raise UsageError(
                f"the result has no column '{name}' to plot{did_you_mean(name, answer.columns)}; it has: "
                f"{', '.join(answer.columns)}"
            )
    types = {name: _type(_column(answer, name)) for name in reversed(answer.columns)}
    numbers = [name for name in answer.columns if types[name] == "quantitative"]
    if kind == "histogram":
        return ChosenPlot(kind, _number(x or next(iter(numbers), None), numbers, "a histogram"), None, color or None)
    if not x:
        first = numbers if kind == "points" else [name for name in answer.columns if name not in numbers]
        y_at_least = [] if y or len(numbers) > 1 else numbers
        x = next((name for name in [*first, *answer.columns] if name not in (y, *y_at_least)), answer.columns[0])
    y = _number(y or next((name for name in numbers if name != x), None), numbers, "the y of this plot")
    return ChosenPlot(kind, x, y, color or None)


def _number(name: str | None, numbers: Sequence[str], what: str) -> str:
    if name in numbers:
        return str(name)
    raise UsageError(f"{what} needs a numeric column, but {f'{name!r} is not numeric' if name else 'there is none'}")


def drawn(answer: QueryAnswer, kind: str, x: str | None, y: str | None, color: str | None) -> tuple[ChosenPlot, Markup]:
    """Choose the columns and draw the plot. Raises UsageError if nothing can be drawn."""
    chosen = choose(answer, kind, x, y, color)
    return chosen, draw(answer, chosen)


def draw(answer: QueryAnswer, chosen: ChosenPlot) -> Markup:
    """Return the plot as SVG. Raises UsageError if there is nothing to draw."""
    import altair as alt

    chart = _histogram(answer, chosen) if chosen.y is None else _marks(answer, chosen)
    return svg(alt.layer(chart).properties(**_SIZE), chosen.label)


def _marks(answer: QueryAnswer, chosen: ChosenPlot) -> "altair.Chart":
    import altair as alt

    assert chosen.y
    names = {"x": chosen.x, "y": chosen.y} | ({"color": chosen.color} if chosen.color else {})
    columns = {channel: _column(answer, name)[: KINDS[chosen.kind]] for channel, name in names.items()}
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    values = [{channel: _value(cell) for channel, cell in row.items()} for row in rows if _value(row["y"]) is not None]
    if not values:
        raise UsageError(f"'{chosen.y}' has no number to plot")
    if chosen.kind == "bar" and len({(row["x"], row.get("color")) for row in values}) < len(values):
        raise UsageError(
            f"several rows have the same '{chosen.x}'; group by it, or color by a column in which they differ"
        )
    chart = alt.Chart(alt.Data(values=values))
    mark = {"line": chart.mark_line, "bar": chart.mark_bar, "points": chart.mark_point}[chosen.kind]
    x_type, y_type = _type(columns["x"]), "quantitative"
    if chosen.kind == "bar" and x_type == "quantitative":
        x_type = "ordinal"
    sideways = chosen.kind == "bar" and x_type == "nominal"  # so that long names are readable
    across, up = (alt.Y, alt.X) if sideways else (alt.X, alt.Y)
    sort = alt.Undefined if x_type in ("quantitative", "temporal") else None
    axes = [
        across("x", type=x_type, title=None if sideways else chosen.x, sort=sort, axis=alt.Axis(tickCount=6, **_TEXT)),
        up(
            "y",
            type=y_type,
            title=chosen.y,
            scale=alt.Scale(zero=chosen.kind == "bar"),
            axis=alt.Axis(tickCount=6, **_TEXT),
        ),
    ]
    if chosen.kind == "bar" and chosen.color:  # bars are grouped, not stacked, because sums of means have no meaning
        axes.append((alt.YOffset if sideways else alt.XOffset)("color", type="nominal", sort=None))
    drawn = mark(color=PALETTE[0], **({"filled": True, "size": 40} if chosen.kind == "points" else {}))
    return drawn.encode(*axes, *_colours(columns.get("color"), chosen))


def _histogram(answer: QueryAnswer, chosen: ChosenPlot) -> "altair.Chart":
    import altair as alt

    cells = [_value(cell) for cell in _column(answer, chosen.x)]
    present = [place for place, cell in enumerate(cells) if cell is not None]
    if not present:
        raise UsageError(f"'{chosen.x}' has no number to plot")
    numbers = np.array([cells[place] for place in present], float)
    edges = np.histogram_bin_edges(numbers, min(_BINS, max(1, len(np.unique(numbers)))))
    colours = _column(answer, chosen.color) if chosen.color else [""] * len(cells)
    groups = np.array([str(_value(colours[place])) for place in present], object)
    values = [
        {"from": low, "to": high, "texts": count, "color": name}
        for name in dict.fromkeys(groups)
        for low, high, count in zip(
            edges[:-1].tolist(),
            edges[1:].tolist(),
            np.histogram(numbers[groups == name], edges)[0].tolist(),
            strict=True,
        )
    ]
    return (
        alt.Chart(alt.Data(values=values))
        .mark_bar(binSpacing=1, color=PALETTE[0])
        .encode(
            alt.X(
                "from",
                type="quantitative",
                bin="binned",
                title=chosen.x,
                scale=alt.Scale(zero=False),
                axis=alt.Axis(tickCount=8, **_TEXT),
            ),
            alt.X2("to"),
            alt.Y("texts", type="quantitative", title="rows", axis=alt.Axis(tickCount=6, **_TEXT)),
            *_colours(colours if chosen.color else None, chosen),
        )
    )


def _colours(cells: Sequence[Any] | None, chosen: ChosenPlot) -> "list[altair.Color]":
    import altair as alt

    if cells is None:
        return []
    kind = "nominal" if chosen.y is None else _type(cells)
    if kind == "nominal" and (distinct := len({str(cell) for cell in cells})) > _MOST_COLOURS:
        raise UsageError(f"'{chosen.color}' has {distinct} values; a plot can have at most {_MOST_COLOURS} colors")
    return [
        alt.Color(
            "color",
            type=kind,
            title=chosen.color,
            legend=alt.Legend(orient="top", columns=1, **_TEXT | {"labelLimit": 560}),
        )
    ]


def _column(answer: QueryAnswer, name: str) -> list[Any]:
    place = answer.columns.index(name)
    return [row[place] for row in answer.rows]


def _type(cells: Sequence[Any]) -> str:
    """Return the Vega-Lite type of a column; a column without values is nominal."""
    present = [cell for cell in cells if cell is not None]
    if present and all(isinstance(cell, int | float | Decimal) and not isinstance(cell, bool) for cell in present):
        return "quantitative"
    return "temporal" if present and all(isinstance(cell, date) for cell in present) else "nominal"


def _value(cell: Any) -> Any:
    """Return a cell as a JSON value, or None if it is not a finite number."""
    if isinstance(cell, Decimal):
        cell = float(cell)
    if isinstance(cell, int) and abs(cell) > _EXACT:
        cell = float(cell)
    if isinstance(cell, float):
        return cell if isfinite(cell) else None
    if isinstance(cell, date | datetime):
        return cell.isoformat()
    return cell
