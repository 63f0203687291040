"""The answer as a figure: how hard each month is beside a later one, by metric."""

from collections.abc import Sequence
from statistics import stdev
from typing import TYPE_CHECKING, Any

from flows.experiments.experiment import Figure
from flows.experiments.linking.result_tables import LinkedMean, LinkedMonths
from flows.experiments.linking.words import differing, p_of
from flows.presenting.charts import GREY, ORANGE, forest, svg

if TYPE_CHECKING:
    import altair

_MOST = 14  # links that are drawn, the clearest
_LETTER, _MOST_ROOM = 8, 250  # pixels
_DIFFER, _OPEN = "the months differ", "cannot tell"
_CAPTION = (
    "What the later month alone adds to the anchors' mean, with its 95 % interval over models and articles, in "
    "standard deviations between the runs of {month}; 0 is equally hard{more}."
)


def difficulties(links: Sequence[LinkedMonths], means: Sequence[LinkedMean]) -> list[Figure]:
    """A row a metric, and of several pairs of months a row each; none of a metric that fewer than two runs have."""
    apart = differing(links, [p_of(one) for one in links])
    spreads = {one.metric: _spread(one.metric, links[0].to_snapshot, means) for one in links}
    known = [one for one in links if spreads[one.metric]]
    shown = sorted(known, key=p_of)[:_MOST]
    if not shown:
        return []
    several = len({(one.from_snapshot, one.to_snapshot) for one in links}) > 1
    rows = []
    for one in shown:
        spread = spreads[one.metric] or 1.0
        months = f" · {_month(one.from_snapshot)} to {_month(one.to_snapshot)}" if several else ""
        ends = {"at": one.difficulty, "low": one.difficulty_low, "high": one.difficulty_high}
        rows.append(
            {"link": f"{one.metric}{months}", "verdict": _DIFFER if one in apart else _OPEN}
            | {name: end / spread for name, end in ends.items()}
        )
    more = f"; {len(links) - len(shown)} more are in the table" if len(links) > len(shown) else ""
    caption = _CAPTION.format(month=links[0].to_snapshot, more=more)
    said = "; ".join(f"{one['link']} {one['at']:+.2f} [{one['low']:+.2f}, {one['high']:+.2f}]" for one in rows)
    return [Figure(caption, svg(_drawn(rows), f"How hard the later month is: {said}"), first=True)]


def _spread(metric: str, month: str, means: Sequence[LinkedMean]) -> float | None:
    """The standard deviation between the means of a month's runs."""
    found = [
        one.mean for one in means if (one.metric, one.snapshot_id) == (metric, month) and one.decoder != "reference"
    ]
    return (stdev(found) or None) if len(found) > 1 else None


def _month(snapshot_id: str) -> str:
    return snapshot_id.partition("-")[2]


def _drawn(rows: Sequence[dict[str, Any]]) -> "altair.LayerChart":
    import altair as alt

    names = [one["link"] for one in rows]
    room = min(_MOST_ROOM, _LETTER * max(map(len, names)))  # as pages' fonts are wider than the renderer's
    colour = alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=[_DIFFER, _OPEN], range=[ORANGE, GREY]),
        legend=alt.Legend(title=None, orient="bottom", symbolOpacity=1, labelFontSize=12, columns=1),
    )
    base = alt.Chart(alt.Data(values=list(rows))).encode(
        y=alt.Y("link:N", sort=names, axis=alt.Axis(title=None, labelFontSize=12, labelLimit=room, minExtent=room)),
        color=colour,
    )
    return forest(base, "standard deviations").properties(width=210, height=alt.Step(20))
