"""Draw the heat map: for each metric and pair of texts, the share of articles on which the better text has the better
number."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flows.experiments.experiment import Figure
from flows.experiments.metrics.result_tables import MetricPair
from flows.presenting.charts import BLUE, ORANGE, svg
from flows.presenting.numbers import hundredths

if TYPE_CHECKING:
    import altair

_CELL = (22, 20)  # pixels: width and height, so that a phone shows the figure whole
_METRICS_IN_FIGURE = 30
_CAPTION = (
    "The percentage of articles on which each metric prefers the better of two texts: 50 is chance, blue is better "
    "and orange is worse than chance; pale cells may be chance. The article's beginning against: another article's, "
    "25 % of its sentences replaced, then each rung of replaced sentences against the next (25/50 % to 75/100 %); the "
    "beginning with words or sentences shuffled, names exchanged, numbers changed, verbs negated, or with headings; a "
    "later part. The text with 50 % of its sentences replaced against: the first sentence alone (prompt), and repeated."
    "{style}"
)
_STYLE = " Metrics in brackets have no better direction: their share is that of higher numbers."


def heat_map(pairs: Sequence[MetricPair], columns: Sequence[tuple[str, str, str]]) -> list[Figure]:
    """Return the heat map of the metrics by tests. `columns` hold the label of a test and its two texts."""
    metrics = sorted(
        {pair.metric: pair for pair in pairs if pair.direction != "none" or _is_style(pair, pairs)}.values(),
        key=lambda pair: (pair.direction == "none", pair.metric),
    )[:_METRICS_IN_FIGURE]
    found = {(pair.metric, pair.text, pair.beside): pair for pair in pairs}
    names = {pair.metric: f"({pair.metric})" if _is_style(pair, pairs) else pair.metric for pair in metrics}
    values = [
        {
            "metric": names[metric],
            "test": label,
            "share": pair.share,
            "words": hundredths(pair.share, 0),
            "color": _color(pair),
            "opacity": _opacity(pair),
        }
        for metric in names
        for label, text, beside in columns
        if (pair := found[metric, text, beside]).share is not None
    ]
    if not values:
        return []
    described = "; ".join(f"{value['metric']} {value['test']} {value['words']}" for value in values)
    caption = _CAPTION.format(style=_STYLE if any(name.startswith("(") for name in names.values()) else "")
    chart = _chart(values, list(names.values()), [label for label, *_ in columns])
    return [Figure(caption, svg(chart, f"Share of articles ordered rightly: {described}"), first=True)]


def _is_style(pair: MetricPair, pairs: Sequence[MetricPair]) -> bool:
    return all(other.direction == "none" for other in pairs if other.metric == pair.metric)


def _color(pair: MetricPair) -> str:
    return BLUE if (pair.share or 0.0) >= 0.5 else ORANGE


def _opacity(pair: MetricPair) -> float:
    """Return how strongly a cell is filled: by its distance from chance, and weakly if it may be chance."""
    strength = 0.12 + 0.5 * 2 * abs((pair.share or 0.0) - 0.5)
    return round(strength if pair.verdict in ("right", "wrong", "higher", "lower") else min(strength, 0.12), 3)


def _chart(values: list[dict[str, Any]], metrics: list[str], tests: list[str]) -> "altair.LayerChart":
    import altair as alt

    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("test:N", sort=tests, axis=alt.Axis(title=None, orient="top", labelAngle=-90, labelFontSize=12,
                                                    labelLimit=200, minExtent=68, domain=False,
                                                    ticks=False)),
        y=alt.Y("metric:N", sort=metrics, axis=alt.Axis(title=None, labelFontSize=11, labelLimit=145, minExtent=145,
                                                        domain=False, ticks=False)),
    )  # fmt: skip
    cells = base.mark_rect().encode(
        color=alt.Color("color:N", scale=None), opacity=alt.Opacity("opacity:Q", scale=None, legend=None)
    )
    numbers = base.mark_text(fontSize=11).encode(text="words:N")
    return alt.layer(cells, numbers).properties(width=alt.Step(_CELL[0]), height=alt.Step(_CELL[1]))
