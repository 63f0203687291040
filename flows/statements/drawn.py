"""Draw figures 1 to 5 of the paper for the user's runs."""

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from flows.experiments.experiment import Figure
from flows.presenting.charts import BLUE, GREEN, GREY, MOST_SERIES, ORANGE, PALETTE, PageSigns, dots, forest, svg
from flows.presenting.numbers import digits
from flows.statements.beside_paper import RANGES, rescaled, setting_signs, swept
from flows.statements.result_tables import MetricCorrelation, SettingNumbers, StatementVerdict
from flows.statements.settings import value_words
from flows.statements.verdicts import FAILS, HOLDS, UNKNOWN
from newwiki.decoding.grammar import short_form

if TYPE_CHECKING:
    import altair

_MOST = 14  # maximum number of statements in a figure
_ORDER = (HOLDS, FAILS, UNKNOWN)
_UNITS = {
    "own": "in the metric's own unit",
    "sd": "standard deviations of texts",
    "ln sd": "logarithm of a standard deviation",
    "r": "correlation r",
}
_EFFECTS = (
    "The effect that decides the verdict of a statement, with its 95 % interval{over}: first the statements that hold. "
    "The table lists all statements by these names, also those that have no effect here{more}. A statement can fail "
    "with a large effect if it says that there is none."
)
_SWEPT = {"top_p": "top-p", "top_k": "top-k", "temperature": "temperature", "penalty": "both penalties"}
_SWEEP = (
    "Mean and a band of one standard deviation over texts against {words}, the mean over all other settings{models}. "
    "Rescaled as in the paper's figures 1 to 3, so that 0 and 1 are the ends of these ranges: {ranges}. The paper "
    "gives none for rep-n, which has its own. Hollow diamonds: the paper's means of GPT-2 at the same value."
)
_MATRIX = "How the metrics correlate over texts, as in the paper's figure 4."
_SPREADS = (
    "The standard deviation of each model's texts and of the articles, each over the range of its metric, as in the "
    "paper's figure 5."
)


def effects(verdicts: Sequence[StatementVerdict]) -> list[Figure]:
    """Draw the figure of the answer: each statement's effect with its interval, in a panel for each unit."""
    import altair as alt

    known = [
        verdict
        for verdict in verdicts
        if verdict.effect is not None and verdict.low is not None and verdict.high is not None
    ]
    shown = sorted(known, key=lambda verdict: _ORDER.index(verdict.verdict))[:_MOST]
    if not shown:
        return []
    panels = []
    for unit in dict.fromkeys(verdict.unit or "" for verdict in shown):
        values = [
            {
                "statement": verdict.statement,
                "verdict": verdict.verdict,
                "at": verdict.effect,
                "low": verdict.low,
                "high": verdict.high,
            }
            for verdict in shown
            if (verdict.unit or "") == unit
        ]
        panels.append(_forest(values, unit))
    listed = "; ".join(
        f"{verdict.says}: {verdict.effect:+.2f} [{verdict.low:+.2f}, {verdict.high:+.2f}], {verdict.verdict}"
        for verdict in shown
    )
    over = ", or ".join(dict.fromkeys(verdict.generalizes_over for verdict in shown if verdict.generalizes_over))
    more = f"; {len(known) - len(shown)} more are in the table" if len(known) > len(shown) else ""
    caption = _EFFECTS.format(over=f" over {over}" if over else "", more=more)
    return [Figure(caption, svg(alt.vconcat(*panels).resolve_scale(color="shared"), f"Effects: {listed}"), first=True)]


def sweeps(settings: Sequence[SettingNumbers]) -> list[Figure]:
    """Return a figure for each parameter that has several values."""
    return [figure for parameter, words in _SWEPT.items() if (figure := _sweep(settings, parameter, words))]


def matrix(correlations: Sequence[MetricCorrelation]) -> list[Figure]:
    import altair as alt

    known = [correlation for correlation in correlations if correlation.r is not None]
    if not known:
        return []
    metrics = list(
        dict.fromkeys(name for correlation in correlations for name in (correlation.other, correlation.metric))
    )
    values = [
        {"one": first, "other": second, "r": correlation.r, "words": f"{correlation.r:.2f}"}
        for correlation in known
        for first, second in ((correlation.metric, correlation.other), (correlation.other, correlation.metric))
    ]
    axis = alt.Axis(title=None, labelFontSize=12, labelLimit=160, minExtent=115)
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("one:N", sort=metrics, axis=alt.Axis(title=None, labelFontSize=12, labelAngle=-40, labelLimit=160)),
        y=alt.Y("other:N", sort=metrics, axis=axis),
    )
    scale = alt.Scale(domain=[-1, 0, 1], range=[ORANGE, "#88888800", BLUE])
    cells = base.mark_rect(opacity=0.75).encode(color=alt.Color("r:Q", scale=scale, legend=None))
    chart = (cells + base.mark_text(fontSize=11).encode(text="words:N")).properties(width=560, height=320)
    listed = "; ".join(f"{correlation.metric} and {correlation.other} {correlation.r:.2f}" for correlation in known)
    return [Figure(_MATRIX, svg(chart, f"Correlations: {listed}"))]


def spreads(settings: Sequence[SettingNumbers], page: PageSigns) -> list[Figure]:
    who = list(dict.fromkeys((setting.model, setting.decoder) for setting in settings))
    articles = [run for run in who if run[1] == "reference"]
    shown = [*[run for run in who if run not in articles][: MOST_SERIES - len(articles)], *articles]
    values: list[dict[str, Any]] = [
        {
            "metric": setting.metric,
            "who": str(shown.index((setting.model, setting.decoder))),
            "sd": setting.sd / (high - low),
        }
        for setting in settings
        if (setting.model, setting.decoder) in shown and setting.sd is not None and setting.metric in RANGES
        for low, high in [RANGES[setting.metric]]
    ]
    if not values:
        return []
    names = [model if decoder == "reference" else f"{model} {short_form(decoder)}" for model, decoder in shown]
    metrics = [metric for metric in RANGES if any(value["metric"] == metric for value in values)]
    listed = "; ".join(f"{value['metric']}, {names[int(value['who'])]}: {digits(value['sd'])}" for value in values)
    signs = setting_signs(shown, page)
    keys = ", ".join(f"{sign.mark} {name}" for sign, name in zip(signs, names, strict=True))
    chart = dots(values, metrics, signs).properties(width=560)
    return [Figure(f"{_SPREADS} {keys}.", svg(chart, f"Standard deviations over ranges: {listed}"))]


def _forest(values: list[dict[str, Any]], unit: str) -> "altair.LayerChart":
    import altair as alt

    scale = alt.Scale(domain=list(_ORDER), range=[GREEN, ORANGE, GREY])
    shape = alt.Scale(domain=list(_ORDER), range=["circle", "square", "diamond"])
    legend = alt.Legend(title=None, orient="bottom", symbolOpacity=1)
    names = [value["statement"] for value in values]
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("statement:N", sort=names, axis=alt.Axis(title=None, labelFontSize=11, labelLimit=170, minExtent=150)),
        color=alt.Color("verdict:N", scale=scale, legend=legend),
    )
    marks = alt.Shape("verdict:N", scale=shape, legend=legend)
    return forest(base, f"effect, {_UNITS.get(unit, unit)}", shape=marks).properties(width=240, height=alt.Step(17))


def _sweep(settings: Sequence[SettingNumbers], parameter: str, words: str) -> Figure | None:
    """Draw the means against a parameter, over runs that cover the whole grid.

    Other runs are left out: if only one combination of the other parameters had some value, its mean would reflect that
    combination.
    """
    import altair as alt

    rows = _balanced(
        [setting for setting in settings if setting.mean is not None and setting.metric in RANGES], parameter
    )
    order = sorted({_place(row, parameter) for row in rows})
    if len(order) < 2:
        return None
    values: list[dict[str, Any]] = []
    metrics = [metric for metric in RANGES if any(row.metric == metric for row in rows)]
    for metric in metrics:
        for value in order:
            here = [row for row in rows if row.metric == metric and _place(row, parameter) == value]
            mean = fmean(row.mean or 0.0 for row in here)
            deviation = fmean(row.sd or 0.0 for row in here)
            ends = [rescaled(metric, end) for end in (mean, mean - deviation, mean + deviation)]
            values.append(
                {"metric": metric, "x": value_words(value), "own": mean}
                | dict(zip(("mean", "low", "high"), ends, strict=True))
            )
    panels = [
        _panel(
            [value for value in values if value["metric"] == metric],
            _published(parameter, metric, order),
            metric,
            words,
        )
        for metric in metrics
    ]
    models = len({row.model for row in rows})
    ranges = ", ".join(f"{metric} [{RANGES[metric][0]:g}, {RANGES[metric][1]:g}]" for metric in metrics)
    caption = _SWEEP.format(words=words, ranges=ranges, models=f" and {models} models" if models > 1 else "")
    listed = "; ".join(f"{value['metric']} at {value['x']}: {digits(value['own'])}" for value in values)
    return Figure(caption, svg(alt.concat(*panels, columns=2), f"Means against {words}: {listed}"))


def _published(parameter: str, metric: str, order: Sequence[float]) -> list[dict[str, Any]]:
    """Return the paper's means at the values that the user's runs also have."""
    published = swept(parameter, metric)
    return [
        {"x": value_words(value), "mean": rescaled(metric, published[value])} for value in order if value in published
    ]


def _balanced(rows: Sequence[SettingNumbers], parameter: str) -> list[SettingNumbers]:
    """Keep the rows whose combination of all other parameters has every value of this parameter."""
    by_choice: dict[tuple[object, ...], list[SettingNumbers]] = {}
    for row in rows:
        if getattr(row, parameter) is not None:
            others = [getattr(row, name) for name in _SWEPT if name != parameter]
            by_choice.setdefault((row.model, row.metric, *others), []).append(row)
    most = max((len({_place(row, parameter) for row in choice_rows}) for choice_rows in by_choice.values()), default=0)
    whole = [
        choice_rows
        for choice_rows in by_choice.values()
        if len({_place(row, parameter) for row in choice_rows}) == most
    ]
    return [row for choice_rows in whole for row in choice_rows]


def _place(row: SettingNumbers, parameter: str) -> float:
    """Return the sort key of a value; a top-k of 0 disables truncation, so it is the largest."""
    value = getattr(row, parameter)
    return float("inf") if parameter == "top_k" and value == 0 else float(value)


def _panel(
    values: list[dict[str, Any]], published: list[dict[str, Any]], metric: str, words: str
) -> "altair.LayerChart":
    import altair as alt

    ends = [value[end] for value in values for end in ("low", "high")] + [point["mean"] for point in published]
    scale = alt.Scale(domain=[min(0, *ends), max(1, *ends)], nice=False)
    order = [value["x"] for value in values]
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("x:O", sort=order, axis=alt.Axis(title=words, labelAngle=0, labelFontSize=12, titleFontWeight="normal"))
    )
    axis = alt.Axis(title=None, tickCount=4, format=".3~g", labelFontSize=12)
    bands = base.mark_area(opacity=0.16, color=PALETTE[0]).encode(y=alt.Y("low:Q", scale=scale, axis=axis), y2="high:Q")
    mean = alt.Y("mean:Q", scale=scale)
    lines = base.mark_line(strokeWidth=2, color=PALETTE[0]).encode(y=mean)
    points = base.mark_point(filled=True, size=50, opacity=1, color=PALETTE[0]).encode(y=mean)
    behind = alt.Chart(alt.Data(values=published)).mark_point(shape="diamond", size=60, color=GREY)
    paper_points = [behind.encode(x=alt.X("x:O", sort=order), y=mean)] if published else []
    return alt.layer(bands, lines, points, *paper_points).properties(
        width=190, height=120, title=alt.Title(metric, fontSize=13)
    )
