"""What a real server cannot be made to show; the rest is tested against one."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
import responses

from newwiki.snapshot import Page, Site
from newwiki.sources.mediawiki import ApiSource

URL = "https://wiki.example/w/api.php"


@responses.activate
def test_a_cutoff_is_sent_in_utc_wherever_it_was_written() -> None:
    responses.get(URL, json={"query": {"pages": [{"pageid": 7, "revisions": []}]}})
    page = Page(7, "Lumen", datetime(2026, 9, 1, tzinfo=UTC))
    cutoff = datetime(2026, 10, 14, 20, tzinfo=timezone(timedelta(hours=-4)))
    ApiSource(URL).count_revisions(page, cutoff, 10)
    assert "rvstart=2026-10-15T00%3A00%3A00Z" in str(responses.calls[0].request.url)


GENERAL = {"wikiid": "x", "lang": "de", "base": "https://wiki.example/wiki/Main_Page"}


@pytest.mark.parametrize(
    ("rights", "licence", "url"),
    [
        ({"text": "CC BY-SA 4.0", "url": "https://cc.example/by-sa"}, "CC BY-SA 4.0", "https://cc.example/by-sa"),
        ({"text": "", "url": ""}, None, None),
        ({"text": "Free\x1b[31m <b>for all</b>"}, "Free [31m for all", None),
        ({}, None, None),
    ],
)
@responses.activate
def test_a_wiki_names_its_language_and_its_licence(
    rights: dict[str, str], licence: str | None, url: str | None
) -> None:
    responses.get(URL, json={"query": {"general": GENERAL, "rightsinfo": rights}})
    assert ApiSource(URL).site() == Site("x", "de", GENERAL["base"], licence, url)
    assert "siprop=general%7Crightsinfo" in str(responses.calls[0].request.url)
