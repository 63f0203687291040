"""State what the anchors of links held constant between the months, and how far a wrong anchor can move the scale."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluators.statistics import LEVEL
from flows.experiments.linking.result_tables import LinkedMonths
from flows.presenting.numbers import digits, p_value
from flows.verdict_kinds import gives_verdicts
from newwiki import protocol
from storage.linked_months import LinkableRun

_SOME = 6  # maximum number of anchors listed by name
# Settings that differ between months in any case, and that do not change a model
_NO_CHANGE = frozenset({"prompts", "seed"})


@gives_verdicts(
    "anchor_models", "models", given="anchors, months, seed and settings", family="the anchors, months and metrics"
)
@dataclass(frozen=True)
class AnchorModel:
    """A model among the anchors of a link.

    The model moves the scale by `share` of its own error. Without it the anchors gain `shift` more. `p` tests whether
    it gains as the others do; it is None below four models.
    """

    metric: str
    earlier: str
    later: str
    model: str
    share: float
    shift: float
    p: float | None


def held_words(links: Sequence[LinkedMonths], runs: Sequence[LinkableRun]) -> list[str]:
    """State what was the same in both months, what was not, and what is unknown."""
    by_id = {run.run_id: run for run in runs}
    pairs = {
        pair: (by_id[pair[0]], by_id[pair[1]])
        for link in links for pair in zip(link.earlier_runs, link.later_runs, strict=True)
    }  # fmt: skip
    sentences = [
        "held constant between two months were, of every anchor, its weights by their hash, decoder, dtype, backend "
        "and protocol, and the evaluator"
    ]
    unseen = dict.fromkeys(earlier.words for earlier, _ in pairs.values() if not earlier.has_known_weights)
    if unseen:
        sentences.append(
            f"nobody has seen the weights of {_listed([*unseen])}: an anchor by its name alone may be another model in "
            "each month; link without it by naming the others (--anchor)"
        )
    changed = {}
    for earlier, later in pairs.values():
        if names := [
            setting for setting in protocol.told_apart(earlier.settings, later.settings) if setting not in _NO_CHANGE
        ]:
            changed[earlier.words] = f"{earlier.words} ({', '.join(names)})"
    if changed:
        sentences.append(f"anchors ran with other settings in one of two months: {_listed([*changed.values()])}")
    return sentences


def moved_words(anchors: Sequence[AnchorModel], links: int) -> list[str]:
    """State how far the scale rests on one model, and which models gain differently from the rest.

    `links` is the number of links, by which p is corrected.
    """
    if not anchors:
        return []
    worst: dict[str, AnchorModel] = {}
    for anchor in anchors:
        if anchor.metric not in worst or abs(anchor.shift) > abs(worst[anchor.metric].shift):
            worst[anchor.metric] = anchor
    each = [
        f"{anchor.metric} by {digits(abs(anchor.shift))} without {anchor.model} ({anchor.earlier} to {anchor.later})"
        for anchor in worst.values()
    ]
    share = max(anchor.share for anchor in anchors)
    sentences = [
        f"a model among the anchors whose score is off in one month moves all linked scores by up to {share:.0%} of "
        "its error; the intervals grow with how far it lies from the others, and do not hold an error that half of the "
        f"anchors or more share. Leaving out one model moves the scale by at most this much: {_listed(each)}"
    ]
    if odd := odd_anchors(anchors, links):
        named = [
            f"{anchor.model} by {anchor.metric} ({anchor.earlier} to {anchor.later}, p {p_value(p)})"
            for anchor, p in odd
        ]
        sentences.append(
            f"these anchors gain otherwise than the others, and may have changed or seen a month: {_listed(named)}; "
            "link without them by naming the others (--anchor)"
        )
    elif any(anchor.p is None for anchor in anchors):
        sentences.append("below four models nothing tells which anchor is wrong")
    return sentences


def odd_anchors(anchors: Sequence[AnchorModel], links: int) -> list[tuple[AnchorModel, float]]:
    """Return the anchors that gain more or less than the others, each with its p corrected for all links.

    `p` is corrected for the models of one link. Here it is multiplied by the number of links (Bonferroni); two months
    have one link for each metric, evaluator and protocol.
    """
    corrected = [(anchor, min(1.0, anchor.p * links)) for anchor in anchors if anchor.p is not None]
    return [(anchor, p) for anchor, p in corrected if p <= LEVEL]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SOME]) + (f" and {len(names) - _SOME} more" if len(names) > _SOME else "")
