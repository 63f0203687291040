"""Measure how often intervals cover the mean, and how often `compare` reports false and true differences.

    python benchmarks/interval_coverage.py [--draws 20000] [--into docs/compare.md]

Every number comes from simulated prompts and texts of a known mean, through the product's own functions. With `--into`
the tables are written into that page, between its marks.
"""

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from page_tables import table, written_into

from evaluators import power, statistics
from evaluators.statistics import TOO_FEW, Array

PROMPTS = (5, 10, statistics.FEWEST, 20, 100)
WHERE_TESTED = (10, 20, 100)
TESTS = (1, 6, 20)
WANTED, TWO_POINTS = 1 - statistics.LEVEL, 0.02  # a larger deviation is stated next to the number
ALIKE = 0.46  # correlation of texts of one prompt, as for S-BERT
_AT_ONCE = 1000  # number of draws that are simulated in one batch
_COLUMNS = 50  # columns that one call tests with the same sign flips as a single column
_TEST_DRAWS = 10  # divides the number of draws, because each is tested by as many sign flips as a comparison
_POWER_DRAWS = 50  # divides the number of draws if a draw samples prompts or tests several columns

Counts = NDArray[np.int64]
Draw = Callable[[np.random.Generator, int, int], tuple[Array, Array]]


@dataclass(frozen=True)
class Design:
    """Texts of a known mean.

    `draw` gives totals and counts by prompt, with a column for each draw. `wide` marks designs whose intervals cover
    more often than their nominal level.
    """

    words: str
    mean: float
    draw: Draw
    wide: bool = False


@dataclass(frozen=True)
class Covered:
    """The share of the existing intervals that cover the mean, and the share of draws without an interval."""

    covered: float
    lacking: float


def texts(values: Callable[[Array], Array], counts: Callable[[np.random.Generator, int, int], Counts]) -> Draw:
    """Return a function that draws texts; each text's value is a function of a normal number.

    The numbers of a prompt's texts are correlated.
    """

    def draw(random: np.random.Generator, prompts: int, draws: int) -> tuple[Array, Array]:
        numbers = counts(random, prompts, draws)
        shared = math.sqrt(ALIKE) * random.normal(size=(prompts, draws))
        totals = np.zeros((prompts, draws))
        for n in range(int(numbers.max())):
            rows = numbers.max(axis=1) > n
            own = math.sqrt(1 - ALIKE) * random.normal(size=(int(rows.sum()), draws))
            totals[rows] += np.where(numbers[rows] > n, values(shared[rows] + own), 0.0)
        return totals, numbers.astype(float)

    return draw


def prompts_alone(values: Callable[[np.random.Generator, tuple[int, int]], Array], each: int = 1) -> Draw:
    """Return a function that draws prompts whose texts are all alike."""

    def draw(random: np.random.Generator, prompts: int, draws: int) -> tuple[Array, Array]:
        return each * values(random, (prompts, draws)), np.full((prompts, draws), float(each))

    return draw


def ten(random: np.random.Generator, prompts: int, draws: int) -> Counts:
    return np.full((prompts, draws), 10)


def one_to_twenty(random: np.random.Generator, prompts: int, draws: int) -> Counts:
    return random.integers(1, 21, (prompts, draws))


def fifty_in_each_tenth(random: np.random.Generator, prompts: int, draws: int) -> Counts:
    return np.repeat(np.where(np.arange(prompts) % 10 == 0, 50, 1)[:, None], draws, axis=1)


def loops(random: np.random.Generator, prompts: int, draws: int) -> tuple[Array, Array]:
    """Draw rep_4 of ten texts per prompt.

    5 % are loops (0.6 to 1), which some prompts cause more often; the others have a mean of 0.024.
    """
    looping = random.binomial(10, random.beta(0.12, 19 * 0.12, (prompts, draws)))
    totals = np.zeros((prompts, draws))
    for n in range(10):
        shape = (prompts, draws)
        totals += np.where(n < looping, random.uniform(0.6, 1, shape), random.beta(1, 40, shape))
    return totals, np.full((prompts, draws), 10.0)


def near_the_end(random: np.random.Generator, prompts: int, draws: int) -> tuple[Array, Array]:
    """Draw the share of 20 names found in one text per prompt; its mean is 0.1 and its minimum 0."""
    return random.binomial(20, random.beta(0.5, 4.5, (prompts, draws))) / 20, np.ones((prompts, draws))


LOGNORMAL = math.exp(0.5)
LOOPS = 0.05 * 0.8 + 0.95 / 41
DESIGNS = (
    Design("normal, 10 texts a prompt", 0.0, texts(lambda z: z, ten)),
    Design("normal, 1 to 20 texts", 0.0, texts(lambda z: z, one_to_twenty)),
    Design("normal, 1 text, but 50 in each tenth prompt", 0.0, texts(lambda z: z, fifty_in_each_tenth), wide=True),
    Design("lognormal by prompt, 10 texts", LOGNORMAL, prompts_alone(lambda r, size: r.lognormal(size=size), 10)),
    Design("lognormal, 10 texts", LOGNORMAL, texts(np.exp, ten)),
    Design("lognormal, 1 to 20 texts", LOGNORMAL, texts(np.exp, one_to_twenty)),
    Design("lognormal, 1 text, but 50 in each tenth prompt", LOGNORMAL, texts(np.exp, fifty_in_each_tenth), wide=True),
    Design("rep_4 with 5 % of loops, 10 texts", LOOPS, loops),
    Design("a share near its end, mean 0.1", 0.1, near_the_end, wide=True),
    Design("small counts, mean 0.5", 0.5, prompts_alone(lambda r, size: r.poisson(0.5, size) + 0.0), wide=True),
    Design("0 or 1, mean 0.1", 0.1, prompts_alone(lambda r, size: (r.random(size) < 0.1) + 0.0), wide=True),
)
DIFFERENCES = (
    Design("normal", 0.0, prompts_alone(lambda r, size: r.normal(size=size))),
    Design("heavy tails, t of 3 degrees", 0.0, prompts_alone(lambda r, size: r.standard_t(3, size))),
    Design("exponential", 1.0, prompts_alone(lambda r, size: r.exponential(size=size))),
    Design("lognormal", LOGNORMAL, prompts_alone(lambda r, size: r.lognormal(size=size))),
    Design("loops in 5 % of one run's texts", LOOPS - 1 / 41, lambda *asked: _less_quiet_run(*asked)),
)


def _less_quiet_run(random: np.random.Generator, prompts: int, draws: int) -> tuple[Array, Array]:
    totals, counts = loops(random, prompts, draws)
    return totals / counts - random.beta(10, 400, (prompts, draws)), np.ones((prompts, draws))


def coverage(design: Design, prompts: int, draws: int, seed: int = 0) -> Covered:
    """Return the coverage of `evaluators.statistics.estimate`, which SQL's `scoring_summaries` repeats."""
    shown, covered = 0, 0
    for totals, counts in _draws(design, prompts, draws, seed):
        found = statistics.estimate(totals, counts)
        has = np.array([why is None for why in found.lacking])
        shown += int(has.sum())
        covered += int((has & (found.low <= design.mean) & (design.mean <= found.high)).sum())
    return Covered(covered / shown if shown else math.nan, 1 - shown / draws)


def errors(design: Design, prompts: int, draws: int, seed: int = 0) -> dict[str, float]:
    """Return how often two runs of one mean get p <= 0.05 by sign flips and by `p_values`, and are called different."""
    flipped, ours, called = 0, 0, 0
    for totals, counts in _draws(design, prompts, draws, seed):
        for start in range(0, totals.shape[1], _COLUMNS):
            part = slice(start, start + _COLUMNS)
            differences = (totals / counts)[:, part] - design.mean
            enough = np.array([why != TOO_FEW for why in statistics.differences_estimate(differences).lacking])
            p = statistics.p_values(differences, seed)
            flipped += int((statistics.sign_flip(differences, seed) <= statistics.LEVEL).sum())
            ours += int((p <= statistics.LEVEL).sum())
            called += int((enough & (p <= statistics.LEVEL)).sum())
    return {"sign flips": flipped / draws, "p": ours / draws, "different": called / draws}


def drawn_coverage(design: Design, prompts: int, draws: int, seed: int = 0) -> Covered:
    """Return the coverage of the bootstrap interval that `newwiki compare --format json` shows next to its own."""
    shown, covered = 0, 0
    for totals, counts in _draws(design, prompts, draws, seed):
        for start in range(0, totals.shape[1], _COLUMNS):
            differences = (totals / counts)[:, start : start + _COLUMNS]
            has = np.array([why is None for why in statistics.differences_estimate(differences).lacking])
            low, high = statistics.differences_bootstrap(differences, seed)
            shown += int(has.sum())
            covered += int((has & (low <= design.mean) & (design.mean <= high)).sum())
    return Covered(covered / shown if shown else math.nan, 1 - shown / draws)


def real_power(prompts: int, tests: int, draws: int, seed: int = 0) -> tuple[float, float]:
    """Return the power for the smallest visible difference, and how often the range of prompts is right.

    The range is right if it contains the needed number of prompts. The difference is in one of `tests` metrics.
    Differences are normal, and no other metric differs.
    """
    random = np.random.default_rng(seed)
    effect = power.visible_effect(prompts, tests)
    needed = power.prompts_needed(effect, tests)
    seen, held = 0, 0
    for _ in range(draws):
        differences = random.normal(size=(prompts, tests))
        differences[:, 0] += effect
        seen += bool(statistics.different(differences, seed)[0])
        least, most = power.prompts_range(float(statistics.effect_size(differences)[0]), prompts, tests)
        held += least <= needed <= most
    return seen / draws, held / draws


def _draws(design: Design, prompts: int, draws: int, seed: int) -> Iterator[tuple[Array, Array]]:
    random = np.random.default_rng([seed, prompts])
    for start in range(0, draws, _AT_ONCE):
        yield design.draw(random, prompts, min(_AT_ONCE, draws - start))


def _cell(found: Covered) -> str:
    if found.lacking == 1:
        return "none"
    share = math.ceil(1000 * found.lacking) / 10
    off = "" if abs(found.covered - WANTED) <= TWO_POINTS else " wide" if found.covered > WANTED else " narrow"
    return f"{found.covered:.3f}{off}" + (f" ({share:g} % none)" if share else "")


def intervals_table(draws: int) -> str:
    heads = ["texts", *(f"{prompts} prompts" for prompts in PROMPTS)]
    rows = [[one.words, *(_cell(coverage(one, prompts, draws)) for prompts in PROMPTS)] for one in DESIGNS]
    return table(heads, rows)


def errors_table(draws: int) -> str:
    prompts = WHERE_TESTED
    heads = ["differences of mean 0", *(f"{words}, {n}" for n in prompts for words in ("flips", "p", "different"))]
    rows = [
        [one.words, *(f"{rate:.3f}" for n in prompts for rate in errors(one, n, draws).values())] for one in DIFFERENCES
    ]
    return table(heads, rows)


def bootstrap_table(draws: int) -> str:
    heads = ["differences", *(f"{prompts} prompts" for prompts in WHERE_TESTED[1:])]
    rows = [
        [one.words, *(_cell(drawn_coverage(one, prompts, draws)) for prompts in WHERE_TESTED[1:])]
        for one in DIFFERENCES
    ]
    return table(heads, rows)


def power_table(draws: int) -> str:
    heads = ["prompts", *(f"{what}, {tests} metrics" for tests in TESTS for what in ("seen", "range holds"))]
    rows = [
        [str(prompts), *(f"{rate:.2f}" for tests in TESTS for rate in real_power(prompts, tests, draws))]
        for prompts in WHERE_TESTED[1:]
    ]
    return table(heads, rows)


TABLES: dict[str, Callable[[int], str]] = {
    "intervals": intervals_table,
    "errors": lambda draws: errors_table(draws // _TEST_DRAWS),
    "bootstrap": lambda draws: bootstrap_table(draws // _POWER_DRAWS),
    "power": lambda draws: power_table(draws // _POWER_DRAWS),
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--draws",
        type=int,
        default=20_000,
        metavar="N",
        help="Of each cell of the first table, fewer of the others (%(default)s).",
    )
    parser.add_argument("--into", type=Path, metavar="PAGE", help="Write the tables into it.")
    asked = parser.parse_args()
    made = {name: make(asked.draws) for name, make in TABLES.items()}
    for name, lines in made.items():
        print(f"\n{name}\n\n{lines}")
    if asked.into:
        asked.into.write_text(written_into(asked.into.read_text("utf-8"), "coverage", made), "utf-8")
