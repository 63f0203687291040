"""Draw EB-M and EB-C after damaged prefixes, by corruption rate and after a gap (figures 2 and 3 of the paper)."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from flows.experiments.experiment import Figure
from flows.experiments.exposure_bias.prefixes import CORRUPTED, MODEL, SHUFFLED
from flows.experiments.exposure_bias.result_tables import ExposureMeasure
from flows.presenting.charts import GREY, PALETTE, svg
from newwiki.decoding.grammar import short_form
from newwiki.papers.published import papers

if TYPE_CHECKING:
    import altair

_RATES = (
    "{measure} of {who} by the length of the prefix: its own, and data of which a share of the tokens is replaced by "
    "random ones (figure 2 of the paper). 1 is as after data; bars are 95 % intervals over articles."
)
_OWN = (
    "{measure} of {who} by the length of the prefix, after its own text and shuffled data (table 2 of the paper). 1 "
    "is as after data, above 1 is worse; bars are 95 % intervals. {paper}"
)
_OF_PAPER = (
    "Hollow diamonds: the paper's {model} after {what} text, with bars of one standard deviation, as it prints them."
)
_GAPS = (
    "{measure} of {who} after {prefix} prefixes, by the tokens that it has written between prefix and what is scored, "
    "a line a length of the prefix (figure 3 of the paper). 1 is as after data; bars are 95 % intervals over articles."
)
# The paper's column and model for each metric
_PUBLISHED = {"bleu": ("EB-M (BLEU)", "Transformer-XL"), "jensen_shannon": ("EB-C (JS)", "Transformer-XL, synthetic")}
_MEASURES = {"bleu": "EB-M by BLEU", "jensen_shannon": "EB-C by Jensen-Shannon"}
# One more dash pattern than colors, so that lines of the same color have different dashes
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [10, 2], [4, 4, 1, 4], [1, 3])

_TABLE = "2"  # table of the paper
_APART = 100  # divides the range of the x axis into the steps between lines at the same place


def figures(measures: Sequence[ExposureMeasure]) -> list[Figure]:
    several = len({measure.decoder for measure in measures}) > 1
    drawn: list[Figure] = []
    for model, decoder in dict.fromkeys((measure.model, measure.decoder) for measure in measures):
        who = f"{model} under {short_form(decoder)}" if several else model
        for metric in _MEASURES:
            metric_measures = [
                measure
                for measure in measures
                if (measure.model, measure.decoder, measure.metric) == (model, decoder, metric)
                and measure.ratio is not None
            ]
            drawn += [*_own(who, metric, metric_measures), *_metric_figures(who, _MEASURES[metric], metric_measures)]
    return drawn


def _own(who: str, metric: str, measures: Sequence[ExposureMeasure]) -> Iterator[Figure]:
    """Yield the figure of the answer; the figure of BLEU comes first because the verdict rests on BLEU."""
    kinds = {MODEL: "its own", SHUFFLED: "shuffled"}
    after = [measure for measure in measures if measure.prefix in kinds and not measure.gap]
    if not any(measure.prefix == MODEL for measure in after):
        return
    values = [_point(measure, measure.prefix_length, kinds[measure.prefix]) for measure in after]
    published = list(_published(metric))
    paper = _OF_PAPER.format(model=_PUBLISHED[metric][1], what="its own") if published else ""
    caption = _OWN.format(measure=_MEASURES[metric], who=who, paper=paper)
    drawn = _drawn(values, "tokens of the prefix", _MEASURES[metric], "prefix", published)
    yield Figure(caption, drawn, first=metric == "bleu")


def _published(metric: str) -> Iterator[dict[str, float]]:
    """Yield the paper's published values for a model's own prefixes, with one standard deviation on either side."""
    title, model = _PUBLISHED[metric]
    paper = papers()["002"]
    for number in paper.numbers(paper.table(_TABLE)):
        named = number.model.name if number.model else ""
        if (number.metric.title, named, number.labels["prefix"]) == (title, model, "the model's own"):
            spread = number.spread or 0.0
            yield {
                "beside": float(number.labels["length"]), "at": number.value, "low": number.value - spread,
                "high": number.value + spread,
            }  # fmt: skip


def _metric_figures(who: str, measure: str, measures: Sequence[ExposureMeasure]) -> Iterator[Figure]:
    by_rate = [
        exposure_measure
        for exposure_measure in measures
        if exposure_measure.prefix in (MODEL, CORRUPTED) and not exposure_measure.gap
    ]
    if any(exposure_measure.prefix == CORRUPTED for exposure_measure in by_rate):
        values = [
            _point(exposure_measure, exposure_measure.prefix_length, _rate(exposure_measure))
            for exposure_measure in by_rate
        ]
        caption = _RATES.format(measure=measure, who=who)
        yield Figure(caption, _drawn(values, "tokens of the prefix", measure, "prefix"))
    for prefix in (SHUFFLED, CORRUPTED):
        rates = {
            exposure_measure.rate
            for exposure_measure in measures
            if exposure_measure.prefix == prefix and exposure_measure.gap
        }
        for rate in sorted(rates):
            after = [
                exposure_measure
                for exposure_measure in measures
                if exposure_measure.prefix == prefix and exposure_measure.rate == rate
            ]
            values = [
                _point(exposure_measure, exposure_measure.gap, f"{exposure_measure.prefix_length} tokens")
                for exposure_measure in after
            ]
            named = f"{prefix} (at {rate:g})" if prefix == CORRUPTED else prefix
            caption = _GAPS.format(measure=measure, who=who, prefix=named)
            yield Figure(caption, _drawn(values, "tokens of the gap", measure, "length"))


def _rate(measure: ExposureMeasure) -> str:
    return "its own" if measure.prefix == MODEL else f"{measure.rate:g}"


def _point(measure: ExposureMeasure, place: int, line: str) -> dict[str, Any]:
    at = measure.ratio
    return {
        "place": place,
        "line": line,
        "at": at,
        "low": at if measure.low is None else measure.low,
        "high": at if measure.high is None else measure.high,
    }


def _drawn(
    values: Sequence[dict[str, Any]], across: str, up: str, lines: str, published: Sequence[dict[str, float]] = ()
) -> Markup:
    listed = "; ".join(f"{value['line']} at {value['place']}: {value['at']:.3f}" for value in values)
    return svg(_curves(values, across, up, lines, published), f"{up} by {across} and {lines}: {listed}")


def _curves(
    values: Sequence[dict[str, Any]], across: str, up: str, lines: str, published: Sequence[dict[str, float]]
) -> "altair.LayerChart":
    import altair as alt

    names = list(dict.fromkeys(value["line"] for value in values))
    colours = [PALETTE[place % len(PALETTE)] for place in range(len(names))]
    dashes = [_DASHES[place % len(_DASHES)] for place in range(len(names))]
    line = {"symbolType": "stroke", "symbolSize": 500, "symbolStrokeWidth": 2, "symbolOpacity": 1}
    legend = alt.Legend(title=lines, orient="bottom", columns=4, **line)
    colour = alt.Color("line:N", scale=alt.Scale(domain=names, range=colours), legend=legend)
    dash = alt.StrokeDash("line:N", scale=alt.Scale(domain=names, range=dashes), legend=legend)
    x_axis = alt.Axis(title=across, titleFontWeight="normal", tickCount=5, labelFontSize=12, grid=False)
    x = alt.X("beside:Q", axis=x_axis)
    scale = alt.Scale(zero=False)
    y_axis = alt.Axis(title=up, titleFontWeight="normal", tickCount=5, labelFontSize=12)
    base = alt.Chart(alt.Data(values=_side_by_side(values, names))).encode(x=x, color=colour)
    bars = base.mark_rule(strokeWidth=2, opacity=0.5).encode(y=alt.Y("low:Q", axis=y_axis, scale=scale), y2="high:Q")
    curves = base.mark_line(strokeWidth=2).encode(y="at:Q", strokeDash=dash)
    points = base.mark_point(filled=True, size=40, opacity=1).encode(y="at:Q")
    baseline = alt.Chart(alt.Data(values=[{"at": 1.0}])).mark_rule(strokeWidth=1, opacity=0.6).encode(y="at:Q")
    behind = alt.Chart(alt.Data(values=list(published)))
    paper_marks = [
        behind.mark_rule(strokeWidth=1.5, color=GREY).encode(x="beside:Q", y="low:Q", y2="high:Q"),
        behind.mark_point(shape="diamond", size=55, color=GREY).encode(x="beside:Q", y="at:Q"),
    ]
    layers = [baseline, *(paper_marks if published else []), bars, curves, points]
    return alt.layer(*layers).properties(width=320, height=240)


def _side_by_side(values: Sequence[dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """Shift points at the same place slightly apart, so that no error bar hides another."""
    apart = max(value["place"] for value in values) / _APART
    middle = (len(names) - 1) / 2
    return [value | {"beside": value["place"] + (names.index(value["line"]) - middle) * apart} for value in values]
