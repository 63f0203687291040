"""Draw the figure of the answer: the difficulty of each month compared with a later month, by metric."""

from collections.abc import Sequence
from statistics import stdev
from typing import TYPE_CHECKING, Any

from flows.experiments.experiment import Figure
from flows.experiments.linking.result_tables import LinkedMean, LinkedMonths
from flows.experiments.linking.words import differing, p_of
from flows.presenting.charts import GREY, ORANGE, forest, svg

if TYPE_CHECKING:
    import altair

_MOST = 14  # maximum number of links drawn, those with the smallest p
_LETTER, _MOST_ROOM = 8, 250  # pixels
_DIFFER, _OPEN = "the months differ", "cannot tell"
_CAPTION = (
    "What the later month alone adds to the anchors' mean, with its 95 % interval over models and articles, in "
    "standard deviations between the runs of {month}; 0 is equally hard{more}."
)


def difficulties(links: Sequence[LinkedMonths], means: Sequence[LinkedMean]) -> list[Figure]:
    """Draw a row for each metric and pair of months; a metric needs at least two runs."""
    apart = differing(links, [p_of(link) for link in links])
    spreads = {link.metric: _spread(link.metric, links[0].to_snapshot, means) for link in links}
    known = [link for link in links if spreads[link.metric]]
    shown = sorted(known, key=p_of)[:_MOST]
    if not shown:
        return []
    several = len({(link.from_snapshot, link.to_snapshot) for link in links}) > 1
    rows = []
    for link in shown:
        spread = spreads[link.metric] or 1.0
        months = f" · {_month(link.from_snapshot)} to {_month(link.to_snapshot)}" if several else ""
        ends = {"at": link.difficulty, "low": link.difficulty_low, "high": link.difficulty_high}
        rows.append(
            {"link": f"{link.metric}{months}", "verdict": _DIFFER if link in apart else _OPEN}
            | {name: end / spread for name, end in ends.items()}
        )
    more = f"; {len(links) - len(shown)} more are in the table" if len(links) > len(shown) else ""
    caption = _CAPTION.format(month=links[0].to_snapshot, more=more)
    values = "; ".join(f"{row['link']} {row['at']:+.2f} [{row['low']:+.2f}, {row['high']:+.2f}]" for row in rows)
    return [Figure(caption, svg(_drawn(rows), f"How hard the later month is: {values}"), first=True)]


def _spread(metric: str, month: str, means: Sequence[LinkedMean]) -> float | None:
    """Return the standard deviation between the means of a month's runs."""
    run_means = [
        mean.mean
        for mean in means
        if (mean.metric, mean.snapshot_id) == (metric, month) and mean.decoder != "reference"
    ]
    return (stdev(run_means) or None) if len(run_means) > 1 else None


def _month(snapshot_id: str) -> str:
    return snapshot_id.partition("-")[2]


def _drawn(rows: Sequence[dict[str, Any]]) -> "altair.LayerChart":
    import altair as alt

    names = [row["link"] for row in rows]
    room = min(_MOST_ROOM, _LETTER * max(map(len, names)))  # pages may use wider fonts than the renderer
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
