"""Show the gaps and the separation of old from new articles as tables, and both as a figure."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from functools import partial
from typing import TYPE_CHECKING, Any

from flows.experiments.experiment import Figure, Findings, Shown, Table
from flows.experiments.leakage.gaps import NONE_SHOWN, THE_ARTICLES_OWN, TOO_FEW
from flows.experiments.leakage.result_tables import Gap, Membership
from flows.experiments.leakage.words import sentence, unit_of_pairs
from flows.presenting.charts import MOST_SERIES, PageSigns, Sign, forest, svg
from flows.presenting.numbers import NONE, digits, estimate, fixed, p_value, signed
from newwiki.decoding.grammar import short_form
from storage import experiments
from storage.database import Database

if TYPE_CHECKING:
    import altair

_GAPS = (
    "The mean over matched pairs on old and new articles, their gap (old − new) with its 95 % interval, and "
    "p after Holm's correction: bits per byte is one family over the models, and the other metrics are another. With a "
    "control, its gap is subtracted, and p and the verdict are those of the difference. The last column is the "
    "smallest gap that this number of pairs shows in 80 of 100 cases."
)
_MEMBERSHIPS = (
    "How often an old article has the higher score of an old and a new one (0.5 is chance), by the model and by a "
    "blind baseline: logistic regression on the texts' words alone, which has read no article that it judges."
)
# The list of findings for each verdict on a gap that would come from having read the articles. All other verdicts are
# findings that hold.
_SIDES = {THE_ARTICLES_OWN: "fails", NONE_SHOWN: "unknown", TOO_FEW: "unknown"}
_FIGURE = (
    "What the verdicts rest on, by metric: the gap{less} in standard deviations over pairs of articles, with its 95 % "
    "interval; 0 is no gap. Below 0 the metric is lower on old articles."
)


def show(database: Database, experiment_id: str) -> Shown:
    gaps = experiments.rows(database, Gap, experiment_id)
    memberships = experiments.rows(database, Membership, experiment_id)
    tables = [Table(_GAPS, _heads(gaps), [_cells(gap) for gap in gaps])]
    if memberships:
        heads = ["model", "score", "pairs", "AUC [95 %]", "blind AUC [95 %]", "AUC − blind [95 %]"]
        tables.append(Table(_MEMBERSHIPS, heads, [_membership(membership) for membership in memberships]))
    return Shown(
        [column.name for column in fields(Gap)],
        [astuple(gap) for gap in gaps],
        _findings(gaps),
        tables,
        lambda signs: _figures(gaps, signs),
    )


def _findings(gaps: Sequence[Gap]) -> Findings:
    """Return a sentence for each metric; a gap that the control also has does not count as evidence of reading."""
    by_side: dict[str, list[str]] = {"holds": [], "fails": [], "unknown": []}
    few: dict[tuple[str, str], list[Gap]] = {}
    for gap in gaps:
        if gap.verdict == TOO_FEW:
            few.setdefault((gap.model, gap.decoder), []).append(gap)
            continue
        number, low, high = (
            (gap.gap, gap.low, gap.high)
            if gap.difference is None
            else (gap.difference, gap.difference_low, gap.difference_high)
        )
        beyond = f" beyond {gap.control}'s" if gap.difference is not None else ""
        about = f"{gap.model} under {short_form(gap.decoder)}, {gap.metric}: {gap.verdict}"
        description = (
            f"{about}; old − new{beyond} {_estimate(number, low, high, gap.no_interval)} over {gap.pairs} pairs"
        )
        by_side[_SIDES.get(gap.verdict, "holds")].append(description)
    for (model, decoder), few_gaps in few.items():
        metrics, pairs = ", ".join(gap.metric for gap in few_gaps), max(gap.pairs for gap in few_gaps)
        by_side["unknown"].append(f"{model} under {short_form(decoder)}, {metrics}: {TOO_FEW}, {pairs}")
    return Findings(answer=sentence(gaps), **by_side)


def _heads(gaps: Sequence[Gap]) -> list[str]:
    control = ["control's", "old − new − control's [95 %]"] if any(gap.control for gap in gaps) else []
    return [
        "model",
        "decoder",
        "metric",
        "pairs",
        "old",
        "new",
        "old − new [95 %]",
        *control,
        "p",
        "verdict",
        "visible in 80 %",
    ]


def _cells(gap: Gap) -> list[Any]:
    control = (
        [
            NONE if gap.control_gap is None else signed(gap.control_gap),
            _estimate(gap.difference, gap.difference_low, gap.difference_high),
        ]
        if gap.control
        else []
    )
    p = gap.p_holm if gap.difference_p_holm is None else gap.difference_p_holm
    return [
        gap.model,
        short_form(gap.decoder),
        gap.metric,
        gap.pairs,
        digits(gap.mean_old),
        digits(gap.mean_new),
        _estimate(gap.gap, gap.low, gap.high, gap.no_interval),
        *control,
        p_value(p),
        gap.verdict,
        digits(gap.visible),
    ]


def _membership(membership: Membership) -> list[Any]:
    return [
        membership.model,
        membership.score,
        membership.pairs,
        estimate(membership.auc, membership.low, membership.high, partial(fixed, decimals=3)),
        estimate(membership.blind_auc, membership.blind_low, membership.blind_high, partial(fixed, decimals=3)),
        estimate(
            membership.auc - membership.blind_auc,
            membership.difference_low,
            membership.difference_high,
            partial(fixed, decimals=3, signed=True),
        ),
    ]


def _estimate(number: float | None, low: float | None, high: float | None, lacking: str | None = None) -> str:
    return estimate(number, low, high, signed, unit_of_pairs(lacking) or "none")


def _figures(gaps: Sequence[Gap], page: PageSigns) -> list[Figure]:
    values = [
        {
            "metric": gap.metric,
            "model": gap.model,
            "who": f"{gap.model} · {short_form(gap.decoder)}" if _several(gaps) else gap.model,
            "at": mean / sd,
            "low": low / sd,
            "high": high / sd,
        }
        for gap in gaps
        for mean, low, high, sd in [gap.judged]
        if sd and mean is not None and low is not None and high is not None
    ]
    if not values:
        return []
    listed = "; ".join(f"{value['who']} {value['metric']} {value['at']:+.2f}" for value in values)
    signs = {str(value["who"]): page.of(str(value["model"]), str(value["who"])) for value in values}
    controls = dict.fromkeys(gap.control for gap in gaps if gap.control)
    caption = _FIGURE.format(less=f" less that of {', '.join(controls)}" if controls else "")
    return [
        Figure(
            caption,
            svg(
                _intervals(values, signs, " − control's" if controls else ""), f"Gaps in standard deviations: {listed}"
            ),
        )
    ]


def _several(gaps: Sequence[Gap]) -> bool:
    return len({gap.decoder for gap in gaps}) > 1


def _intervals(values: list[dict[str, Any]], signs: Mapping[str, Sign], less: str) -> "altair.LayerChart":
    import altair as alt

    who = list(signs)[:MOST_SERIES]
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("metric:N", axis=alt.Axis(title=None, labelFontSize=12, labelLimit=180, minExtent=150, grid=True)),
        yOffset=alt.YOffset("who:N", scale=alt.Scale(domain=who)),
        color=alt.Color(
            "who:N",
            scale=alt.Scale(domain=who, range=[signs[name].color for name in who]),
            legend=alt.Legend(title=None, orient="bottom", symbolOpacity=1, labelFontSize=12),
        ),
    )
    return forest(base, f"old − new{less}, standard deviations").properties(
        width=270, height=alt.Step(max(9, 24 // len(who)))
    )
