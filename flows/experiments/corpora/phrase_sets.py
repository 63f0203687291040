"""Decide which noun phrases count for a corpus, and which are common to all."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from flows.experiments.corpora.responses import Responses

Array = NDArray[np.float64]

_ROUNDING = 1e-9  # floating-point tolerance, so that 29 of 100 is not more than a share of 0.29


@dataclass(frozen=True)
class PhraseSets:
    """The responses of each corpus, and the share of a decoder's responses above which a phrase counts.

    The set of a corpus consists of the phrases that count under any decoder (step 1 of section 3). Phrases in the sets
    of all corpora are `common`; all other phrases, which are in the sets of some corpora, are unique (step 2).

    Source: Ottaviani and Stahlschmidt 2024, section 3.
    """

    responses: Sequence[Responses]
    threshold: float

    @cached_property
    def by_corpus(self) -> Mapping[str, list[Responses]]:
        names = dict.fromkeys(run_responses.corpus for run_responses in self.responses)
        return {
            name: [run_responses for run_responses in self.responses if run_responses.corpus == name] for name in names
        }

    @cached_property
    def sets(self) -> Mapping[str, frozenset[str]]:
        """The phrases of each corpus."""
        return {name: frozenset[str]().union(*map(self.counting, every)) for name, every in self.by_corpus.items()}

    @cached_property
    def common(self) -> frozenset[str]:
        return frozenset.intersection(*self.sets.values())

    @cached_property
    def pages(self) -> list[int]:
        """The page ids of the prompts, which all corpora share."""
        return sorted({page_id for run_responses in self.responses for page_id, _ in run_responses.phrases})

    def counting(self, run_responses: Responses) -> frozenset[str]:
        """Return the phrases whose share of the responses exceeds the threshold."""
        return self._above(run_responses.times, len(run_responses.phrases))

    def might_count(self, corpus: str, other: str) -> frozenset[str]:
        """Return the phrases that could count if one corpus alone had all responses of both that contain them.

        A phrase is included if this holds under any decoder. All phrases that count for either corpus are included.
        Exchanging the two corpora at any prompt does not change the selection, so a sign-flip test over the phrases is
        not biased by it.

        Source: Bourgon, Gentleman and Huber 2010, Independent filtering increases detection power for high-throughput
        experiments.
        """
        pairs = zip(self.by_corpus[corpus], self.by_corpus[other], strict=True)
        return frozenset[str]().union(*(self._above(a.times + b.times, len(a.phrases)) for a, b in pairs))

    def shares(self, corpus: str, phrases: Sequence[str]) -> Array:
        """Return the share of a prompt's responses with each phrase, averaged over decoders, as prompts × phrases."""
        columns = {phrase: at for at, phrase in enumerate(phrases)}
        rows = {page_id: at for at, page_id in enumerate(self.pages)}
        shares = np.zeros((len(rows), len(columns)))
        for run_responses in self.by_corpus[corpus]:
            samples = Counter(page_id for page_id, _ in run_responses.phrases)
            for (page_id, _), written in run_responses.phrases.items():
                for phrase in written:
                    if phrase in columns:
                        shares[rows[page_id], columns[phrase]] += 1 / samples[page_id]
        return shares / len(self.by_corpus[corpus])

    def _above(self, times: Mapping[str, int], responses: int) -> frozenset[str]:
        least = self.threshold * responses + _ROUNDING
        return frozenset(phrase for phrase, count in times.items() if count > least)
