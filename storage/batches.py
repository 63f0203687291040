"""Batches of runs, which keep memory use independent of the number of runs."""

from collections.abc import Iterator, Sequence

_AT_ONCE = 8


def of_runs(run_ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield all run ids in their order, in batches of at most eight."""
    for start in range(0, len(run_ids), _AT_ONCE):
        yield run_ids[start : start + _AT_ONCE]
