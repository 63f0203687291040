"""Measure how often the intervals of linked months cover the true values, with known abilities and difficulties.

    python benchmarks/linking.py [--draws 2000] [--into docs/linking.md]

Every number comes from simulated models and articles through `evaluators/linking.py`. With `--into` the tables are
written into that page, between their marks.
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
from evaluators.statistics import LEVEL, Array

ABILITY, SPREAD = 0.4, 0.1  # mean and spread of the models, as of S-BERT's means
# an article's effect on all runs' scores (with a weight for each run), and its effect on each run
SHARED, OWN = 0.15, 0.15
HARDER = 0.05  # standard deviation of a month's intercept
WHAT = ("ability", "difference", "difficulty", "slope")


@dataclass(frozen=True)
class Design:
    """A design of months.

    Each month has `articles` articles, the first month half as many. `slope` is that of the abilities in a month on
    those in the month before. `own` is the standard deviation of a model's own effect in a month.
    """

    anchors: int
    articles: int
    own: float
    slope: float = 1.0
    months: int = 2
    decoders: int = 1  # number of anchors that share a model
    wrong: float = 0.0  # the improvement of `changed` anchors on the last month, because their weights changed
    changed: int = 1
    spread: float = 1.0  # the variation of the last month's articles relative to the others'

    @property
    def words(self) -> str:
        several = "" if self.months == 2 else f", {self.months} months"
        each = "" if self.decoders == 1 else f" of {self.anchors // self.decoders} models"
        what = f"{self.anchors} anchor{'s' * (self.anchors > 1)}{each}, {self.articles} articles"
        changed = f", {self.changed} changed by {self.wrong:g}" if self.wrong else ""
        uneven = f", articles vary {self.spread:g} times" if self.spread != 1 else ""
        return f"{what}, own {self.own:g}, slope {self.slope:g}{several}{changed}{uneven}"

    @property
    def models(self) -> linking.Places:
        """The models by run: the anchors, and two more models."""
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


# Violations of the assumptions: too few anchors, an anchor that changed, and slopes other than the fixed 1
BROKEN = (
    Design(1, 400, 0.01),
    Design(2, 400, 0.01),
    Design(3, 400, 0.01, wrong=0.1),
    Design(6, 400, 0.01, wrong=0.1),
    Design(6, 400, 0.01, wrong=0.02),
    Design(20, 400, 0.01, wrong=0.1),
    Design(6, 400, 0.01, wrong=0.1, changed=3),
    Design(3, 400, 0.01, wrong=0.1, changed=2),
    Design(6, 400, 0.01, wrong=0.1, changed=6),
    Design(3, 400, 0.01, 1.2),
    Design(4, 400, 0.01, 0.8),
    Design(6, 400, 0.01, 1.2),
    Design(3, 400, 0.01, spread=2.0),
    Design(6, 400, 0.01, 1.1, spread=2.0),
    Design(6, 60, 0.01, 1.1, spread=0.5),
)


def broken(design: Design, draws: int, seed: int = 0) -> dict[str, float] | None:
    """Return the shares that `recovered` gives, and two more numbers; None if the months are not linked.

    `moved` is the error of the mean linked ability. `named` is the share of draws in which an anchor is said to gain
    differently from the others.
    """
    random = np.random.default_rng([seed, design.anchors, design.articles])
    covered, given, moved, named = Counter[str](), Counter[str](), list[float](), 0
    for _ in range(draws):
        try:
            found, months, step = _simulated(design, random)
        except ValueError:
            return None
        for name, estimate, truth in found:
            given[name] += 1
            covered[name] += estimate.low <= truth <= estimate.high
        moved.append(found[0][1].value - found[0][2])
        named += any(one.p is not None and one.p <= LEVEL for one in linking.influences(*months, step))
    shares = {name: covered[name] / given[name] for name in WHAT if given[name]}
    return {**shares, "moved": float(np.mean(moved)), "named": named / draws}


def recovered(design: Design, draws: int, seed: int = 0) -> dict[str, float]:
    """Return for each estimated quantity the share of intervals that cover it.

    For a slope, only draws in which it was estimated count. A model that is not an anchor ran on the first month, and
    another on the last month. The ability is the score that the first model would have on the last month. The
    difference is that of the two models on the last month. The difficulty is the anchors' mean gain from one month to
    the next that is due to the months alone.
    """
    random = np.random.default_rng([seed, design.anchors, design.articles])
    covered, given = Counter[str](), Counter[str]()
    for _ in range(draws):
        for name, found, truth in _drawn(design, random):
            given[name] += 1
            covered[name] += found.low <= truth <= found.high
    return {name: covered[name] / given[name] for name in WHAT if given[name]}


def _drawn(design: Design, random: np.random.Generator) -> list[tuple[str, Estimate, float]]:
    """Return estimates with their true values."""
    return _simulated(design, random)[0]


def _simulated(
    design: Design, random: np.random.Generator
) -> tuple[list[tuple[str, Estimate, float]], list[Month], Step]:
    """Return estimates with their true values, the first two months, and the step between them."""
    models = random.normal(ABILITY, SPREAD, design.anchors + 2)
    truths, months, step = [models], [], Step(*(np.arange(design.anchors),) * 2)
    for number in range(design.months):
        if number:
            models = random.normal(0, HARDER) + design.slope * models
            truths.append(models)
        articles = design.articles if number else design.articles // 2
        mine = models + random.normal(0, design.own, len(models))[design.models]
        is_last = number == design.months - 1
        shown = mine + design.wrong * is_last * (np.arange(len(mine)) < design.changed)
        months.append(_month(random, shown, design.models, articles, design.spread if is_last else 1.0))
    steps = [step] * (design.months - 1)
    links = [linking.link(one, other, step) for one, other in itertools.pairwise(months)]
    first, last = design.anchors, design.anchors + 1
    ability, difference = (linking.linked(months, steps, links, first, other) for other in (None, last))
    found = [("ability", ability, float(mine[first])), ("difference", difference, float(mine[last] - mine[first]))]
    gained = float((truths[1] - truths[0])[: design.anchors].mean())
    found.append(("difficulty", linking.difficulty(months[:2], step, links[0]), gained))
    if links[0].estimated:
        found.append(("slope", linking.slope_of(months[:2], step, links[0]), design.slope))
    return found, months[:2], step


def _month(
    random: np.random.Generator, means: Array, models: linking.Places, articles: int, spread: float = 1.0
) -> Month:
    weights = random.uniform(0.5, 1.5, (len(means), 1))
    shared = weights * random.normal(0, SHARED, articles)
    return Month(means[:, None] + spread * (shared + random.normal(0, OWN, (len(means), articles))), models)


def linking_table(draws: int) -> str:
    rows = []
    for design in DESIGNS:
        found = recovered(design, draws)
        rows.append([design.words, *(f"{found[name]:.3f}" if name in found else "fixed" for name in WHAT)])
    return table(["months", *WHAT], rows)


def broken_table(draws: int) -> str:
    rows = []
    for design in BROKEN:
        found = broken(design, draws)
        cells = [f"{found[name]:.3f}" if name in found else "fixed" for name in WHAT] if found else ["–"] * len(WHAT)
        more = [f"{found['moved']:+.3f}", f"{found['named']:.3f}"] if found else ["not linked", "–"]
        rows.append([design.words, *cells, *more])
    return table(["months", *WHAT, "the scale moves by", "an anchor is named"], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=2_000, metavar="N", help="Of each design (%(default)s).")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="Write the tables into it.")
    asked = parser.parse_args()
    made = {"recovered": linking_table(asked.draws), "broken": broken_table(asked.draws)}
    print("\n\n".join(made.values()))
    if asked.into:
        asked.into.write_text(written_into(asked.into.read_text("utf-8"), "linking", made), "utf-8")
