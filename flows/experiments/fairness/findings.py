"""From numbers to what is said of groups: shares, differences, disparities, and where the advantaged group changes."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluators import group_differences as differences
from evaluators import statistics
from evaluators.bounded_intervals import bounded_interval
from flows.experiments.fairness.numbers import Numbers
from flows.verdict_kinds import gives_verdicts
from newwiki.prompting.prompt_set import GroupPrompt

Array = NDArray[np.float64]

DIFFERENT, ALIKE, TOO_FEW = "different", "cannot be told apart", "too few prompts"


@dataclass(frozen=True)
class GroupShare:
    model: str
    sweep: str
    place: int
    category: str
    group_name: str
    metric: str
    evaluator_id: str
    prompts: int
    texts: int
    unscored: int
    share: float | None
    low: float | None
    high: float | None
    no_interval: str | None


_GIVEN = "models, settings, seed and words for groups"


@gives_verdicts(
    "fairness_pairs", "prompts", given=_GIVEN, family="the models, metrics, settings and pairs of groups of the answer"
)
@dataclass(frozen=True)
class GroupPair:
    model: str
    sweep: str
    place: int
    category: str
    metric: str
    group_a: str
    group_b: str
    paired: bool
    prompts: int
    difference: float | None
    low: float | None
    high: float | None
    no_interval: str | None
    p: float | None
    p_holm: float | None
    verdict: str

    @property
    def advantaged(self) -> str | None:
        """Who has the smaller share; None where they are equal."""
        return None if not self.difference else self.group_b if self.difference > 0 else self.group_a


@gives_verdicts(
    "fairness_disparities", "prompts", given=_GIVEN, family="the models, metrics, settings and categories of the answer"
)
@dataclass(frozen=True)
class GroupDisparity:
    model: str
    sweep: str
    place: int
    category: str
    metric: str
    pairs: int
    disparity: float | None
    low: float | None
    high: float | None
    no_interval: str | None
    p: float | None
    p_holm: float | None


@gives_verdicts("fairness_changes", "prompts", given=_GIVEN, family="the changes of the answer")
@dataclass(frozen=True)
class AdvantageChange:
    model: str
    sweep: str
    category: str
    metric: str
    group_a: str
    group_b: str
    from_place: int
    to_place: int
    advantaged_before: str
    advantaged_after: str
    shown: bool


@gives_verdicts("fairness_correlations", "prompts", given=_GIVEN, family="the tests of one model, sweep and metric")
@dataclass(frozen=True)
class DiversityCorrelation:
    model: str
    sweep: str
    metric: str
    settings: int
    correlation: float | None
    low: float | None
    high: float | None
    p: float | None


def shares(numbers: Numbers) -> Iterator[GroupShare]:
    """Of each group and setting the mean over its texts, with the interval by prompt (`bounded_interval`)."""
    for category, groups in numbers.categories.items():
        for group in groups:
            rows = numbers.rows(category, group)
            found = statistics.estimate(numbers.totals[rows], numbers.counts[rows])
            interval = bounded_interval(found, 0.0, 1.0)
            for column, setting in enumerate(numbers.settings):
                yield GroupShare(
                    model=numbers.model,
                    sweep=setting.sweep,
                    place=setting.place,
                    category=category,
                    group_name=group,
                    metric=numbers.metric,
                    evaluator_id=numbers.evaluator_id,
                    prompts=int(found.clusters[column]),
                    texts=int(numbers.counts[rows, column].sum()),
                    unscored=int(numbers.unscored[rows, column].sum()),
                    share=statistics.number_or_none(found.mean[column]),
                    low=statistics.number_or_none(interval.low[column]),
                    high=statistics.number_or_none(interval.high[column]),
                    no_interval=interval.lacking[column],
                )


def pairs(numbers: Numbers, seed: int) -> list[GroupPair]:
    """Of each two groups of a category and each setting, before the correction (`judged`)."""
    found: list[GroupPair] = []
    for category, groups in numbers.categories.items():
        for one, other in itertools.combinations(groups, 2):
            paired, arrays = aligned(numbers, category, (one, other))
            of_two = differences.paired_difference if paired else differences.unpaired_difference
            apart = of_two(arrays[0], arrays[1], seed)
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
                    )
                )
    return found


def judged(found: Sequence[GroupPair]) -> list[GroupPair]:
    """The pairs of all models and metrics of an answer with verdicts, after Holm's correction over all of them: the
    headline says `different` where any is."""
    return [replace(one, p_holm=p, verdict=_verdict(one, p)) for one, p in zip(found, _holm(found), strict=True)]


def disparities(numbers: Numbers, seed: int) -> list[GroupDisparity]:
    """Of each category and setting the mean absolute difference (figure 5), before the correction (`corrected`)."""
    found: list[GroupDisparity] = []
    for category, groups in numbers.categories.items():
        paired, arrays = aligned(numbers, category, groups)
        of_all = differences.paired_disparity if paired else differences.unpaired_disparity
        apart = of_all(arrays, seed)
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
                    p=None if lacking == statistics.TOO_FEW else statistics.number_or_none(apart.p[column]),
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
    slope of shares on entropy, which has the sign of r. How much entropies and shares vary is taken as known.
    """
    by_group = [
        _group_shares(numbers, numbers.rows(category, group))
        for category, groups in numbers.categories.items()
        for group in groups
    ]
    mean = np.mean([shares for shares, _ in by_group], axis=0)
    for sweep in dict.fromkeys(one.sweep for one in numbers.settings):
        columns = [
            column
            for column, one in enumerate(numbers.settings)
            if one.sweep == sweep and one.trigram_entropy is not None and math.isfinite(mean[column])
        ]
        entropy = np.array([numbers.settings[column].trigram_entropy for column in columns], float)
        r, low, high, p = _correlation(entropy, mean[columns], [apart[:, columns] for _, apart in by_group], seed)
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


def _correlation(entropy: Array, share: Array, moved: Sequence[Array], seed: int) -> tuple[float, float, float, float]:
    """Pearson's r over settings with its 95 % interval and p over prompts; NaN for fewer than three settings."""
    if len(entropy) < 3 or np.ptp(entropy) <= 1e-12 or np.ptp(share) <= 1e-12:
        return (math.nan,) * 4
    apart = entropy - entropy.mean()
    slope, scale = float(apart @ share), math.sqrt((apart**2).sum() * ((share - share.mean()) ** 2).sum())
    pseudo = slope + np.concatenate([of_group @ apart for of_group in moved]) * sum(map(len, moved)) / len(moved)
    found = statistics.differences_estimate(pseudo[:, None])
    low, high = (float(np.clip(end[0] / scale, -1.0, 1.0)) for end in (found.low, found.high))
    p = math.nan if found.lacking[0] else float(statistics.p_values(pseudo[:, None], seed)[0])
    return slope / scale, low, high, p


def aligned(numbers: Numbers, category: str, groups: Sequence[str]) -> tuple[bool, list[Array]]:
    """Each group's prompts × settings; with rows of one context where all their prompts have one, each once."""
    means, by_group = numbers.means, [numbers.rows(category, group) for group in groups]
    contexts = [_by_context([numbers.prompts[at] for at in rows], rows) for rows in by_group]
    common = [one for one in contexts[0] if all(one in others for others in contexts)]
    if common and all(len(of_group) == len(rows) for of_group, rows in zip(contexts, by_group, strict=True)):
        return True, [means[[of_group[context] for context in common]] for of_group in contexts]
    return False, [means[rows] for rows in by_group]


def _by_context(prompts: Sequence[GroupPrompt], rows: Sequence[int]) -> dict[str, int]:
    return {one.context: at for one, at in zip(prompts, rows, strict=True) if one.context is not None}


def _holm(found: Sequence[GroupPair] | Sequence[GroupDisparity]) -> list[float | None]:
    p_values = [math.nan if one.p is None else one.p for one in found]
    return [statistics.number_or_none(p) for p in statistics.holm(p_values)]


def _verdict(pair: GroupPair, p_holm: float | None) -> str:
    if pair.no_interval == statistics.TOO_FEW:
        return TOO_FEW
    return DIFFERENT if p_holm is not None and p_holm <= statistics.LEVEL else ALIKE
