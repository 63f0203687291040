"""Show the findings as a table, and the curves of model and control as figures with the month and its interval."""

from collections.abc import Sequence
from dataclasses import astuple, fields
from datetime import date
from typing import TYPE_CHECKING, Any

from flows.experiments.cutoff.findings import FOUND, month_number
from flows.experiments.cutoff.result_tables import CutoffFinding, CutoffMonth
from flows.experiments.cutoff.words import decisive, interval_words, month_words, sentence, why
from flows.experiments.experiment import Figure, Findings, Shown, Table
from flows.presenting.charts import GREY, PageSigns, svg
from flows.presenting.numbers import NONE, digits, estimate, p_value, signed
from newwiki.decoding.grammar import short_form
from storage import experiments
from storage.database import Database

if TYPE_CHECKING:
    import altair

_FINDINGS = (
    "The last month that was seen, with its 95 % interval; by how much the metric (less the control's, where there is "
    "one) moves after it, and p of no change, after Holm's correction for the metrics beside bits_per_byte."
)
_MONTHS = "The mean of the articles that were begun in a month, with its 95 % interval, by what the verdict rests on."
_TICKS = 8  # maximum number of months labeled on the axis
_FIGURE = (
    "{metric} of {model} under {decoder} by the month in which the articles were begun, with 95 % intervals{control}. "
    "{found}"
)


def show(database: Database, experiment_id: str) -> Shown:
    found = experiments.rows(database, CutoffFinding, experiment_id)
    curve = experiments.rows(database, CutoffMonth, experiment_id)
    shown = [one for one in decisive(found) if not _is_control(one, found)]
    tables = [
        Table(_FINDINGS, ["model", "decoder", "metric", "months", "articles", "month [95 %]", "change", "p", "verdict"],
              [_cells(one) for one in found]),
        Table(_MONTHS, ["model", "decoder", "metric", "month", "articles", "mean [95 %]", "control [95 %]"],
              [_month_cells(month) for one in shown for month in _of(one, curve)]),
    ]  # fmt: skip
    names = [one.name for one in fields(CutoffFinding)]
    return Shown(
        names,
        [astuple(one) for one in found],
        _findings(found, shown),
        tables,
        lambda signs: [_figure(one, _of(one, curve), signs) for one in shown],
    )


def _findings(found: Sequence[CutoffFinding], shown: Sequence[CutoffFinding]) -> Findings:
    control = next((one.control for one in found if one.control), None)
    holds, unknown = [], []
    for one in shown:
        about = f"{one.model} under {short_form(one.decoder)}, {one.metric}"
        rests = f"{one.months} months and {one.articles:,} articles"
        if one.verdict == FOUND:
            interval = f"{month_words(one.month)} {interval_words(one)}"
            holds.append(f"{about}: the last month that it has seen is {interval}; {rests}")
        else:
            unknown.append(f"{about}: after which month it changes; {why(one)}; {rests}")
    return Findings(answer=sentence(found, control), holds=holds, unknown=unknown)


def _is_control(one: CutoffFinding, found: Sequence[CutoffFinding]) -> bool:
    return any(other.control == one.model for other in found)


def _of(one: CutoffFinding, curve: Sequence[CutoffMonth]) -> list[CutoffMonth]:
    key = (one.model, one.decoder, one.metric)
    return [month for month in curve if (month.model, month.decoder, month.metric) == key]


def _cells(one: CutoffFinding) -> list[Any]:
    interval = f"{month_words(one.month)} {interval_words(one)}" if one.month else NONE
    return [
        one.model,
        short_form(one.decoder),
        one.metric,
        one.months,
        one.articles,
        interval,
        NONE if one.change is None else signed(one.change),
        p_value(one.p_holm),
        "found" if one.verdict == FOUND else f"cannot tell: {one.verdict}",
    ]


def _month_cells(month: CutoffMonth) -> list[Any]:
    period = month_words(month.month)
    return [
        month.model,
        short_form(month.decoder),
        month.metric,
        period if month.first_month == month.month else f"{month_words(month.first_month)} to {period}",
        month.articles,
        estimate(month.mean, month.low, month.high, lacking="too few"),
        estimate(month.control_mean, month.control_low, month.control_high, lacking="too few"),
    ]


def _figure(one: CutoffFinding, months: Sequence[CutoffMonth], page: PageSigns) -> Figure:
    found = "It cannot be told where it changes."
    if one.verdict == FOUND:
        found = f"The last month that was seen, {month_words(one.month)}, and its interval are shaded."
    if one.stated:
        found += f" The dashed line is the model's stated knowledge cutoff, {month_words(one.stated)}."
    caption = _FIGURE.format(
        metric=one.metric,
        model=one.model,
        decoder=short_form(one.decoder),
        control=f", beside {one.control}" if one.control else "",
        found=found,
    )
    told = "; ".join(f"{month_words(month.month)} {digits(month.mean)}" for month in months)
    return Figure(caption, svg(_drawn(one, months, page), f"{one.metric} by month: {told}. {found}"))


def _drawn(one: CutoffFinding, months: Sequence[CutoffMonth], page: PageSigns) -> "altair.LayerChart":
    import altair as alt

    values = [
        {"month": _middle(month.first_month, month.month), "who": who, "mean": mean, "low": low, "high": high}
        for month in months
        for who, mean, low, high in (
            (one.model, month.mean, month.low, month.high),
            (one.control, month.control_mean, month.control_low, month.control_high),
        )
        if mean is not None
    ]
    who = [one.model, *([one.control] if one.control else [])]
    colour = alt.Color(
        "who:N",
        scale=alt.Scale(domain=who, range=[page.of(name).color for name in who]),
        legend=alt.Legend(title=None, orient="bottom", symbolOpacity=1, labelFontSize=12),
    )
    spanned = month_number(months[-1].month) - month_number(months[0].first_month) + 1 if months else 1
    ticks = alt.TimeIntervalStep(interval="month", step=-(-spanned // _TICKS))
    axis = alt.Axis(title=None, format="%Y-%m", labelFontSize=12, tickCount=ticks, labelOverlap=True)
    scale = alt.Scale(zero=False)
    base = alt.Chart(alt.Data(values=values)).encode(x=alt.X("month:T", axis=axis), color=colour)
    vertical = alt.Axis(title=one.metric, titleFontWeight="normal", tickCount=5, labelFontSize=12)
    bars = base.mark_rule(strokeWidth=2, opacity=0.5).encode(y=alt.Y("low:Q", scale=scale, axis=vertical), y2="high:Q")
    lines = base.mark_line(strokeWidth=2).encode(y=alt.Y("mean:Q", scale=scale))
    points = base.mark_point(filled=True, size=50, opacity=1).encode(y=alt.Y("mean:Q", scale=scale))
    layers = [*_marks(one, months), bars, lines, points]
    return alt.layer(*layers).properties(width=400, height=220)


def _marks(one: CutoffFinding, months: Sequence[CutoffMonth]) -> "list[altair.Chart]":
    """Return the marks of the interval as a band, of the estimated month within it, and of the stated cutoff."""
    import altair as alt

    marks = []
    if one.high and one.month:
        band = {"from": (one.low or months[0].first_month).isoformat(), "to": _next(one.high).isoformat()}
        marks.append(
            alt.Chart(alt.Data(values=[band])).mark_rect(opacity=0.14, color=GREY).encode(x="from:T", x2="to:T")
        )
        marks.append(
            alt.Chart(alt.Data(values=[{"at": _middle(one.month, one.month)}]))
            .mark_rule(strokeWidth=2, color=GREY)
            .encode(x="at:T")
        )
    if one.stated:
        marks.append(
            alt.Chart(alt.Data(values=[{"at": _middle(one.stated, one.stated)}]))
            .mark_rule(strokeDash=[4, 3], opacity=0.8)
            .encode(x="at:T")
        )
    return marks


def _middle(first: date, last: date) -> str:
    """Return the middle of the time from the beginning of the first month to the end of the last."""
    return (first + (_next(last) - first) / 2).isoformat()


def _next(month: date) -> date:
    return date(month.year + month.month // 12, month.month % 12 + 1, 1)
