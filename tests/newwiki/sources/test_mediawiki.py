"""What a real server cannot be made to show; the rest is tested against one."""

from datetime import UTC, datetime, timedelta, timezone

import responses

from newwiki.records import Page
from newwiki.sources.mediawiki import ApiSource

URL = "https://wiki.example/w/api.php"


@responses.activate
def test_a_cutoff_is_sent_in_utc_wherever_it_was_written() -> None:
    responses.get(URL, json={"query": {"pages": [{"pageid": 7, "revisions": []}]}})
    page = Page(7, "Lumen", datetime(2026, 9, 1, tzinfo=UTC))
    cutoff = datetime(2026, 10, 14, 20, tzinfo=timezone(timedelta(hours=-4)))
    ApiSource(URL).count_revisions(page, cutoff, 10)
    assert "rvstart=2026-10-15T00%3A00%3A00Z" in str(responses.calls[0].request.url)
