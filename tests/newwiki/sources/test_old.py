"""What a real server cannot be made to show; the rest is tested against one."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
import responses

from newwiki.errors import TerminalError
from newwiki.ranking import by_rank
from newwiki.snapshot import Selection, Window
from newwiki.sources.old import OldApi
from newwiki.sources.source import Batch

URL = "https://wiki.example/w/api.php"
BEFORE = Window.before(date(2020, 1, 1))
CUTOFF = datetime(2026, 10, 1, tzinfo=UTC)


def walk(selection: Selection) -> list[Batch]:
    return list(OldApi(URL).old_pages(BEFORE, CUTOFF, selection, set, set()))


def answers(*queries: dict[str, Any]) -> None:
    for query in queries:
        responses.get(URL, json={"query": query})


def gone(*page_ids: int) -> dict[str, Any]:
    return {"pages": [{"pageid": page_id, "missing": True} for page_id in page_ids]}


@responses.activate
def test_a_wiki_without_creation_log_is_read_from_its_dump() -> None:
    answers({"logevents": []})
    with pytest.raises(TerminalError, match="keeps no page creation log; use its dump with --dump"):
        walk(Selection())


@responses.activate
def test_a_page_deleted_while_it_is_asked_about_gets_no_row_or_says_that_it_is_missing() -> None:
    """One is gone before its first edit was asked for, the other before its text was."""
    first = [
        {"revid": 30, "parentid": 0, "timestamp": "2015-09-03T10:00:00Z", "comment": "Begun", "tags": ["mobile edit"]}
    ]
    articles = [{"pageid": n, "ns": 0, "title": f"Page {n}", "lastrevid": n * 10} for n in (2, 3)]
    answers(
        {"logevents": [{"logpage": 3}, {"logpage": 2}, {"pageid": 0}]},
        gone(*range(4, 54)),
        {"pages": [*articles, *gone(1)["pages"]]},
        {"logevents": []},
    )
    history = {2: {"pageid": 2, "missing": True}, 3: {"pageid": 3, "ns": 0, "title": "Page 3", "revisions": first}}
    answers(*({"pages": [history[page_id]]} for page_id in by_rank(3, 0, -1) if page_id != 1))
    answers(gone(3))
    batch, end = walk(Selection(sample=5))
    (page,) = batch.pages
    assert (page.page_id, page.absent, page.wikitext, page.summary, page.tags) == (
        3, "missing", None, "Begun", ("mobile edit",),
    )  # fmt: skip
    assert (end.pages, end.position, end.total) == ([], 0, 5)
