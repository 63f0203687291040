"""Topics stand beside a published snapshot: looking them up, or failing to, changes nothing of it."""

import json
import re
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
import responses

from flows.progress import Silent
from flows.refreshing.look_up_topics import look_up, look_up_if_reachable, usual_address
from newwiki.errors import TerminalError, TransientError
from newwiki.snapshot import Article
from storage.database import Database
from storage.snapshots import articles, resolve, verify
from tests.flows.conftest import Run

WIKI, WIKIDATA = "https://wiki.example/w/api.php", "https://wikidata.example/w/api.php"
SNAPSHOT = "samplewiki-2026-09"


class Notes(Silent):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def note(self, text: str) -> None:
        self.told.append(text)


class World:
    """A wiki with the snapshot's pages, whose items and their classes are what a test says."""

    def __init__(self, mock: responses.RequestsMock, found: list[Article]) -> None:
        self.titles: dict[int, str] = {article.page_id: article.title for article in found}
        self.items: dict[int, str] = {}
        self.classes: dict[str, list[str]] = {}
        self.mock = mock
        mock.add_callback(responses.GET, WIKI, self._wiki)
        mock.add_callback(responses.GET, WIKIDATA, self._wikidata)

    def _wiki(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        asked = _asked(request)
        assert (asked["action"], asked["prop"], asked["ppprop"]) == ("query", "pageprops", "wikibase_item")
        return 200, {}, json.dumps({"query": {"pages": [self._page(int(n)) for n in asked["pageids"].split("|")]}})

    def _page(self, page_id: int) -> dict[str, Any]:
        if page_id not in self.titles:
            return {"pageid": page_id, "missing": True}
        page: dict[str, Any] = {"pageid": page_id, "ns": 0, "title": self.titles[page_id]}
        return page | ({"pageprops": {"wikibase_item": self.items[page_id]}} if page_id in self.items else {})

    def _wikidata(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        entities = {name: {"id": name, "claims": self._claims(name)} for name in _asked(request)["ids"].split("|")}
        return 200, {}, json.dumps({"entities": entities})

    def _claims(self, item: str) -> dict[str, Any]:
        snaks = [{"snaktype": "value", "datavalue": {"value": {"id": name}}} for name in self.classes.get(item, [])]
        return {"P31": [{"mainsnak": snak, "rank": "normal"} for snak in snaks]}


def _asked(request: requests.PreparedRequest) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(str(request.url)).query).items()}


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newwiki.sources.backoff.time.sleep", lambda seconds: None)


@pytest.fixture
def found(database: Path) -> list[Article]:
    """The snapshot's articles, by title."""
    return sorted(articles(Database(database), SNAPSHOT), key=lambda article: article.title)


@pytest.fixture
def world(found: list[Article]) -> Iterator[World]:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        yield World(mock, found)


def rows(database: Path, question: str) -> list[tuple[Any, ...]]:
    with Database(database).read() as connection:
        return connection.execute(question).fetchall()


def test_articles_get_the_types_of_their_items(database: Path, world: World, found: list[Article]) -> None:
    before = resolve(Database(database), SNAPSHOT)
    for article, item in zip(found, ("Q10", "Q11", "Q12"), strict=False):
        world.items[article.page_id] = item
    world.classes |= {"Q10": ["Q5"], "Q11": ["Q532", "Q515"]}
    look_up(Database(database), SNAPSHOT, WIKI, None, WIKIDATA)
    assert rows(database, "select title, topic from articles order by title limit 4") == [
        (article.title, topic) for article, topic in zip(found, ("Human", "Human Settlement", None, None), strict=False)
    ]
    assert rows(database, "select wikibase_item, instance_of from topics where wikibase_item > '' order by 1") == [
        ("Q10", ["Q5"]),
        ("Q11", ["Q515", "Q532"]),
        ("Q12", []),
    ]
    ((earliest, latest),) = rows(database, "select min(looked_up_at), max(looked_up_at) from topics")
    assert earliest == latest and isinstance(latest, datetime)
    assert resolve(Database(database), SNAPSHOT) == before
    assert verify(Database(database), SNAPSHOT) == []


def test_table_1_counts_every_article_and_says_why_one_has_no_topic(
    database: Path, world: World, found: list[Article]
) -> None:
    counts = "select topic, pages, share from topic_counts order by pages desc, topic"
    number = len(found)
    assert rows(database, counts) == [("unknown", number, 1.0)]
    world.items |= {found[0].page_id: "Q10", found[1].page_id: "Q11", found[2].page_id: "Q12"}
    world.classes |= {"Q10": ["Q5"], "Q11": ["Q900001"]}
    look_up(Database(database), SNAPSHOT, WIKI, None, WIKIDATA)
    assert rows(database, counts) == [
        ("no item", number - 3, (number - 3) / number),
        *[(topic, 1, 1 / number) for topic in ("Human", "Other", "no class")],
    ]


def test_looking_up_again_replaces_what_was_found(database: Path, world: World, found: list[Article]) -> None:
    world.items[found[0].page_id] = "Q10"
    world.classes["Q10"] = ["Q5"]
    for topic in ("Human", "Taxon"):
        look_up(Database(database), SNAPSHOT, WIKI, None, WIKIDATA)
        assert rows(database, "select topic from articles where topic is not null") == [(topic,)]
        world.classes["Q10"] = ["Q16521"]
    assert rows(database, "select count(*) from topics") == [(len(found),)]


def test_wikidata_hears_nothing_of_pages_without_items(database: Path, world: World) -> None:
    look_up(Database(database), SNAPSHOT, WIKI, None, WIKIDATA)
    assert {urlsplit(str(call.request.url)).hostname for call in world.mock.calls} == {"wiki.example"}


def test_a_page_that_is_gone_or_was_moved_still_has_its_row(database: Path, world: World, found: list[Article]) -> None:
    del world.titles[found[0].page_id]
    world.titles[found[1].page_id] = "Another name"
    world.items[found[1].page_id] = "Q10"
    world.classes["Q10"] = ["Q5"]
    look_up(Database(database), SNAPSHOT, WIKI, None, WIKIDATA)
    assert rows(database, "select count(*) from topics") == [(len(found),)]
    assert rows(database, "select title from articles where topic = 'Human'") == [(found[1].title,)]


def test_another_wiki_is_noticed_by_its_titles_and_nothing_is_stored(database: Path, world: World) -> None:
    world.titles = {page_id: f"Other {page_id}" for page_id in world.titles}
    with pytest.raises(TerminalError, match=r"has other pages under these page ids .* pass the API of the wiki"):
        look_up(Database(database), SNAPSHOT, WIKI, None, WIKIDATA)
    assert rows(database, "select count(*) from topics") == [(0,)]


def test_an_unreachable_wikidata_leaves_topics_unknown_and_a_note(
    database: Path, world: World, found: list[Article]
) -> None:
    world.items[found[0].page_id] = "Q10"
    world.mock.remove(responses.GET, WIKIDATA)
    world.mock.get(WIKIDATA, body=requests.ConnectionError("no route"))
    notes = Notes()
    look_up_if_reachable(Database(database), SNAPSHOT, WIKI, None, WIKIDATA, notes)
    *waits, note = notes.told
    assert len(waits) == 5
    assert all(
        re.fullmatch(r"waiting \d+ s, before the next request to wikidata\.example \(.*\)", wait) for wait in waits
    )
    assert re.fullmatch(
        rf"{SNAPSHOT} is published; its topics are unknown: .*wikidata\.example.* cannot be reached .*"
        rf"`newwiki snapshots topics {SNAPSHOT}` looks them up later",
        note,
    )
    assert rows(database, "select topic from topic_counts") == [("unknown",)]
    with pytest.raises(TransientError, match=r"wikidata\.example"):
        look_up(Database(database), SNAPSHOT, WIKI, None, WIKIDATA)


def test_the_usual_address_is_beside_the_permanent_links(database: Path) -> None:
    ((link,),) = rows(database, "select min(permalink) from articles")
    assert usual_address(Database(database), SNAPSHOT) == f"https://{urlsplit(link).netloc}/w/api.php"


def test_the_command_fails_with_one_line_where_the_wiki_is_not_to_be_had(
    in_process: Run, database: Path, tmp_path: Path
) -> None:
    copy = shutil.copy(database, tmp_path / "copy.duckdb")
    arguments = ("snapshots", "topics", "latest", "--api", "https://en.wikipedia.org/w/api.php")
    ended = in_process(*arguments, "--db", copy)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "set NEWWIKI_CONTACT" in ended.stderr and ended.stderr.count("\n") == 1
    unknown = in_process("snapshots", "topics", "nothing", "--db", copy)
    assert unknown.returncode == 2 and "there is no snapshot 'nothing'" in unknown.stderr
