"""The common and the unique noun phrases as bar charts: figures 4 and 5 of the paper."""

from typing import TYPE_CHECKING

from markupsafe import Markup

from flows.charts import PALETTE, svg
from flows.experiments.corpora.findings import BEYOND
from flows.experiments.corpora.material import Found
from flows.experiments.experiment import Figure

if TYPE_CHECKING:
    import altair

_MOST = 40  # phrases of a chart
_WIDTH, _ROOM = 230, 160  # of the bars, and beside them for phrases, in pixels
_WIDER = 20  # than measured here may a phrase be in the font of a browser
_COMMON = (
    "Noun phrases that the responses of all corpora have in common, by the share of each corpus' responses (figure 4 "
    "of the paper){most}."
)
_UNIQUE = (
    "Noun phrases of {corpus} that are not in all corpora, by the share of its responses (figure 5 of the paper)"
    "{most}. Full colour: more often than in any corpus without it beyond chance; pale: it may be chance."
)


def figures(found: Found) -> list[Figure]:
    drawn = []
    if found.common:
        shown = list(found.common)[:_MOST]
        caption = _COMMON.format(most=_most(len(found.common)))
        drawn.append(Figure(caption, _narrow(_common(found, shown), _common_told(found, shown))))
    for place, corpus in enumerate(found.names):
        if unique := found.unique(corpus):
            caption = _UNIQUE.format(corpus=corpus, most=_most(len(unique)))
            told = "; ".join(f"{one.phrase} {one.share:.0%}, {one.verdict}" for one in unique[:_MOST])
            drawn.append(Figure(caption, _narrow(_unique(found, corpus, place), f"Unique phrases of {corpus}: {told}")))
    return drawn


def _most(count: int) -> str:
    return f", the {_MOST} most frequent of {count:,}; the table has all" if count > _MOST else ""


def _common_told(found: Found, shown: list[str]) -> str:
    told = (
        f"{phrase}: " + ", ".join(f"{name} {found.common[phrase][name].share:.0%}" for name in found.names)
        for phrase in shown
    )
    return f"Common phrases: {'; '.join(told)}"


def _narrow(chart: "altair.TopLevelMixin", label: str) -> Markup:
    """Drawn for a phone, and on a wide screen no wider than text is."""
    return Markup(svg(chart, label).replace("<svg ", Markup('<svg style="max-width: 34rem" '), 1))


def _common(found: Found, shown: list[str]) -> "altair.Chart":
    import altair as alt

    rows = [
        {"phrase": phrase, "corpus": name, "share": found.common[phrase][name].share}
        for phrase in shown
        for name in found.names
    ]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("share:Q", axis=_shares()),
            y=alt.Y("phrase:N", sort=shown, axis=_phrases()),
            yOffset=alt.YOffset("corpus:N", sort=found.names),
            color=alt.Color(
                "corpus:N",
                scale=alt.Scale(domain=found.names, range=list(PALETTE)),
                legend=alt.Legend(title=None, orient="bottom", columns=1, labelLimit=_WIDTH - 2 * _WIDER),
            ),
        )
        .properties(width=_WIDTH, height=alt.Step(9))
    )


def _unique(found: Found, corpus: str, place: int) -> "altair.Chart":
    import altair as alt

    unique = found.unique(corpus)[:_MOST]
    rows = [{"phrase": one.phrase, "share": one.share, "beyond": one.verdict == BEYOND} for one in unique]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(color=PALETTE[place % len(PALETTE)])
        .encode(
            x=alt.X("share:Q", axis=_shares()),
            y=alt.Y("phrase:N", sort=[one.phrase for one in unique], axis=_phrases()),
            opacity=alt.condition("datum.beyond", alt.value(1.0), alt.value(0.4)),
        )
        .properties(width=_WIDTH, height=alt.Step(17))
    )


def _shares() -> "altair.Axis":
    import altair as alt

    return alt.Axis(title="share of the responses", titleFontWeight="normal", format="%", tickCount=5)


def _phrases() -> "altair.Axis":
    import altair as alt

    return alt.Axis(title=None, labelLimit=_ROOM, labelFontSize=12, minExtent=_ROOM + _WIDER)
