"""How often the intervals of linked months cover what they are of, where abilities and difficulties are known.

    python benchmarks/linking.py [--draws 2000] [--into docs/compare.md]

Every number comes from simulated models and articles through `evaluators/linking.py`. With `--into` the table is
written into that page, between its marks.
"""

import argparse
import itertools
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from page_tables import table, written_into

from evaluators import linking
from evaluators.linking import Estimate, Month, Step
from evaluators.statistics import Array

ABILITY, SPREAD = 0.4, 0.1  # of the models, as S-BERT's means are
SHARED, OWN = 0.15, 0.15  # what an article adds to all runs' scores (to each by its own weight), and to each run's
HARDER = 0.05  # a month's intercept
WHAT = ("ability", "difference", "difficulty", "slope")


@dataclass(frozen=True)
class Design:
    """Months of so many articles, the first of half as many, each on the last by this slope; `own` is the standard
    deviation of what a model has of its own in a month."""

    anchors: int
    articles: int
    own: float
    slope: float = 1.0
    months: int = 2
    decoders: int = 1  # so many anchors are of one model

    @property
    def words(self) -> str:
        several = "" if self.months == 2 else f", {self.months} months"
        each = "" if self.decoders == 1 else f" of {self.anchors // self.decoders} models"
        what = f"{self.anchors} anchors{each}, {self.articles} articles"
        return f"{what}, own {self.own:g}, slope {self.slope:g}{several}"

    @property
    def models(self) -> linking.Places:
        """By run: the anchors, and two models more."""
        several = self.anchors // self.decoders
        return np.concatenate([np.repeat(np.arange(several), self.decoders), [several, several + 1]])


DESIGNS = (
    Design(3, 60, 0.0),
    Design(3, 400, 0.01),
    Design(3, 400, 0.03),
    Design(4, 400, 0.03),
    Design(5, 60, 0.01, 1.15),
    Design(5, 400, 0.03, 1.15),
    Design(6, 400, 0.0, 1.15),
    Design(6, 60, 0.03, 0.9),
    Design(10, 60, 0.01, 1.15),
    Design(10, 400, 0.03, 1.15),
    Design(20, 400, 0.01, 1.15),
    Design(9, 400, 0.01, 1.1, decoders=3),
    Design(9, 400, 0.03, 1.1, decoders=3),
    Design(12, 60, 0.02, 1.1, decoders=4),
    Design(20, 400, 0.03, 0.9, decoders=4),
    Design(3, 200, 0.01, 1.0, months=3),
    Design(6, 200, 0.01, 1.1, months=3),
    Design(10, 200, 0.02, 1.1, months=4),
)


def recovered(design: Design, draws: int, seed: int = 0) -> dict[str, float]:
    """By what is estimated the share of intervals that cover it. Of a slope, of those that were estimated.

    A model that is no anchor ran on the first month, another on the last: the ability is what the first would have on
    the last, the difference that of the two there, the difficulty what the anchors' mean gains from one month to the
    next by the months alone.
    """
    random = np.random.default_rng([seed, design.anchors, design.articles])
    covered, given = Counter[str](), Counter[str]()
    for _ in range(draws):
        for name, found, truth in _drawn(design, random):
            given[name] += 1
            covered[name] += found.low <= truth <= found.high
    return {name: covered[name] / given[name] for name in WHAT if given[name]}


def _drawn(design: Design, random: np.random.Generator) -> list[tuple[str, Estimate, float]]:
    """What is estimated, and what is true."""
    models = random.normal(ABILITY, SPREAD, design.anchors + 2)
    truths, months, step = [models], [], Step(*(np.arange(design.anchors),) * 2)
    for number in range(design.months):
        if number:
            models = random.normal(0, HARDER) + design.slope * models
            truths.append(models)
        articles = design.articles if number else design.articles // 2
        mine = models + random.normal(0, design.own, len(models))[design.models]
        months.append(_month(random, mine, design.models, articles))
    steps = [step] * (design.months - 1)
    links = [linking.link(one, other, step) for one, other in itertools.pairwise(months)]
    first, last = design.anchors, design.anchors + 1
    ability, difference = (linking.linked(months, steps, links, first, other) for other in (None, last))
    found = [("ability", ability, float(mine[first])), ("difference", difference, float(mine[last] - mine[first]))]
    gained = float((truths[1] - truths[0])[: design.anchors].mean())
    found.append(("difficulty", linking.difficulty(months[:2], step, links[0]), gained))
    if links[0].estimated:
        found.append(("slope", linking.slope_of(months[:2], step, links[0]), design.slope))
    return found


def _month(random: np.random.Generator, means: Array, models: linking.Places, articles: int) -> Month:
    weights = random.uniform(0.5, 1.5, (len(means), 1))
    shared = weights * random.normal(0, SHARED, articles)
    return Month(means[:, None] + shared + random.normal(0, OWN, (len(means), articles)), models)


def linking_table(draws: int) -> str:
    rows = []
    for design in DESIGNS:
        found = recovered(design, draws)
        rows.append([design.words, *(f"{found[name]:.3f}" if name in found else "fixed" for name in WHAT)])
    return table(["months", *WHAT], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=2_000, metavar="N", help="Of each design (%(default)s).")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="Write the table into it.")
    asked = parser.parse_args()
    made = {"recovered": linking_table(asked.draws)}
    print(made["recovered"])
    if asked.into:
        asked.into.write_text(written_into(asked.into.read_text("utf-8"), "linking", made), "utf-8")
