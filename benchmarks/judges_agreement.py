"""Measure how often the interval of Krippendorff's alpha contains the truth, by the number of pairs.

Each simulation draws pairs with a true answer. Every judge gives the true answer with a known probability, and
otherwise an answer drawn with the true frequencies. Alpha over all pairs is then that probability squared.
"""

from dataclasses import dataclass

import numpy as np
from page_tables import table

from evaluators.judging.krippendorff import FEWEST_UNITS, alpha

PAIRS = (FEWEST_UNITS, 5, 10, 20, 50, 200)


@dataclass(frozen=True)
class Judges:
    """A design of judges.

    Each of the `judges` knows the true answer with probability `known`. `shares` are the frequencies of the true
    answers: first, same, second.
    """

    words: str
    judges: int
    known: float
    shares: tuple[float, float, float] = (0.45, 0.1, 0.45)

    @property
    def alpha(self) -> float:
        return self.known**2


JUDGES = (
    Judges("two, alpha 0.09", 2, 0.3),
    Judges("two, alpha 0.49", 2, 0.7),
    Judges("two, alpha 0.90", 2, 0.95),
    Judges("two, alpha 0.81, four of five pairs for one run", 2, 0.9, (0.8, 0.1, 0.1)),
    Judges("two, alpha 0.94, nine of ten pairs for one run", 2, 0.97, (0.9, 0.05, 0.05)),
    Judges("three, alpha 0.64", 3, 0.8),
    Judges("five, alpha 0.49", 5, 0.7),
)


def covered(case: Judges, pairs: int, runs: int, seed: int = 0) -> tuple[float, float]:
    """Return the share of the intervals that contain the truth, and their mean width, over draws with an alpha."""
    random = np.random.default_rng([seed, pairs])
    held, widths = [], []
    for _ in range(runs):
        truth = random.choice(3, p=case.shares, size=(pairs, 1))
        guessed = random.choice(3, p=case.shares, size=(pairs, case.judges))
        known = random.random((pairs, case.judges)) < case.known
        found = alpha(np.where(known, truth, guessed).tolist()).interval
        if found:
            held.append(found.low <= case.alpha <= found.high)
            widths.append(found.high - found.low)
    return float(np.mean(held)), float(np.mean(widths))


def agreement_table(draws: int) -> str:
    rows = []
    for case in JUDGES:
        found = [covered(case, pairs, draws) for pairs in PAIRS]
        rows.append([case.words, *(f"{share:.3f} ({width:.2f})" for share, width in found)])
    return table(["judges", *(f"{pairs} pairs" for pairs in PAIRS)], rows)
