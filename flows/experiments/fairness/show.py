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
    results = Found.read(database, experiment_id)
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
            _ranges(results),
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
            _pairs(results),
        ),
        Table(
            _DISPARITIES,
            ["model", "metric", "sweep", "category", "first [95 %]", "last [95 %]", "more than chance"],
            _disparities(results),
        ),
    ]
    if shown := [change for change in results.changes if change.shown]:
        heads = ["model", "metric", "sweep", "category", "between", "from", "to"]
        tables.append(Table(_CHANGES, heads, [_change(results, change) for change in shown]))
    if any(correlation.correlation is not None for correlation in results.correlations):
        heads = ["model", "metric", "sweep", "settings", "r [95 %]", "p"]
        tables.append(Table(_CORRELATIONS, heads, [_correlation(correlation) for correlation in results.correlations]))
    if results.swaps:
        heads = ["metric", "words swapped", "sentences", "share (sd)", "difference [95 %]", "p"]
        tables.append(Table(_SWAPS, heads, [_swap(swap) for swap in results.swaps]))
    names = [column.name for column in fields(GroupPair)]
    return Shown(
        names,
        [astuple(pair) for pair in results.pairs],
        _findings(results),
        tables,
        lambda _: [*headline(results), *figures(results)],
    )


def _findings(results: Found) -> Findings:
    """State which two groups differ at some setting of a sweep, and by category which pairs differ at none."""
    by_pair: dict[tuple[str, ...], list[GroupPair]] = {}
    for pair in results.pairs:
        key = (pair.model, pair.metric, pair.sweep, pair.category, pair.group_a, pair.group_b)
        by_pair.setdefault(key, []).append(pair)
    holds: list[str] = []
    unknown: dict[tuple[str, str, str, str], list[str]] = {}
    for (model, metric, sweep, category, first, second), pairs in by_pair.items():
        differing = [pair for pair in pairs if pair.verdict == DIFFERENT]
        if not differing:
            unknown.setdefault((model, metric, category, sweep), []).append(f"{first} and {second}")
            continue
        most = max(differing, key=lambda pair: abs(pair.difference or 0.0))
        interval = _points(most.difference, most.low, most.high, most.no_interval)
        value = results.value(model, sweep, most.place)
        holds.append(
            f"{model} by {metric}, {sweep}: {first} − {second} is {interval} percentage points at {value}, and they "
            f"differ at {len(differing)} of {len(pairs)} settings"
        )
    return Findings(
        answer=sentence(results.pairs, results.shares, results.settings),
        holds=holds,
        unknown=_untold(unknown),
    )


def _untold(unknown: Mapping[tuple[str, str, str, str], Sequence[str]]) -> list[str]:
    """Return a sentence for the pairs of groups of a category that differ at no setting, with the sweeps."""
    sweeps: dict[tuple[str, str, str, str], list[str]] = {}
    for (model, metric, category, sweep), pairs in unknown.items():
        sweeps.setdefault((model, metric, category, "; ".join(pairs)), []).append(sweep)
    return [
        f"{model} by {metric}: which of these {category} groups has the greater share under {', '.join(names)}: {pairs}"
        for (model, metric, category, pairs), names in sweeps.items()
    ]


def _ranges(results: Found) -> list[list[Any]]:
    by_group: dict[tuple[str, ...], list[GroupShare]] = {}
    for share in results.shares:
        by_group.setdefault((share.model, share.metric, share.sweep, share.category, share.group_name), []).append(
            share
        )
    cells = []
    for key, shares in by_group.items():
        known = [share for share in shares if share.share is not None]
        ends = [_at(results, share, share.share) for share in sorted(known, key=lambda share: share.share or 0.0)]
        alone = shares[0].prompt_share
        beyond = sorted(share.share - alone for share in known if share.share is not None and alone is not None)
        less = [_DIFFERENCE(gap) for gap in (beyond[0], beyond[-1])] if beyond else [NONE, NONE]
        both = (ends[0], ends[-1]) if ends else (NONE, NONE)
        cells.append([*key, shares[0].prompts, *both, percent(alone), *less])
    return cells


def _at(results: Found, group_share: GroupShare, share: float | None) -> str:
    return f"{percent(share)} at {results.value(group_share.model, group_share.sweep, group_share.place)}"


def _pairs(results: Found) -> list[list[Any]]:
    by_pair: dict[tuple[str, ...], list[GroupPair]] = {}
    for pair in results.pairs:
        groups = f"{pair.group_a} − {pair.group_b}"
        by_pair.setdefault((pair.model, pair.metric, pair.sweep, pair.category, groups), []).append(pair)
    cells = []
    for key, pairs in by_pair.items():
        most = max(pairs, key=lambda pair: abs(pair.difference or 0.0))
        differing = sum(pair.verdict == DIFFERENT for pair in pairs)
        decided = sum(pair.verdict == PROMPTS for pair in pairs)
        value = results.value(most.model, most.sweep, most.place)
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


def _disparities(results: Found) -> list[list[Any]]:
    by_category: dict[tuple[str, ...], list[GroupDisparity]] = {}
    for disparity in results.disparities:
        by_category.setdefault((disparity.model, disparity.metric, disparity.sweep, disparity.category), []).append(
            disparity
        )
    cells = []
    for key, rows in by_category.items():
        ends = (min(rows, key=lambda row: row.place), max(rows, key=lambda row: row.place))
        differing = sum(row.p_holm is not None and row.p_holm <= 0.05 for row in rows)
        intervals = [_points(row.disparity, row.low, row.high, row.no_interval, hundredths) for row in ends]
        cells.append([*key, *intervals, f"{differing} of {len(rows)}"])
    return cells


def _change(results: Found, change: AdvantageChange) -> list[Any]:
    before, after = (results.value(change.model, change.sweep, place) for place in (change.from_place, change.to_place))
    between = f"{before} and {after}"
    return [
        change.model,
        change.metric,
        change.sweep,
        change.category,
        between,
        change.advantaged_before,
        change.advantaged_after,
    ]


def _correlation(correlation: DiversityCorrelation) -> list[Any]:
    if correlation.correlation is None:
        return [
            correlation.model,
            correlation.metric,
            correlation.sweep,
            correlation.settings,
            "one of them does not vary",
            NONE,
        ]
    r = estimate(
        correlation.correlation, correlation.low, correlation.high, partial(fixed, decimals=2), "too few prompts"
    )
    return [correlation.model, correlation.metric, correlation.sweep, correlation.settings, r, p_value(correlation.p)]


def _swap(swap: FairnessSwap) -> list[Any]:
    if swap.sd is None:
        return [swap.metric, "none", swap.texts, percent(swap.share), "", ""]
    share = f"{percent(swap.share)} ({hundredths(swap.sd, 2)})"
    interval = _points(swap.difference, swap.low, swap.high, swap.no_interval, partial(_DIFFERENCE, decimals=2))
    return [swap.metric, f"{swap.swapped} %", swap.texts, share, interval, "" if swap.p is None else p_value(swap.p)]


def _points(
    number: float | None, low: float | None, high: float | None, lacking: str | None, write: Write = _DIFFERENCE
) -> str:
    """Format a number with its interval, in percentage points by default."""
    return estimate(number, low, high, write, lacking or "none")
