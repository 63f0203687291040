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
    findings = experiments.rows(database, CutoffFinding, experiment_id)
    curve = experiments.rows(database, CutoffMonth, experiment_id)
    shown = [finding for finding in decisive(findings) if not _is_control(finding, findings)]
    tables = [
        Table(_FINDINGS, ["model", "decoder", "metric", "months", "articles", "month [95 %]", "change", "p", "verdict"],
              [_cells(finding) for finding in findings]),
        Table(_MONTHS, ["model", "decoder", "metric", "month", "articles", "mean [95 %]", "control [95 %]"],
              [_month_cells(month) for finding in shown for month in _curve(finding, curve)]),
    ]  # fmt: skip
    names = [column.name for column in fields(CutoffFinding)]
    return Shown(
        names,
        [astuple(finding) for finding in findings],
        _findings(findings, shown),
        tables,
        lambda signs: [_figure(finding, _curve(finding, curve), signs) for finding in shown],
    )


def _findings(findings: Sequence[CutoffFinding], shown: Sequence[CutoffFinding]) -> Findings:
    control = next((finding.control for finding in findings if finding.control), None)
    holds, unknown = [], []
    for finding in shown:
        about = f"{finding.model} under {short_form(finding.decoder)}, {finding.metric}"
        rests = f"{finding.months} months and {finding.articles:,} articles"
        if finding.verdict == FOUND:
            interval = f"{month_words(finding.month)} {interval_words(finding)}"
            holds.append(f"{about}: the last month that it has seen is {interval}; {rests}")
        else:
            unknown.append(f"{about}: after which month it changes; {why(finding)}; {rests}")
    return Findings(answer=sentence(findings, control), holds=holds, unknown=unknown)


def _is_control(finding: CutoffFinding, findings: Sequence[CutoffFinding]) -> bool:
    return any(other.control == finding.model for other in findings)


def _curve(finding: CutoffFinding, curve: Sequence[CutoffMonth]) -> list[CutoffMonth]:
    key = (finding.model, finding.decoder, finding.metric)
    return [month for month in curve if (month.model, month.decoder, month.metric) == key]


def _cells(finding: CutoffFinding) -> list[Any]:
    interval = f"{month_words(finding.month)} {interval_words(finding)}" if finding.month else NONE
    return [
        finding.model,
        short_form(finding.decoder),
        finding.metric,
        finding.months,
        finding.articles,
        interval,
        NONE if finding.change is None else signed(finding.change),
        p_value(finding.p_holm),
        "found" if finding.verdict == FOUND else f"cannot tell: {finding.verdict}",
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


def _figure(finding: CutoffFinding, months: Sequence[CutoffMonth], page: PageSigns) -> Figure:
    place = "It cannot be told where it changes."
    if finding.verdict == FOUND:
        place = f"The last month that was seen, {month_words(finding.month)}, and its interval are shaded."
    if finding.stated:
        place += f" The dashed line is the model's stated knowledge cutoff, {month_words(finding.stated)}."
    caption = _FIGURE.format(
        metric=finding.metric,
        model=finding.model,
        decoder=short_form(finding.decoder),
        control=f", beside {finding.control}" if finding.control else "",
        found=place,
    )
    means = "; ".join(f"{month_words(month.month)} {digits(month.mean)}" for month in months)
    return Figure(caption, svg(_drawn(finding, months, page), f"{finding.metric} by month: {means}. {place}"))


def _drawn(finding: CutoffFinding, months: Sequence[CutoffMonth], page: PageSigns) -> "altair.LayerChart":
    import altair as alt

    values = [
        {"month": _middle(month.first_month, month.month), "who": who, "mean": mean, "low": low, "high": high}
        for month in months
        for who, mean, low, high in (
            (finding.model, month.mean, month.low, month.high),
            (finding.control, month.control_mean, month.control_low, month.control_high),
        )
        if mean is not None
    ]
    who = [finding.model, *([finding.control] if finding.control else [])]
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
    vertical = alt.Axis(title=finding.metric, titleFontWeight="normal", tickCount=5, labelFontSize=12)
    bars = base.mark_rule(strokeWidth=2, opacity=0.5).encode(y=alt.Y("low:Q", scale=scale, axis=vertical), y2="high:Q")
    lines = base.mark_line(strokeWidth=2).encode(y=alt.Y("mean:Q", scale=scale))
    points = base.mark_point(filled=True, size=50, opacity=1).encode(y=alt.Y("mean:Q", scale=scale))
    layers = [*_marks(finding, months), bars, lines, points]
    return alt.layer(*layers).properties(width=400, height=220)


def _marks(finding: CutoffFinding, months: Sequence[CutoffMonth]) -> "list[altair.Chart]":
    """Return the marks of the interval as a band, of the estimated month within it, and of the stated cutoff."""
    import altair as alt

    marks = []
    if finding.high and finding.month:
        band = {"from": (finding.low or months[0].first_month).isoformat(), "to": _next(finding.high).isoformat()}
        marks.append(
            alt.Chart(alt.Data(values=[band])).mark_rect(opacity=0.14, color=GREY).encode(x="from:T", x2="to:T")
        )
        marks.append(
            alt.Chart(alt.Data(values=[{"at": _middle(finding.month, finding.month)}]))
            .mark_rule(strokeWidth=2, color=GREY)
            .encode(x="at:T")
        )
    if finding.stated:
        marks.append(
            alt.Chart(alt.Data(values=[{"at": _middle(finding.stated, finding.stated)}]))
            .mark_rule(strokeDash=[4, 3], opacity=0.8)
            .encode(x="at:T")
        )
    return marks


def _middle(first: date, last: date) -> str:
    """Return the middle of the time from the beginning of the first month to the end of the last."""
    return (first + (_next(last) - first) / 2).isoformat()


def _next(month: date) -> date:
    return date(month.year + month.month // 12, month.month % 12 + 1, 1)
