"""Test whether responses contain a phrase more often after one corpus than after another."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluators import statistics
from evaluators.group_differences import paired_difference
from flows.experiments.corpora.phrase_sets import PhraseSets


@dataclass(frozen=True)
class Apart:
    """The share of one corpus's responses minus that of another's, with 95 % interval, p, and Holm-corrected p.

    Values are None if there are too few prompts, or no variance for an interval.
    """

    difference: float
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None

    def turned(self) -> "Apart":
        """Return the difference with the two corpora exchanged."""
        low, high = (None if end is None else -end for end in (self.high, self.low))
        return Apart(-self.difference, low, high, self.p, self.p_holm)


def differences(phrase_sets: PhraseSets, seed: int) -> Mapping[tuple[str, str, str], Apart]:
    """Return the prompt-paired difference by corpus, other corpus and phrase.

    A phrase often counts for one corpus and not for another because of sampling, and such phrases are selected for
    their difference. Therefore p is corrected over all phrases of all pairs of corpora that might have become unique
    (`PhraseSets.might_count`). If the corpora teach the same, at most 5 % of the answers call any phrase different.
    """
    chosen = {pair: sorted(phrase_sets.might_count(*pair)) for pair in itertools.combinations(phrase_sets.sets, 2)}
    tested = [(first, second, phrase) for (first, second), phrases in chosen.items() for phrase in phrases]
    if not tested:
        return {}
    own = np.hstack([phrase_sets.shares(first, phrases) for (first, _), phrases in chosen.items()])
    others = np.hstack([phrase_sets.shares(other, phrases) for (_, other), phrases in chosen.items()])
    apart = paired_difference(own, others, seed)
    corrected = statistics.holm(apart.p)
    rows: dict[tuple[str, str, str], Apart] = {}
    for at, (first, second, phrase) in enumerate(tested):
        lacks = apart.lacking[at]
        row = Apart(
            difference=float(apart.difference[at]),
            low=None if lacks else max(float(apart.low[at]), -1.0),
            high=None if lacks else min(float(apart.high[at]), 1.0),
            p=None if lacks == statistics.TOO_FEW else statistics.number_or_none(apart.p[at]),
            p_holm=None if lacks == statistics.TOO_FEW else statistics.number_or_none(corrected[at]),
        )
        rows[first, second, phrase], rows[second, first, phrase] = row, row.turned()
    return rows
