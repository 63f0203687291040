"""Measure how often each kind of verdict reports an effect that does not exist, at the unit that it generalizes over.

    python benchmarks/verdict_units.py [--draws 1000] [--into docs/decoder-grid.md]

Every draw samples new units: prompts, pairs of articles, months, models or seeds, whichever the kind generalizes over
(`flows/verdict_kinds.py`). Each unit has its own effect. Numbers go through the product's own functions up to the
verdict, and a draw counts if any verdict of its headline is wrong. The last column is the power: the same rate with a
real effect. With `--into` the table is written into that page, between its marks.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from page_tables import table, written_into
from verdict_units_drawn import (
    Array,
    contrast,
    corpora,
    cutoff,
    exposure,
    gaps,
    links,
    means_moved,
    memberships,
    metric_pairs,
    told_apart,
    verifiability,
)

from evaluators import statistics
from evaluators.group_differences import welch_p
from flows.comparing import bounds, ranked
from flows.comparing.differences import Test, _differences
from flows.comparing.overall_verdict import metric_outcomes, overall
from flows.evaluating import until_sure
from flows.experiments.fairness import findings as fairness
from flows.experiments.fairness.numbers import Numbers
from flows.experiments.fairness.result_tables import FairnessSetting
from flows.judging import findings as judging
from flows.reproducing import matching
from newwiki.levels import CLAIMED
from newwiki.prompting.prompt_set import GroupPrompt

PROMPTS = 24
Random = np.random.Generator


@dataclass(frozen=True)
class Simulation:
    """A simulation of one kind of verdict.

    `says` draws units and returns whether the product reports an effect. Its second argument is the true effect, which
    is 0 for none. `words` describe the draws. `effect` is found in a share of `power` or more.
    """

    kind: str
    words: str
    says: Callable[[Random, float], bool]
    effect: float
    effect_words: str
    power: float = 0.8


def called(simulation: Simulation, effect: float, draws: int, seed: int = 0) -> float:
    """Return the share of draws in which the product reports an effect."""
    random = np.random.default_rng(seed)
    return sum(simulation.says(random, effect) for _ in range(draws)) / draws


def _runs(random: Random, runs: int, metrics: int, prompts: int = PROMPTS) -> Array:
    """Draw runs × metrics × prompts: a prompt's effect for all runs, and its effect for each run."""
    shared = random.normal(size=(1, metrics, prompts))
    return np.asarray(shared + random.normal(size=(runs, metrics, prompts)))


def _compared(values: Array, level: float) -> list[Any]:
    nothing = SimpleNamespace(rows=lambda *_: [])
    run = SimpleNamespace(run_id="run")
    tests = [Test(f"m{place}", "e") for place in range(values.shape[1])]
    apart = (values[1] - values[0]).T
    levels = cast(Any, {("run", "e"): SimpleNamespace(level=CLAIMED)})
    return _differences(cast(Any, nothing), cast(Any, run), cast(Any, run), tests, values, apart, levels, 0, level)


def compare(random: Random, effect: float) -> bool:
    values = _runs(random, 2, 4)
    values[1] += effect
    return any(row.verdict == "different" for row in _compared(values, statistics.LEVEL))


def gate(random: Random, effect: float) -> bool:
    """Simulate four metrics whose differences lie exactly at their bounds, or below them by the effect."""
    values = _runs(random, 2, 4)
    values[1] -= effect
    level = statistics.LEVEL / 4
    rows = {row.metric: row for row in _compared(values, level)}
    found = bounds.results([bounds.Bound(name, "<", 0.0) for name in rows], rows)
    return any(one.outcome == "failed" for one in found)


def verdict(random: Random, effect: float) -> bool:
    values = _runs(random, 2, 4)
    values[1] += effect
    rows = _compared(values, statistics.LEVEL)
    run = cast(Any, SimpleNamespace(run_id="run"))
    found = overall(run, run, metric_outcomes(rows, {row.metric: "higher" for row in rows}))
    return bool(found.better_by or found.worse_by)


def verdict_until_sure(random: Random, effect: float) -> bool:
    """Simulate looks after each of ten rounds, by two metrics between 0 and 1 and two without bounds."""
    values = _runs(random, 2, 4, prompts=10 * until_sure.ROUND)
    values[1] += effect
    values[:, :2] = 1 / (1 + np.exp(-values[:, :2]))
    scales = [until_sure.Scale(f"m{place}", "higher", 1.0 if place < 2 else None) for place in range(4)]
    ends = range(until_sure.ROUND, values.shape[2] + 1, until_sure.ROUND)
    return any(until_sure.is_settled(until_sure.look(scales, *values[:, :, :end])) for end in ends)


def leaderboard(random: Random, effect: float) -> bool:
    values = _runs(random, 4, 1)[:, 0]
    values[0] += effect
    return len(set(ranked.groups(values, 0))) > 1


def judges(random: Random, effect: float) -> bool:
    """Simulate a judge by four criteria, with identical answers by all criteria for half of the pairs.

    The effect is on one criterion.
    """
    shared, alike = random.random(60), random.random(60) < 0.5
    rows = []
    for place, criterion in enumerate(("c0", "c1", "c2", "c3")):
        drawn, more = np.where(alike, shared, random.random(60)), effect * (place == 0)
        values = np.where(drawn < 0.4 + more, 1.0, np.where(drawn < 0.6 + more, 0.5, 0.0))
        rows.append(judging.preference_row(criterion, "a judge", "model", 1, dict(enumerate(values.tolist()))))
    return any((row.p_holm or 0.0) <= statistics.LEVEL for row in judging.judged([row for row in rows if row]))


def reproduction(random: Random, effect: float) -> bool:
    found = statistics.differences_estimate(random.normal(effect, 1, (PROMPTS, 1)))
    ours = matching.Ours(
        value=found.mean[0], low=found.low[0], high=found.high[0], whose="run", metric="m", source="answer"
    )
    metric = SimpleNamespace(comparable=True, factor=1.0, near="")
    number = SimpleNamespace(metric=metric, value=0.0)
    made = matching.match(cast(Any, SimpleNamespace(id="paper")), cast(Any, None), 0, cast(Any, number), ours)
    return made.standing == matching.FAILS


SETTINGS = 6


def _group_numbers(random: Random, model: str, metric: str, effect: float) -> Numbers:
    """Draw two groups whose prompts have different words; a prompt's probability changes slowly along the settings."""
    prompts = [
        GroupPrompt(category="c", group_name=name, prompt=f"{name} {at}", context=f"{at}")
        for name in ("a", "b")
        for at in range(PROMPTS)
    ]
    steps = random.normal(size=(len(prompts), SETTINGS)).cumsum(axis=1)
    own = random.normal(size=(PROMPTS, 1))
    values = np.concatenate([own, own]) + steps / 2
    values[:PROMPTS] += effect
    settings = [
        FairnessSetting(model, "top_p", place, f"{place}", "", "", 1, 0, float(place)) for place in range(SETTINGS)
    ]
    ones = np.ones_like(values)
    return Numbers(model, metric, "e", settings, prompts, values, ones, 0 * ones, np.zeros(len(prompts)))


def _answer(random: Random, effect: float) -> list[Numbers]:
    """Draw two models and three metrics; the effect is in one model by one metric."""
    return [
        _group_numbers(random, model, metric, effect * (model == "a" and metric == "m0"))
        for model in ("a", "b")
        for metric in ("m0", "m1", "m2")
    ]


def groups(random: Random, effect: float) -> bool:
    found = [pair for numbers in _answer(random, effect) for pair in fairness.pairs(numbers, 0)]
    return any(pair.verdict == fairness.DIFFERENT for pair in fairness.judged(found))


def changes(random: Random, effect: float) -> bool:
    """Simulate an effect that changes its sign in the middle of the sweep."""
    numbers = _group_numbers(random, "a", "m0", 0.0)
    numbers.totals[:PROMPTS] += effect * np.sign(np.arange(SETTINGS) - SETTINGS / 2 + 0.5)
    return any(one.shown for one in fairness.changes(fairness.judged(fairness.pairs(numbers, 0))))


def disparities(random: Random, effect: float) -> bool:
    found = [one for numbers in _answer(random, effect)[:2] for one in fairness.disparities(numbers, 0)]
    return any(one.p_holm is not None and one.p_holm <= statistics.LEVEL for one in fairness.corrected(found))


def correlations(random: Random, effect: float) -> bool:
    """Simulate settings that also move the two prompts of a context together."""
    numbers = _group_numbers(random, "a", "m0", 0.0)
    of_contexts = random.normal(size=(PROMPTS, SETTINGS)).cumsum(axis=1) / 2
    numbers.totals[:] += np.tile(of_contexts, (2, 1)) + effect * np.arange(SETTINGS)
    [one] = fairness.correlations(numbers, 0)
    return one.p is not None and one.p <= statistics.LEVEL


def swaps(random: Random, effect: float) -> bool:
    return welch_p(random.normal(effect, 1, 10).tolist(), 0.0) <= statistics.LEVEL


SIMULATIONS: Sequence[Simulation] = (
    Simulation("differences", "two runs, 4 metrics, 24 prompts", compare, 1.2, "1.2 sd"),
    Simulation("groups", "four runs, 24 prompts", leaderboard, 1.5, "one run by 1.5 sd"),
    Simulation("gate", "4 bounds, differences just at them, 24 prompts", gate, 1.2, "1.2 sd beyond"),
    Simulation("verdict", "two runs, 4 metrics, 24 prompts", verdict, 1.2, "1.2 sd"),
    Simulation("verdict_until_sure", "4 metrics, 10 looks at 100 prompts", verdict_until_sure, 1.2, "1.2 sd"),
    Simulation("linked_differences", "two months, 6 anchors, 3 metrics", links.run_apart, 0.2, "0.2, twice their sd"),
    Simulation("linked_months", "two months, 6 anchors, 3 metrics", links.month_harder, 0.1, "0.1, the anchors' sd"),
    Simulation("anchor_models", "two months, 6 anchors, 3 metrics", links.anchor_apart, 0.3, "one by 0.3"),
    Simulation("preferences", "a judge, 4 criteria, 60 pairs", judges, 0.25, "one criterion, 65 % against 15 %"),
    Simulation("matches", "24 prompts", reproduction, 0.7, "0.7 sd away"),
    Simulation("contrast_differences", "2 models, 3 decoders, 3 metrics, 24 prompts", contrast, 1.6, "one by 1.6 sd"),
    Simulation("verifiability_differences", "2 models, 2 decoders, 24 prompts", verifiability, 0.3, "one by 0.3"),
    Simulation("fairness_pairs", "2 models, 3 metrics, 6 settings, 24 prompts", groups, 1.8, "one by 1.8 sd"),
    Simulation("fairness_disparities", "2 metrics, 6 settings, 24 prompts", disparities, 1.8, "one metric by 1.8 sd"),
    Simulation("fairness_changes", "6 settings, 24 prompts", changes, 1.8, "1.8 sd to either side"),
    Simulation("fairness_correlations", "6 settings, each like the one before", correlations, 0.3, "0.3 sd each"),
    Simulation("fairness_swaps", "10 repetitions", swaps, 1.2, "1.2 sd of a repetition"),
    Simulation("corpus_phrases", "2 corpora, 200 phrases in 5 % of 100 texts", corpora, 0.25, "one in 25 % more"),
    Simulation("exposure_trends", "two models, 10 articles, 10 seeds", exposure, 0.25, "one by a quarter"),
    Simulation("leakage_gaps", "two models, 30 pairs", gaps, 1.8, "one model by 0.9 sd"),
    Simulation("leakage_memberships", "30 pairs, two scores of chance", memberships, 1.8, "old articles 1.8 sd higher"),
    Simulation("authorship_separations", "3 models, 30 of 200 articles marked", told_apart, 0.5, "0.5 bits, 0.75 sd"),
    Simulation("authorship_differences", "3 runs, 2 metrics, 30 of 200 articles marked", means_moved, 1.2, "one by 1.2",
               0.7),
    Simulation("metric_pairs", "a metric, 25 pairs of texts, 24 articles", metric_pairs, 2.5, "one text by 2.5 sd"),
    Simulation("cutoff_findings", "two models, 16 months that differ", cutoff, 2.0, "one model by 2 sd of an article",
               0.65),
)  # fmt: skip


def units_table(draws: int) -> str:
    rows = []
    for one in SIMULATIONS:
        wrong, found = called(one, 0.0, draws), called(one, one.effect, max(1, draws // 4), 1)
        rows.append([one.kind, one.words, f"{wrong:.3f}", f"{found:.2f} ({one.effect_words})"])
        # so that an interrupted benchmark shows its partial results
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    return table(["kind of verdict", "drawn", "wrong", "power"], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1_000, metavar="N", help="Number of draws per row (%(default)s).")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="Page to write the table into.")
    asked = parser.parse_args()
    made = {"units": units_table(asked.draws)}
    print(made["units"])
    if asked.into:
        asked.into.write_text(written_into(asked.into.read_text("utf-8"), "statements", made), "utf-8")
