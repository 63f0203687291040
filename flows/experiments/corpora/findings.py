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


def responses_of(phrase_sets: PhraseSets) -> list[CorpusResponses]:
    return [
        CorpusResponses(
            corpus=run_responses.corpus,
            decoder=run_responses.run.decoder,
            run_id=run_responses.run.run_id,
            responses=len(run_responses.phrases),
            without_phrase=sum(not phrases for phrases in run_responses.phrases.values()),
            phrases=len(phrase_sets.counting(run_responses)),
        )
        for run_responses in phrase_sets.responses
    ]


def frequencies(phrase_sets: PhraseSets) -> Iterator[PhraseFrequency]:
    """Yield the frequency of every phrase in any corpus's set, for every corpus and decoder."""
    phrases = sorted(frozenset[str]().union(*phrase_sets.sets.values()))
    for run_responses in phrase_sets.responses:
        counting = phrase_sets.counting(run_responses)
        for phrase in phrases:
            yield PhraseFrequency(
                phrase=phrase,
                corpus=run_responses.corpus,
                decoder=run_responses.run.decoder,
                responses=run_responses.times[phrase],
                share=run_responses.times[phrase] / len(run_responses.phrases),
                counts=phrase in counting,
            )


def phrases(phrase_sets: PhraseSets, seed: int) -> list[CorpusPhrase]:
    """Return the phrases of each corpus, the most frequent first."""
    every = sorted(frozenset[str]().union(*phrase_sets.sets.values()))
    apart, estimates, intervals = differences(phrase_sets, seed), {}, {}
    for corpus in phrase_sets.sets:
        shares = phrase_sets.shares(corpus, every)
        estimates[corpus] = statistics.estimate(shares, np.ones_like(shares))
        intervals[corpus] = bounded_interval(estimates[corpus], 0.0, 1.0)
    means = {corpus: dict(zip(every, estimate.mean, strict=True)) for corpus, estimate in estimates.items()}
    rows = []
    for corpus, estimate in estimates.items():
        corpus_phrases = [
            _phrase(phrase_sets, corpus, phrase, float(estimate.mean[at]), intervals[corpus].at(at))
            for at, phrase in enumerate(every)
            if phrase in phrase_sets.sets[corpus]
        ]
        rows += sorted(corpus_phrases, key=lambda row: (row.kind, -row.share, row.phrase))
    return [_set_against(phrase_sets, row, means, apart) if row.kind == "unique" else row for row in rows]


def _phrase(
    phrase_sets: PhraseSets, corpus: str, phrase: str, share: float, interval: statistics.MeanInterval
) -> CorpusPhrase:
    return CorpusPhrase(
        corpus=corpus,
        phrase=phrase,
        kind="common" if phrase in phrase_sets.common else "unique",
        corpora=sum(phrase in others for others in phrase_sets.sets.values()),
        share=share,
        low=interval.low,
        high=interval.high,
        no_interval=interval.lacking,
    )


def _set_against(
    phrase_sets: PhraseSets,
    phrase: CorpusPhrase,
    means: Mapping[str, Mapping[str, float]],
    apart: Mapping[tuple[str, str, str], Apart],
) -> CorpusPhrase:
    """Compare a unique phrase with its frequency in the corpus that lacks it in its set but uses it most often."""
    lacking = [name for name, others in phrase_sets.sets.items() if phrase.phrase not in others]
    other = max(lacking, key=lambda name: means[name][phrase.phrase])
    row = apart[phrase.corpus, other, phrase.phrase]
    return replace(
        phrase,
        against=other,
        against_share=float(means[other][phrase.phrase]),
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
