"""From the noun phrases of responses to sets of them: those of a corpus, common to all corpora, or unique to some."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evaluators import statistics
from evaluators.group_differences import paired_difference
from flows.experiments.corpora.responses import Response

Array = NDArray[np.float64]
Kind = Literal["common", "unique"]

_ROUNDING = 1e-9  # 29 of 100 are not more than 0.29 of them

BEYOND, ALIKE, TOO_FEW = "beyond chance", "may be chance", statistics.TOO_FEW


@dataclass(frozen=True)
class CorpusFacts:
    """A corpus, its checkpoint, and how many noun phrases its set has."""

    corpus: str
    origin: str
    texts: int
    repeated: int
    in_every: int
    texts_sha256: str
    training_sha256: str
    checkpoint: str
    phrases: int
    unique_phrases: int


@dataclass(frozen=True)
class CorpusResponses:
    """A corpus' checkpoint under a decoder: how many responses, how many without a noun phrase, and how many phrases
    count."""

    corpus: str
    decoder: str
    run_id: str
    responses: int
    without_phrase: int
    phrases: int


@dataclass(frozen=True)
class PhraseFrequency:
    """In how many responses of a corpus under a decoder a phrase is, and whether it counts there."""

    phrase: str
    corpus: str
    decoder: str
    responses: int
    share: float
    counts: bool


@dataclass(frozen=True)
class CorpusPhrase:
    """A phrase of a corpus' set. `corpora` is how many have it in theirs; `share` that of the corpus' responses, each
    decoder counted alike. A unique one is set `against` the corpus without it that has it most often."""

    corpus: str
    phrase: str
    kind: Kind
    corpora: int
    share: float
    low: float | None
    high: float | None
    no_interval: str | None
    against: str | None = None
    against_share: float | None = None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    verdict: str | None = None


@dataclass(frozen=True)
class PhraseSets:
    """What is compared: the responses of each corpus, and the share of a decoder's responses above which a phrase
    counts.

    The set of a corpus are the phrases that count under any decoder (step 1 of section 3), `common` those in the sets
    of all corpora, and unique are all others, which are in the sets of some (step 2).
    Source: Ottaviani and Stahlschmidt 2024, section 3.
    """

    responses: Sequence[Response]
    threshold: float

    @cached_property
    def by_corpus(self) -> Mapping[str, list[Response]]:
        names = dict.fromkeys(one.corpus for one in self.responses)
        return {name: [one for one in self.responses if one.corpus == name] for name in names}

    @cached_property
    def sets(self) -> Mapping[str, frozenset[str]]:
        """By corpus its phrases."""
        return {name: frozenset[str]().union(*map(self.counting, of_one)) for name, of_one in self.by_corpus.items()}

    @cached_property
    def common(self) -> frozenset[str]:
        return frozenset.intersection(*self.sets.values())

    @cached_property
    def pages(self) -> list[int]:
        """The prompts, which all corpora have in common."""
        return sorted({page_id for one in self.responses for page_id, _ in one.phrases})

    def counting(self, one: Response) -> frozenset[str]:
        """The phrases that are in more of its responses than the threshold."""
        times = Counter(phrase for phrases in one.phrases.values() for phrase in phrases)
        least = self.threshold * len(one.phrases) + _ROUNDING
        return frozenset(phrase for phrase, count in times.items() if count > least)

    def shares(self, corpus: str, phrases: Sequence[str]) -> Array:
        """Prompts × phrases: the share of the responses to a prompt that have a phrase, each decoder counted alike."""
        columns = {phrase: at for at, phrase in enumerate(phrases)}
        rows = {page_id: at for at, page_id in enumerate(self.pages)}
        found = np.zeros((len(rows), len(columns)))
        for one in self.by_corpus[corpus]:
            samples = Counter(page_id for page_id, _ in one.phrases)
            for (page_id, _), of_one in one.phrases.items():
                for phrase in of_one:
                    if phrase in columns:
                        found[rows[page_id], columns[phrase]] += 1 / samples[page_id]
        return found / len(self.by_corpus[corpus])


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
    """Of every phrase that is in the set of any corpus, in every corpus and under every decoder."""
    phrases = sorted(frozenset[str]().union(*found.sets.values()))
    for one in found.responses:
        times = Counter(phrase for of_one in one.phrases.values() for phrase in of_one)
        counting = found.counting(one)
        for phrase in phrases:
            yield PhraseFrequency(
                phrase=phrase,
                corpus=one.corpus,
                decoder=one.run.decoder,
                responses=times[phrase],
                share=times[phrase] / len(one.phrases),
                counts=phrase in counting,
            )


def phrases(found: PhraseSets, seed: int) -> list[CorpusPhrase]:
    """Those of each corpus, the most frequent first; p is corrected for all unique phrases of all corpora (Holm)."""
    every = sorted(frozenset[str]().union(*found.sets.values()))
    shares = {corpus: found.shares(corpus, every) for corpus in found.sets}
    rows = [row for corpus in found.sets for row in _of_corpus(found, corpus, every, shares, seed)]
    corrected = statistics.holm([math.nan if one.p is None else one.p for one in rows])
    return [
        replace(one, p_holm=_number(p), verdict=_verdict(one, p)) if one.kind == "unique" else one
        for one, p in zip(rows, corrected, strict=True)
    ]


def _of_corpus(
    found: PhraseSets, corpus: str, every: Sequence[str], shares: Mapping[str, Array], seed: int
) -> list[CorpusPhrase]:
    own = shares[corpus]
    estimate = statistics.estimate(own, np.ones_like(own))
    rows = []
    for at, phrase in enumerate(every):
        if phrase in found.sets[corpus]:
            lacking = estimate.lacking[at]
            rows.append(
                CorpusPhrase(
                    corpus=corpus,
                    phrase=phrase,
                    kind="common" if phrase in found.common else "unique",
                    corpora=sum(phrase in one for one in found.sets.values()),
                    share=float(estimate.mean[at]),
                    low=None if lacking else max(float(estimate.low[at]), 0.0),
                    high=None if lacking else min(float(estimate.high[at]), 1.0),
                    no_interval=lacking,
                )
            )
    unique = [one.phrase for one in rows if one.kind == "unique"]
    apart = _set_against(found, corpus, unique, every, shares, seed)
    rows = [replace(one, **apart.get(one.phrase, {})) for one in rows]
    return sorted(rows, key=lambda one: (one.kind, -one.share, one.phrase))


def _set_against(
    found: PhraseSets, corpus: str, unique: Sequence[str], every: Sequence[str], shares: Mapping[str, Array], seed: int
) -> dict[str, dict[str, Any]]:
    """By unique phrase the corpus that lacks it and yet has it most often, and the difference, prompt by prompt."""
    places = {phrase: at for at, phrase in enumerate(every)}
    against: dict[str, list[str]] = {}
    for phrase in unique:
        lacking = [name for name, of_one in found.sets.items() if phrase not in of_one]
        nearest = max(lacking, key=lambda name: shares[name][:, places[phrase]].mean())
        against.setdefault(nearest, []).append(phrase)
    rows: dict[str, dict[str, Any]] = {}
    for other, of_other in against.items():
        columns = [places[phrase] for phrase in of_other]
        apart = paired_difference(shares[corpus][:, columns], shares[other][:, columns], seed)
        for at, phrase in enumerate(of_other):
            lacks = apart.lacking[at]
            rows[phrase] = {
                "against": other,
                "against_share": float(shares[other][:, places[phrase]].mean()),
                "difference": float(apart.difference[at]),
                "difference_low": None if lacks else _number(apart.low[at]),
                "difference_high": None if lacks else _number(apart.high[at]),
                "p": None if lacks == TOO_FEW else _number(apart.p[at]),
            }
    return rows


def _verdict(one: CorpusPhrase, p_holm: float) -> str:
    if one.p is None:
        return TOO_FEW
    return BEYOND if p_holm <= statistics.LEVEL and (one.difference or 0.0) > 0 else ALIKE


def _number(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None
