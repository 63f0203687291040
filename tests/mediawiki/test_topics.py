"""Page properties and the creating edit's summary and tags, as a real MediaWiki gives them."""

import json
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from flows import cli

from .conftest import StartWiki
from .exports import Edit, History, add_to_export
from .refreshing import CONTACT, Refreshed, refresh
from .wiki import Wiki

pytestmark = pytest.mark.slow

MONTH = ("--month", "2026-09")


@pytest.fixture
def wikidata() -> Iterator[str]:
    """The address of a Wikidata where every item is a human."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            ids = parse_qs(urlsplit(self.path).query)["ids"][0].split("|")
            snak = {"snaktype": "value", "datavalue": {"value": {"id": "Q5"}}}
            claims: dict[str, Any] = {"P31": [{"mainsnak": snak, "rank": "normal"}]}
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"entities": {name: {"claims": claims} for name in ids}}).encode())

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/w/api.php"
    server.shutdown()
    server.server_close()


@pytest.fixture
def newwiki(
    wikidata: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[str, str]]:
    """Runs a command that succeeds, with that Wikidata; stdout and stderr."""
    for name in ("NEWWIKI_DB", "PREFECT_API_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NEWWIKI_WIKIDATA", wikidata)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[str, str]:
        monkeypatch.setattr(sys, "argv", ["newwiki", *map(str, arguments), "--contact", CONTACT])
        status = cli.main()
        output = capsys.readouterr()
        assert status == 0, output.err
        return output.out, output.err

    return run


@pytest.fixture(scope="module")
def with_items(wiki: StartWiki, sample_wiki: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Wiki, str]:
    """The sample wiki where an article of its September has an item, and that article's title."""
    folder = tmp_path_factory.mktemp("items")
    title = min(row["title"] for row in refresh(folder / "a.duckdb", "--dump", sample_wiki, *MONTH).rows("articles"))
    running = wiki(sample_wiki)
    running.set_property(title, "wikibase_item", "Q42")
    return running, title


def test_a_refresh_through_the_api_looks_up_topics_after_publishing(
    newwiki: Callable[..., tuple[str, str]], with_items: tuple[Wiki, str], tmp_path: Path
) -> None:
    running, title = with_items
    _, notes = newwiki("refresh", "--api", running.api_url, *MONTH, "--db", "a.duckdb")
    refreshed = Refreshed(tmp_path / "a.duckdb")
    assert {row["title"]: row["topic"] for row in refreshed.rows("articles") if row["topic"]} == {title: "Human"}
    assert "unknown" not in notes
    assert {row["topic"]: row["pages"] for row in refreshed.rows("topic_counts")} == {
        "Human": 1,
        "no item": len(refreshed.rows("articles")) - 1,
    }


def test_a_dumps_topics_are_asked_of_the_wiki_later(
    newwiki: Callable[..., tuple[str, str]], with_items: tuple[Wiki, str], tmp_path: Path
) -> None:
    running, title = with_items
    dump = refresh(tmp_path / "a.duckdb", "--dump", running.export(tmp_path / "written.xml"), *MONTH)
    assert {row["topic"] for row in dump.rows("articles")} == {None}
    before = dump.content_sha256
    table, _ = newwiki("snapshots", "topics", "latest", "--api", running.api_url, "--db", dump.path, "--format", "csv")
    assert table.splitlines()[0] == "topic,pages,share"
    assert "Human,1," in table
    assert [row["title"] for row in dump.rows("articles") if row["topic"] == "Human"] == [title]
    assert dump.content_sha256 == before


def test_a_wiki_that_numbers_its_pages_otherwise_gets_no_topics_of_ours(
    newwiki: Callable[..., tuple[str, str]], with_items: tuple[Wiki, str], sample_wiki: Path, tmp_path: Path
) -> None:
    dump = refresh(tmp_path / "a.duckdb", "--dump", sample_wiki, *MONTH)
    with pytest.raises(AssertionError, match="has other pages under these page ids"):
        newwiki("snapshots", "topics", "latest", "--api", with_items[0].api_url, "--db", dump.path)
    assert dump.rows("topics") == []


def test_where_wikidata_is_not_to_be_had_a_snapshot_is_published_with_one_note(
    newwiki: Callable[..., tuple[str, str]],
    with_items: tuple[Wiki, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NEWWIKI_WIKIDATA", "http://127.0.0.1:9/w/api.php")
    monkeypatch.setattr("newwiki.sources.backoff.time.sleep", lambda seconds: None)
    _, notes = newwiki("refresh", "--api", with_items[0].api_url, *MONTH, "--db", "a.duckdb")
    assert notes.count("its topics are unknown") == 1
    assert {row["topic"] for row in Refreshed(tmp_path / "a.duckdb").rows("topic_counts")} == {"unknown"}


def test_the_edit_that_created_a_page_says_how_it_came_to_be(
    wiki: StartWiki, sample_wiki: Path, tmp_path: Path
) -> None:
    """A dump has the summaries, but not the tags."""
    day = datetime(2026, 9, 5, tzinfo=UTC)
    summaries = {
        "Lumen": 'Created by translating the page "[[:fr:Special:Redirect/revision/1|Lumen]]"',
        "Rhine": "Split from [[Rivers of Lum]]",
        "Elbe": "my words",
        "Oder": "new",
    }
    later = Edit(day + timedelta(hours=1), "A longer stub.", "translated from nowhere")
    pages = [History(title, [Edit(day, "A stub.", summary), later]) for title, summary in summaries.items()]
    export = add_to_export(sample_wiki, tmp_path / "origins.xml", pages)
    running = wiki(export)
    running.tag_creation("Elbe", "contenttranslation")
    api = refresh(tmp_path / "api.duckdb", "--api", running.api_url, *MONTH)
    dump = refresh(tmp_path / "dump.duckdb", "--dump", export, *MONTH)
    told = [{row["title"]: row["origin"] for row in one.rows("candidates")} for one in (api, dump)]
    expected = {"Lumen": "translation", "Rhine": "split", "Elbe": "translation", "Oder": "original"}
    assert {title: told[0][title] for title in expected} == expected
    assert {title: told[1][title] for title in expected} == expected | {"Elbe": "original"}
    assert api.content_sha256 == dump.content_sha256
