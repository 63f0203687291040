"""Which revisions count: those whose ids and times rise together."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from newwiki.sources.revision_order import OrderedHistory, counted

FIRST = datetime(2026, 9, 1, tzinfo=UTC)
# The number of each revision, and its hour
REVISIONS = st.lists(st.tuples(st.integers(1, 30), st.integers(0, 12)), max_size=15, unique_by=lambda one: one[0])


def kept(revisions: list[tuple[int, int]]) -> list[tuple[int, int]]:
    history = OrderedHistory[tuple[int, int]]()
    for number, hour in revisions:
        history.add(number, FIRST + timedelta(hours=hour), (number, hour))
    return history.revisions


@given(REVISIONS)
def test_a_revision_counts_if_no_earlier_number_has_a_later_time(revisions: list[tuple[int, int]]) -> None:
    assert kept(revisions) == [
        (number, hour) for number, hour in sorted(revisions) if not any(n < number and h > hour for n, h in revisions)
    ]


@given(REVISIONS.flatmap(lambda revisions: st.tuples(st.just(revisions), st.permutations(revisions))))
def test_the_order_of_reading_does_not_matter(
    orders: tuple[list[tuple[int, int]], list[tuple[int, int]]],
) -> None:
    one, other = orders
    assert kept(one) == kept(other)


@given(REVISIONS)
def test_each_revision_that_does_not_count_is_returned_once(revisions: list[tuple[int, int]]) -> None:
    history = OrderedHistory[int]()
    left_out = [
        number
        for number_added, hour in revisions
        for number in history.add(number_added, FIRST + timedelta(hours=hour), number_added)
    ]
    assert sorted(left_out + history.revisions) == sorted(number for number, _ in revisions)


def test_the_smallest_number_always_counts_and_is_the_oldest_that_does() -> None:
    answer = [
        {"revid": 9, "timestamp": "2015-01-01T00:00:00Z"},
        {"revid": 3, "timestamp": "2026-09-01T00:00:00Z"},
        {"revid": 4, "timestamp": "2026-09-01T00:00:00Z"},
        {"revid": 8, "timestamp": "2026-09-02T00:00:00Z"},
        {"revid": 7, "timestamp": "2026-09-03T00:00:00Z"},
    ]
    assert [revision["revid"] for revision in counted(answer)] == [3, 4, 7]
