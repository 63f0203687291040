"""Compare a model's numbers on old articles with its numbers on matched new articles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluators import statistics
from evaluators.power import visible_effect
from flows.experiments.cutoff.findings import DECISIVE
from flows.experiments.leakage.result_tables import Gap, Verdict

TOO_FEW: Verdict = "too few pairs"
BETTER: Verdict = "better on old articles"
WORSE: Verdict = "worse on old articles"
DIFFERENT: Verdict = "different on old articles"
NONE_SHOWN: Verdict = "no difference shown"
THE_ARTICLES_OWN: Verdict = "the articles' own"

# The same bits in other units, or of another part of the article; they add no further tests of the same question
SAME_BITS = frozenset({DECISIVE, "bits_per_token", "prompt_bits_per_byte"})

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PairedScores:
    """Scores of one model under one decoder: `old` and `new` are pairs × metrics, NaN for missing scores."""

    model: str
    decoder: str
    old: Array
    new: Array


def gaps(evaluators: Mapping[str, str], model: PairedScores, control: PairedScores | None, seed: int) -> list[Gap]:
    """Return one gap for each metric for which any pair has scores of both articles, and of both by the control.

    `evaluators` maps each metric's name to its evaluator's id. Each gap is computed as if it were the only test;
    `judged_together` corrects for all tests. A pair is a cluster: the scores of an article's texts are averaged.

    Source: New-Wiki Eval paper, experiment 3 (Old Wikipedia vs New Wikipedia), which compares means without pairs or
    intervals. With a control, the gap is the difference in differences of Card & Krueger 1994.
    """
    apart = model.old - model.new
    control_apart = control.old - control.new if control else np.zeros(apart.shape)
    apart = np.where(np.isfinite(control_apart), apart, np.nan)
    own = _tested(apart, seed)
    beyond = _tested(apart - control_apart, seed) if control else None
    rows = []
    for place, (metric, evaluator_id) in enumerate(evaluators.items()):
        present = np.isfinite(apart[:, place])
        if not present.any():
            continue
        gap, difference = own.estimate.at(place), beyond.estimate.at(place) if beyond else None
        rows.append(
            Gap(
                model=model.model,
                decoder=model.decoder,
                metric=metric,
                evaluator_id=evaluator_id,
                pairs=int(present.sum()),
                mean_old=float(model.old[present, place].mean()),
                mean_new=float(model.new[present, place].mean()),
                gap=float(own.estimate.mean[place]),
                sd=statistics.number_or_none(own.spread[place]),
                low=gap.low,
                high=gap.high,
                no_interval=gap.lacking,
                p=float(own.p[place]),
                p_holm=float(own.p[place]),
                control=control.model if control else None,
                control_gap=float(control_apart[present, place].mean()) if control else None,
                difference=difference.mean if difference else None,
                difference_low=difference.low if difference else None,
                difference_high=difference.high if difference else None,
                difference_p_holm=statistics.number_or_none(beyond.p[place]) if beyond else None,
                verdict=TOO_FEW if (difference or gap).is_of_too_few else NONE_SHOWN,
                difference_sd=statistics.number_or_none(beyond.spread[place]) if beyond else None,
                visible=None,
            )
        )
    return rows


def judged_together(uncorrected: Sequence[Gap], better: Mapping[str, str | None]) -> list[Gap]:
    """Return the gaps of an answer with verdicts, visible effect sizes, and p corrected for all of its tests.

    `better` maps each metric to its direction on a text that was read: `lower`, `higher`, or None. The bits
    (`SAME_BITS`) are one number in several units, on which the verdict rests. Each is corrected only for the number of
    models (Holm), so that with one model p stays unchanged. All other metrics, decoders and models are corrected for
    each other.
    """
    families = [gap.metric if gap.metric in SAME_BITS else "" for gap in uncorrected]
    judged = list(uncorrected)
    for family in dict.fromkeys(families):
        places = [place for place, name in enumerate(families) if name == family]
        own = statistics.holm([uncorrected[place].p for place in places])
        beyond = statistics.holm([uncorrected[place].difference_p_holm for place in places])
        for place, p, difference_p in zip(places, own, beyond, strict=True):
            corrected = replace(
                uncorrected[place], p_holm=float(p), difference_p_holm=statistics.number_or_none(difference_p)
            )
            sd = corrected.judged[3]
            effect = visible_effect(corrected.pairs, len(places))
            visible = None if sd is None else statistics.number_or_none(effect * sd)
            judged[place] = replace(
                corrected, verdict=_verdict(corrected, better.get(corrected.metric)), visible=visible
            )
    return judged


@dataclass(frozen=True)
class _Tested:
    estimate: statistics.Estimate
    spread: Array
    p: Array


def _tested(differences: Array, seed: int) -> _Tested:
    p = statistics.p_values(differences, seed)
    return _Tested(statistics.differences_estimate(differences), statistics.spread(differences), p)


def _verdict(gap: Gap, better: str | None) -> Verdict:
    if gap.verdict == TOO_FEW:
        return TOO_FEW
    own = gap.p_holm <= statistics.LEVEL
    beyond = gap.difference_p_holm is not None and gap.difference_p_holm <= statistics.LEVEL
    if not (beyond if gap.control else own):
        return THE_ARTICLES_OWN if gap.control and own else NONE_SHOWN
    if better not in ("lower", "higher"):
        return DIFFERENT
    return BETTER if ((gap.judged[0] or 0.0) < 0) == (better == "lower") else WORSE


def paired(values: Array, pages: NDArray[np.int64], page_ids: Sequence[int]) -> Array:
    """Select these pages from values [metrics, pages], in the order of `page_ids`.

    Returns an array [len(page_ids), metrics], NaN for pages without values.
    """
    place = {int(page): number for number, page in enumerate(pages)}
    whole = np.concatenate([values, np.full((len(values), 1), np.nan)], axis=1)
    return np.asarray(whole[:, [place.get(page, len(pages)) for page in page_ids]].T)
