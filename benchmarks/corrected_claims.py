"""Measure how often intervals of supported sentences contain the truth: the checker's, people's, the corrected ones.

Each simulation draws prompts of five sentences; some prompts have more true sentences than others. People label one
sentence of some prompts. The checker finds supported and refuted sentences with its recall and calls the rest neither.
It calls further sentences supported or refuted so that its precision has the given value. With the paper's recall and
precision, the shares are near those of the paper's table 2. The true values are therefore known.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from page_tables import table

from evaluators.judging.prediction_powered import corrected_ratio
from evaluators.judging.preference import Interval
from evaluators.statistics import estimate

Array = NDArray[np.float64]
SENTENCES = 5


@dataclass(frozen=True)
class Checker:
    """A design of checker and prompts.

    `shares` are the shares of sentences that people call supported and refuted. `recall` is how often the checker finds
    each, and `precision` how often its label is right. `uneven`, from 0 to 1, is how much prompts differ.
    """

    words: str
    prompts: int
    labelled: int
    shares: tuple[float, float] = (0.45, 0.25)
    recall: tuple[float, float] = (0.4566, 0.0578)  # Massarelli et al. 2020, section 6
    precision: tuple[float, float] = (0.8089, 0.5269)
    uneven: float = 0.3

    @property
    def truths(self) -> dict[str, float]:
        supported, refuted = self.shares
        return {"SPG": supported, "SPV": supported / (supported + refuted)}


CHECKERS = (
    Checker("the paper's", 200, 25),
    Checker("the paper's", 200, 100),
    Checker("the paper's, few labels", 100, 13),
    Checker("the paper's, little is true", 200, 40, shares=(0.1, 0.3)),
    Checker("a good one", 200, 40, recall=(0.9, 0.9), precision=(0.95, 0.9)),
    Checker("one that calls much supported", 200, 40, recall=(0.9, 0.1), precision=(0.6, 0.5)),
    Checker("prompts that differ much", 200, 40, uneven=0.9),
)


def covered(case: Checker, runs: int, seed: int = 0) -> dict[str, tuple[float, float, float]]:
    """Return by metric how often the interval of the checker, of people, and of the correction contains the truth."""
    random = np.random.default_rng([seed, case.labelled, case.prompts])
    held: dict[str, list[tuple[bool, bool, bool]]] = {"SPG": [], "SPV": []}
    for _ in range(runs):
        truth = _labels(case, random)
        said = _checked(case, truth, random)
        drawn = random.integers(SENTENCES, size=case.prompts), np.arange(case.prompts)
        some = slice(0, case.labelled)
        for metric, makes in (("SPG", _generated), ("SPV", _verified)):
            people, model = makes(truth), makes(said)
            one = people[drawn[1], drawn[0]][some], model[drawn[1], drawn[0]][some]
            whole = model.mean(axis=1)
            found = corrected_ratio(*one, whole[case.labelled :])
            by_people = corrected_ratio(one[0], np.zeros_like(one[0]), np.zeros((1, 2)))
            checker = estimate(whole[:, :1], whole[:, 1:])
            intervals = [Interval(float(checker.low[0]), float(checker.high[0]))]
            intervals += [part.interval for part in (by_people, found) if part]
            if len(intervals) == 3:
                at = case.truths[metric]
                first, second, third = (part.low <= at <= part.high for part in intervals)
                held[metric].append((first, second, third))
    return {metric: tuple(np.mean(shares, axis=0).tolist()) for metric, shares in held.items()}


def _labels(case: Checker, random: np.random.Generator) -> Array:
    """Draw the labels by people, prompts × sentences: 1 supported, -1 refuted, 0 neither."""
    supported, refuted = case.shares
    way = random.choice([-1, 1], size=(case.prompts, 1)) * case.uneven * min(supported, refuted)
    drawn = random.random((case.prompts, SENTENCES))
    above = (drawn < supported + refuted) & (drawn >= supported + way)
    return np.where(drawn < supported + way, 1.0, np.where(above, -1.0, 0.0))


def _checked(case: Checker, truth: Array, random: np.random.Generator) -> Array:
    """Draw the labels by the checker, in the same form."""
    said, drawn = np.zeros_like(truth), random.random(truth.shape)
    for label, share, recall, precision in zip((1.0, -1.0), case.shares, case.recall, case.precision, strict=True):
        wrong = share * recall * (1 / precision - 1) / (1 - share)  # as a share of the sentences with another label
        hit = np.where(truth == label, drawn < recall, drawn > 1 - wrong)
        said = np.where((said == 0) & hit, label, said)
    return said


def _generated(labels: Array) -> Array:
    return np.stack([labels == 1, np.ones_like(labels)], axis=-1).astype(float)


def _verified(labels: Array) -> Array:
    return np.stack([labels == 1, labels != 0], axis=-1).astype(float)


def claims_table(draws: int) -> str:
    rows = []
    for case in CHECKERS:
        found = covered(case, draws)
        shares = [f"{share:.3f}" for metric in ("SPG", "SPV") for share in found[metric]]
        rows.append([case.words, f"{case.prompts}", f"{case.labelled}", *shares])
    whose = ("checker", "people", "corrected")
    heads = [
        "a fact checker",
        "prompts",
        "labelled",
        *(f"{metric}, {who}" for metric in ("SPG", "SPV") for who in whose),
    ]
    return table(heads, rows)
