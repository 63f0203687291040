"""Draw the phrases by which corpora differ, and the common and unique phrases (figures 4 and 5 of the paper)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flows.experiments.corpora.findings import BEYOND
from flows.experiments.corpora.material import Found
from flows.experiments.corpora.result_tables import CorpusPhrase
from flows.experiments.experiment import Figure
from flows.presenting.charts import GREY, ORANGE, PALETTE, forest, svg

if TYPE_CHECKING:
    import altair

_MOST = 40  # phrases per chart
_WIDTH, _ROOM = 230, 160  # pixels for the bars, and pixels next to them for the phrases
_WIDER = 20  # pixels by which a browser's font may exceed the measured width
_CLEAREST = 12  # phrases in the first figure
_BARS = 120  # bars for the common phrases, one per corpus
_DIFFERENCES = (
    "How much more often a phrase is in the responses of a corpus than in those of another, in percentage points"
    "{interval}: the {count} clearest of {all:,} pairs of a phrase and a corpus. The other corpus is the one whose "
    "responses have the phrase most often although its set lacks it. Orange: beyond chance."
)
_COMMON = (
    "Noun phrases that the responses of all corpora have in common, by the share of each corpus' responses (figure 4 "
    "of the paper){most}."
)
_UNIQUE = (
    "Noun phrases of {corpus} that are not in all corpora, by the share of its responses (figure 5 of the paper)"
    "{most}. Full colour: more often than in any corpus without it beyond chance; pale: it may be chance."
)


def figures(results: Found) -> list[Figure]:
    drawn = _differences(results)
    if results.common:
        shown = list(results.common)[: max(1, min(_MOST, _BARS // len(results.names)))]
        caption = _COMMON.format(most=_most(len(results.common), len(shown)))
        drawn.append(Figure(caption, svg(_common(results, shown), _common_description(results, shown))))
    for place, corpus in enumerate(results.names):
        if unique := results.unique(corpus):
            caption = _UNIQUE.format(corpus=corpus, most=_most(len(unique), _MOST))
            verdicts = "; ".join(f"{phrase.phrase} {phrase.share:.0%}, {phrase.verdict}" for phrase in unique[:_MOST])
            drawn.append(
                Figure(caption, svg(_unique(results, corpus, place), f"Unique phrases of {corpus}: {verdicts}"))
            )
    return drawn


def _differences(results: Found) -> list[Figure]:
    """Draw the phrases by which corpora differ; the list is empty if no phrase has a difference."""
    known = [phrase for name in results.names for phrase in results.unique(name) if phrase.difference is not None]
    if not known:
        return []
    shown = sorted(known, key=_clearness)[:_CLEAREST]
    rows = []
    for phrase in shown:
        difference = phrase.difference or 0.0
        ends = {"at": difference, "low": phrase.difference_low, "high": phrase.difference_high}
        rows.append(
            {"phrase": f"{phrase.phrase} · {phrase.corpus}", "beyond": phrase.verdict == BEYOND}
            | {name: 100 * (difference if end is None else end) for name, end in ends.items()}
        )
    bare = all(phrase.difference_low is None for phrase in shown)
    interval = "; there are too few prompts for intervals" if bare else ", with 95 % intervals over prompts"
    caption = _DIFFERENCES.format(interval=interval, count=len(shown), all=len(known))
    differences = "; ".join(f"{row['phrase']} {row['at']:+.1f} [{row['low']:+.1f}, {row['high']:+.1f}]" for row in rows)
    return [Figure(caption, svg(_forest(rows), f"Differences in percentage points: {differences}"), first=True)]


def _clearness(phrase: CorpusPhrase) -> tuple[bool, float, float]:
    """Return a sort key: differences beyond chance first, then by p and by the size of the difference."""
    return phrase.verdict != BEYOND, 1.0 if phrase.p_holm is None else phrase.p_holm, -(phrase.difference or 0.0)


def _forest(rows: Sequence[dict[str, Any]]) -> "altair.LayerChart":
    import altair as alt

    names = [row["phrase"] for row in rows]
    labels = alt.Axis(title=None, labelLimit=_ROOM, labelFontSize=11, minExtent=_ROOM + 2 * _WIDER, grid=True)
    base = alt.Chart(alt.Data(values=list(rows))).encode(
        y=alt.Y("phrase:N", sort=names, axis=labels),
        color=alt.condition("datum.beyond", alt.value(ORANGE), alt.value(GREY)),
    )
    return forest(base, "percentage points").properties(width=170, height=alt.Step(20))


def _most(count: int, shown: int) -> str:
    return f", the {shown} most frequent of {count:,}; the table has all" if count > shown else ""


def _common_description(results: Found, shown: list[str]) -> str:
    shares = (
        f"{phrase}: " + ", ".join(f"{name} {results.common[phrase][name].share:.0%}" for name in results.names)
        for phrase in shown
    )
    return f"Common phrases: {'; '.join(shares)}"


def _common(results: Found, shown: list[str]) -> "altair.Chart":
    import altair as alt

    rows = [
        {"phrase": phrase, "corpus": name, "share": results.common[phrase][name].share}
        for phrase in shown
        for name in results.names
    ]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("share:Q", axis=_shares()),
            y=alt.Y("phrase:N", sort=shown, axis=_phrases()),
            yOffset=alt.YOffset("corpus:N", sort=results.names),
            color=alt.Color(
                "corpus:N",
                scale=alt.Scale(domain=results.names, range=list(PALETTE)),
                legend=alt.Legend(title=None, orient="bottom", columns=1, labelLimit=_WIDTH - 2 * _WIDER),
            ),
        )
        .properties(width=_WIDTH, height=alt.Step(9))
    )


def _unique(results: Found, corpus: str, place: int) -> "altair.Chart":
    import altair as alt

    unique = results.unique(corpus)[:_MOST]
    rows = [{"phrase": phrase.phrase, "share": phrase.share, "beyond": phrase.verdict == BEYOND} for phrase in unique]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(color=PALETTE[place % len(PALETTE)])
        .encode(
            x=alt.X("share:Q", axis=_shares()),
            y=alt.Y("phrase:N", sort=[phrase.phrase for phrase in unique], axis=_phrases()),
            opacity=alt.condition("datum.beyond", alt.value(1.0), alt.value(0.4)),
        )
        .properties(width=_WIDTH, height=alt.Step(17))
    )


def _shares() -> "altair.Axis":
    import altair as alt

    return alt.Axis(title="share of the responses", titleFontWeight="normal", format="%", tickCount=5)


def _phrases() -> "altair.Axis":
    import altair as alt

    return alt.Axis(title=None, labelLimit=_ROOM, labelFontSize=11, minExtent=_ROOM + 2 * _WIDER)
