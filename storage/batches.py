"""Some runs at a time, so that memory does not grow with their scores."""

from collections.abc import Iterator, Sequence

_AT_ONCE = 8


def of_runs(run_ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """All of these, in their order."""
    for start in range(0, len(run_ids), _AT_ONCE):
        yield run_ids[start : start + _AT_ONCE]
