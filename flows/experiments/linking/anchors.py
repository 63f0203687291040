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
    distinct: list[Settings] = []
    for settings in (run.settings for run in runs):
        if settings and not any(all(settings[name] == other[name] for name in protocol.PROTOCOL) for other in distinct):
            distinct.append(settings)
    sampled = [settings for settings in distinct if settings["samples"] is not None]
    single = [settings for settings in distinct if settings["samples"] is None]
    return [
        *sampled,
        *(settings for settings in single if all(protocol.differing(settings, other) for other in sampled)),
    ]


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


def anchors(months: Sequence[tuple[Sequence[LinkableRun], Numbers]], settings: Settings) -> list[Anchor]:
    """Return the anchors of two months, given by their runs and numbers, among runs of this protocol."""
    mine = [_one_each(runs, numbers, settings) for runs, numbers in months]
    both = [key for key in mine[0] if key in mine[1]]
    most = [max((month[key][1] for key in both), default=0) for month in mine]
    enough = [key for key in both if all(month[key][1] >= _ENOUGH * top for month, top in zip(mine, most, strict=True))]
    return [Anchor(*(month[key][0] for month in mine)) for key in enough]


def _one_each(
    runs: Sequence[LinkableRun], numbers: Numbers, settings: Settings
) -> dict[tuple[object, ...], tuple[str, int]]:
    """Choose one run for each set of runs that differ only in seed and prompts, and count its articles.

    The run with the most articles is chosen, and of several such runs the latest.
    """
    articles = dict(zip(numbers.runs, np.isfinite(numbers.values).sum(axis=1).tolist(), strict=True))
    chosen: dict[tuple[object, ...], LinkableRun] = {}
    for run in runs:
        if protocol.differing(run.settings, settings) or not articles.get(run.run_id):
            continue
        other = chosen.get(run.same)
        if other is None or (articles[other.run_id], other.latest) < (articles[run.run_id], run.latest):
            chosen[run.same] = run
    return {same: (run.run_id, articles[run.run_id]) for same, run in chosen.items()}
