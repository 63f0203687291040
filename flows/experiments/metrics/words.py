"""State in sentences what the metrics see, and what the answer rests on."""

from collections.abc import Sequence

from evaluators.calibration import SEES_FROM
from flows.experiments.metrics.ladder import ARTICLE, OTHER, RUNGS, SENTENCES, WORDS
from flows.experiments.metrics.pairs import NO_NUMBERS, PAIRS, TOO_FEW
from flows.experiments.metrics.result_tables import MetricPair, MetricRung, MetricSet, MetricSight
from flows.experiments.metrics.sight import CONTENT, SIGHTS
from flows.presenting.numbers import counted, fixed, percent

SHORT = {
    "first_sentence": "the first sentence alone",
    "first_sentence_repeated": "the first sentence repeated",
    "words_shuffled": "shuffled words",
    OTHER: "another article",
}
_WHY_LEFT_OUT = {
    "negated": "newwiki knows no negations of the wiki's language, or no text has one of the verbs",
    "names_exchanged": "no text has two names, or the script has no capital letters",
    "numbers_changed": "no text has a number or a month",
    "sentences_shuffled": "no text has two sentences",
    "later_part": "no article is long enough",
}


def verdict(sights: Sequence[MetricSight], sets: Sequence[MetricSet]) -> str:
    """Return how many metrics see content, and which metrics see most together."""
    seeing = sum(CONTENT in sight.sees for sight in sights)
    together = best(sets)
    most = f"; {named(together.metrics)} {'sees' if together.size == 1 else 'together see'} most" if together else ""
    return f"{seeing} of {counted(len(sights), 'metric')} {'sees' if seeing == 1 else 'see'} content{most}"


def best(sets: Sequence[MetricSet]) -> MetricSet | None:
    """Return the largest of the sets of two or three metrics, or the single metric that no other adds to."""
    return max(sets, key=lambda found: found.size, default=None)


def together(sets: Sequence[MetricSet]) -> list[str]:
    """Return a sentence that says which metrics together see most."""
    clauses = [
        f"{named(found.metrics)}{' alone' if found.size == 1 else ''} {percent(found.share, 0)}" for found in sets
    ]
    if not clauses:
        return []
    return [
        f"the best metrics together, by the mean share of articles ordered rightly in {sets[0].tests} tests, each by "
        f"the metric that is best in it: {', '.join(clauses)}"
    ]


def sentence(sight: MetricSight, pairs: Sequence[MetricPair]) -> str:
    """Return what a metric sees, in one sentence. `pairs` are those of the metric."""
    row = {(pair.text, pair.beside): pair for pair in pairs}
    content = row[ARTICLE, OTHER]
    length = f"with length alone it {sight.length}" if sight.length in ("rises", "falls") else ""
    if sight.length_gap is not None and length:
        length += f" (from 40 to 320 words by {times(sight.length_gap)} the gap between the article and another)"
    if content.verdict in (NO_NUMBERS, TOO_FEW) or content.share is None:
        return f"{sight.metric}: {content.verdict} to tell what it sees"
    if sight.direction == "none":
        better = max(content.share, 1 - content.share)
        is_chance = content.verdict == "cannot tell"
        told = f"it tells the article from another in {percent(better, 0)} of articles"
        return _joined(
            f"{sight.metric} describes style and has no better direction: {told}"
            + (", which may be chance" if is_chance else f", by being {content.verdict}"),
            length,
        )
    sees = f"sees {named(sight.sees)}" if sight.sees else "sees nothing of what is tested"
    unseen = [name for name in SIGHTS if name not in sight.sees and _is_tested(name, row)]
    parts = [f"not {', '.join(unseen)}"] if unseen and sight.sees else []
    if sight.prefers:
        parts.append(f"prefers {named([SHORT[name] for name in sight.prefers])} to a half-true text")
    return _joined(f"{sight.metric} {sees}", *parts, length)


def words(
    sights: Sequence[MetricSight], pairs: Sequence[MetricPair], rungs: Sequence[MetricRung], by_topic: bool
) -> list[str]:
    """Return sentences about the texts, the threshold, and what could not be tested."""
    made = {rung.text: rung for rung in rungs if rung.metric == rungs[0].metric}
    whole = made[ARTICLE].texts
    lacking = [name for name in RUNGS if not made[name].texts]
    fewer = [f"{name} of {made[name].texts}" for name in RUNGS if 0 < made[name].texts < whole]
    silent = [pair.metric for pair in pairs if (pair.text, pair.beside) == PAIRS[0] and pair.verdict == NO_NUMBERS]
    return [
        f"the texts of {counted(whole, 'article')} begin after the first sentence, are made of {SENTENCES} sentences "
        f"and cut at {WORDS} words; another article is one of the same month"
        + (" and topic where the topic has two" if by_topic else ""),
        f"a metric sees a difference if it prefers the better text on at least {percent(SEES_FROM, 0)} of articles, "
        "and more often than chance after Holm's correction for the metric's pairs of texts; content also takes means "
        "that fall with each quarter of the sentences that another article gives",
        "the texts are made of the article's own sentences, which favors metrics that count common words; none of them "
        "says the same in other words",
        *(f"{name} is left out: {_WHY_LEFT_OUT.get(name, 'no article is long enough')}" for name in lacking),
        *([f"not every article gives every text: {', '.join(fewer)}"] if fewer else []),
        *([f"without numbers on these texts: {', '.join(silent)}"] if silent else []),
    ]


def times(gap: float) -> str:
    return f"{fixed(abs(gap), 1)} times"


def named(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1] if names else ""


def _is_tested(name: str, row: dict[tuple[str, str], MetricPair]) -> bool:
    return any(row[pair].verdict not in (NO_NUMBERS, TOO_FEW) for pair in SIGHTS[name][0])


def _joined(*parts: str) -> str:
    return "; ".join(filter(None, parts))
