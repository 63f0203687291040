"""Draw the paper's means behind the means of the user's runs: table 3 by model, the appendix's table by setting."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from flows.experiments.experiment import Figure
from flows.presenting.charts import ARTICLES_SIGN, GREY, MOST_SERIES, PageSigns, Sign, svg
from flows.presenting.numbers import digits
from flows.statements.result_tables import SettingNumbers
from newwiki.decoding.grammar import parse, short_form
from newwiki.paper_metrics import paper_metrics
from newwiki.papers.published import papers

RANGES = {
    metric.title: (metric.low, metric.high)
    for metric in paper_metrics()
    if metric.low is not None and metric.high is not None
}
_SWEPT_MODEL = "GPT-2"
_APPENDIX, _BY_MODEL = "A", "3"  # names of the paper's tables
_MEANS = (
    "The mean of each metric over texts, rescaled by the paper's ranges ({ranges}). Filled: ours{under} "
    "({keys}{more}), whose standard deviations the table has. Hollow diamonds: each model of the paper's table 3, on "
    "its own articles."
)


def swept(parameter: str, metric: str) -> Mapping[float, float]:
    """Return the paper's mean of GPT-2 on new articles at each value of a parameter, over all other settings."""
    paper = papers()["003"]
    numbers: dict[float, list[float]] = {}
    for number in paper.numbers(paper.table(_APPENDIX)):
        named = number.model.name if number.model else ""
        if (named, number.labels.get("articles"), number.metric.title) == (_SWEPT_MODEL, "new", metric):
            value = parse(number.decoder)[0].parameters.get(parameter) if number.decoder else None
            if isinstance(value, int | float):
                numbers.setdefault(float(value), []).append(number.value)
    return {value: fmean(means) for value, means in numbers.items()}


def means(settings: Sequence[SettingNumbers], page: PageSigns) -> list[Figure]:
    """Draw the runs' means next to the paper's table 3, a row for each metric.

    The figure includes the articles, and at most as many runs as there are colors.
    """
    known = [setting for setting in settings if setting.mean is not None and setting.metric in RANGES]
    runs = list(dict.fromkeys((setting.model, setting.decoder) for setting in known))
    articles = [run for run in runs if run[1] == "reference"]
    written = [run for run in runs if run not in articles]
    who = [*written[: MOST_SERIES - len(articles)], *articles]
    metrics = [metric for metric in RANGES if any(setting.metric == metric for setting in known)]
    if not who or not metrics:
        return []
    ours: list[dict[str, Any]] = [
        {
            "metric": setting.metric,
            "who": str(who.index((setting.model, setting.decoder))),
            "at": rescaled(setting.metric, setting.mean),
        }
        for setting in known
        if (setting.model, setting.decoder) in who and setting.mean is not None
    ]
    paper = papers()["003"]
    published = [
        {"metric": number.metric.title, "at": rescaled(number.metric.title, number.value)}
        for number in paper.numbers(paper.table(_BY_MODEL))
        if number.metric.title in metrics and number.metric.comparable
    ]
    decoders = dict.fromkeys(short_form(decoder) for _, decoder in written)
    names = [
        model if decoder == "reference" or len(decoders) == 1 else f"{model} {short_form(decoder)}"
        for model, decoder in who
    ]
    under = f" under {next(iter(decoders))}" if len(decoders) == 1 else ""
    more = f"; {len(runs) - len(who)} more runs are in the table" if len(runs) > len(who) else ""
    signs = setting_signs(who, page)
    keys = ", ".join(f"{sign.mark} {name}" for sign, name in zip(signs, names, strict=True))
    ranges = ", ".join(f"{metric} [{RANGES[metric][0]:g}, {RANGES[metric][1]:g}]" for metric in metrics)
    listed = "; ".join(f"{point['metric']}, {names[int(point['who'])]}: {digits(point['at'])}" for point in ours)
    image = svg(_rows(ours, published, metrics, signs), f"Means, rescaled: {listed}")
    return [Figure(_MEANS.format(ranges=ranges, keys=keys, under=under, more=more), image)]


def setting_signs(settings: Sequence[tuple[str, str]], page: PageSigns) -> list[Sign]:
    """Return a sign for each model and decoder; the articles have their own."""
    return [
        ARTICLES_SIGN if decoder == "reference" else page.of(model, f"{model} · {short_form(decoder)}")
        for model, decoder in settings
    ]


def rescaled(metric: str, value: float) -> float:
    """Rescale a value so that 0 and 1 are the ends of the range that the paper gives."""
    low, high = RANGES[metric]
    return (value - low) / (high - low)


def _rows(
    ours: list[dict[str, Any]], published: list[dict[str, Any]], metrics: Sequence[str], signs: Sequence[Sign]
) -> Any:
    import altair as alt

    places = [str(place) for place in range(len(signs))]
    axis = alt.Axis(title="rescaled mean", tickCount=5, labelFontSize=12, titleFontWeight="normal")
    up = alt.Axis(title=None, labelFontSize=12, labelLimit=160, minExtent=110, grid=True)
    x, y = alt.X("at:Q", axis=axis, scale=alt.Scale(zero=False)), alt.Y("metric:N", sort=list(metrics), axis=up)
    behind = alt.Chart(alt.Data(values=published)).mark_point(shape="diamond", size=60, color=GREY).encode(x=x, y=y)
    colour = alt.Color("who:N", legend=None, scale=alt.Scale(domain=places, range=[sign.color for sign in signs]))
    shape = alt.Shape("who:N", legend=None, scale=alt.Scale(domain=places, range=[sign.shape for sign in signs]))
    points = alt.Chart(alt.Data(values=ours)).mark_point(filled=True, size=65, opacity=1)
    return (behind + points.encode(x=x, y=y, color=colour, shape=shape)).properties(width=270, height=alt.Step(26))
