"""What a wiki's operators see of a refresh: who asks, how politely, and how often."""

from collections import Counter
from math import ceil
from pathlib import Path

import pytest

from .refreshing import CONTACT, refresh
from .wiki import Wiki

pytestmark = pytest.mark.slow


def test_every_request_says_who_asks_and_takes_gzip_and_yields_to_lag(served_sample: Wiki, tmp_path: Path) -> None:
    refresh(tmp_path / "api.duckdb", "--api", served_sample.api_url, "--month", "2026-09")
    requests = served_sample.requests()
    kinds = {"site", "list", "moves", "rewritten", "text", "size", "history", "properties"}
    assert served_sample.kinds().keys() == kinds
    for request in requests:
        assert request.agent.startswith("newwiki-eval/")
        assert f"({CONTACT})" in request.agent
        assert "gzip" in request.encodings
        assert request.parameters["maxlag"] == "5"


def test_the_number_of_requests_is_the_plans(served_crowd: Wiki, tmp_path: Path) -> None:
    """One for the site, one for 500 creations, one for the moves, three for rewritten histories, one for the redirects
    (there are none), one for 50 texts and the sizes before them, one for each page that passed all other tests, and one
    for the properties of 50 articles. The revision before the newest one of a page is hidden, so its history is read
    before its text."""
    request = ("--api", served_crowd.api_url, "--month", "2026-09")
    api = refresh(tmp_path / "api.duckdb", *request)
    created = sum(api.funnel.values())
    assert created > 500
    asked = served_crowd.kinds()
    assert asked.pop("size") <= ceil(created / 50)
    assert asked == Counter(
        site=1,
        list=ceil(created / 500),
        moves=1,
        rewritten=3,
        recent=1,
        text=ceil(created / 50) + 1,
        history=sum(api.funnel[verdict] for verdict in ("selected", "near_duplicate", "few_revisions")),
        properties=ceil(api.funnel["selected"] / 50),
    )


def test_the_snapshot_tells_what_it_has_asked_for(served_sample: Wiki, tmp_path: Path) -> None:
    refresh(tmp_path / "first.duckdb", "--api", served_sample.api_url, "--month", "2026-09")
    served_sample.reset()
    served_sample.faults("status:503,0 letype=create", "half letype=move")
    api = refresh(tmp_path / "api.duckdb", "--api", served_sample.api_url, "--month", "2026-09")
    told = {row["kind"]: row for row in api.rows("requests")}
    later = {"properties": 1}  # for the topics, which are looked up after publishing
    assert {kind: row["requests"] for kind, row in told.items()} | later == served_sample.kinds()
    assert {kind for kind, row in told.items() if row["retries"]} == {"list", "moves"}
    assert all(row["bytes"] > 100 and row["seconds"] > 0 for row in told.values())


def test_no_page_is_asked_for_twice(served_crowd: Wiki, tmp_path: Path) -> None:
    refresh(tmp_path / "api.duckdb", "--api", served_crowd.api_url, "--month", "2026-09")
    for kind in ("text", "history"):
        asked = [page_id for request in served_crowd.requests() if request.kind == kind for page_id in request.page_ids]
        assert len(asked) == len(set(asked)) > 1


def test_a_published_snapshot_costs_one_request(served_sample: Wiki, tmp_path: Path) -> None:
    request = ("--api", served_sample.api_url, "--month", "2026-09")
    first = refresh(tmp_path / "api.duckdb", *request)
    content = first.content_sha256
    served_sample.reset()
    assert refresh(tmp_path / "api.duckdb", *request).content_sha256 == content
    assert served_sample.kinds() == Counter(site=1)
