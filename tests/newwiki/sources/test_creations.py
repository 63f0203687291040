"""How far a listing says that it has come; what it lists is tested against a real server."""

from collections.abc import Iterator
from typing import Any, cast

import pytest

from newwiki.records import Window
from newwiki.sources.api import Api
from newwiki.sources.creations import list_created

SEPTEMBER = Window.month("2026-09")


def entry(page_id: int, timestamp: str, **more: object) -> dict[str, Any]:
    return {"logpage": page_id, "title": f"Page {page_id}", "timestamp": timestamp, "tags": [], "ns": 0} | more


class Wiki:
    """Answers each question of its logs in rounds: the creations of September by namespace, and the moves since."""

    def __init__(self, creations: list[list[dict[str, Any]]], moves: list[list[dict[str, Any]]]) -> None:
        self._creations, self._moves = creations, moves

    def query(self, kind: str, memory: object, **asked: Any) -> Iterator[dict[str, Any]]:
        for entries in self._moves if kind == "moves" else self._creations:
            yield {"logevents": entries}


@pytest.fixture
def told() -> list[tuple[str, int, int]]:
    creations = [
        [entry(1, "2026-09-01T00:00:07Z"), entry(2, "2026-09-17T12:00:00Z")],
        [entry(3, "2026-09-30T23:59:59Z")],
    ]
    moves = [[entry(9, "2026-09-02T01:00:00Z", ns=118, params={"target_ns": 0})]]
    wiki = cast(Api, Wiki(creations, moves))
    return [(batch.listed, batch.position, batch.total) for batch in list_created(wiki, SEPTEMBER, None, None, 50)]


def test_a_listing_counts_the_days_that_it_has_reached(told: list[tuple[str, int, int]]) -> None:
    assert told[:2] == [("creations", 17, 30), ("creations", 30, 30)]


def test_each_log_is_told_apart(told: list[tuple[str, int, int]]) -> None:
    assert [listed for listed, _, _ in told] == ["creations"] * 2 + ["moves"] + ["creations elsewhere"] * 2
    assert told[2][1] == 2
    assert told[2][2] >= 30  # from the window's start until now
