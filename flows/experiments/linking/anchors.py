"""Select the anchor runs of two months: the same model, decoder, protocol and evaluator in both."""

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from flows.comparing.chains import Anchor, Numbers
from newwiki import protocol
from newwiki.errors import UsageError
from newwiki.protocol import Settings
from storage.linked_months import LinkableRun

# minimum share of the largest anchor's articles; an anchor with fewer would shrink the common articles of all others
_ENOUGH = 0.5


def protocols(runs: Iterable[LinkableRun]) -> list[Settings]:
    """Return the distinct protocols of the runs.

    A protocol that only deterministic decoders have is merged with a compatible protocol of sampling decoders.
    """
    found: list[Settings] = []
    for settings in (run.settings for run in runs):
        if settings and not any(all(settings[name] == one[name] for name in protocol.PROTOCOL) for one in found):
            found.append(settings)
    sampled = [one for one in found if one["samples"] is not None]
    single = [one for one in found if one["samples"] is None]
    return [*sampled, *(one for one in single if all(protocol.differing(one, other) for other in sampled))]


def canonical(asked: Settings) -> str:
    return protocol.protocol_json(**{name: asked[name] for name in protocol.PROTOCOL})


def candidates(runs: Sequence[LinkableRun], named: Collection[str]) -> list[LinkableRun]:
    """Return the runs that may be anchors: all runs, or the named ones.

    Raises UsageError for a name that no run has.
    """
    for name in named:
        if not any(run.is_called(name) for run in runs):
            raise UsageError(
                f"no run of these months is '{name}'; --anchor is written MODEL/DECODER, as in the leaderboard"
            )
    return [run for run in runs if not named or any(run.is_called(name) for name in named)]


def anchors(months: Sequence[tuple[Sequence[LinkableRun], Numbers]], asked: Settings) -> list[Anchor]:
    """Return the anchors of two months, given by their runs and numbers, among runs of this protocol."""
    mine = [_one_each(runs, numbers, asked) for runs, numbers in months]
    both = [key for key in mine[0] if key in mine[1]]
    most = [max((of_month[key][1] for key in both), default=0) for of_month in mine]
    enough = [
        key for key in both if all(of_month[key][1] >= _ENOUGH * top for of_month, top in zip(mine, most, strict=True))
    ]
    return [Anchor(*(of_month[key][0] for of_month in mine)) for key in enough]


def _one_each(
    runs: Sequence[LinkableRun], numbers: Numbers, asked: Settings
) -> dict[tuple[object, ...], tuple[str, int]]:
    """Choose one run for each set of runs that differ only in seed and prompts, and count its articles.

    The run with the most articles is chosen, and of several such runs the latest.
    """
    there = dict(zip(numbers.runs, np.isfinite(numbers.values).sum(axis=1).tolist(), strict=True))
    found: dict[tuple[object, ...], LinkableRun] = {}
    for run in runs:
        if protocol.differing(run.settings, asked) or not there.get(run.run_id):
            continue
        other = found.get(run.same)
        if other is None or (there[other.run_id], other.latest) < (there[run.run_id], run.latest):
            found[run.same] = run
    return {same: (run.run_id, there[run.run_id]) for same, run in found.items()}
