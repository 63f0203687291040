"""How far a listing says that it has come; what it lists is tested against a real server."""

from collections.abc import Generator, Iterator
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from newwiki.snapshot import Page, Window
from newwiki.sources.api import Api
from newwiki.sources.creations import list_created

SEPTEMBER = Window.month("2026-09")
CUTOFF = datetime(2026, 10, 15, tzinfo=UTC)


def entry(page_id: int, timestamp: str, **more: object) -> dict[str, Any]:
    return {"logpage": page_id, "title": f"Page {page_id}", "timestamp": timestamp, "tags": [], "ns": 0} | more


def moved(page_id: int, timestamp: str, to: str, target_ns: int, **more: object) -> dict[str, Any]:
    return entry(page_id, timestamp, params={"target_title": to, "target_ns": target_ns}, **more)


class Wiki:
    """Answers each question of its logs in rounds: the creations of September, and the moves until the cutoff."""

    def __init__(self, creations: list[list[dict[str, Any]]], moves: list[list[dict[str, Any]]]) -> None:
        self._creations, self._moves = creations, moves
        self.asked: list[dict[str, Any]] = []

    def batches(self, items: list[str]) -> list[list[str]]:
        return [items] if items else []

    def query(self, kind: str, memory: object = None, **asked: Any) -> Iterator[dict[str, Any]]:
        self.asked.append(asked)
        if kind == "rewritten":
            yield {"logevents": []}
            return
        for entries in self._moves if kind == "moves" else self._creations:
            yield {"logevents": entries}


@pytest.fixture
def wiki() -> Wiki:
    creations = [
        [entry(1, "2026-09-01T00:00:07Z"), entry(2, "2026-09-17T12:00:00Z"), entry(4, "2026-09-17T12:00:00Z", ns=2)],
        [entry(3, "2026-09-30T23:59:59Z"), entry(9, "2026-09-30T23:59:59Z", ns=118)],
    ]
    moves = [[moved(9, "2026-09-02T01:00:00Z", "Page 9", 0, ns=118), moved(2, "2026-10-02T00:00:00Z", "User:X", 2)]]
    return Wiki(creations, moves)


@pytest.fixture
def told(wiki: Wiki) -> list[tuple[str, int, int]]:
    batches = list_created(cast(Api, wiki), SEPTEMBER, CUTOFF, None, None, 50)
    return [(batch.listed, batch.position, batch.total) for batch in batches]


def test_a_listing_counts_the_days_that_it_has_reached(told: list[tuple[str, int, int]]) -> None:
    assert told == [("moves", 31, 44), ("creations", 17, 30), ("creations", 30, 30)]


def test_no_log_is_read_beyond_the_cutoff(wiki: Wiki, told: list[tuple[str, int, int]]) -> None:
    ends = {asked["letype"]: asked["leend"] for asked in wiki.asked if "leend" in asked}
    assert ends == {"move": "2026-10-15T00:00:00Z", "create": "2026-09-30T23:59:59Z"}


def test_a_page_is_where_it_stood_at_the_cutoff(wiki: Wiki) -> None:
    def drain() -> Generator[object, None, list[Page]]:
        return (yield from list_created(cast(Api, wiki), SEPTEMBER, CUTOFF, None, None, 50)).pages

    pages: list[Page] = []

    def keep() -> Iterator[object]:
        pages.extend((yield from drain()))

    list(keep())
    assert [(page.title, page.absent) for page in pages] == [
        ("Page 1", None), ("User:X", "moved"), ("Page 3", None), ("Page 9", None)
    ]  # fmt: skip
