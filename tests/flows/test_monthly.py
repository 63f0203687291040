from datetime import UTC, datetime

import pytest

from flows.monthly import newest_due, settled
from newwiki.records import Window


@pytest.mark.parametrize(
    ("now", "month"),
    [
        (datetime(2026, 11, 14, 23, 59, 59, tzinfo=UTC), "2026-09"),
        (datetime(2026, 11, 15, tzinfo=UTC), "2026-10"),
        (datetime(2026, 11, 30, 23, tzinfo=UTC), "2026-10"),
        (datetime(2027, 1, 1, tzinfo=UTC), "2026-11"),
        (datetime(2027, 1, 31, tzinfo=UTC), "2026-12"),
        (datetime(2024, 3, 15, tzinfo=UTC), "2024-02"),
    ],
)
def test_a_month_is_due_on_the_fifteenth_of_the_next(now: datetime, month: str) -> None:
    assert newest_due(now) == Window.month(month)


def test_a_month_is_cut_on_the_fifteenth_of_the_next() -> None:
    assert settled(Window.month("2026-12")) == datetime(2027, 1, 15, tzinfo=UTC)
