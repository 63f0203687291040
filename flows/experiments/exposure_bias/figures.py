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


def figures(found: Sequence[ExposureMeasure]) -> list[Figure]:
    several = len({one.decoder for one in found}) > 1
    drawn: list[Figure] = []
    for model, decoder in dict.fromkeys((one.model, one.decoder) for one in found):
        who = f"{model} under {short_form(decoder)}" if several else model
        for metric in _MEASURES:
            of_metric = [
                one
                for one in found
                if (one.model, one.decoder, one.metric) == (model, decoder, metric) and one.ratio is not None
            ]
            drawn += [*_own(who, metric, of_metric), *_of_metric(who, _MEASURES[metric], of_metric)]
    return drawn


def _own(who: str, metric: str, found: Sequence[ExposureMeasure]) -> Iterator[Figure]:
    """Yield the figure of the answer; the figure of BLEU comes first because the verdict rests on BLEU."""
    kinds = {MODEL: "its own", SHUFFLED: "shuffled"}
    after = [one for one in found if one.prefix in kinds and not one.gap]
    if not any(one.prefix == MODEL for one in after):
        return
    values = [_point(one, one.prefix_length, kinds[one.prefix]) for one in after]
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


def _of_metric(who: str, measure: str, found: Sequence[ExposureMeasure]) -> Iterator[Figure]:
    by_rate = [one for one in found if one.prefix in (MODEL, CORRUPTED) and not one.gap]
    if any(one.prefix == CORRUPTED for one in by_rate):
        values = [_point(one, one.prefix_length, _rate(one)) for one in by_rate]
        caption = _RATES.format(measure=measure, who=who)
        yield Figure(caption, _drawn(values, "tokens of the prefix", measure, "prefix"))
    for prefix in (SHUFFLED, CORRUPTED):
        rates = {one.rate for one in found if one.prefix == prefix and one.gap}
        for rate in sorted(rates):
            after = [one for one in found if one.prefix == prefix and one.rate == rate]
            values = [_point(one, one.gap, f"{one.prefix_length} tokens") for one in after]
            named = f"{prefix} (at {rate:g})" if prefix == CORRUPTED else prefix
            caption = _GAPS.format(measure=measure, who=who, prefix=named)
            yield Figure(caption, _drawn(values, "tokens of the gap", measure, "length"))


def _rate(one: ExposureMeasure) -> str:
    return "its own" if one.prefix == MODEL else f"{one.rate:g}"


def _point(one: ExposureMeasure, place: int, line: str) -> dict[str, Any]:
    at = one.ratio
    return {
        "place": place,
        "line": line,
        "at": at,
        "low": at if one.low is None else one.low,
        "high": at if one.high is None else one.high,
    }


def _drawn(
    values: Sequence[dict[str, Any]], across: str, up: str, lines: str, published: Sequence[dict[str, float]] = ()
) -> Markup:
    told = "; ".join(f"{one['line']} at {one['place']}: {one['at']:.3f}" for one in values)
    return svg(_curves(values, across, up, lines, published), f"{up} by {across} and {lines}: {told}")


def _curves(
    values: Sequence[dict[str, Any]], across: str, up: str, lines: str, published: Sequence[dict[str, float]]
) -> "altair.LayerChart":
    import altair as alt

    names = list(dict.fromkeys(one["line"] for one in values))
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
    one = alt.Chart(alt.Data(values=[{"at": 1.0}])).mark_rule(strokeWidth=1, opacity=0.6).encode(y="at:Q")
    behind = alt.Chart(alt.Data(values=list(published)))
    of_paper = [
        behind.mark_rule(strokeWidth=1.5, color=GREY).encode(x="beside:Q", y="low:Q", y2="high:Q"),
        behind.mark_point(shape="diamond", size=55, color=GREY).encode(x="beside:Q", y="at:Q"),
    ]
    layers = [one, *(of_paper if published else []), bars, curves, points]
    return alt.layer(*layers).properties(width=320, height=240)


def _side_by_side(values: Sequence[dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """Shift points at the same place slightly apart, so that no error bar hides another."""
    apart = max(one["place"] for one in values) / _APART
    middle = (len(names) - 1) / 2
    return [one | {"beside": one["place"] + (names.index(one["line"]) - middle) * apart} for one in values]
