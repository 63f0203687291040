"""Measure how often equal and unequal groups are said to differ, and how often intervals contain the true difference.

    python benchmarks/group_disparities.py [--draws 2000] [--into docs/fairness.md]

Every number comes from simulated prompts and texts of known shares, through the product's own functions. A prompt has
its own probability of a negative text, which its texts share. With `--into` the table is written into that page,
between its marks.
"""

import argparse
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

from evaluators import group_differences, statistics
from evaluators.statistics import Array

_AT_ONCE = 100  # draws per batch, in the place of settings


@dataclass(frozen=True)
class Groups:
    """Groups with these numbers of prompts, and this number of texts per prompt.

    `shares` are the shares of negatives. `spread` is the variation between prompts: 0 is no variation, and with 1 all
    texts of a prompt are alike.
    """

    words: str
    prompts: tuple[int, ...]
    shares: tuple[float, ...]
    texts: int = 100
    spread: float = 0.1
    paired: bool = True

    def draw(self, random: np.random.Generator, draws: int) -> list[Array]:
        """Draw the share of each prompt by group, prompts × draws."""
        return [
            self._group(random, prompts, share, draws) for prompts, share in zip(self.prompts, self.shares, strict=True)
        ]

    def _group(self, random: np.random.Generator, prompts: int, share: float, draws: int) -> Array:
        chances = np.full((prompts, draws), share)
        if self.spread and 0 < share < 1:
            both = 1 / self.spread - 1
            chances = random.beta(share * both, (1 - share) * both, size=(prompts, draws))
        return np.asarray(random.binomial(self.texts, chances) / self.texts)

    @property
    def disparity(self) -> float:
        return float(np.mean([abs(one - other) for at, one in enumerate(self.shares) for other in self.shares[:at]]))


CASES = (
    Groups("two groups alike, 20 prompts", (20, 20), (0.3, 0.3)),
    Groups("three groups alike, 20 prompts", (20, 20, 20), (0.3, 0.3, 0.3)),
    Groups("two alike, a text a prompt", (20, 20), (0.3, 0.3), texts=1),
    Groups("two alike, few negatives", (20, 20), (0.03, 0.03)),
    Groups("two alike, prompts do not differ", (20, 20), (0.3, 0.3), spread=0.0),
    Groups("two alike, own prompts, 60 and 90", (60, 90), (0.3, 0.3), paired=False),
    Groups("two alike, own prompts, 15 and 90", (15, 90), (0.3, 0.3), paired=False),
    Groups("5 points apart, 20 prompts", (20, 20), (0.3, 0.35)),
    Groups("20 points apart, 20 prompts", (20, 20), (0.3, 0.5)),
    Groups("three, one 20 points apart", (20, 20, 20), (0.3, 0.3, 0.5)),
    Groups("none and 5 %, own prompts, 20", (20, 20), (0.0, 0.05), paired=False),
    Groups("1 and 30 %, own prompts, 20, a text a prompt", (20, 20), (0.01, 0.3), texts=1, paired=False),
    Groups("5 points apart, own prompts, 1,000 each", (1000, 1000), (0.3, 0.35), paired=False),
)


@dataclass(frozen=True)
class Told:
    """Shares of draws.

    `pair` and `all` are the shares in which the first two groups, and all groups, are said to differ at p of 0.05. The
    others are the shares in which the intervals contain the true difference and disparity.
    """

    pair: float
    all: float
    difference_held: float
    disparity_held: float


def told(groups: Groups, draws: int, seed: int) -> Told:
    found = np.array([*_each(groups, draws, seed)])
    return Told(*map(float, np.nanmean(found, axis=0)))


def _each(groups: Groups, draws: int, seed: int) -> Iterator[tuple[float, float, float, float]]:
    random = np.random.default_rng(seed)
    of_two = group_differences.paired_difference if groups.paired else group_differences.unpaired_difference
    of_all = group_differences.paired_disparity if groups.paired else group_differences.unpaired_disparity
    difference = groups.shares[0] - groups.shares[-1]
    for done in range(0, draws, _AT_ONCE):
        drawn = groups.draw(random, min(_AT_ONCE, draws - done))
        pair, every = of_two(drawn[0], drawn[-1], done), of_all(drawn, done)
        yield from zip(
            (pair.p <= statistics.LEVEL).astype(float),
            (every.p <= statistics.LEVEL).astype(float),
            _held(pair.low, pair.high, difference),
            _held(every.low, every.high, groups.disparity),
            strict=True,
        )


def _held(low: Array, high: Array, right: float) -> Array:
    """Return whether each interval contains the true value; NaN without an interval."""
    return np.where(np.isfinite(low), (low <= right + 1e-12) & (right <= high + 1e-12), np.nan)


def groups_table(draws: int) -> str:
    from page_tables import table  # type: ignore[import-not-found] # in the folder of this script

    heads = ["groups", "the two differ", "any differ", "interval of the difference", "interval of the disparity"]
    found = {groups.words: told(groups, draws, seed=0) for groups in CASES}
    made: str = table(heads, [[words, *(f"{share:.3f}" for share in astuple(one))] for words, one in found.items()])
    return made


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=2_000, metavar="N", help="Of each row (%(default)s).")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="Write the table into it.")
    asked = parser.parse_args()
    made = {"groups": groups_table(asked.draws)}
    print(made["groups"])
    if asked.into:
        from page_tables import written_into

        asked.into.write_text(written_into(asked.into.read_text("utf-8"), "fairness", made), "utf-8")
