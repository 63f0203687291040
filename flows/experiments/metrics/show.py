"""Show what each metric sees as sentences, tables and a heat map."""

from collections.abc import Sequence
from dataclasses import astuple, fields
from typing import Any

from flows.experiments.experiment import Findings, Judged, Shown, Table, Tone
from flows.experiments.metrics.figures import heat_map
from flows.experiments.metrics.ladder import ARTICLE, FIRST_SENTENCE, HALF, OTHER, REPEATED, RUNGS
from flows.experiments.metrics.pairs import ACROSS_LENGTHS, NEIGHBORS, RIGHT, WRONG
from flows.experiments.metrics.result_tables import MetricPair, MetricRung, MetricSet, MetricSight, MetricStratum
from flows.experiments.metrics.sight import SIGHTS
from flows.experiments.metrics.words import best, named, sentence, times, together
from flows.presenting.numbers import NONE, digits, estimate, fixed, percent
from storage import experiments
from storage.database import Database

# The tests of the heat map, and most of the table of shares: a short label, the better text, and the worse one
TESTS = (
    ("another", ARTICLE, OTHER),
    ("25 %", ARTICLE, "replaced_25"),
    ("25/50 %", "replaced_25", HALF),
    ("50/75 %", HALF, "replaced_75"),
    ("75/100 %", "replaced_75", OTHER),
    ("words", ARTICLE, "words_shuffled"),
    ("sentences", ARTICLE, "sentences_shuffled"),
    ("names", ARTICLE, "names_exchanged"),
    ("numbers", ARTICLE, "numbers_changed"),
    ("negated", ARTICLE, "negated"),
    ("later part", ARTICLE, "later_part"),
    ("headings", ARTICLE, "headings"),
    ("prompt", HALF, "first_sentence"),
    ("repeated", HALF, "first_sentence_repeated"),
)
_SIGHT = "What each metric sees."
_LENGTH = (
    "How each metric moves with length alone, from 40 to 320 words of the same article, and which texts it prefers to "
    "one of which half is from the article: prompt (the first sentence alone), repeated (the first sentence again and "
    "again), words (shuffled ones) or another (article)."
)
_LABELS = {FIRST_SENTENCE: "prompt", REPEATED: "repeated", "words_shuffled": "words", OTHER: "another"}
_SHARES = (
    "The percentage of articles on which the better text has the better number, by test; 50 is chance, and * marks "
    "what differs from chance after Holm's correction."
)
_RUNGS = "The mean of each metric on the texts of the ladder, and the mean number of words of these texts."
_PROMPTS = (
    "The number of prompts with which the means of two neighboring rungs differ significantly in 80 of 100 cases."
)
_INTERVALS = (
    "The pairs of texts behind what a metric sees, and the neighboring rungs: the share of articles on which the first "
    "text has the better number, with its 95 % interval. The table metric_pairs has every pair."
)
_SHOWN = frozenset([*NEIGHBORS, *(pair for of_sight, _ in SIGHTS.values() for pair in of_sight)])
_STRATA = "The share of articles on which the article's beginning has a better number than another's, by {stratum}."


def show(database: Database, experiment_id: str) -> Shown:
    sights = experiments.rows(database, MetricSight, experiment_id)
    pairs = experiments.rows(database, MetricPair, experiment_id)
    rungs = experiments.rows(database, MetricRung, experiment_id)
    sets = experiments.rows(database, MetricSet, experiment_id)
    strata = experiments.rows(database, MetricStratum, experiment_id)
    tables = [
        Table(_SIGHT, ["metric", *SIGHTS], [_sight(sight) for sight in sights]),
        Table(_LENGTH, ["metric", "length", "prefers"], [_length(sight) for sight in sights]),
        Table(_SHARES, ["test", *(sight.metric for sight in sights)], _shares(sights, pairs)),
        Table(_RUNGS, ["text", "words", *(sight.metric for sight in sights)], _means(sights, rungs)),
        Table(_PROMPTS, ["rungs", *(sight.metric for sight in sights)], _prompts(sights, pairs)),
        *([_by_part(strata)] if strata else []),
        Table(
            _INTERVALS,
            ["metric", "text", "beside", "n", "share [95 %]", "verdict"],
            [_pair(pair) for pair in pairs if (pair.text, pair.beside) in _SHOWN],
        ),
    ]
    columns = [test for test in TESTS if any(_pair_of(pairs, sight.metric, test).articles for sight in sights)]
    return Shown(
        [column.name for column in fields(MetricPair)],
        [astuple(pair) for pair in pairs],
        _findings(sights, pairs, sets),
        tables,
        lambda signs: heat_map(pairs, columns),
    )


def _findings(sights: Sequence[MetricSight], pairs: Sequence[MetricPair], sets: Sequence[MetricSet]) -> Findings:
    """Return a sentence for each metric: among what holds if it sees anything, else among what does not hold; metrics
    without a direction come last."""
    sentences = {
        sight.metric: sentence(sight, [pair for pair in pairs if pair.metric == sight.metric]) for sight in sights
    }
    untold = [sight for sight in sights if not _told(sight, pairs)]
    told = [sight for sight in sights if sight not in untold]
    found = best(sets)
    seeing = [sight.metric for sight in sights if "content" in sight.sees]
    answer = (
        f"Of {len(sights)} metrics, {named(seeing)} {'sees' if len(seeing) == 1 else 'see'} whether a text says what "
        "the article says"
        if seeing
        else f"None of {len(sights)} metrics sees whether a text says what the article says"
    )
    if found:
        answer += f"; {named(found.metrics)} {'sees' if found.size == 1 else 'together see'} most here"
    return Findings(
        answer=answer,
        holds=[*together(sets), *(sentences[sight.metric] for sight in told if sight.sees)],
        fails=[sentences[sight.metric] for sight in told if not sight.sees],
        unknown=[sentences[sight.metric] for sight in untold],
    )


def _told(sight: MetricSight, pairs: Sequence[MetricPair]) -> bool:
    return any(pair.verdict in (RIGHT, WRONG, "higher", "lower", "cannot tell") for pair in pairs
               if pair.metric == sight.metric)  # fmt: skip


def _sight(sight: MetricSight) -> list[Any]:
    if sight.direction == "none":
        return [sight.metric, *("style" for _ in SIGHTS)]
    return [sight.metric, *(Judged("yes", "good") if name in sight.sees else NONE for name in SIGHTS)]


def _length(sight: MetricSight) -> list[Any]:
    gap = f" ({times(sight.length_gap)} the gap)" if sight.length_gap is not None else ""
    length = NONE if sight.length == "cannot tell" else f"{sight.length}{gap}"
    return [sight.metric, length, ", ".join(_LABELS[name] for name in sight.prefers) or NONE]


def _pair_of(pairs: Sequence[MetricPair], metric: str, test: tuple[str, str, str]) -> MetricPair:
    return next(pair for pair in pairs if (pair.metric, pair.text, pair.beside) == (metric, *test[1:]))


def _shares(sights: Sequence[MetricSight], pairs: Sequence[MetricPair]) -> list[list[Any]]:
    by_key = {(pair.metric, pair.text, pair.beside): pair for pair in pairs}
    others = (("25 %/words", "replaced_25", "words_shuffled"), ("320/40 words", *ACROSS_LENGTHS))
    return [
        [label, *(_share(by_key[sight.metric, text, beside]) for sight in sights)]
        for label, text, beside in (*TESTS, *others)
    ]


def _share(pair: MetricPair) -> str:
    if pair.share is None:
        return NONE
    mark = "*" if pair.verdict in (RIGHT, WRONG, "higher", "lower") else ""
    return f"{fixed(100 * pair.share, 0)}{mark}"


def _means(sights: Sequence[MetricSight], rungs: Sequence[MetricRung]) -> list[list[Any]]:
    by_key = {(rung.metric, rung.text): rung for rung in rungs}
    return [
        [name, fixed(words, 0) if (words := by_key[sights[0].metric, name].words) is not None else NONE,
         *(digits(by_key[sight.metric, name].mean) for sight in sights)]
        for name in RUNGS
    ]  # fmt: skip


def _prompts(sights: Sequence[MetricSight], pairs: Sequence[MetricPair]) -> list[list[Any]]:
    by_key = {(pair.metric, pair.text, pair.beside): pair for pair in pairs}
    return [
        [f"{text} to {beside}", *(_count(by_key[sight.metric, text, beside].prompts) for sight in sights)]
        for text, beside in NEIGHBORS
    ]


def _count(prompts: int | None) -> str:
    return NONE if prompts is None else f"{prompts:,}"


def _by_part(strata: Sequence[MetricStratum]) -> Table:
    heads = ["metric", strata[0].stratum, "n", "share [95 %]"]
    cells = [
        [part.metric, part.value, part.articles, estimate(part.share, part.low, part.high, _percent, part.no_interval)]
        for part in strata
    ]
    return Table(_STRATA.format(stratum=strata[0].stratum), heads, cells)


def _pair(pair: MetricPair) -> list[Any]:
    tone: Tone = "good" if pair.verdict == RIGHT else "bad" if pair.verdict == WRONG else "open"
    shown = Judged(pair.verdict, tone)
    share = estimate(pair.share, pair.low, pair.high, _percent, pair.no_interval)
    return [pair.metric, pair.text, pair.beside, pair.articles, share, shown]


def _percent(share: float) -> str:
    return percent(share, 0)
