"""How a model's numbers on old articles differ from those on new ones that are matched with them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evaluators import statistics
from flows.verdict_kinds import gives_verdicts

Verdict = Literal["gap", "no gap shown", "the articles' own", "too few pairs"]

Array = NDArray[np.float64]


@gives_verdicts(
    "leakage_gaps",
    "articles",
    over="pairs of articles",
    given="models, decoders and seed",
    family="the models, decoders and metrics of the headline",
)
@dataclass(frozen=True, kw_only=True)
class Gap:
    """The mean of old minus new over matched pairs by one metric and the pairs' standard deviation, with its 95 %
    interval (`no_interval`: why there is none), p, and p after Holm's correction for the metrics of this model and
    decoder.

    With a control `difference` is the model's gap minus the control's on the same pairs, which is what the articles
    themselves do not explain. `verdict` is on the difference where there is one: `gap`, or `the articles' own` where
    the model's gap is one and the difference is none.
    """

    model: str
    decoder: str
    metric: str
    evaluator_id: str
    pairs: int
    mean_old: float
    mean_new: float
    gap: float
    sd: float | None
    low: float | None
    high: float | None
    no_interval: str | None
    p: float
    p_holm: float
    control: str | None
    control_gap: float | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    difference_p_holm: float | None
    verdict: Verdict


@dataclass(frozen=True)
class PairedScores:
    """Scores of one model under one decoder: `old` and `new` are pairs × metrics, NaN where there is none."""

    model: str
    decoder: str
    old: Array
    new: Array


def gaps(evaluators: Mapping[str, str], model: PairedScores, control: PairedScores | None, seed: int) -> list[Gap]:
    """One for each metric (by name, with its evaluator's id) that any pair has of both articles.

    A pair is a cluster: the scores of an article's texts are one mean. Source: New-Wiki Eval paper, experiment 3 (Old
    Wikipedia vs New Wikipedia), which compares means without pairs or intervals; with a control it is the difference in
    differences of Card & Krueger 1994.
    """
    apart = model.old - model.new
    own = _tested(apart, seed)
    beyond = _tested(apart - (control.old - control.new), seed) if control else None
    made = []
    for place, (metric, evaluator_id) in enumerate(evaluators.items()):
        there = np.isfinite(apart[:, place])
        if not there.any():
            continue
        low, high = own.ends(place)
        difference_low, difference_high = beyond.ends(place) if beyond else (None, None)
        made.append(
            Gap(
                model=model.model,
                decoder=model.decoder,
                metric=metric,
                evaluator_id=evaluator_id,
                pairs=int(there.sum()),
                mean_old=float(model.old[there, place].mean()),
                mean_new=float(model.new[there, place].mean()),
                gap=float(own.estimate.mean[place]),
                sd=statistics.number_or_none(own.spread[place]),
                low=low,
                high=high,
                no_interval=own.estimate.lacking[place],
                p=float(own.p[place]),
                p_holm=float(own.p_holm[place]),
                control=control.model if control else None,
                control_gap=_mean(control.old[:, place] - control.new[:, place]) if control else None,
                difference=statistics.number_or_none(beyond.estimate.mean[place]) if beyond else None,
                difference_low=difference_low,
                difference_high=difference_high,
                difference_p_holm=statistics.number_or_none(beyond.p_holm[place]) if beyond else None,
                verdict=_verdict(own, beyond, place),
            )
        )
    return made


def judged(found: Sequence[Gap]) -> list[Gap]:
    """The gaps of all models and decoders of an answer, whose headline speaks of all of them.

    `p_holm` is corrected for the metrics of one model and decoder; here it is multiplied by their number (Bonferroni).
    """
    groups = len({(one.model, one.decoder) for one in found})
    return [_among(one, groups) for one in found]


def _among(one: Gap, groups: int) -> Gap:
    own = min(1.0, one.p_holm * groups)
    beyond = None if one.difference_p_holm is None else min(1.0, one.difference_p_holm * groups)
    corrected = replace(one, p_holm=own, difference_p_holm=beyond)
    if one.verdict in ("too few pairs", "no gap shown"):
        return corrected
    if one.verdict == "gap" and (own if beyond is None else beyond) <= statistics.LEVEL:
        return corrected
    return replace(corrected, verdict="the articles' own" if beyond and own <= statistics.LEVEL else "no gap shown")


@dataclass(frozen=True)
class _Tested:
    estimate: statistics.Estimate
    spread: Array
    p: Array
    p_holm: Array

    def ends(self, place: int) -> tuple[float | None, float | None]:
        return statistics.number_or_none(self.estimate.low[place]), statistics.number_or_none(self.estimate.high[place])

    def too_few(self, place: int) -> bool:
        return self.estimate.lacking[place] == statistics.TOO_FEW

    def differs(self, place: int) -> bool:
        return bool(self.p_holm[place] <= statistics.LEVEL)


def _tested(differences: Array, seed: int) -> _Tested:
    p = statistics.p_values(differences, seed)
    estimate, spread = statistics.differences_estimate(differences), statistics.spread(differences)
    return _Tested(estimate, spread, p, statistics.holm(p))


def _verdict(own: _Tested, beyond: _Tested | None, place: int) -> Verdict:
    judged = beyond or own
    if judged.too_few(place):
        return "too few pairs"
    if judged.differs(place):
        return "gap"
    return "the articles' own" if beyond and own.differs(place) else "no gap shown"


def _mean(values: Array) -> float | None:
    there = values[np.isfinite(values)]
    return float(there.mean()) if len(there) else None


def paired(values: Array, pages: NDArray[np.int64], page_ids: Sequence[int]) -> Array:
    """Of values [metrics, pages] those of these pages, in their order: [len(page_ids), metrics]; NaN for a page that
    has none."""
    place = {int(page): number for number, page in enumerate(pages)}
    whole = np.concatenate([values, np.full((len(values), 1), np.nan)], axis=1)
    return np.asarray(whole[:, [place.get(page, len(pages)) for page in page_ids]].T)
