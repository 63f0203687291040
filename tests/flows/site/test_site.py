"""A site is whole in itself: every link leads somewhere, every number is the database's, nothing hostile is alive."""

import csv
import json
import os
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import pyarrow.parquet as parquet
import pytest

import newwiki
from flows.admitting.gate import admit
from newwiki.errors import UsageError
from storage.database import Database
from storage.pull import pull
from storage.shared import SharedFolder
from tests.flows.site.made_up import HOSTILE, OLD

SEPTEMBER = "enwiki-2026-09"


class Read(HTMLParser):
    """What a page holds: its elements with their attributes, its text, and what its scripts are."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.page = page
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.data = ""
        self._script = False
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._script = tag == "script"

    def handle_endtag(self, tag: str) -> None:
        self._script = False

    def handle_data(self, data: str) -> None:
        if self._script:
            self.data += data
        else:
            self.text += data

    @property
    def addresses(self) -> Iterator[str]:
        for _, attributes in self.elements:
            yield from (attributes[name] or "" for name in ("href", "src") if name in attributes)

    @property
    def ids(self) -> set[str | None]:
        ids = [attributes["id"] for _, attributes in self.elements if "id" in attributes]
        assert len(ids) == len({*ids}), f"{self.page} has an id twice"
        return {*ids}


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Read]:
    return {page.relative_to(site).as_posix(): Read(page) for page in sorted(site.rglob("*.html"))}


def rows(site: Path, path: str) -> list[dict[str, str]]:
    with (site / f"{path}.csv").open(newline="") as file:
        return [*csv.DictReader(file)]


def asked(database: Path, sql: str, *parameters: object) -> list[tuple[object, ...]]:
    with Database(database).read() as connection:
        found: list[tuple[object, ...]] = connection.execute(sql, parameters).fetchall()
        return found


def contents(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_every_link_leads_to_a_page_that_there_is(site: Path, pages: dict[str, Read]) -> None:
    outside, ids = set(), {read.page: read.ids for read in pages.values()}
    for read in pages.values():
        for address in read.addresses:
            link = urlsplit(address)
            if link.scheme:
                outside.add(f"{link.scheme}://{link.netloc}")
                continue
            target = Path(os.path.normpath(read.page.parent / unquote(link.path))) if link.path else read.page
            assert target in ids or target.is_file(), (read.page, address)
            if link.fragment:
                assert link.fragment in ids[target], (read.page, address)
    assert outside == {"data://", "https://en.wikipedia.org", "https://de.wikipedia.org", "https://creativecommons.org"}


def test_there_is_a_page_for_each_snapshot_month_and_model(two_months: Path, pages: dict[str, Read]) -> None:
    models = asked(two_months, "select distinct model, model_sha256 from runs")
    assert len([path for path in pages if re.fullmatch(r"models/[^/]+\.html", path)]) == len(models) == 5
    for (snapshot,) in asked(two_months, "select snapshot_id from snapshots"):
        assert f"snapshots/{snapshot}.html" in pages
    for wiki in ("enwiki", "dewiki"):
        assert {f"months/{wiki}.html", f"months/{wiki}/sbert.html"} <= set(pages)


def test_the_first_page_has_the_newest_leaderboard_and_the_first_run_of_each_month_by_its_own_metric(
    site: Path, two_months: Path, pages: dict[str, Read]
) -> None:
    html = (site / "index.html").read_text("utf-8")
    assert "English Wikipedia, September 2026" in pages["index.html"].text
    assert html.index('class="sortable wide board brief"') < html.index('class="months"')
    firsts = re.findall(
        r'<th scope="row"><a href="snapshots/([^"/]+)\.html">.*?<span class="interval">(\w+)</span> ([-.\d]+)',
        html[html.index('class="months"') :],
        re.DOTALL,
    )
    assert len(firsts) >= 3
    for snapshot, metric, mean in firsts:
        ((direction,),) = asked(two_months, "select direction from metrics where metric = ?", metric)
        best = "min" if direction == "lower" else "max"
        board = "select mean from metric_summaries join runs using (run_id) where snapshot_id = ? and metric = ?"
        [(value,)] = asked(two_months, f"select {best}(mean) from ({board})", snapshot, metric)  # noqa: S608
        assert float(mean) == pytest.approx(value, rel=0.01)


def test_the_first_page_says_who_is_best_and_what_can_have_been_seen(site: Path, pages: dict[str, Read]) -> None:
    first = pages["index.html"].text
    assert re.search(
        r"is the best run by \w+: [-.\d]+ \[.*\]\. It (cannot be told apart|differs significantly) from", first
    )
    assert "Models that can have seen a part of these articles: " in first
    board = first[first.index("English Wikipedia, September 2026") :]
    assert re.search(r"Month\s+2026-09\s+2026-08\s+all months", board), "one month and all are a step away"
    assert "snapshots/enwiki-2026-08.html" in {*pages["index.html"].addresses}


def test_the_newest_month_can_be_taken_from_the_site_and_is_the_same(
    site: Path, two_months: Path, pages: dict[str, Read], tmp_path: Path
) -> None:
    assert 'newwiki sync pull "zip::simplecache::https://ADDRESS' in pages["submit.html"].text
    assert "--prompts 40" in pages["submit.html"].text
    mine = tmp_path / "mine.duckdb"
    pull(Database(mine), admit(SharedFolder(f"zip::{site}/snapshots/enwiki-2026-09.zip"), "pull"), lambda words: None)
    said = "select content_sha256, published_at from snapshots where snapshot_id = 'enwiki-2026-09'"
    assert asked(mine, said) == asked(two_months, said)


def test_every_text_of_a_run_is_a_file(site: Path, two_months: Path, pages: dict[str, Read]) -> None:
    written = asked(two_months, "select run_id, count(*) from completions group by all")
    assert written
    for run_id, texts in written:
        assert parquet.read_table(site / "texts" / f"{run_id}.parquet").num_rows == texts
    assert any(f"../texts/{written[0][0]}.parquet" in read.addresses for read in pages.values())


def test_a_badge_says_how_fresh_the_site_is(site: Path) -> None:
    badge = ElementTree.parse(site / "fresh.svg").getroot()
    assert badge.get("aria-label") == "fresh as of 2026-09"
    shield = json.loads((site / "fresh.json").read_text())
    assert (shield["schemaVersion"], shield["label"], shield["message"]) == (1, "fresh as of", "2026-09")


def test_no_page_is_heavy(site: Path) -> None:
    assert max(page.stat().st_size for page in site.rglob("*.html")) < 300_000


def test_every_table_is_there_in_three_forms_that_say_the_same(site: Path) -> None:
    files = sorted((site / "data").rglob("*.parquet"))
    assert len(files) > 30
    for file in files:
        told = parquet.read_table(file)
        as_json = json.loads(file.with_suffix(".json").read_text("utf-8"))
        as_csv = rows(file.parent, file.stem)
        assert len(as_json) == len(as_csv) == told.num_rows
        assert all([*one] == told.column_names for one in (*as_json[:1], *as_csv[:1]))
        for name in {"mean", "value"} & set(told.column_names):
            assert [one[name] for one in as_json] == told[name].to_pylist()
            assert [float(one[name]) if one[name] else None for one in as_csv] == told[name].to_pylist()


def test_the_numbers_of_a_leaderboard_are_those_of_the_database(site: Path, two_months: Path) -> None:
    found = {one["run_id"]: one for one in rows(site, f"data/{SEPTEMBER}/leaderboard") if one["metric"] == "sbert"}
    there = asked(
        two_months, "select run_id, sbert, sbert_low, sbert_high from leaderboard where snapshot_id = ?", SEPTEMBER
    )
    assert len(there) == 11
    assert {(run_id, *numbers) for run_id, *numbers in there} == {
        (run_id, *(float(one[name]) for name in ("mean", "low", "high"))) for run_id, one in found.items()
    }
    assert {one["protocol"] for run_id, one in found.items() if run_id.startswith("reference:")} == {""}


def test_the_numbers_after_a_day_are_those_of_the_articles_created_after_it(
    site: Path, two_months: Path, pages: dict[str, Read]
) -> None:
    day = "2026-09-15"
    found = [one for one in rows(site, f"data/{SEPTEMBER}/created-after") if one["created_after"] == day]
    there = asked(
        two_months,
        "select run_id, avg(mean) from page_means join runs using (run_id) join articles using (snapshot_id, page_id) "
        "where snapshot_id = ? and metric = 'sbert' and created_at >= '2026-09-16' group by run_id",
        SEPTEMBER,
    )
    own = {one["run_id"]: float(one["mean"]) for one in found if one["metric"] == "sbert"}
    assert len(there) == 10
    assert [own[str(run_id)] for run_id, _ in there] == pytest.approx([mean for _, mean in there])
    shown = pages[f"snapshots/{SEPTEMBER}/after-{day}.html"].text
    assert "It is the knowledge cutoff of OLMo-2-0425-1B" in shown
    told = json.loads(pages[f"snapshots/{SEPTEMBER}.html"].data)[day]
    assert told["articles"] == 18
    first = next(one for one in told["rows"] if one)
    assert f"{first[2][0][1]}{first[2][0][2]}" in shown.replace("\n", "")


def test_old_articles_can_be_cut_too(pages: dict[str, Read]) -> None:
    days = json.loads(pages[f"snapshots/{OLD}.html"].data)
    assert [*days] == sorted(days) and days[min(days)]["articles"] > days[max(days)]["articles"] > 0


def test_months_stand_on_one_scale_where_they_are_linked_and_else_say_that_they_do_not(
    site: Path, two_months: Path, pages: dict[str, Read]
) -> None:
    linked = {one["run_id"]: one for one in rows(site, "data/enwiki/months") if one["metric"] == "sbert"}
    there = asked(
        two_months,
        "select run_id, linked, low, high from model_trends where metric = 'sbert' and to_snapshot = ?",
        SEPTEMBER,
    )
    assert {(run_id, *numbers) for run_id, *numbers in there} == {
        (run_id, *(float(one[name]) for name in ("linked", "low", "high"))) for run_id, one in linked.items()
    }
    assert f"All scores are on the scale of {SEPTEMBER}" in pages["months/enwiki/sbert.html"].text
    alone = [one for one in rows(site, "data/dewiki/months") if one["metric"] == "sbert"]
    assert {one["linked"] for one in alone} == {""} and {one["mean"] for one in alone} != {""}
    assert "Each column has the articles of its own month" in pages["months/dewiki/sbert.html"].text


def test_what_is_hostile_stays_text(pages: dict[str, Read]) -> None:
    for path, read in pages.items():
        assert not {"img", "iframe", "object", "base"} & {tag for tag, _ in read.elements}, path
        assert not any(name.startswith("on") for _, attributes in read.elements for name in attributes), path
        scripts = [attributes for tag, attributes in read.elements if tag == "script"]
        assert [one for one in scripts if "src" not in one and one.get("type") != "application/json"] == [], path
    [model] = [path for path in pages if re.fullmatch(r"models/run-script[^/]+\.html", path)]
    assert HOSTILE.replace("\u202e", "\\u202e") in pages[model].text
    assert "49" not in pages[model].text.partition("full name")[2].partition("weights")[0]


def test_what_is_new_is_a_feed(site: Path, pages: dict[str, Read]) -> None:
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ElementTree.parse(site / "feed.xml").getroot()
    entries = feed.findall(f"{atom}entry")
    dates = [entry.findtext(f"{atom}updated") or "" for entry in entries]
    assert dates == sorted(dates, reverse=True) and dates[0] == feed.findtext(f"{atom}updated")
    names = [entry.findtext(f"{atom}id") for entry in entries]
    assert len(set(names)) == len(names) == 5 + 17 + 1
    assert entries[0].findtext(f"{atom}title") == "Nothing new for 40 days", "the last of these months is long ago"
    links = [link.get("href") or "" for entry in entries for link in entry.findall(f"{atom}link")]
    assert {unquote(link) for link in links} <= set(pages)


def test_the_same_database_is_the_same_bytes_in_the_place_of_what_was_there(
    site: Path, two_months: Path, tmp_path: Path
) -> None:
    again = Path(shutil.copytree(site, tmp_path / "board"))
    newwiki.site(out=again, db=two_months, quiet=True)
    assert contents(again) == contents(site)
    assert [*tmp_path.iterdir()] == [again]


def test_others_can_write_to_the_database_while_the_pages_are_made(
    two_months: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = Path(shutil.copy(two_months, tmp_path / "mine.duckdb"))

    def write_and_stop(*_: object) -> None:
        with Database(mine).write() as connection:
            connection.execute("delete from early_stops")
        raise KeyboardInterrupt

    monkeypatch.setattr("flows.site.build.write_data_files", write_and_stop)
    with pytest.raises(KeyboardInterrupt):
        newwiki.site(out=tmp_path / "board", db=mine, quiet=True)
    assert not (tmp_path / "board").exists()


def test_a_folder_that_holds_anything_else_is_left_alone(site: Path, two_months: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "notes.txt").write_text("x")
    with pytest.raises(UsageError, match=r"'.*mine' holds something else than a site; name a new folder"):
        newwiki.site(out=mine, db=two_months, quiet=True)
    copied = Path(shutil.copytree(site, tmp_path / "copied"))
    (copied / "models" / "notes.txt").write_text("x")
    with pytest.raises(UsageError, match=r"something else than a site, such as 'models/notes\.txt'"):
        newwiki.site(out=copied, db=two_months, quiet=True)
    assert (copied / "models" / "notes.txt").exists() and [*mine.iterdir()] == [mine / "notes.txt"]
