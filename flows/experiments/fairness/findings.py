"""Compute what is stated about groups: shares, differences, disparities, and changes of the advantaged group."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evaluators import group_differences as differences
from evaluators import statistics
from evaluators.bounded_intervals import bounded_interval
from flows.experiments.fairness.numbers import Numbers
from flows.experiments.fairness.result_tables import (
    AdvantageChange,
    DiversityCorrelation,
    GroupDisparity,
    GroupPair,
    GroupShare,
)
from newwiki.prompting.prompt_set import GroupPrompt

Array = NDArray[np.float64]

DIFFERENT, ALIKE, TOO_FEW = "different", "cannot be told apart", "too few prompts"
PROMPTS = "the prompts decide"


def shares(numbers: Numbers) -> Iterator[GroupShare]:
    """Yield for each group and setting the mean over its texts, with the interval by prompt (`bounded_interval`)."""
    for category, groups in numbers.categories.items():
        for group in groups:
            rows = numbers.rows(category, group)
            estimate = statistics.estimate(numbers.totals[rows], numbers.counts[rows])
            intervals = bounded_interval(estimate, 0.0, 1.0)
            alone = _mean(numbers.prompt_scores[rows])
            for column, setting in enumerate(numbers.settings):
                interval = intervals.at(column)
                yield GroupShare(
                    model=numbers.model,
                    sweep=setting.sweep,
                    place=setting.place,
                    category=category,
                    group_name=group,
                    metric=numbers.metric,
                    evaluator_id=numbers.evaluator_id,
                    prompts=interval.clusters,
                    texts=int(numbers.counts[rows, column].sum()),
                    unscored=int(numbers.unscored[rows, column].sum()),
                    share=interval.mean,
                    low=interval.low,
                    high=interval.high,
                    no_interval=interval.lacking,
                    prompt_share=alone,
                )


def pairs(numbers: Numbers, seed: int) -> list[GroupPair]:
    """Return the difference of each two groups of a category at each setting, before the correction (`judged`)."""
    rows: list[GroupPair] = []
    for category, groups in numbers.categories.items():
        for first, second in itertools.combinations(groups, 2):
            paired, arrays, alone = aligned(numbers, category, (first, second))
            compare = differences.paired_difference if paired else differences.unpaired_difference
            apart = compare(arrays[0], arrays[1], seed)
            beyond = compare(arrays[0] - alone[0], arrays[1] - alone[1], seed) if _differ(alone) else apart
            prompt_difference = compare(alone[0], alone[1], seed).difference[0]
            for column, setting in enumerate(numbers.settings):
                lacking = apart.lacking[column]
                rows.append(
                    GroupPair(
                        model=numbers.model,
                        sweep=setting.sweep,
                        place=setting.place,
                        category=category,
                        metric=numbers.metric,
                        group_a=first,
                        group_b=second,
                        paired=paired,
                        prompts=int(apart.prompts[column]),
                        difference=statistics.number_or_none(apart.difference[column]),
                        low=None if lacking else statistics.number_or_none(apart.low[column]),
                        high=None if lacking else statistics.number_or_none(apart.high[column]),
                        no_interval=lacking,
                        p=None if lacking == statistics.TOO_FEW else statistics.number_or_none(apart.p[column]),
                        p_holm=None,
                        verdict="",
                        prompt_difference=statistics.number_or_none(prompt_difference),
                        beyond=statistics.number_or_none(beyond.difference[column]),
                        beyond_low=statistics.number_or_none(beyond.low[column]),
                        beyond_high=statistics.number_or_none(beyond.high[column]),
                        beyond_p_holm=statistics.number_or_none(beyond.p[column]),
                    )
                )
    return rows


def judged(group_pairs: Sequence[GroupPair]) -> list[GroupPair]:
    """Return the pairs of all models and metrics of an answer with verdicts, after Holm's correction over all of them.

    The family is the whole answer because the headline says `different` if any pair differs.
    """
    p_beyond_holm = statistics.holm([pair.beyond_p_holm for pair in group_pairs])
    return [
        replace(
            pair,
            p_holm=p,
            beyond_p_holm=statistics.number_or_none(p_beyond),
            verdict=_verdict(pair, p, float(p_beyond)),
        )
        for pair, p, p_beyond in zip(group_pairs, _holm(group_pairs), p_beyond_holm, strict=True)
    ]


def disparities(numbers: Numbers, seed: int) -> list[GroupDisparity]:
    """Return the mean absolute difference of each category and setting (figure 5), before the correction (`corrected`).

    If the prompts alone already differ, p is the larger of two values: that of the texts, and that of the texts minus
    the prompts.
    """
    rows: list[GroupDisparity] = []
    for category, groups in numbers.categories.items():
        paired, arrays, alone = aligned(numbers, category, groups)
        compare = differences.paired_disparity if paired else differences.unpaired_disparity
        apart = compare(arrays, seed)
        beyond = compare([a - b for a, b in zip(arrays, alone, strict=True)], seed) if _differ(alone) else apart
        p = np.fmax(apart.p, beyond.p)
        for column, setting in enumerate(numbers.settings):
            lacking = apart.lacking[column]
            rows.append(
                GroupDisparity(
                    model=numbers.model,
                    sweep=setting.sweep,
                    place=setting.place,
                    category=category,
                    metric=numbers.metric,
                    pairs=math.comb(len(groups), 2),
                    disparity=statistics.number_or_none(apart.disparity[column]),
                    low=None if lacking else statistics.number_or_none(apart.low[column]),
                    high=None if lacking else statistics.number_or_none(apart.high[column]),
                    no_interval=lacking,
                    p=None if lacking == statistics.TOO_FEW else statistics.number_or_none(p[column]),
                    p_holm=None,
                )
            )
    return rows


def corrected(uncorrected: Sequence[GroupDisparity]) -> list[GroupDisparity]:
    """Return the disparities of all models and metrics of an answer, after Holm's correction over all of them."""
    return [replace(disparity, p_holm=p) for disparity, p in zip(uncorrected, _holm(uncorrected), strict=True)]


def changes(group_pairs: Sequence[GroupPair]) -> Iterator[AdvantageChange]:
    """Yield the places in a sweep at which the group with the smaller share changes.

    A change is shown if at least one setting differs significantly on each side, up to the neighboring changes.
    """
    key = lambda pair: (pair.model, pair.sweep, pair.category, pair.metric, pair.group_a, pair.group_b)  # noqa: E731
    for (model, sweep, category, metric, first, second), places in itertools.groupby(
        sorted(group_pairs, key=key), key=key
    ):
        settings = [pair for pair in sorted(places, key=lambda pair: pair.place) if pair.advantaged]
        stretches = [list(stretch) for _, stretch in itertools.groupby(settings, key=lambda pair: pair.advantaged)]
        for before, after in itertools.pairwise(stretches):
            yield AdvantageChange(
                model=model,
                sweep=sweep,
                category=category,
                metric=metric,
                group_a=first,
                group_b=second,
                from_place=before[-1].place,
                to_place=after[0].place,
                advantaged_before=str(before[-1].advantaged),
                advantaged_after=str(after[0].advantaged),
                shown=all(any(pair.verdict == DIFFERENT for pair in stretch) for stretch in (before, after)),
            )


def correlations(numbers: Numbers, seed: int) -> Iterator[DiversityCorrelation]:
    """Yield the correlation of trigram entropy and mean share over all groups, over the settings of each sweep.

    This is figure 1, bottom. The settings of a sweep are not independent units: all use the same prompts with the same
    random numbers, so random variation of a run is shared along the sweep. Interval and p are therefore computed over
    prompts, for the mean over prompts of the slope of shares on entropy, which has the sign of r. Prompts of one
    context are one unit, whichever group they are about, because a setting that makes a context worse makes it worse
    for all groups. The variances of entropies and shares are treated as known.
    """
    rows = [numbers.rows(category, group) for category, groups in numbers.categories.items() for group in groups]
    by_group = [_group_shares(numbers, group_rows) for group_rows in rows]
    mean = np.mean([shares for shares, _ in by_group], axis=0)
    units = _units([numbers.prompts[at] for group_rows in rows for at in group_rows])
    for sweep in dict.fromkeys(setting.sweep for setting in numbers.settings):
        columns = [
            column
            for column, setting in enumerate(numbers.settings)
            if setting.sweep == sweep and setting.trigram_entropy is not None and math.isfinite(mean[column])
        ]
        entropy = np.array([numbers.settings[column].trigram_entropy for column in columns], float)
        moved = np.concatenate([apart[:, columns] for _, apart in by_group]) / len(by_group)
        r, low, high, p = _correlation(entropy, mean[columns], moved, units, seed)
        yield DiversityCorrelation(
            model=numbers.model,
            sweep=sweep,
            metric=numbers.metric,
            settings=len(columns),
            correlation=statistics.number_or_none(r),
            low=statistics.number_or_none(low),
            high=statistics.number_or_none(high),
            p=statistics.number_or_none(p),
        )


def _group_shares(numbers: Numbers, rows: Sequence[int]) -> tuple[Array, Array]:
    """Return the share of a group by setting, and each prompt's contribution to it, prompts × settings."""
    totals, counts = numbers.totals[rows], numbers.counts[rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = totals.sum(axis=0) / counts.sum(axis=0)
        moved = (totals - share * counts) / counts.sum(axis=0)
    return share, moved * math.sqrt(len(rows) / max(len(rows) - 1, 1))


def _units(prompts: Sequence[GroupPrompt]) -> NDArray[np.int64]:
    """Return the number of each prompt's context, or of the prompt itself if it has no context."""
    names: dict[object, int] = {}
    keys = [place if prompt.context is None else prompt.context for place, prompt in enumerate(prompts)]
    return np.array([names.setdefault(key, len(names)) for key in keys])


def _correlation(
    entropy: Array, share: Array, moved: Array, units: NDArray[np.int64], seed: int
) -> tuple[float, float, float, float]:
    """Return Pearson's r over settings with its 95 % interval and p over units of prompts.

    All are NaN for fewer than three settings. `moved` is prompts × settings: each prompt's contribution to the mean
    share.
    """
    if len(entropy) < 3 or np.ptp(entropy) <= 1e-12 or np.ptp(share) <= 1e-12:
        return (math.nan,) * 4
    apart = entropy - entropy.mean()
    slope, scale = float(apart @ share), math.sqrt((apart**2).sum() * ((share - share.mean()) ** 2).sum())
    by_unit = np.asarray(np.bincount(units, moved @ apart), float)
    # The factor makes the variance use a divisor of n - 1, as the variance of each group's prompts already does
    pseudo = slope + by_unit * math.sqrt(len(by_unit) * (len(by_unit) - 1))
    estimate = statistics.differences_estimate(pseudo[:, None])
    low, high = (float(np.clip(end[0] / scale, -1.0, 1.0)) for end in (estimate.low, estimate.high))
    p = math.nan if estimate.lacking[0] else float(statistics.p_values(pseudo[:, None], seed)[0])
    return slope / scale, low, high, p


def aligned(numbers: Numbers, category: str, groups: Sequence[str]) -> tuple[bool, list[Array], list[Array]]:
    """Return whether the groups are paired by context, and for each group the means and the scores of its prompts.

    Groups are paired if all prompts have a context and each context occurs once per group. The means are prompts ×
    settings. The scores of the prompts alone are prompts × 1, and 0 where a prompt has none.
    """
    means, alone = numbers.means, np.nan_to_num(numbers.prompt_scores)[:, None]
    by_group = [numbers.rows(category, group) for group in groups]
    contexts = [_by_context([numbers.prompts[at] for at in rows], rows) for rows in by_group]
    common = [context for context in contexts[0] if all(context in others for others in contexts)]
    if common and all(len(places) == len(rows) for places, rows in zip(contexts, by_group, strict=True)):
        by_group = [[places[context] for context in common] for places in contexts]
        return True, [means[rows] for rows in by_group], [alone[rows] for rows in by_group]
    return False, [means[rows] for rows in by_group], [alone[rows] for rows in by_group]


def _by_context(prompts: Sequence[GroupPrompt], rows: Sequence[int]) -> dict[str, int]:
    return {prompt.context: at for prompt, at in zip(prompts, rows, strict=True) if prompt.context is not None}


def _holm(rows: Sequence[GroupPair] | Sequence[GroupDisparity]) -> list[float | None]:
    return [statistics.number_or_none(p) for p in statistics.holm([row.p for row in rows])]


def _verdict(pair: GroupPair, p_holm: float | None, beyond_p_holm: float) -> str:
    if pair.no_interval == statistics.TOO_FEW:
        return TOO_FEW
    if p_holm is None or p_holm > statistics.LEVEL:
        return ALIKE
    same_way = (pair.beyond or 0.0) * (pair.difference or 0.0) > 0
    return DIFFERENT if same_way and beyond_p_holm <= statistics.LEVEL else PROMPTS


def _differ(alone: Sequence[Array]) -> bool:
    """Return whether any two prompts have different scores; a score that all share cancels in the differences."""
    return bool(np.ptp(np.concatenate(alone)) > 0)


def _mean(values: Array) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else None
