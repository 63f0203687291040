"""From numbers to what is said of groups: shares, differences, disparities, and where the advantaged group changes."""

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
    """Of each group and setting the mean over its texts, with the interval by prompt (`bounded_interval`)."""
    for category, groups in numbers.categories.items():
        for group in groups:
            rows = numbers.rows(category, group)
            found = statistics.estimate(numbers.totals[rows], numbers.counts[rows])
            intervals = bounded_interval(found, 0.0, 1.0)
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
    """Of each two groups of a category and each setting, before the correction (`judged`)."""
    found: list[GroupPair] = []
    for category, groups in numbers.categories.items():
        for one, other in itertools.combinations(groups, 2):
            paired, arrays, alone = aligned(numbers, category, (one, other))
            of_two = differences.paired_difference if paired else differences.unpaired_difference
            apart = of_two(arrays[0], arrays[1], seed)
            beyond = of_two(arrays[0] - alone[0], arrays[1] - alone[1], seed) if _differ(alone) else apart
            of_prompts = of_two(alone[0], alone[1], seed).difference[0]
            for column, setting in enumerate(numbers.settings):
                lacking = apart.lacking[column]
                found.append(
                    GroupPair(
                        model=numbers.model,
                        sweep=setting.sweep,
                        place=setting.place,
                        category=category,
                        metric=numbers.metric,
                        group_a=one,
                        group_b=other,
                        paired=paired,
                        prompts=int(apart.prompts[column]),
                        difference=statistics.number_or_none(apart.difference[column]),
                        low=None if lacking else statistics.number_or_none(apart.low[column]),
                        high=None if lacking else statistics.number_or_none(apart.high[column]),
                        no_interval=lacking,
                        p=None if lacking == statistics.TOO_FEW else statistics.number_or_none(apart.p[column]),
                        p_holm=None,
                        verdict="",
                        prompt_difference=statistics.number_or_none(of_prompts),
                        beyond=statistics.number_or_none(beyond.difference[column]),
                        beyond_low=statistics.number_or_none(beyond.low[column]),
                        beyond_high=statistics.number_or_none(beyond.high[column]),
                        beyond_p_holm=statistics.number_or_none(beyond.p[column]),
                    )
                )
    return found


def judged(found: Sequence[GroupPair]) -> list[GroupPair]:
    """The pairs of all models and metrics of an answer with verdicts, after Holm's correction over all of them: the
    headline says `different` where any is."""
    of_beyond = statistics.holm([one.beyond_p_holm for one in found])
    return [
        replace(
            one,
            p_holm=p,
            beyond_p_holm=statistics.number_or_none(p_beyond),
            verdict=_verdict(one, p, float(p_beyond)),
        )
        for one, p, p_beyond in zip(found, _holm(found), of_beyond, strict=True)
    ]


def disparities(numbers: Numbers, seed: int) -> list[GroupDisparity]:
    """Of each category and setting the mean absolute difference (figure 5), before the correction (`corrected`).

    Where the prompts differ by themselves, p is the greater of the texts' own and that of the texts less the prompts.
    """
    found: list[GroupDisparity] = []
    for category, groups in numbers.categories.items():
        paired, arrays, alone = aligned(numbers, category, groups)
        of_all = differences.paired_disparity if paired else differences.unpaired_disparity
        apart = of_all(arrays, seed)
        beyond = of_all([a - b for a, b in zip(arrays, alone, strict=True)], seed) if _differ(alone) else apart
        p = np.fmax(apart.p, beyond.p)
        for column, setting in enumerate(numbers.settings):
            lacking = apart.lacking[column]
            found.append(
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
    return found


def corrected(found: Sequence[GroupDisparity]) -> list[GroupDisparity]:
    """The disparities of all models and metrics of an answer, after Holm's correction over all of them."""
    return [replace(one, p_holm=p) for one, p in zip(found, _holm(found), strict=True)]


def changes(found: Sequence[GroupPair]) -> Iterator[AdvantageChange]:
    """Where along a sweep the group with the smaller share becomes the other. It is shown where the settings before it,
    back to the change before, and those after it, on to the next, have each one that differs."""
    key = lambda one: (one.model, one.sweep, one.category, one.metric, one.group_a, one.group_b)  # noqa: E731
    for (model, sweep, category, metric, one, other), of_pair in itertools.groupby(sorted(found, key=key), key=key):
        settings = [pair for pair in sorted(of_pair, key=lambda pair: pair.place) if pair.advantaged]
        stretches = [list(stretch) for _, stretch in itertools.groupby(settings, key=lambda pair: pair.advantaged)]
        for before, after in itertools.pairwise(stretches):
            yield AdvantageChange(
                model=model,
                sweep=sweep,
                category=category,
                metric=metric,
                group_a=one,
                group_b=other,
                from_place=before[-1].place,
                to_place=after[0].place,
                advantaged_before=str(before[-1].advantaged),
                advantaged_after=str(after[0].advantaged),
                shown=all(any(pair.verdict == DIFFERENT for pair in stretch) for stretch in (before, after)),
            )


def correlations(numbers: Numbers, seed: int) -> Iterator[DiversityCorrelation]:
    """Of trigram entropy and the mean share over all groups, over the settings of each sweep (figure 1, bottom).

    Settings of a sweep are no independent units: all read the same prompts with the same random numbers, so a run's
    chance goes up and down along the sweep. Interval and p are therefore by prompts: of the mean over prompts of the
    slope of shares on entropy, which has the sign of r. Prompts of one context are one unit, whoever they are about: a
    context that a setting makes worse makes it worse of all groups. How much entropies and shares vary is taken as
    known.
    """
    rows = [numbers.rows(category, group) for category, groups in numbers.categories.items() for group in groups]
    by_group = [_group_shares(numbers, of_group) for of_group in rows]
    mean = np.mean([shares for shares, _ in by_group], axis=0)
    units = _units([numbers.prompts[at] for of_group in rows for at in of_group])
    for sweep in dict.fromkeys(one.sweep for one in numbers.settings):
        columns = [
            column
            for column, one in enumerate(numbers.settings)
            if one.sweep == sweep and one.trigram_entropy is not None and math.isfinite(mean[column])
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
    """By setting the share of a group, and prompts × settings what each prompt moves it by."""
    totals, counts = numbers.totals[rows], numbers.counts[rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = totals.sum(axis=0) / counts.sum(axis=0)
        moved = (totals - share * counts) / counts.sum(axis=0)
    return share, moved * math.sqrt(len(rows) / max(len(rows) - 1, 1))


def _units(prompts: Sequence[GroupPrompt]) -> NDArray[np.int64]:
    """The number of each prompt's context, or of the prompt where it has none."""
    names: dict[object, int] = {}
    keys = [place if one.context is None else one.context for place, one in enumerate(prompts)]
    return np.array([names.setdefault(key, len(names)) for key in keys])


def _correlation(
    entropy: Array, share: Array, moved: Array, units: NDArray[np.int64], seed: int
) -> tuple[float, float, float, float]:
    """Pearson's r over settings with its 95 % interval and p over units of prompts; NaN for fewer than three settings.
    `moved` is prompts × settings, what each prompt moves the mean share by."""
    if len(entropy) < 3 or np.ptp(entropy) <= 1e-12 or np.ptp(share) <= 1e-12:
        return (math.nan,) * 4
    apart = entropy - entropy.mean()
    slope, scale = float(apart @ share), math.sqrt((apart**2).sum() * ((share - share.mean()) ** 2).sum())
    by_unit = np.asarray(np.bincount(units, moved @ apart), float)
    # Their variance is over one less than their number, as that of each group's prompts is already
    pseudo = slope + by_unit * math.sqrt(len(by_unit) * (len(by_unit) - 1))
    found = statistics.differences_estimate(pseudo[:, None])
    low, high = (float(np.clip(end[0] / scale, -1.0, 1.0)) for end in (found.low, found.high))
    p = math.nan if found.lacking[0] else float(statistics.p_values(pseudo[:, None], seed)[0])
    return slope / scale, low, high, p


def aligned(numbers: Numbers, category: str, groups: Sequence[str]) -> tuple[bool, list[Array], list[Array]]:
    """Return whether rows are of one context (all prompts have one, each once), and of each group the means of its
    prompts, prompts × settings, and the scores of the prompts alone, prompts × 1, 0 where there is none."""
    means, alone = numbers.means, np.nan_to_num(numbers.prompt_scores)[:, None]
    by_group = [numbers.rows(category, group) for group in groups]
    contexts = [_by_context([numbers.prompts[at] for at in rows], rows) for rows in by_group]
    common = [one for one in contexts[0] if all(one in others for others in contexts)]
    if common and all(len(of_group) == len(rows) for of_group, rows in zip(contexts, by_group, strict=True)):
        by_group = [[of_group[context] for context in common] for of_group in contexts]
        return True, [means[rows] for rows in by_group], [alone[rows] for rows in by_group]
    return False, [means[rows] for rows in by_group], [alone[rows] for rows in by_group]


def _by_context(prompts: Sequence[GroupPrompt], rows: Sequence[int]) -> dict[str, int]:
    return {one.context: at for one, at in zip(prompts, rows, strict=True) if one.context is not None}


def _holm(found: Sequence[GroupPair] | Sequence[GroupDisparity]) -> list[float | None]:
    return [statistics.number_or_none(p) for p in statistics.holm([one.p for one in found])]


def _verdict(pair: GroupPair, p_holm: float | None, beyond_p_holm: float) -> str:
    if pair.no_interval == statistics.TOO_FEW:
        return TOO_FEW
    if p_holm is None or p_holm > statistics.LEVEL:
        return ALIKE
    same_way = (pair.beyond or 0.0) * (pair.difference or 0.0) > 0
    return DIFFERENT if same_way and beyond_p_holm <= statistics.LEVEL else PROMPTS


def _differ(alone: Sequence[Array]) -> bool:
    """Whether any prompts score otherwise than any others, alone; a score that all share takes itself off."""
    return bool(np.ptp(np.concatenate(alone)) > 0)


def _mean(values: Array) -> float | None:
    there = values[np.isfinite(values)]
    return float(there.mean()) if len(there) else None
