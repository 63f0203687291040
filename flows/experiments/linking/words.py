"""State in sentences what the links show and what they rest on."""

from collections.abc import Mapping, Sequence

from scipy.special import stdtr, stdtridf

from evaluators import linking, statistics
from flows.experiments.linking.result_tables import LinkedMean, LinkedMonths
from flows.presenting.numbers import counted, signed
from newwiki.snapshot import Snapshot

_TOLD = 6  # metrics in a sentence


def verdict(links: Sequence[LinkedMonths], ids: Sequence[str]) -> str:
    """Return how many of the months are on the scale of the newest month."""
    linked_months = {link.from_snapshot for link in links if link.to_snapshot == ids[-1]}
    metrics = len({link.metric for link in links})
    return (
        f"{counted(len(linked_months) + 1, 'month')} on one scale by {counted(metrics, 'metric')}"
        if linked_months
        else "months are linked, and none to the newest"
    )


def sentence(links: Sequence[LinkedMonths]) -> str:
    """Return the answer in one sentence: the linked months, and the number of metrics by which they differ."""
    months = list(dict.fromkeys(month for link in links for month in (link.from_snapshot, link.to_snapshot)))
    apart = differing(links, [p_of(link) for link in links])
    metrics = counted(len({link.metric for link in links}), "metric")
    named = f"The months {' and '.join(months)}" if len(months) == 2 else counted(len(months), "month")
    on_one_scale = f"{named} are on one scale by {metrics}"
    if not apart:
        return f"{on_one_scale}, and no metric shows that one month is harder than another"
    differ = list(dict.fromkeys(link.metric for link in apart))
    clearest = max(apart, key=lambda link: abs(link.difficulty) / link.difficulty_error)
    by = differ[0] if len(differ) == 1 else f"{len(differ)} metrics, most clearly by {clearest.metric}"
    return (
        f"{on_one_scale}; they differ in difficulty by {by}: compared with {clearest.from_snapshot}, "
        f"{clearest.to_snapshot} alone adds {added(clearest)}"
    )


def p_of(link: LinkedMonths) -> float:
    """Return the two-sided p of two months being equally hard, with the interval's degrees of freedom."""
    reach = (link.difficulty_high - link.difficulty_low) / 2
    if not reach > 0:
        return 1.0 if link.difficulty == 0 else 0.0
    freedom = stdtridf(1 - statistics.LEVEL / 2, reach / link.difficulty_error)
    return float(2 * stdtr(freedom, -abs(link.difficulty) / link.difficulty_error))


def differing(links: Sequence[LinkedMonths], p_values: Sequence[float]) -> list[LinkedMonths]:
    """Return the links whose months differ in difficulty, after Holm's correction for metrics and pairs of months."""
    return [link for link, p in zip(links, statistics.holm(p_values), strict=True) if p <= statistics.LEVEL]


def words(
    links: Sequence[LinkedMonths],
    apart: Sequence[LinkedMonths],
    means: Sequence[LinkedMean],
    months: Sequence[Snapshot],
    reasons: Mapping[tuple[str, str], str],
) -> list[str]:
    """Return a sentence about each month's links to the newest month, and sentences about the limits of the numbers.

    `apart` are the links whose months differ in difficulty (`differing`).
    """
    newest = months[-1].snapshot_id
    sentences = []
    for month in months[:-1]:
        direct = [link for link in links if (link.from_snapshot, link.to_snapshot) == (month.snapshot_id, newest)]
        sentences.append(_difficulty(direct, apart) if direct else _without(month.snapshot_id, newest, means, reasons))
    fixed = list(dict.fromkeys(link.metric for link in links if link.slope_error is None))
    if fixed:
        sentences.append(
            f"between some months the slope for {_listed(fixed)} is taken for 1, as fewer than {linking.FOR_SLOPE} "
            "anchors, or anchors too close to each other, show none: a run far from all of them may be moved too "
            "little or too much"
        )
    if unlinked := sorted({mean.run_id for mean in means if mean.linked is None}):
        sentences.append(
            f"{counted(len(unlinked), 'run')} {'has' if len(unlinked) == 1 else 'have'} no place on the scale by some "
            f"metric (`no_link` says why): {_listed(unlinked)}"
        )
    sentences.append(
        "a link supposes that the anchors read the months alike: a model that had seen one of them in training makes "
        "that month look easier, and `newwiki experiment leakage` is the test of it"
    )
    return sentences


def _difficulty(links: Sequence[LinkedMonths], differing: Sequence[LinkedMonths]) -> str:
    first = links[0]
    apart = [link for link in links if link in differing]
    moved = ", ".join(f"{link.metric} {added(link)}" for link in apart[:_TOLD])
    more = f" and {len(apart) - _TOLD} more" if len(apart) > _TOLD else ""
    anchors, models = _span([link.anchors for link in links], "anchor"), _span([link.models for link in links], "model")
    metrics = counted(len({link.metric for link in links}), "metric")
    return f"{first.from_snapshot} is linked with {first.to_snapshot} by {metrics}, each by {anchors} of {models}; " + (
        f"the later month alone adds {moved}{more}" if apart else "no metric shows that the months differ"
    )


def added(link: LinkedMonths) -> str:
    return f"{signed(link.difficulty)} [{signed(link.difficulty_low)}, {signed(link.difficulty_high)}]"


def _without(month: str, newest: str, means: Sequence[LinkedMean], reasons: Mapping[tuple[str, str], str]) -> str:
    over = next((mean.via for mean in means if mean.snapshot_id == month and mean.linked is not None), None)
    why = reasons.get((month, newest), "their runs have no metric in common")
    return (
        f"{month} is linked with {newest} over {', '.join(over[1:-1])}: {why}"
        if over
        else f"{month} is not linked with {newest}: {why}"
    )


def _span(numbers: Sequence[int], what: str) -> str:
    low, high = min(numbers), max(numbers)
    return counted(high, what) if low == high else f"{low} to {counted(high, what)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_TOLD]) + (f" and {len(names) - _TOLD} more" if len(names) > _TOLD else "")
