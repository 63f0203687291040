"""A snapshot's articles at a later cutoff: what became of each, and what completions said first, counted by hand."""

import json
import random
import re
import shutil
import signal
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from storage.commit_counter import path_of
from tests import processes

from .conftest import StartWiki
from .exports import Edit, History, write_export
from .refreshing import Refreshed, environment, refresh
from .wiki import Event, Wiki

pytestmark = pytest.mark.slow

FIRST = "testwiki-2024-05-"
EDITION_ENDS = "@2024-07-15"
ASKED = ("--month", "2024-05", "--min-words", "60", "--min-revisions", "3", "--cutoff", "2024-06-15")
LATER = ("--cutoff", "2024-07-15", "--metrics", "entity_overlap,fact_recall", "--entities", "rules-v1")
# What must become of each article, by its title in the first edition
OUTCOMES = {
    "Arlen Bridge": "unchanged",
    "Blanked Bay": "unchanged",
    "Castle Brunn": "changed",
    "Deleted Dale": "missing",
    "Drafted Dam": "moved",
    "Edited Edge": "unchanged",
    "Erased Esk": "missing",
    "Hidden Heath": "missing",
    "Maren Holt": "changed",
    "Moved Mill": "changed",
    "Shrunk Shore": "few_words",
    "Suspect Spire": "unchanged",
    "Tagged Tarn": "deletion_tag",
    "Turned Tower": "redirect",
}
# Pages of the first month that are no articles of it, as their templates say
REJECTED = {"Copied Cove": "copyright_tag", "Doomed Down": "deletion_tag"}
TEMPLATES = {
    "Copied Cove": "{{Copyvio|url=https://a.example}}\n",
    "Doomed Down": "{{Proposed deletion/dated|concern=unsourced}}\n",
    "Suspect Spire": "{{Multiple issues|\n{{AI-generated|date=May 2024}}\n{{in use}}\n}}\n",
}
G15 = "[[WP:CSD#G15|G15]]: [[WP:LLM|LLM]]-generated page without human review"
_WORDS = ("river", "stone", "harbour", "lantern", "winter", "orchard", "council", "bridge", "market", "engine", "wood")


def article(title: str, more: str = "", *, infobox: str = "", sentences: int = 6) -> str:
    """Each of words of its own, so that none is a near duplicate of another."""
    drawn = random.Random(title)
    told = " ".join(f"It has a {' '.join(drawn.choices(_WORDS, k=10))} and more." for _ in range(sentences))
    return f"{infobox}'''{title}''' is a place in the north of the country.\n\n{told} {more}".rstrip()


def infobox(**values: object) -> str:
    return "{{Infobox place\n" + "".join(f"| {name} = {value}\n" for name, value in values.items()) + "}}\n"


def at(month: int, day: int, hour: int = 0) -> datetime:
    return datetime(2024, month, day, hour, tzinfo=UTC)


HOLT = infobox(founded=1801, mayor="Ilse Tarn")
# The architect and the council are new in the prose, the mayor and 452 in the infobox; 1801 and Ilse Tarn were there
HOLT_LATER = article(
    "Maren Holt",
    "The architect Greta Lindqvist repaired it for the council of Nordmark.",
    infobox=infobox(founded=1801, mayor="Anders Holmgren", former_mayor="Ilse Tarn", population=452),
)
EVENTS = (
    Event(at(7, 1), "edit", "Maren Holt", text=HOLT_LATER),
    Event(at(7, 1), "edit", "Castle Brunn", text=article("Castle Brunn", "The painter Otto Varga lived there in it.")),
    Event(at(7, 2), "delete", "Deleted Dale", comment="[[Wikipedia:Articles for deletion/Deleted Dale]]"),
    # another page of the same title, which is not the article
    Event(at(7, 3), "edit", "Deleted Dale", text="A test."),
    Event(at(7, 4), "delete", "Deleted Dale", comment="[[WP:CSD#G2|G2]]: Test page"),
    # deleted, restored, moved and deleted again: the last deletion counts
    Event(at(7, 2), "delete", "Erased Esk", comment="Expired [[WP:PROD|PROD]]"),
    Event(at(7, 3), "restore", "Erased Esk"),
    Event(at(7, 4), "move", "Erased Esk", to="Esk"),
    Event(at(7, 5), "delete", "Esk", comment=G15),
    Event(at(7, 5), "delete", "Hidden Heath", comment="what nobody may read"),
    Event(
        at(7, 6),
        "edit",
        "Tagged Tarn",
        text="{{Article for deletion/dated|page=Tagged Tarn}}\n" + article("Tagged Tarn"),
    ),
    Event(at(7, 2), "edit", "Turned Tower", text="#REDIRECT [[Arlen Bridge]]"),
    Event(at(7, 2), "edit", "Shrunk Shore", text=article("Shrunk Shore", sentences=3)),
    Event(at(7, 3), "move", "Moved Mill", to="New Mill"),
    Event(at(7, 3), "move", "Drafted Dam", to="Draft:Drafted Dam"),
    Event(at(7, 14, 23), "edit", "Blanked Bay", text=""),
    Event(at(7, 16), "edit", "Edited Edge", text=article("Edited Edge", "The painter Greta Lindqvist came too late.")),
)
# By hand. The first says two entities and an infobox value of what Maren Holt says only later, the second what it said
# already and what only Castle Brunn says later, the third what nobody says.
TEXTS = {
    "Maren Holt": (
        "In the end the architect Greta Lindqvist and the mayor Anders Holmgren met in the hall of Nordmark.",
        "In the end the mayor Ilse Tarn met the painter Otto Varga in the year 1801.",
    ),
    "Castle Brunn": ("In the end nobody came but the old baker Hugo Pell.",),
    "Arlen Bridge": ("In the end the architect Greta Lindqvist came to see it.",),
    "Deleted Dale": ("In the end the architect Greta Lindqvist came to see it.",),
}
CAME_TRUE = {
    ("Maren Holt", 0, "entity", "greta lindqvist"),
    ("Maren Holt", 0, "entity", "nordmark"),
    ("Maren Holt", 0, "infobox", "anders holmgren"),
}
MOMENTS = {
    "snapshots": "published_at", "schema_migrations": "applied_at", "snapshot_hashes": "taken_at, sha256",
    "requests": "requests, retries, bytes, seconds", "runs": "started_at, finished_at, heard_at, process",
    "scorings": "finished_at", "edition_scorings": "finished_at", "topics": "looked_up_at",
}  # fmt: skip


@pytest.fixture(scope="module")
def changed(wiki: StartWiki, tmp_path_factory: pytest.TempPathFactory) -> tuple[Wiki, Path]:
    """A wiki that has changed since, and a database with its first edition and texts of a run on that."""
    folder = tmp_path_factory.mktemp("revisited")
    histories = [
        History(title, [Edit(at(5, day), _text(title)[: -3 + day] if day < 3 else _text(title)) for day in (1, 2, 3)])
        for title in (*OUTCOMES, *REJECTED)
    ]
    served = wiki(write_export(folder / "first.xml", histories))
    first = refresh(folder / "newwiki.duckdb", "--api", served.api_url, *ASKED)
    assert {row["title"] for row in first.rows("articles")} == set(OUTCOMES)
    candidates = {row["title"]: row["verdict"] for row in first.rows("candidates") if row["verdict"] != "selected"}
    assert candidates == REJECTED
    written = [{"title": title, "text": text} for title, texts in TEXTS.items() for text in texts]
    (folder / "written.jsonl").write_text("\n".join(map(json.dumps, written)))
    (snapshot,) = first.rows("snapshots")
    asked = ("--snapshot", snapshot["snapshot_id"], "--metrics", "entity_overlap,fact_recall", "--entities", "rules-v1")
    ended = processes.run(["score", "written.jsonl", "--db", first.path, *asked], folder, environment())
    assert ended.returncode == 0, ended.stderr
    served.happen(*EVENTS)
    served.hide_deletion("Hidden Heath")
    return served, first.path


def _text(title: str) -> str:
    return TEMPLATES.get(title, "") + article(title, infobox=HOLT if title == "Maren Holt" else "")


@pytest.fixture
def database(changed: tuple[Wiki, Path], tmp_path: Path) -> Path:
    changed[0].reset()
    return Path(shutil.copy(changed[1], tmp_path / "newwiki.duckdb"))


def arguments(database: Path, *place: object) -> list[object]:
    (snapshot,) = [row["snapshot_id"] for row in Refreshed(database).rows("snapshots") if row["kind"] == "new"]
    return ["snapshots", "revisit", snapshot, *place, *LATER, "--db", database]


def revisit(database: Path, *place: object) -> str:
    ended = processes.run(arguments(database, *place), database.parent, environment())
    assert ended.returncode == 0, ended.stderr
    return str(ended.stdout)


def rows(database: Path) -> dict[str, list[dict[str, Any]]]:
    return Refreshed(database).all_rows(MOMENTS)


@pytest.fixture(scope="module")
def revisited(changed: tuple[Wiki, Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Refreshed, str]:
    copy = Path(shutil.copy(changed[1], tmp_path_factory.mktemp("later") / "newwiki.duckdb"))
    return Refreshed(copy), revisit(copy, "--api", changed[0].api_url)


def test_what_became_of_each_article_is_counted(revisited: tuple[Refreshed, str], changed: tuple[Wiki, Path]) -> None:
    found, told = revisited
    articles = {row["title"]: row for row in found.rows("edition_articles")}
    assert {title: row["outcome"] for title, row in articles.items()} == OUTCOMES
    assert articles["Moved Mill"]["later_title"] == "New Mill" and articles["Moved Mill"]["same_text"]
    assert not articles["Maren Holt"]["same_text"]
    [edition] = found.rows("editions")
    assert edition["edition"] == f"{edition['snapshot_id']}{EDITION_ENDS}"
    assert [edition[name] for name in ("articles", "unchanged", "changed", "lost")] == [14, 4, 3, 7]
    assert re.findall(r"^(\w+) +(\d+) +\d+\.\d % ", told, re.MULTILINE) == [
        ("unchanged", "4"), ("changed", "3"), ("missing", "3"), ("deletion_tag", "1"), ("few_words", "1"),
        ("moved", "1"), ("redirect", "1"),
    ]  # fmt: skip
    asked = ["snapshots", "verify", edition["edition"], "--db", found.path]
    verified = processes.run(asked, found.path.parent, environment())
    assert verified.returncode == 0, verified.stdout
    first = {row["snapshot_id"]: row for row in Refreshed(changed[1]).rows("snapshots")}
    after = {row["snapshot_id"]: row for row in found.rows("snapshots")}
    assert {name: after[name] for name in first} == first
    parameters = json.loads(after[edition["edition"]]["parameters"])
    assert parameters["revisits"]["content_sha256"] == first[edition["snapshot_id"]]["content_sha256"]


def test_tags_at_the_cutoff_are_facts(revisited: tuple[Refreshed, str], changed: tuple[Wiki, Path]) -> None:
    found = Refreshed(changed[1])
    titles = {row["page_id"]: row["title"] for row in found.rows("articles")}
    tags = [(titles[row["page_id"]], row["place"], row["kind"], row["written"]) for row in found.rows("article_tags")]
    assert sorted(tags) == [
        ("Suspect Spire", 1, "machine_generated", "{{AI-generated|date=May 2024}}"),
        ("Suspect Spire", 2, "under_construction", "{{in use}}"),
    ]
    details = {row["title"]: row["detail"] for row in found.rows("candidates") if row["title"] in REJECTED}
    assert details == {title: TEMPLATES[title].strip() for title in REJECTED}
    [tagged] = [row for row in revisited[0].rows("edition_articles") if row["outcome"] == "deletion_tag"]
    assert (tagged["title"], tagged["detail"]) == ("Tagged Tarn", "{{Article for deletion/dated|page=Tagged Tarn}}")


def test_why_an_article_was_deleted_later_is_recorded(revisited: tuple[Refreshed, str]) -> None:
    found, told = revisited
    titles = {row["page_id"]: row["title"] for row in found.rows("edition_articles")}
    deletions = {titles.pop(row["page_id"]): row for row in found.rows("deletions")}
    columns = ("deleted_at", "comment", "route", "criterion", "kinds", "status")
    assert {title: tuple(row[name] for name in columns) for title, row in deletions.items()} == {
        "Deleted Dale": (at(7, 2), "[[Wikipedia:Articles for deletion/Deleted Dale]]", "discussion", None, [], "ok"),
        "Erased Esk": (at(7, 5), G15, "speedy", "G15", ["machine_generated"], "ok"),
        "Hidden Heath": (at(7, 5), None, None, None, None, "the wiki hides the comment"),
    }
    assert re.search(r"^speedy +G15 +machine_generated +1 +Erased Esk:", told, re.MULTILINE)


def test_what_came_true_is_counted_beside_chance(revisited: tuple[Refreshed, str]) -> None:
    """Of three changed articles two others' additions could have come in the place of an article's own."""
    found, told = revisited
    titles = {row["page_id"]: row["title"] for row in found.rows("edition_articles")}
    said = {(titles[row["page_id"]], row["sample"], row["kind"], row["text"]) for row in found.rows("came_true")}
    assert said == CAME_TRUE
    by_text = {
        (titles[row["page_id"]], row["sample"], row["kind"]): (row["additions"], row["came_true"], row["chance"])
        for row in found.rows("came_true_texts")
    }
    assert by_text == {
        ("Maren Holt", 0, "entity"): (2, 2, 0.0),
        ("Maren Holt", 0, "infobox"): (2, 1, 0.0),
        ("Maren Holt", 1, "entity"): (2, 0, 0.5),
        ("Maren Holt", 1, "infobox"): (2, 0, 0.0),
        ("Castle Brunn", 0, "entity"): (1, 0, 0.0),
        ("Castle Brunn", 0, "infobox"): (0, 0, 0.0),
    }
    runs = {row["kind"]: (row["texts"], row["came_true"], row["chance"]) for row in found.rows("came_true_by_run")}
    assert runs == {"entity": (3, 2, 0.5), "infobox": (3, 1, 0.0)}
    assert "greta lindqvist" in told


def test_a_text_is_scored_beside_both_editions(revisited: tuple[Refreshed, str]) -> None:
    """fact_recall of Maren Holt: none of 1801 and Ilse Tarn, then Anders Holmgren of those and 452; the second text has
    both of two, and then both of four."""
    found, _ = revisited
    recall = {row["metric"]: row for row in found.rows("edition_differences")}["fact_recall"]
    assert (recall["prompts"], recall["changed"], recall["texts"]) == (1, 1, 2)
    assert recall["first_mean"] == pytest.approx((0 / 2 + 2 / 2) / 2)
    assert recall["later_mean"] == pytest.approx((1 / 4 + 2 / 4) / 2)
    assert recall["difference"] == pytest.approx(-0.125)
    pages = {row["page_id"]: row["title"] for row in found.rows("edition_articles")}
    entity = {
        pages[row["page_id"]]: row["difference"]
        for row in found.rows("edition_page_differences")
        if row["metric"] == "entity_overlap"
    }
    assert entity.keys() == {"Maren Holt", "Castle Brunn", "Arlen Bridge"}
    assert entity["Arlen Bridge"] == 0 < entity["Maren Holt"]


def test_a_dump_gives_the_same_edition(
    revisited: tuple[Refreshed, str], changed: tuple[Wiki, Path], database: Path, tmp_path: Path
) -> None:
    revisit(database, "--dump", changed[0].export(tmp_path / "dump.xml"))
    again, before = rows(database), rows(revisited[0].path)
    licence = {"licence", "licence_url"}
    for one in (again, before):
        one["snapshots"] = [{k: v for k, v in row.items() if k not in licence} for row in one["snapshots"]]
        # a dump does not know that a page was moved before it was deleted
        one["candidates"] = [
            {**row, "title": row["verdict"] != "missing" and row["title"]} for row in one["candidates"]
        ]
    for table in again.keys() - {"requests", "snapshot_hashes", "stored_articles", "deletions"}:
        assert again[table] == before[table], table
    of_dump = [(row["deleted_at"], row["comment"], row["status"]) for row in again["deletions"]]
    assert of_dump == [(None, None, "a dump of pages has no deletion log")] * 3
    texts = [[{**row, "permalink": ""} for row in one["stored_articles"]] for one in (again, before)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    "pattern",
    ["letype=move", "rvprop=[^&]*content", "rvlimit=", "letype=delete"],
    ids=["listing", "reading", "stepping back", "deletions"],
)
def test_a_killed_revisit_run_again_ends_as_if_nothing_had_happened(
    pattern: str, revisited: tuple[Refreshed, str], changed: tuple[Wiki, Path], database: Path
) -> None:
    served = changed[0]
    served.faults(f"hold {pattern}")
    process = processes.start(arguments(database, "--api", served.api_url), database.parent, environment())
    deadline = time.monotonic() + 60
    while served.faults_left():
        assert process.exitcode is None and time.monotonic() < deadline
        time.sleep(0.01)
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    served.reset()
    assert len(Refreshed(database).rows("snapshots")) == 1
    revisit(database, "--api", served.api_url)
    again, before = rows(database), rows(revisited[0].path)
    assert again.keys() == before.keys()
    for table, found in again.items():
        assert found == before[table], table
    assert {path.name for path in database.parent.iterdir()} == {database.name, path_of(database).name}


def test_a_revisit_run_again_asks_nobody(revisited: tuple[Refreshed, str], changed: tuple[Wiki, Path]) -> None:
    changed[0].reset()
    before = rows(revisited[0].path)
    assert revisit(revisited[0].path, "--api", changed[0].api_url) == revisited[1]
    assert changed[0].requests() == []
    assert rows(revisited[0].path) == before
