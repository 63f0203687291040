import pytest

from newwiki.sources.settling import Stand, settled, stepped_over


@pytest.mark.parametrize(
    ("sizes", "place"),
    [
        ([100], 0),
        ([0], 0),
        ([100, 90, 80], 0),
        ([0, 100, 90], 1),
        ([49, 100, 90], 1),
        ([50, 100, 90], 0),
        ([0, 10, 100, 90], 2),
        ([0, 0, 100], 2),
        ([18, 0, 100], 0),
        ([0, 0, 0], 0),
        ([None, 100], 0),
        ([0, None, 100], 2),
        ([40, None, 100], 2),
        ([60, None, 100], 0),
        ([0, None], 0),
    ],
)
def test_the_newest_unblanked_revision_is_used(sizes: list[int | None], place: int) -> None:
    """Sizes in bytes from the newest to the oldest; None is a hidden revision, with which nothing can be compared."""
    history = [Stand(100 - number, size or 0, size is None) for number, size in enumerate(sizes)]
    assert settled(history) == place


def test_skipped_pages_are_counted_in_a_note() -> None:
    told = stepped_over([Stand(72, 0), Stand(71, 5310)], 1)
    assert told == "revision 72 at the cutoff (0 bytes) stepped over for revision 71 (5310 bytes)"
