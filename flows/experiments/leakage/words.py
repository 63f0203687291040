"""What the gaps say, in sentences, and what they cannot tell apart."""

from collections.abc import Sequence

from flows.experiments.leakage.blind_baseline import Membership
from flows.experiments.leakage.gaps import Gap
from flows.experiments.leakage.matching import Matching
from flows.tables import digits, p_value
from newwiki.decoding.grammar import short_form
from newwiki.snapshot import Snapshot

# What decides, where the model has read the articles; otherwise every metric does.
_DECISIVE = "bits_per_byte"
_BALANCED = 0.1  # standard deviations


def decisive(gaps: Sequence[Gap]) -> list[Gap]:
    """Of each model what its verdict rests on."""
    by_model = {gap.model: [one for one in gaps if one.model == gap.model] for gap in gaps}
    return [
        gap
        for of_model in by_model.values()
        for gap in ([one for one in of_model if one.metric == _DECISIVE] or of_model)
    ]


def verdict(gaps: Sequence[Gap]) -> str:
    """`gap`, `no gap shown`, `the articles' own` or `too few pairs`; of several models each, with its name."""
    found = {model: _of_model([one for one in decisive(gaps) if one.model == model]) for model in _models(gaps)}
    return next(iter(found.values())) if len(found) == 1 else "; ".join(f"{name}: {one}" for name, one in found.items())


def words(
    gaps: Sequence[Gap], memberships: Sequence[Membership], matching: Matching, old: Snapshot, new: Snapshot
) -> list[str]:
    """A sentence for the matching, some for each model, and what the answer does not tell."""
    uneven = {name: value for name, value in matching.imbalance.items() if abs(value) > _BALANCED}
    told = [
        f"{len(matching.pairs):,} of {old.articles:,} old articles ({old.snapshot_id}) are matched with as many of "
        f"{new.articles:,} new ones ({new.snapshot_id}) by {' and '.join(matching.by)}; "
        + (
            f"they still differ in {_imbalances(uneven)}, which may be part of a gap"
            if uneven
            else f"what is left between them is {_imbalances(matching.imbalance)}"
        )
    ]
    for model in _models(gaps):
        of_model = [one for one in decisive(gaps) if one.model == model]
        shown = [one for one in of_model if one.verdict == "gap"] or of_model[:1]
        told += [_sentence(gap, len(of_model)) for gap in shown]
    told += [_membership(one) for one in memberships]
    control = next((gap.control for gap in gaps if gap.control), None)
    if control:
        told.append(
            f"what {control} shows too is the articles' own; that it has read neither is for who named it to know"
        )
    else:
        told.append(
            "old articles may be easier for any model, whether it has read them or not: a --control that has read "
            "neither tells the two apart"
        )
    return told


def _models(gaps: Sequence[Gap]) -> list[str]:
    return list(dict.fromkeys(gap.model for gap in gaps))


def _of_model(gaps: Sequence[Gap]) -> str:
    found = {gap.verdict for gap in gaps}
    return next(one for one in ("gap", "the articles' own", "no gap shown", "too few pairs") if one in found)


def _sentence(gap: Gap, tests: int) -> str:
    beyond = gap.difference is not None
    number, low, high = (
        (gap.difference, gap.difference_low, gap.difference_high) if beyond else (gap.gap, gap.low, gap.high)
    )
    p = gap.difference_p_holm if gap.difference_p_holm is not None else gap.p_holm
    of = f" of {tests} metrics" if tests > 1 and gap.verdict != "gap" else ""
    return (
        f"{gap.model} under {short_form(gap.decoder)}: {gap.verdict}{of}: {gap.metric} is {digits(gap.mean_old)} on "
        f"old and {digits(gap.mean_new)} on new articles"
        + (f", {_signed(gap.gap)} apart, and {gap.control} {_signed(gap.control_gap or 0.0)}: " if beyond else ": ")
        + f"{_signed(number or 0.0)} {_interval(low, high, gap.no_interval)}, p {p_value(p)}"
    )


def _membership(one: Membership) -> str:
    better = one.difference_low > 0
    return (
        f"{one.score} of {one.model} tells an old article from a new one in {one.auc:.0%} of pairs "
        f"[{one.low:.0%}, {one.high:.0%}], who has read only the texts in {one.blind_auc:.0%} "
        f"[{one.blind_low:.0%}, {one.blind_high:.0%}]"
        + ("" if better else ": it says no more than the texts do, and is no sign of having read them")
    )


def _imbalances(found: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:+.2f} standard deviations" for name, value in found.items())


def _interval(low: float | None, high: float | None, lacking: str | None) -> str:
    return f"[{_signed(low)}, {_signed(high)}]" if low is not None and high is not None else f"[{lacking}]"


def _signed(number: float) -> str:
    return (f"{number:+.3f}" if abs(number) >= 0.001 or not number else f"{number:+.2g}").replace("-", "−")
