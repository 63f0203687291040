"""State in sentences what the gaps show and what they cannot distinguish."""

from collections.abc import Sequence

from evaluators import statistics
from flows.experiments.cutoff.findings import DECISIVE
from flows.experiments.leakage.gaps import BETTER, DIFFERENT, NONE_SHOWN, THE_ARTICLES_OWN, TOO_FEW, WORSE
from flows.experiments.leakage.matching import Matching
from flows.experiments.leakage.result_tables import Gap, Membership
from flows.presenting.numbers import digits, estimate, fixed, interval, p_value, percent, signed
from newwiki.decoding.grammar import short_form
from newwiki.snapshot import Snapshot

_MEANS = {
    BETTER: ": it does better on what it may have read",
    WORSE: ": it does worse on what it may have read, which is no sign of having read it",
    DIFFERENT: ": a metric without a better end, which is no sign of having read them",
}
_BALANCED = 0.1  # standard deviations


def decisive(gaps: Sequence[Gap]) -> list[Gap]:
    """Return the gaps behind each model's verdict: the bits if the model has read the articles, else every metric."""
    by_model = {gap.model: [other for other in gaps if other.model == gap.model] for gap in gaps}
    return [
        gap
        for model_gaps in by_model.values()
        for gap in ([other for other in model_gaps if other.metric == DECISIVE] or model_gaps)
    ]


def verdict(gaps: Sequence[Gap]) -> str:
    """Return the verdict (`result_tables.Verdict`); with several models, each clause has the model's name."""
    verdicts = {model: _model_verdict([gap for gap in decisive(gaps) if gap.model == model]) for model in _models(gaps)}
    return (
        next(iter(verdicts.values()))
        if len(verdicts) == 1
        else "; ".join(f"{name}: {text}" for name, text in verdicts.items())
    )


def sentence(gaps: Sequence[Gap]) -> str:
    """Return the answer as one sentence per model, from the first gap that gives the model's verdict."""
    return ". ".join(
        _answer(next((gap for gap in model_gaps if gap.verdict == _model_verdict(model_gaps)), model_gaps[0]))
        for model in _models(gaps)
        if (model_gaps := [gap for gap in decisive(gaps) if gap.model == model])
    )


def words(
    gaps: Sequence[Gap], memberships: Sequence[Membership], matching: Matching, old: Snapshot, new: Snapshot
) -> list[str]:
    """Return sentences about the matching, about each model, and about the limits of the answer."""
    uneven = {name: value for name, value in matching.imbalance.items() if abs(value) > _BALANCED}
    sentences = [
        f"{len(matching.pairs):,} of {old.articles:,} old articles ({old.snapshot_id}) are matched with as many of "
        f"{new.articles:,} new ones ({new.snapshot_id}) by {' and '.join(matching.by)}; "
        + (
            f"they still differ in {_imbalances(uneven)}, which may be part of a gap"
            if uneven
            else f"the remaining difference is {_imbalances(matching.imbalance)}"
        )
    ]
    for model in _models(gaps):
        decided = [gap for gap in decisive(gaps) if gap.model == model]
        shown = [gap for gap in decided if gap.verdict in _MEANS] or decided[:1]
        sentences += [_sentence(gap, len(decided)) for gap in shown]
        sentences += [_power(gap) for gap in shown[:1] if gap.visible is not None]
        sentences += otherwise([gap for gap in gaps if gap.model == model], shown)
    sentences += [_membership(membership) for membership in memberships]
    control = next((gap.control for gap in gaps if gap.control), None)
    if control:
        sentences.append(f"what {control} shows too is the articles' own; that it has read neither is assumed")
    else:
        sentences.append(
            "old articles may be easier, or harder, for any model, whether it has read them or not: a --control that "
            "has read neither tells the two apart"
        )
    return sentences


def _models(gaps: Sequence[Gap]) -> list[str]:
    return list(dict.fromkeys(gap.model for gap in gaps))


def _model_verdict(gaps: Sequence[Gap]) -> str:
    verdicts = {gap.verdict for gap in gaps}
    if {BETTER, WORSE} <= verdicts:
        return "better on old articles by some metrics, worse by others"
    return next(
        candidate
        for candidate in (BETTER, WORSE, THE_ARTICLES_OWN, DIFFERENT, NONE_SHOWN, TOO_FEW)
        if candidate in verdicts
    )


def _answer(gap: Gap) -> str:
    number, low, high, _ = gap.judged
    unit = "bits per byte (fewer are better)" if gap.metric == DECISIVE else gap.metric
    beyond = f", beyond that of the control {gap.control}," if gap.difference is not None else ""
    by = f"old − new{beyond} is {estimate(number or 0.0, low, high, signed, unit_of_pairs(gap.no_interval))} {unit}"
    answers = {
        BETTER: f"{gap.model} does better on old articles, which it may have read, than on new ones: {by}",
        WORSE: f"{gap.model} does worse on old articles, which it may have read, than on new ones: {by}",
        DIFFERENT: f"{gap.model} differs on old articles, by a metric that is no sign of having read them: {by}",
        NONE_SHOWN: f"No difference between old and new articles is shown for {gap.model}: {by}",
        THE_ARTICLES_OWN: f"{gap.model} differs on old articles no more than the control does: {by}",
        TOO_FEW: f"{gap.pairs} pairs of articles are too few to tell whether {gap.model} does better on old ones; "
        f"at least {statistics.FEWEST} are needed",
    }
    return answers[gap.verdict]


def _sentence(gap: Gap, tests: int) -> str:
    number, low, high, _ = gap.judged
    p = gap.difference_p_holm if gap.difference_p_holm is not None else gap.p_holm
    suffix = f" by any of {tests} metrics" if tests > 1 and gap.verdict == NONE_SHOWN else ""
    number_words = estimate(number or 0.0, low, high, signed, unit_of_pairs(gap.no_interval))
    apart = f", {signed(gap.gap)} apart, and {gap.control} {signed(gap.control_gap or 0.0)}" if gap.control else ""
    return (
        f"{gap.model} under {short_form(gap.decoder)}: {gap.verdict}{suffix}, over {gap.pairs:,} pairs of articles: "
        f"{gap.metric} is {digits(gap.mean_old)} on old and {digits(gap.mean_new)} on new articles{apart}: "
        f"{number_words}, p {p_value(p)}{_MEANS.get(gap.verdict, '')}"
    )


def unit_of_pairs(reason: str | None) -> str | None:
    """Return why there is no interval, for pairs of articles; `evaluators.statistics` calls its units prompts."""
    return TOO_FEW if reason == statistics.TOO_FEW else reason


def otherwise(gaps: Sequence[Gap], shown: Sequence[Gap]) -> list[str]:
    """Name the metrics that the verdict does not rest on and that point in the opposite direction."""
    shown_verdicts = {gap.verdict for gap in shown} & {BETTER, WORSE}
    others = (
        [gap for gap in gaps if gap not in shown and gap.verdict in {BETTER, WORSE} - shown_verdicts]
        if shown_verdicts
        else []
    )
    if not others:
        return []
    names = ", ".join(dict.fromkeys(gap.metric for gap in others))
    return [f"the verdict does not rest on {names}, by which it would be: {others[0].verdict}"]


def _power(gap: Gap) -> str:
    """State the effect size that this number of pairs could have shown."""
    unit = "bits a byte" if gap.metric == DECISIVE else f"in {gap.metric}"
    suffix = f" beyond {gap.control}'s" if gap.control else ""
    return (
        f"with {gap.pairs:,} pairs a gap of {gap.visible:.2g} {unit}{suffix} would be seen in 80 of 100 cases, "
        "a smaller one in fewer"
    )


def _membership(membership: Membership) -> str:
    better = membership.difference_low > 0
    return (
        f"{membership.score} of {membership.model} tells an old article from a new one in {_share(membership.auc)} of "
        f"pairs {interval(membership.low, membership.high, _share)}, and the texts alone, without a model, in "
        f"{_share(membership.blind_auc)} {interval(membership.blind_low, membership.blind_high, _share)}"
        + ("" if better else ": it says no more than the texts do, and is no sign of having read them")
    )


def _share(share: float) -> str:
    return percent(share, 0)


def _imbalances(imbalances: dict[str, float]) -> str:
    return ", ".join(f"{name} {fixed(value, 2, signed=True)} standard deviations" for name, value in imbalances.items())
