"""What a real server cannot be made to show; the rest is tested against one."""

from datetime import UTC, datetime
from typing import Any

import pytest
import responses

from newwiki.errors import TransientError
from newwiki.sources.revisions import Revision, RevisionsOfApi

URL = "https://wiki.example/w/api.php"
DAY = datetime(2026, 9, 3, 10, tzinfo=UTC)


def said(rev_id: int, **slot: Any) -> dict[str, Any]:
    return {"revid": rev_id, "timestamp": "2026-09-03T10:00:00Z", "slots": {"main": slot}}


def page(*revisions: dict[str, Any]) -> dict[str, Any]:
    return {"pageid": 7, "title": "Lumen", "revisions": list(revisions)}


@responses.activate
def test_an_answer_in_several_rounds_is_put_together() -> None:
    """Missing revisions, hidden ones, two of one page, and a page whose revisions come in the second round."""
    first = {
        "continue": {"rvcontinue": 72, "continue": "||"},
        "query": {
            "badrevids": {"79": {"revid": 79, "missing": True}},
            "pages": [page(said(71, content="a")), {"pageid": 8}],
        },
    }
    second = {"query": {"pages": [page(said(72, texthidden=True)), page(said(81, content=""))]}}
    responses.get(URL, json=first)
    responses.get(URL, json=second)
    (batch,) = RevisionsOfApi(URL).fetch([71, 72, 79, 81])
    assert batch == [Revision(71, DAY, "a"), Revision(72, DAY, None), Revision(81, DAY, "")]


@responses.activate
def test_a_revision_that_the_wiki_left_out_is_not_taken_for_gone() -> None:
    responses.get(URL, json={"query": {"pages": [page(said(71, content="a"))]}})
    with pytest.raises(TransientError, match="left out revision 72; try again"):
        list(RevisionsOfApi(URL).fetch([71, 72]))


@responses.activate
def test_fifty_revisions_are_one_request() -> None:
    def bad(numbers: range) -> dict[str, Any]:
        return {"query": {"badrevids": {str(n): {"revid": n, "missing": True} for n in numbers}}}

    responses.get(URL, json=bad(range(1, 51)))
    responses.get(URL, json=bad(range(51, 62)))
    assert list(RevisionsOfApi(URL).fetch(list(range(1, 62)))) == [[], []]
    assert len(responses.calls) == 2


@responses.activate
def test_an_account_with_high_limits_asks_for_five_hundred_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It logs in before the first of them, once."""
    monkeypatch.setenv("NEWWIKI_BOT_USER", "Robot@newwiki")
    monkeypatch.setenv("NEWWIKI_BOT_PASSWORD", "secret")
    responses.get(URL, json={"query": {"tokens": {"logintoken": "a+\\"}}})
    responses.post(URL, json={"login": {"result": "Success"}})
    responses.get(URL, json={"query": {"userinfo": {"rights": ["read", "apihighlimits"]}}})
    for numbers in (range(1, 501), range(501, 602)):
        bad = {str(number): {"revid": number, "missing": True} for number in numbers}
        responses.get(URL, json={"query": {"badrevids": bad}})
    assert list(RevisionsOfApi(URL).fetch(list(range(1, 602)))) == [[], []]
    assert len(responses.calls) == 5
