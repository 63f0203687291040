"""Wherever a number of a run from elsewhere is shown, its level stands beside it, in the same words.

A page of `newwiki browse` that is added later fails `test_every_page_of_the_browser_is_tried` until it is listed here.
"""

import csv
import json
import re
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from io import StringIO
from pathlib import Path

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from flows.progress import Silent
from flows.report import page as report
from flows.report.browser.app import application
from flows.report.browser.live import Live
from newwiki.comparison_requests import ReportRequest
from newwiki.levels import CLAIMED, HERE, LEVELS, RECOMPUTED, VERIFIED
from newwiki.records import Completion, Fingerprint, Metric, Score
from storage import runs, snapshots, verifications
from storage.database import Database
from storage.verifications import Verification
from tests.flows.conftest import Run
from tests.flows.scored import SNAPSHOT, add_run

FOREIGN, OWN = 0.137, 0.248  # all numbers of a run that came from elsewhere, and of one that was made here
BY = Fingerprint("evaluator-plain", "density", "1")
PAGE = 0  # of the browser's addresses, the first article
ADDRESSES = {
    "/": ["/"],
    "/snapshots/{snapshot_id:path}": [f"/snapshots/{SNAPSHOT}"],
    "/articles/{snapshot_id:path}/{page_id:int}": [f"/articles/{SNAPSHOT}/{{page}}"],
    "/articles/{snapshot_id:path}": [f"/articles/{SNAPSHOT}"],
    "/runs/{run_id}": ["/runs/foreign", "/runs/foreign?order=density&first=lowest"],
    "/runs/{run_id}/{page_id:int}": ["/runs/foreign/{page}", "/runs/own/{page}?with=foreign"],
    "/compare": ["/compare?run=own&run=foreign", "/compare?run=foreign&run=own"],
    "/sql": ["/sql"],  # a reader's own question, whose answer is what it asks for
    "/sql.csv": [],
}


@pytest.fixture(scope="module", params=[CLAIMED, RECOMPUTED])
def level(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def database(level: str, published: Path, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """A run from elsewhere and one that was made here, with texts on all articles."""
    found = Database(Path(shutil.copy(published, tmp_path_factory.mktemp("shown") / "newwiki.duckdb")))
    pages = [article.page_id for article in snapshots.articles(found, SNAPSHOT)]
    density = Metric("density", "ratio", 0, 1, "higher", "what it is", "who says so")
    others = [replace(density, name=name) for name in ("rep_4", "distinct_2")]
    runs.register(found, [BY], [density, *others])
    for run_id, top_k, number in (("foreign", 10, FOREIGN), ("own", 20, OWN)):
        add_run(
            found, run_id, f"sample:top_k={top_k}", prompts=len(pages), prompt_template="{title}: {first_sentence}",
            decoder_parameters=json.dumps({"top_k": top_k}),
        )  # fmt: skip
        texts = [Completion(page, 0, f"A town of {run_id}.", 5, 4, "stop", False) for page in pages]
        runs.add_completions(found, run_id, texts)
        runs.complete(found, run_id, 1)
        names = [one.name for one in (density, *others)]
        scores = [Score(page, 0, name, number, "ok", BY.evaluator_id) for page in pages for name in names]
        runs.add_scores(found, run_id, scores)
        runs.finish_scoring(found, run_id, {BY.evaluator_id})
    with found.write() as connection:
        for evaluator_id in ("", BY.evaluator_id):
            connection.execute("insert into origins values ('foreign', ?, 'bundle', 'SHA256:x', now())", [evaluator_id])
    checked = Verification(
        run_id="foreign", evaluator_id=BY.evaluator_id, level=RECOMPUTED, confirmed=len(pages), checked=len(pages),
        total=len(pages), draw=None, checker=HERE, receipt_sha256="", checked_at=datetime(2026, 11, 1, tzinfo=UTC),
    )  # fmt: skip
    verifications.add(found, [checked] if level == RECOMPUTED else [])
    return found


def require_levels(html: str, level: str, where: str) -> int:
    """Require the level beside each number of the run from elsewhere, in its row or in the head of its table, and none
    beside those of the other run. Return how many such rows there are."""
    found = 0
    for table in re.findall(r"<table\b.*?</table>|<dl class=\"scores\">.*?</dl>", html, re.DOTALL):
        head = " ".join(re.findall(r"<thead>.*?</thead>", table, re.DOTALL))
        for row in re.findall(r"<tr\b.*?</tr>|<div>.*?</div>", table, re.DOTALL):
            cells = map(_words, re.findall(r'<td class="number.*?</td>|<dd\b.*?</dd>', row, re.DOTALL))
            numbers = {words.split()[0] for words in cells if words}
            if str(FOREIGN) in numbers:
                found += 1
                assert level in _words(head + row), (where, row)
            elif str(OWN) in numbers:
                assert [one for one in LEVELS if one in _words(row)] == [], (where, row)
    return found


def _words(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>?", " ", html)).strip()


def test_every_page_of_the_browser_is_tried(database: Database) -> None:
    pages = application(Live(database))._app.app.routes  # type: ignore[attr-defined]
    assert {one.path for one in pages if isinstance(one, Route)} == set(ADDRESSES)


def test_each_page_of_the_browser_shows_the_level_of_a_number_from_elsewhere(database: Database, level: str) -> None:
    page = snapshots.articles(database, SNAPSHOT)[PAGE].page_id
    shown = {}
    with TestClient(application(Live(database)), "http://127.0.0.1") as client:
        for address in (one.format(page=page) for some in ADDRESSES.values() for one in some):
            answer = client.get(address)
            assert answer.status_code == 200, answer.text
            shown[address] = require_levels(answer.text, level, address)
    assert [address for address, cells in shown.items() if not cells] == [f"/articles/{SNAPSHOT}", "/sql"]


@pytest.fixture(scope="module")
def html(database: Database) -> str:
    """The report."""
    return report.render(database, Silent(), ReportRequest(snapshot=SNAPSHOT))[0]


def test_each_table_of_the_report_shows_the_level_of_a_number_from_elsewhere(html: str, level: str) -> None:
    found = {
        name: require_levels(text, level, name)
        for name, text in re.findall(r'<section id="([\w-]+)"(.*?)</section>', html, re.DOTALL)
    }
    assert {name for name, cells in found.items() if cells} >= {"leaderboard", "runs"}


def test_each_picture_of_the_report_names_the_runs_from_elsewhere_that_it_draws(html: str, level: str) -> None:
    """A picture or matrix has no room for a level beside each number, so a sentence beneath it has them."""
    drawn = {
        name: re.findall(r"<figure.*?</figure>|<table class=\"matrix\".*", text, re.DOTALL)
        for name, text in re.findall(r'<section id="([\w-]+)"(.*?)</section>', html, re.DOTALL)
    }
    assert {name for name, pictures in drawn.items() if pictures} == {
        "quality-and-diversity", "models", "decoding", "strata", "metrics"
    }  # fmt: skip
    for name, pictures in drawn.items():
        for picture in pictures:
            told = " ".join(_words(picture).split())
            found = re.findall(r"Of \d runs?, (1 has numbers that are .*?): (.*?) \.", told)
            assert found == [(f"1 has numbers that are {level} ({LEVELS[level]})", "toy · sample:top_k=10")], name


@pytest.mark.parametrize("form", ["markdown", "csv"])
@pytest.mark.parametrize(
    ("command", "columns"),
    [
        (("compare", "own", "foreign"), ("level_a", "level_b")),
        (("gate", "--baseline", "own", "--candidate", "foreign", "--fail-if", "density<-0.5"),
         ("baseline_level", "candidate_level")),
    ],
)  # fmt: skip
def test_compare_and_gate_show_the_level_of_a_number_from_elsewhere(
    database: Database, level: str, in_process: Run, command: tuple[str, ...], columns: tuple[str, str], form: str
) -> None:
    ended = in_process(*command, "--db", database.path, "--format", form)
    assert ended.returncode == 0, ended.stderr
    if form == "csv":
        rows = csv.DictReader(StringIO(ended.stdout))
        assert {tuple(row[name] for name in columns) for row in rows} == {(VERIFIED, level)}
    else:
        assert re.search(rf"{FOREIGN} \({level}\)", ended.stdout)
        assert re.search(rf"{OWN}(?! \()", ended.stdout)
        assert f"{level}: {LEVELS[level]}" in ended.stderr


def test_page_of_a_run_that_was_made_here_does_not_speak_of_levels(database: Database) -> None:
    with TestClient(application(Live(database)), "http://127.0.0.1") as client:
        page = client.get("/runs/own").text
    assert [one for one in LEVELS if one in unescape(page)] == []
