"""Derive sets of noun phrases from responses: phrases of a corpus, common to all corpora, or unique to some."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from evaluators import statistics
from evaluators.bounded_intervals import bounded_interval
from flows.experiments.corpora.chance import Apart, differences
from flows.experiments.corpora.phrase_sets import PhraseSets
from flows.experiments.corpora.result_tables import CorpusPhrase, CorpusResponses, PhraseFrequency

BEYOND, ALIKE, TOO_FEW = "beyond chance", "may be chance", statistics.TOO_FEW


def responses_of(found: PhraseSets) -> list[CorpusResponses]:
    return [
        CorpusResponses(
            corpus=one.corpus,
            decoder=one.run.decoder,
            run_id=one.run.run_id,
            responses=len(one.phrases),
            without_phrase=sum(not phrases for phrases in one.phrases.values()),
            phrases=len(found.counting(one)),
        )
        for one in found.responses
    ]


def frequencies(found: PhraseSets) -> Iterator[PhraseFrequency]:
    """Yield the frequency of every phrase in any corpus's set, for every corpus and decoder."""
    phrases = sorted(frozenset[str]().union(*found.sets.values()))
    for one in found.responses:
        counting = found.counting(one)
        for phrase in phrases:
            yield PhraseFrequency(
                phrase=phrase,
                corpus=one.corpus,
                decoder=one.run.decoder,
                responses=one.times[phrase],
                share=one.times[phrase] / len(one.phrases),
                counts=phrase in counting,
            )


def phrases(found: PhraseSets, seed: int) -> list[CorpusPhrase]:
    """Return the phrases of each corpus, the most frequent first."""
    every = sorted(frozenset[str]().union(*found.sets.values()))
    apart, estimates, intervals = differences(found, seed), {}, {}
    for corpus in found.sets:
        shares = found.shares(corpus, every)
        estimates[corpus] = statistics.estimate(shares, np.ones_like(shares))
        intervals[corpus] = bounded_interval(estimates[corpus], 0.0, 1.0)
    means = {corpus: dict(zip(every, estimate.mean, strict=True)) for corpus, estimate in estimates.items()}
    rows = []
    for corpus, estimate in estimates.items():
        of_corpus = [
            _phrase(found, corpus, phrase, float(estimate.mean[at]), intervals[corpus].at(at))
            for at, phrase in enumerate(every)
            if phrase in found.sets[corpus]
        ]
        rows += sorted(of_corpus, key=lambda one: (one.kind, -one.share, one.phrase))
    return [_set_against(found, one, means, apart) if one.kind == "unique" else one for one in rows]


def _phrase(
    found: PhraseSets, corpus: str, phrase: str, share: float, interval: statistics.MeanInterval
) -> CorpusPhrase:
    return CorpusPhrase(
        corpus=corpus,
        phrase=phrase,
        kind="common" if phrase in found.common else "unique",
        corpora=sum(phrase in one for one in found.sets.values()),
        share=share,
        low=interval.low,
        high=interval.high,
        no_interval=interval.lacking,
    )


def _set_against(
    found: PhraseSets,
    one: CorpusPhrase,
    means: Mapping[str, Mapping[str, float]],
    apart: Mapping[tuple[str, str, str], Apart],
) -> CorpusPhrase:
    """Compare a unique phrase with its frequency in the corpus that lacks it in its set but uses it most often."""
    lacking = [name for name, of_one in found.sets.items() if one.phrase not in of_one]
    other = max(lacking, key=lambda name: means[name][one.phrase])
    row = apart[one.corpus, other, one.phrase]
    return replace(
        one,
        against=other,
        against_share=float(means[other][one.phrase]),
        difference=row.difference,
        difference_low=row.low,
        difference_high=row.high,
        p=row.p,
        p_holm=row.p_holm,
        verdict=_verdict(row),
    )


def _verdict(row: Apart) -> str:
    if row.p_holm is None:
        return TOO_FEW
    return BEYOND if row.p_holm <= statistics.LEVEL and row.difference > 0 else ALIKE
