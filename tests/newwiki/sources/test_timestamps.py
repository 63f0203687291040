from datetime import UTC, datetime, timedelta, timezone

import pytest

from newwiki.sources.timestamps import moment, stamp


def test_a_time_is_read_as_it_was_written() -> None:
    at = datetime(2026, 10, 15, 0, 0, 1, tzinfo=UTC)
    assert moment("2026-10-15T00:00:01Z") == at
    assert stamp(at) == stamp(at.astimezone(timezone(timedelta(hours=-4)))) == "2026-10-15T00:00:01Z"


@pytest.mark.parametrize(
    "written", ["", "infinity", "20261015000001", "2026-10-15", "2026-10-15T00:00:01", "2026-13-15T00:00:01Z"]
)
def test_a_time_in_another_format_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"not a timestamp|month must be in"):
        moment(written)
