"""Draw the decoders' shares, and their change with the delay or the blocked n-grams (the paper's figures 3 and 5)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from evaluators.claims.verifiability import SENTENCES
from evaluators.statistics import FEWEST
from flows.experiments.experiment import Figure
from flows.experiments.verifiability.metrics import PROPORTION, SUPPORT
from flows.experiments.verifiability.planes import planes
from flows.experiments.verifiability.result_tables import VerifiabilityMetric
from flows.presenting.charts import PALETTE, forest, svg
from newwiki.decoding.grammar import Decoder, parse, short_form
from newwiki.errors import UsageError

if TYPE_CHECKING:
    import altair

_LETTER, _MOST_ROOM = 8, 330  # pixels
_SHARES = f"Supported sentences in per cent by decoder, with 95 % intervals where there are {FEWEST} prompts or more."
_FIGURE_5 = (
    "Distinct supported sentences of a text by the delay of {model}'s {family}, as the paper's figure 5{line}. "
    "Bars are 95 % intervals."
)
_FIGURE_3 = (
    "SPG, SPV and 4-gram proportion in per cent of {model}'s {family} by {what}, as the paper's figure 3{line}. "
    "Bars are 95 % intervals."
)


@dataclass(frozen=True)
class Family:
    """A model's decoders that differ in only one parameter, by its value, and the decoder that is drawn as a line."""

    model: str
    words: str
    parameter: str
    by_value: Mapping[int, Mapping[str, VerifiabilityMetric]]
    line: tuple[str, Mapping[str, VerifiabilityMetric]] | None


def figures(metrics: Sequence[VerifiabilityMetric]) -> list[Figure]:
    drawn = [*planes(metrics), _shares(metrics)] if metrics else []
    for family in families(metrics):
        line = f"; the dashed line is {family.line[0]}" if family.line else ""
        details = {"model": family.model, "family": family.words, "line": line}
        if family.parameter == "delay":
            drawn.append(
                _by_value(family, ("uspg",), SENTENCES, "distinct supported sentences", _FIGURE_5.format(**details))
            )
        what = "delay" if family.parameter == "delay" else "the length of the n-grams that are blocked"
        drawn.append(_by_value(family, ("spg", "spv", PROPORTION), 100, "%", _FIGURE_3.format(**details, what=what)))
    return drawn


def families(metrics: Sequence[VerifiabilityMetric]) -> Iterator[Family]:
    """Yield the families with at least two values."""
    known = {
        (metric.model, metric.decoder): {other.metric: other for other in metrics if _who(other) == _who(metric)}
        for metric in metrics
    }
    decoders = {who: parsed for who in known if (parsed := _parsed(who[1]))}
    for parameter in ("delay", "no_repeat_ngram_size"):
        groups: dict[tuple[str, str], dict[int, Mapping[str, VerifiabilityMetric]]] = {}
        for (model, canonical), decoder in decoders.items():
            if value := decoder.parameters.get(parameter):
                rest = _without(decoder, parameter)
                groups.setdefault((model, rest.canonical), {})[int(value)] = known[model, canonical]
        for (model, rest_canonical), by_value in groups.items():
            if len(by_value) > 1:
                beside = _line(parameter, parse(rest_canonical)[0])
                line = (short_form(beside), known[model, beside]) if (model, beside) in known else None
                words = _without(parse(rest_canonical)[0], parameter).canonical
                yield Family(model, words, parameter, dict(sorted(by_value.items())), line)


def _line(parameter: str, rest: Decoder) -> str:
    """Return the baseline in canonical form: sampling without delay for a delay, and no blocking for blocking."""
    if parameter == "delay":
        return parse(f"sample:top_k={rest.parameters['top_k']}")[0].canonical
    return rest.canonical


def _without(decoder: Decoder, parameter: str) -> Decoder:
    return Decoder(decoder.name, {name: value for name, value in decoder.parameters.items() if name != parameter})


def _who(metric: VerifiabilityMetric) -> tuple[str, str]:
    return metric.model, metric.decoder


def _parsed(canonical: str) -> Decoder | None:
    """Return the parsed decoder, or None for the articles and for a decoder whose plug-in is not installed."""
    try:
        return parse(canonical)[0]
    except UsageError:
        return None


def _shares(metrics: Sequence[VerifiabilityMetric]) -> Figure:
    several = len({metric.model for metric in metrics}) > 2
    values = [
        {
            "decoder": f"{metric.model} · {short_form(metric.decoder)}" if several else short_form(metric.decoder),
            **_point(metric, 100),
        }
        for metric in metrics
        if metric.metric in SUPPORT and metric.mean is not None
    ]
    listed = "; ".join(f"{value['decoder']} {value['metric']} {value['at']:.1f}" for value in values)
    return Figure(_SHARES, svg(_dots(values), f"Per cent by decoder: {listed}"))


def _point(metric: VerifiabilityMetric, times: float) -> dict[str, Any]:
    ends = {"low": metric.low, "high": metric.high}
    at = (metric.mean or 0.0) * times
    return {"metric": _name(metric.metric), "at": at} | {
        name: at if end is None else end * times for name, end in ends.items()
    }


def _name(metric: str) -> str:
    return "4-gram proportion" if metric == PROPORTION else metric.upper()


def _dots(values: Sequence[Mapping[str, Any]]) -> "altair.LayerChart":
    import altair as alt

    decoders = list(dict.fromkeys(value["decoder"] for value in values))
    names = [_name(metric) for metric in SUPPORT]
    room = min(_MOST_ROOM, _LETTER * max(map(len, decoders)))  # pages may use wider fonts than the renderer
    labels = alt.Axis(title=None, labelFontSize=12, labelLimit=room, minExtent=room, grid=True)
    base = alt.Chart(alt.Data(values=list(values))).encode(
        y=alt.Y("decoder:N", sort=decoders, axis=labels),
        yOffset=alt.YOffset("metric:N", scale=alt.Scale(domain=names)),
        color=alt.Color(
            "metric:N",
            scale=alt.Scale(domain=names, range=list(PALETTE)),
            legend=alt.Legend(title=None, orient="bottom"),
        ),
    )
    return forest(base, "%", zero=False).properties(width=420, height=alt.Step(10))


def _by_value(family: Family, metrics: Sequence[str], times: float, unit: str, caption: str) -> Figure:
    values = [
        {"value": value, **_point(value_metrics[metric], times)}
        for value, value_metrics in family.by_value.items()
        for metric in metrics
        if value_metrics[metric].mean is not None
    ]
    lines = [_point(family.line[1][metric], times) for metric in metrics] if family.line else []
    listed = "; ".join(f"{value['metric']} at {value['value']}: {value['at']:.2f}" for value in values)
    names = [_name(metric) for metric in metrics]
    label = f"{unit} by {family.parameter}: {listed}" + "".join(
        f"; line {line['metric']} {line['at']:.2f}" for line in lines
    )
    image: Markup = svg(_curves(values, lines, names, unit, family.parameter), label)
    return Figure(caption, image)


def _curves(
    values: Sequence[Mapping[str, Any]],
    lines: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    unit: str,
    parameter: str,
) -> "altair.LayerChart":
    import altair as alt

    colour = alt.Color(
        "metric:N",
        scale=alt.Scale(domain=list(names), range=list(PALETTE)),
        legend=alt.Legend(title=None, orient="bottom") if len(names) > 1 else None,
    )
    across = alt.X("value:O", axis=alt.Axis(title=parameter, titleFontWeight="normal", labelAngle=0, labelFontSize=12))
    up = alt.Axis(title=unit, titleFontWeight="normal", tickCount=5, labelFontSize=12)
    base = alt.Chart(alt.Data(values=list(values))).encode(x=across, color=colour)
    bars = base.mark_rule(strokeWidth=2, opacity=0.5).encode(y=alt.Y("low:Q", axis=up), y2="high:Q")
    curves = base.mark_line(strokeWidth=2).encode(y="at:Q")
    points = base.mark_point(filled=True, size=50, opacity=1).encode(y="at:Q")
    dashed = (
        alt.Chart(alt.Data(values=list(lines)))
        .mark_rule(strokeDash=[5, 4], strokeWidth=2)
        .encode(y="at:Q", color=colour)
    )
    return alt.layer(dashed, bars, curves, points).properties(width=420, height=240)
