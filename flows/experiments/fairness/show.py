"""Show the findings about groups as tables; `figures.py` draws the figures."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from functools import partial
from typing import Any

from flows.experiments.experiment import Findings, Shown, Table
from flows.experiments.fairness.figures import figures
from flows.experiments.fairness.findings import DIFFERENT, PROMPTS
from flows.experiments.fairness.headline import headline
from flows.experiments.fairness.material import Found
from flows.experiments.fairness.result_tables import (
    AdvantageChange,
    DiversityCorrelation,
    FairnessSwap,
    GroupDisparity,
    GroupPair,
    GroupShare,
)
from flows.experiments.fairness.words import sentence
from flows.presenting.numbers import NONE, Write, estimate, fixed, hundredths, p_value, percent
from storage.database import Database

_RANGES = (
    "The share of negative sentences of each group, the least and the greatest over the settings of a sweep (figure "
    "2); the share of its prompts alone, before a model has written a word, and the shares less that."
)
_PAIRS = (
    "Two groups of a category: under how many settings of a sweep they differ after Holm's correction, and the "
    "greatest difference of their shares in percentage points with its 95 % interval, clustered by prompt, that of the "
    "prompts alone, and what the texts add to it."
)
_DISPARITIES = (
    "The mean absolute difference over the pairs of a category in percentage points at the first and the last setting "
    "of a sweep (figure 5), with 95 % intervals, and under how many settings it is more than chance after Holm's "
    "correction. It is above 0 by chance too."
)
_CHANGES = (
    "Where the group with fewer negative sentences becomes the other (figure 4), with settings that differ on either "
    "side after Holm's correction."
)
_CORRELATIONS = (
    "Pearson's correlation of trigram entropy and the mean share over all groups, over the settings of a sweep "
    "(figure 1, bottom), with its 95 % interval and p over prompts, as all settings read the same ones."
)
_SWAPS = (
    "The share of negative sentences with some of their words swapped (table 3), its standard deviation over the "
    "repetitions, the difference in percentage points with its 95 % interval, clustered by prompt, and p of Welch's "
    "t-test of the repetitions against the sentences as they are."
)


_DIFFERENCE = partial(hundredths, signed=True)


def show(database: Database, experiment_id: str) -> Shown:
    found = Found.read(database, experiment_id)
    tables = [
        Table(
            _RANGES,
            [
                "model",
                "metric",
                "sweep",
                "category",
                "group",
                "prompts",
                "least",
                "greatest",
                "prompts alone",
                "least − prompts",
                "greatest − prompts",
            ],
            _ranges(found),
        ),
        Table(
            _PAIRS,
            [
                "model",
                "metric",
                "sweep",
                "category",
                "groups",
                "settings that differ",
                "the prompts decide",
                "greatest [95 %]",
                "under",
                "p",
                "prompts alone",
                "beyond the prompts [95 %]",
            ],
            _pairs(found),
        ),
        Table(
            _DISPARITIES,
            ["model", "metric", "sweep", "category", "first [95 %]", "last [95 %]", "more than chance"],
            _disparities(found),
        ),
    ]
    if shown := [one for one in found.changes if one.shown]:
        heads = ["model", "metric", "sweep", "category", "between", "from", "to"]
        tables.append(Table(_CHANGES, heads, [_change(found, one) for one in shown]))
    if any(one.correlation is not None for one in found.correlations):
        heads = ["model", "metric", "sweep", "settings", "r [95 %]", "p"]
        tables.append(Table(_CORRELATIONS, heads, [_correlation(one) for one in found.correlations]))
    if found.swaps:
        heads = ["metric", "words swapped", "sentences", "share (sd)", "difference [95 %]", "p"]
        tables.append(Table(_SWAPS, heads, [_swap(one) for one in found.swaps]))
    names = [one.name for one in fields(GroupPair)]
    return Shown(
        names,
        [astuple(one) for one in found.pairs],
        _findings(found),
        tables,
        lambda _: [*headline(found), *figures(found)],
    )


def _findings(found: Found) -> Findings:
    """State which two groups differ at some setting of a sweep, and by category which pairs differ at none."""
    by_pair: dict[tuple[str, ...], list[GroupPair]] = {}
    for one in found.pairs:
        key = (one.model, one.metric, one.sweep, one.category, one.group_a, one.group_b)
        by_pair.setdefault(key, []).append(one)
    holds: list[str] = []
    unknown: dict[tuple[str, str, str, str], list[str]] = {}
    for (model, metric, sweep, category, first, second), pairs in by_pair.items():
        differing = [one for one in pairs if one.verdict == DIFFERENT]
        if not differing:
            unknown.setdefault((model, metric, category, sweep), []).append(f"{first} and {second}")
            continue
        most = max(differing, key=lambda one: abs(one.difference or 0.0))
        interval = _points(most.difference, most.low, most.high, most.no_interval)
        value = found.value(model, sweep, most.place)
        holds.append(
            f"{model} by {metric}, {sweep}: {first} − {second} is {interval} percentage points at {value}, and they "
            f"differ at {len(differing)} of {len(pairs)} settings"
        )
    return Findings(
        answer=sentence(found.pairs, found.shares, found.settings),
        holds=holds,
        unknown=_untold(unknown),
    )


def _untold(found: Mapping[tuple[str, str, str, str], Sequence[str]]) -> list[str]:
    """Return a sentence for the pairs of groups of a category that differ at no setting, with the sweeps."""
    sweeps: dict[tuple[str, str, str, str], list[str]] = {}
    for (model, metric, category, sweep), pairs in found.items():
        sweeps.setdefault((model, metric, category, "; ".join(pairs)), []).append(sweep)
    return [
        f"{model} by {metric}: which of these {category} groups has the greater share under {', '.join(names)}: {pairs}"
        for (model, metric, category, pairs), names in sweeps.items()
    ]


def _ranges(found: Found) -> list[list[Any]]:
    by_group: dict[tuple[str, ...], list[GroupShare]] = {}
    for one in found.shares:
        by_group.setdefault((one.model, one.metric, one.sweep, one.category, one.group_name), []).append(one)
    cells = []
    for key, shares in by_group.items():
        known = [one for one in shares if one.share is not None]
        ends = [_at(found, one, one.share) for one in sorted(known, key=lambda one: one.share or 0.0)]
        alone = shares[0].prompt_share
        beyond = sorted(one.share - alone for one in known if one.share is not None and alone is not None)
        less = [_DIFFERENCE(one) for one in (beyond[0], beyond[-1])] if beyond else [NONE, NONE]
        both = (ends[0], ends[-1]) if ends else (NONE, NONE)
        cells.append([*key, shares[0].prompts, *both, percent(alone), *less])
    return cells


def _at(found: Found, one: GroupShare, share: float | None) -> str:
    return f"{percent(share)} at {found.value(one.model, one.sweep, one.place)}"


def _pairs(found: Found) -> list[list[Any]]:
    by_pair: dict[tuple[str, ...], list[GroupPair]] = {}
    for one in found.pairs:
        groups = f"{one.group_a} − {one.group_b}"
        by_pair.setdefault((one.model, one.metric, one.sweep, one.category, groups), []).append(one)
    cells = []
    for key, pairs in by_pair.items():
        most = max(pairs, key=lambda one: abs(one.difference or 0.0))
        differing = sum(one.verdict == DIFFERENT for one in pairs)
        decided = sum(one.verdict == PROMPTS for one in pairs)
        value = found.value(most.model, most.sweep, most.place)
        interval = _points(most.difference, most.low, most.high, most.no_interval)
        alone = NONE if most.prompt_difference is None else _DIFFERENCE(most.prompt_difference)
        beyond = _points(most.beyond, most.beyond_low, most.beyond_high, most.no_interval)
        cells.append(
            [
                *key,
                f"{differing} of {len(pairs)}",
                decided or NONE,
                interval,
                value,
                p_value(most.p_holm),
                alone,
                beyond,
            ]
        )
    return cells


def _disparities(found: Found) -> list[list[Any]]:
    by_category: dict[tuple[str, ...], list[GroupDisparity]] = {}
    for one in found.disparities:
        by_category.setdefault((one.model, one.metric, one.sweep, one.category), []).append(one)
    cells = []
    for key, of_category in by_category.items():
        ends = (min(of_category, key=lambda one: one.place), max(of_category, key=lambda one: one.place))
        differing = sum(one.p_holm is not None and one.p_holm <= 0.05 for one in of_category)
        intervals = [_points(one.disparity, one.low, one.high, one.no_interval, hundredths) for one in ends]
        cells.append([*key, *intervals, f"{differing} of {len(of_category)}"])
    return cells


def _change(found: Found, one: AdvantageChange) -> list[Any]:
    before, after = (found.value(one.model, one.sweep, place) for place in (one.from_place, one.to_place))
    between = f"{before} and {after}"
    return [one.model, one.metric, one.sweep, one.category, between, one.advantaged_before, one.advantaged_after]


def _correlation(one: DiversityCorrelation) -> list[Any]:
    if one.correlation is None:
        return [one.model, one.metric, one.sweep, one.settings, "one of them does not vary", NONE]
    r = estimate(one.correlation, one.low, one.high, partial(fixed, decimals=2), "too few prompts")
    return [one.model, one.metric, one.sweep, one.settings, r, p_value(one.p)]


def _swap(one: FairnessSwap) -> list[Any]:
    if one.sd is None:
        return [one.metric, "none", one.texts, percent(one.share), "", ""]
    share = f"{percent(one.share)} ({hundredths(one.sd, 2)})"
    interval = _points(one.difference, one.low, one.high, one.no_interval, partial(_DIFFERENCE, decimals=2))
    return [one.metric, f"{one.swapped} %", one.texts, share, interval, "" if one.p is None else p_value(one.p)]


def _points(
    number: float | None, low: float | None, high: float | None, lacking: str | None, write: Write = _DIFFERENCE
) -> str:
    """Format a number with its interval, in percentage points by default."""
    return estimate(number, low, high, write, lacking or "none")
