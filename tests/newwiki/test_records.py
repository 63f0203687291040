import inspect
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki import manifest, records, snapshot
from newwiki.errors import UsageError
from newwiki.snapshot import Window


def test_a_month_is_half_open() -> None:
    october = Window.month("2026-10")
    assert october == Window(datetime(2026, 10, 1, tzinfo=UTC), datetime(2026, 11, 1, tzinfo=UTC))
    assert datetime(2026, 10, 1, tzinfo=UTC) in october
    assert datetime(2026, 10, 31, 23, 59, 59, tzinfo=UTC) in october
    assert datetime(2026, 11, 1, tzinfo=UTC) not in october
    assert datetime(2026, 9, 30, 23, 59, 59, tzinfo=UTC) not in october


def test_december_ends_with_the_year() -> None:
    assert Window.month("2026-12").end == datetime(2027, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["", "2026", "2026-1", "2026-13", "2026-00", "0000-01", "2026-10-01", "26-10", "October"]
)
def test_an_invalid_month_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="write it as 2026-10"):
        Window.month(text)


def test_the_last_month_of_all_is_misuse_too() -> None:
    with pytest.raises(UsageError):
        Window.month("9999-12")


def test_both_days_are_counted_in() -> None:
    window = Window.days(date(2024, 2, 28), date(2024, 2, 29))
    assert window == Window(datetime(2024, 2, 28, tzinfo=UTC), datetime(2024, 3, 1, tzinfo=UTC))
    assert Window.days(date(2026, 1, 1), date(2026, 1, 1)).end - window.start > timedelta(days=1)


@pytest.mark.parametrize("days", [(date(2026, 10, 2), date(2026, 10, 1)), (date(2026, 10, 9), date(2026, 1, 1))])
def test_a_window_that_ends_before_it_begins_is_misuse(days: tuple[date, date]) -> None:
    with pytest.raises(UsageError, match="the window is empty"):
        Window.days(*days)


def test_a_label_names_the_days_and_a_month_by_itself() -> None:
    assert Window.month("2026-10").label == "2026-10"
    assert Window.days(date(2026, 10, 1), date(2026, 10, 31)).label == "2026-10"
    assert Window.days(date(2026, 10, 1), date(2026, 10, 15)).label == "20261001-20261015"
    assert Window.days(date(2026, 10, 1), date(2026, 11, 30)).label == "20261001-20261130"
    assert Window.days(date(2026, 10, 5), date(2026, 10, 5)).label == "20261005-20261005"


DAYS = st.dates(date(2001, 1, 1), date(2100, 1, 1))


@given(DAYS, DAYS, DAYS, DAYS)
def test_different_windows_have_different_labels(a: date, b: date, c: date, d: date) -> None:
    one, other = Window.days(min(a, b), max(a, b)), Window.days(min(c, d), max(c, d))
    assert (one == other) == (one.label == other.label)


def test_all_before_a_day_begins_at_the_epoch_and_ends_with_the_day_before() -> None:
    window = Window.before(date(2020, 1, 1))
    assert window.label == "old-before-2020-01-01"
    assert window.is_old
    assert datetime(1970, 1, 1, tzinfo=UTC) in window
    assert datetime(2019, 12, 31, 23, 59, 59, tzinfo=UTC) in window
    assert datetime(2020, 1, 1, tzinfo=UTC) not in window
    assert not Window.month("2019-12").is_old


def test_a_record_with_many_fields_is_created_by_keyword() -> None:
    """Of a completion only what each has, its page, text, length and end, may stand without a name."""
    wide = {
        name: [one.kw_only for one in fields(kind)]
        for room in (snapshot, records, manifest)
        for name, kind in inspect.getmembers(room, is_dataclass)
        if len(fields(kind)) > 11
    }
    assert not any(wide["Completion"][:7]) and all(wide.pop("Completion")[7:])
    assert set(wide) == {"Article", "CheckedClaim", "Judged", "Manifest", "Run", "Snapshot"}
    assert all(all(by_name) for by_name in wide.values())
