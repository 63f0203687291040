"""Show the links and all runs on the newest month's scale as tables, and the models over the months as figures."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from typing import TYPE_CHECKING, Any

from flows.experiments.experiment import Figure, Findings, Shown, Table
from flows.experiments.linking.difficulties import difficulties
from flows.experiments.linking.result_tables import LinkedMean, LinkedMonths
from flows.experiments.linking.words import added, differing, p_of, sentence
from flows.presenting.charts import MOST_SERIES, PageSigns, Sign, svg
from flows.presenting.numbers import NONE, digits, estimate, fixed, signed
from newwiki.decoding.grammar import short_form
from storage import experiments
from storage.database import Database

if TYPE_CHECKING:
    import altair

_PANELS = 9  # maximum number of metrics drawn
_LINKS = (
    "What links two months by each metric: a later month's means are intercept + slope · an earlier month's (a "
    "slope of 1 without an error was not estimated). `added` is what the months alone add to the anchors' mean, with "
    "its 95 % interval, `own` the standard deviation of what a model has of its own in a month."
)
_LINK_HEADS = [
    "metric", "from", "to", "anchors", "models", "intercept", "slope", "its error", "added [95 %]", "own"
]  # fmt: skip
_MEANS = (
    "Every run on the scale of the newest month: its mean on the articles of its own month, and what that would be on "
    "those of the newest, with a 95 % interval that has the errors of the link."
)


def show(database: Database, experiment_id: str) -> Shown:
    links = experiments.rows(database, LinkedMonths, experiment_id)
    means = experiments.rows(database, LinkedMean, experiment_id)
    tables = [
        Table(_LINKS, _LINK_HEADS, [_link(link) for link in links]),
        Table(_MEANS, ["metric", "model", "decoder", "month", "mean there", "on the newest [95 %]", "articles"],
              [_mean(mean) for mean in _by_model(means)]),
    ]  # fmt: skip
    heads = [column.name for column in fields(LinkedMean)]
    return Shown(
        heads,
        [astuple(mean) for mean in means],
        _findings(links, means),
        tables,
        lambda signs: [*difficulties(links, means), *_figures(means, signs)],
    )


def _findings(links: Sequence[LinkedMonths], means: Sequence[LinkedMean]) -> Findings:
    """State for each link whether its months differ in difficulty, after Holm's correction.

    Also state which runs have no place on the scale.
    """
    holds: list[str] = []
    open_: dict[str, list[str]] = {}
    apart = differing(links, [p_of(link) for link in links])
    for link in links:
        months = f"{link.from_snapshot} to {link.to_snapshot} by {link.anchors} anchors"
        if link in apart:
            holds.append(f"{link.metric}, {months}: the later month alone adds {added(link)}")
        else:
            open_.setdefault(months, []).append(f"{link.metric} ({added(link)})")
    unknown = [f"{months}: whether they differ by {', '.join(names)}" for months, names in open_.items()]
    for why in dict.fromkeys(mean.no_link for mean in means if mean.linked is None):
        count = len({(mean.run_id, mean.metric) for mean in means if mean.linked is None and mean.no_link == why})
        unknown.append(f"the place of {count} means on the scale: {why}")
    return Findings(answer=sentence(links), holds=holds, unknown=unknown)


def _by_model(means: Sequence[LinkedMean]) -> list[LinkedMean]:
    return sorted(means, key=lambda mean: (mean.metric, mean.model, mean.decoder, mean.snapshot_id))


def _link(link: LinkedMonths) -> list[Any]:
    slope = ("1", NONE) if link.slope_error is None else (fixed(link.slope, 3), fixed(link.slope_error, 3))
    return [
        link.metric, link.from_snapshot, link.to_snapshot, link.anchors, link.models, signed(link.intercept), *slope,
        added(link), digits(link.interaction),
    ]  # fmt: skip


def _mean(mean: LinkedMean) -> list[Any]:
    return [
        mean.metric, mean.model, short_form(mean.decoder), mean.snapshot_id, digits(mean.mean),
        estimate(mean.linked, mean.low, mean.high, lacking=mean.no_link),
        mean.articles,
    ]  # fmt: skip


def _figures(means: Sequence[LinkedMean], page: PageSigns) -> list[Figure]:
    shown = [mean for mean in means if mean.linked is not None]
    who = _lasting(shown)
    models = {_who(mean): mean.model for mean in shown}
    signs = {run: page.of(models[run], run) for run in who}
    metrics = [
        name
        for name in dict.fromkeys(mean.metric for mean in shown)
        if any(_who(mean) in who and mean.metric == name and mean.snapshot_id != mean.to_snapshot for mean in shown)
    ][:_PANELS]
    values = [
        {
            "metric": mean.metric,
            "month": mean.snapshot_id.partition("-")[2],
            "who": _who(mean),
            "linked": mean.linked,
            "mean": mean.mean,
            "low": mean.linked if mean.low is None else mean.low,
            "high": mean.linked if mean.high is None else mean.high,
        }
        for mean in shown
        if mean.metric in metrics and _who(mean) in who
    ]
    if not values:
        return []
    values_text = "; ".join(
        f"{value['who']}, {value['metric']}, {value['month']}: {value['linked']:.4g}" for value in values
    )
    caption = (
        f"The models over the months on the scale of {shown[0].to_snapshot}: lines with their 95 % bands; dotted, what "
        "each had on the articles of its own month."
    )
    return [Figure(caption, svg(_panels(values, metrics, signs), f"Means on one scale: {values_text}"))]


def _who(mean: LinkedMean) -> str:
    return f"{mean.model} · {short_form(mean.decoder)}"


def _lasting(means: Sequence[LinkedMean]) -> list[str]:
    """Return the runs that span the most months, as many as there are colors."""
    months: dict[str, set[str]] = {}
    for mean in means:
        months.setdefault(_who(mean), set()).add(mean.snapshot_id)
    ordered = sorted(months, key=lambda who: (-len(months[who]), who))
    return [who for who in ordered if len(months[who]) > 1][:MOST_SERIES]


def _panels(values: list[dict[str, Any]], metrics: Sequence[str], signs: Mapping[str, Sign]) -> "altair.ConcatChart":
    import altair as alt

    order = sorted({value["month"] for value in values})
    colour = alt.Color(
        "who:N", scale=alt.Scale(domain=list(signs), range=[sign.color for sign in signs.values()]),
        legend=alt.Legend(
            title=None, orient="bottom", columns=2, columnPadding=70, labelLimit=320, symbolOpacity=1, labelFontSize=12
        ),
    )  # fmt: skip
    panels = []
    for metric in metrics:
        metric_values = [value for value in values if value["metric"] == metric]
        base = alt.Chart(alt.Data(values=metric_values)).encode(
            x=alt.X("month:O", sort=order, axis=alt.Axis(title=None, labelAngle=-30, labelFontSize=11)), color=colour
        )
        axis = alt.Axis(title=None, tickCount=4, format=".3~g", labelFontSize=12)
        y = alt.Y("linked:Q", scale=alt.Scale(zero=False), axis=axis)
        bands = base.mark_area(opacity=0.16).encode(
            y=alt.Y("low:Q", scale=alt.Scale(zero=False), axis=axis), y2="high:Q"
        )
        lines = base.mark_line(strokeWidth=2).encode(y=y) + base.mark_point(filled=True, size=45, opacity=1).encode(y=y)
        raw = base.mark_line(strokeWidth=1.5, strokeDash=[1, 3]).encode(y=alt.Y("mean:Q", axis=axis))
        panels.append((bands + raw + lines).properties(width=230, height=150, title=alt.Title(metric, fontSize=13)))
    return alt.concat(*panels, columns=3)
