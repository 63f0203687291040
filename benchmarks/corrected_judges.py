"""Measure how often the intervals of win rates, of agreement and of corrected fact checkers contain the truth.

    python benchmarks/corrected_judges.py [--draws 2000] [--into docs/judge.md]

Win rates have three intervals: the model's own, people's alone, and the corrected model's. Agreement is Krippendorff's
alpha (`judges_agreement.py`). Supported sentences are those of a fact checker (`corrected_claims.py`). Each simulation
of win rates draws pairs on which people prefer the first run's text with a known probability. The model agrees with
people with some probability, and otherwise answers at random. It also prefers the first run's texts on a share of all
pairs; swapping positions does not remove this bias. The true win rate is therefore known, and the table shows the
model's own win rate next to it.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from corrected_claims import claims_table
from judges_agreement import agreement_table
from numpy.typing import NDArray
from page_tables import table, written_into

from evaluators.judging.prediction_powered import corrected
from evaluators.judging.preference import Interval, preference

Array = NDArray[np.float64]

_HEADS = (
    "a judge", "pairs by people", "by the model alone", "model", "people", "corrected", "width, people",
    "width, corrected",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A design of judging.

    - The shares of pairs that people give to the first run and call ties.
    - How often the model agrees with people.
    - The share of pairs on which the model favors the first run.
    - The numbers of pairs that people judge, and that the model alone judges.
    """

    words: str
    win: float
    tie: float
    like_people: float
    leaning: float
    people: int
    alone: int

    @property
    def truth(self) -> float:
        return self.win + self.tie / 2


CASES = (
    Case("a fair judge that leans a little", 0.5, 0.1, 0.95, 0.1, 100, 1000),
    Case("one that leans much", 0.5, 0.1, 0.8, 0.3, 100, 1000),
    Case("one that leans much, few pairs by people", 0.5, 0.1, 0.8, 0.3, 13, 300),
    Case("one that leans to who loses", 0.3, 0.1, 0.8, 0.3, 60, 600),
    Case("one that leans to who wins", 0.7, 0.05, 0.8, 0.3, 60, 600),
    Case("one that knows nothing", 0.7, 0.05, 0.0, 0.3, 60, 600),
    Case("more pairs by people than by the model", 0.45, 0.1, 0.8, 0.3, 200, 50),
)  # fmt: skip


@dataclass(frozen=True)
class Coverage:
    """How often each interval contains the truth, as shares of simulations, and the mean widths of the last two."""

    model: float
    people: float
    corrected: float
    people_width: float
    corrected_width: float


def simulate(case: Case, runs: int, seed: int = 0) -> Coverage:
    random = np.random.default_rng(seed)
    held = np.zeros((runs, 3), bool)
    widths = np.zeros((runs, 2))
    for run in range(runs):
        people, model = _drawn(case, random)
        some = slice(0, case.people)
        found = corrected(people[some], model[some], model[case.people :])
        assert found
        intervals = (preference(model).interval, preference(people[some]).interval, found.interval)
        held[run] = [_holds(one, case.truth) for one in intervals]
        widths[run] = [one.high - one.low for one in intervals[1:]]
    return Coverage(*map(float, [*held.mean(axis=0), *widths.mean(axis=0)]))


def _drawn(case: Case, random: np.random.Generator) -> tuple[Array, Array]:
    pairs = case.people + case.alone
    people = random.choice([1, 0.5, 0], p=[case.win, case.tie, 1 - case.win - case.tie], size=pairs)
    model = np.where(random.random(pairs) < case.like_people, people, random.choice([1, 0.5, 0], size=pairs))
    return people, np.where(random.random(pairs) < case.leaning, 1.0, model)


def _holds(interval: Interval, truth: float) -> bool:
    return interval.low <= truth <= interval.high


def coverage_table(draws: int) -> str:
    rows = []
    for case in CASES:
        found = simulate(case, draws)
        shares = [f"{one:.3f}" for one in (found.model, found.people, found.corrected)]
        widths = [f"{one:.3f}" for one in (found.people_width, found.corrected_width)]
        rows.append([case.words, f"{case.people}", f"{case.alone:,}", *shares, *widths])
    return table(list(_HEADS), rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=2_000, metavar="N", help="Of each case (%(default)s).")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="Write the tables into it.")
    asked = parser.parse_args()
    made = {"corrected": coverage_table(asked.draws), "agreement": agreement_table(asked.draws)}
    made["claims"] = claims_table(asked.draws)
    for lines in made.values():
        print(f"{lines}\n")
    if asked.into:
        asked.into.write_text(written_into(asked.into.read_text("utf-8"), "judges", made), "utf-8")
