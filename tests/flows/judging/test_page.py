"""The page on which people judge: in a real browser, by two people, one after a reload and one after a new start."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from scipy.stats import binomtest
from starlette.testclient import TestClient

from flows.judging.findings import find
from flows.judging.pairing import Pairing, pair_up
from flows.report.judging_page.app import application
from flows.report.judging_page.sheet import Sheet
from newwiki.judge_request import PairsRequest
from storage import judgements
from storage.database import Database
from tests import processes
from tests.browser import chromium, watched
from tests.flows.conftest import environment
from tests.flows.judging.conftest import BETTER, GREEDY, MODEL, NUCLEUS, WORSE, answers_by, better

pytestmark = pytest.mark.slow

PAIRS = 10
OWN = {"origin": "http://127.0.0.1:8081"}
expect.set_options(timeout=60_000)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def rubric(tmp_path: Path) -> Path:
    (tmp_path / "rubric.toml").write_text(
        '[[criterion]]\nname = "style"\nquestion = "Which is better?"\nmeaning = ""\n'
    )
    return tmp_path / "rubric.toml"


@pytest.fixture
def ten(database: Database, rubric: Path) -> Pairing:
    return pair_up(database, PairsRequest(run_a=GREEDY, run_b=NUCLEUS, pairs=PAIRS, rubric=rubric))


@contextmanager
def served(database: Database, rubric: Path, judge: str) -> Iterator[str]:
    """The address of the running command, which ends with 0 when it is interrupted."""
    folder = database.path.parent / f"{judge}-{time.monotonic_ns()}"
    folder.mkdir()
    out, err = folder / "out", folder / "err"
    asked = ["judge", GREEDY, NUCLEUS, "--judge", judge, "--pairs", PAIRS, "--rubric", rubric]
    arguments = [*asked, "--no-open", "--port", 0, "--db", database.path]
    process = processes.start(arguments, folder, environment(), out, err)
    deadline = time.monotonic() + 60
    while not (out.is_file() and out.read_text().endswith("/\n")):
        assert process.is_alive() and time.monotonic() < deadline, err.read_text()
        time.sleep(0.05)
    yield out.read_text().strip()
    assert process.pid
    os.kill(process.pid, signal.SIGINT)
    process.join(20)
    assert process.exitcode == 0, err.read_text()


def better_place(page: Page) -> int:
    """Which of the texts on the page says that it is fine: 1 or 2."""
    return 1 if BETTER in page.locator(".text").first.inner_text() else 2


def answered(page: Page, number: int) -> None:
    expect(page.locator("header")).to_contain_text(f"{number} of {PAIRS} answers")
    page.wait_for_load_state("load")


def test_two_people_judge_ten_pairs_and_go_on_where_they_left_off(
    database: Database, rubric: Path, ten: Pairing, browser: Browser
) -> None:
    """Ada answers by keyboard and reloads half way; Bob by touch on a phone, and his server is started anew half way.
    Meanwhile others read the database and write to it."""
    with served(database, rubric, "Ada") as site, watched(browser, allowed=site) as page:
        page.goto(site)
        for number in range(PAIRS):
            answered(page, number)
            keys = {1: ("1", "ArrowLeft"), 2: ("2", "ArrowRight")}[better_place(page)]
            page.keyboard.press("0" if number == 3 else keys[number % 2])
            if number == 4:
                answered(page, 5)
                title = page.locator("h1").inner_text()
                page.reload()
                answered(page, 5)
                assert page.locator("h1").inner_text() == title
                assert len(judgements.every(database, *ten.ids)) == 5
                answers_by(database, ten)("Chi", lambda page_id, criterion: better(page_id))
        expect(page.locator("h1")).to_have_text("That was the last one. Thank you!")
        page.wait_for_load_state("load")
        page.keyboard.press("Backspace")
        expect(page.locator("button[aria-pressed=true]")).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")

    for half in (range(5), range(5, PAIRS)):
        with served(database, rubric, "Bob") as site, watched(
            browser, allowed=site, viewport={"width": 390, "height": 844}, color_scheme="dark", has_touch=True
        ) as page:  # fmt: skip
            page.goto(site)
            for number in half:
                answered(page, number)
                assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
                page.get_by_role("button", name=f"Text {better_place(page)}").tap()
            answered(page, half.stop)

    _has_found_who_is_better(database, ten)


def _has_found_who_is_better(database: Database, ten: Pairing) -> None:
    """Three people on ten pairs, but for Ada's one tie as the texts say."""
    stored = judgements.every(database, *ten.ids)
    assert {judge: sum(one.judge == judge for one in stored) for judge in ("Ada", "Bob", "Chi")} == {
        "Ada": 10, "Bob": 10, "Chi": 10,
    }  # fmt: skip
    ties = [one for one in stored if one.answer == "tie"]
    assert [one.judge for one in ties] == ["Ada"]
    assert all((one.value == 1) == (better(one.page_id) == "a") for one in stored if one.answer != "tie")
    assert len({one.first for one in stored if one.judge == "Ada"}) == 2
    found = find(database, ten)
    wins = sum(better(pair.page_id) == "a" for pair in ten.pairs)
    assert found.preferences[0].p == binomtest(wins, PAIRS).pvalue
    [agreement] = found.agreements
    assert agreement.pairs == PAIRS
    assert 0.5 < (agreement.alpha or 0) < 1


@pytest.fixture
def client(database: Database, ten: Pairing) -> TestClient:
    return TestClient(application(Sheet(database, ten, "Ada")), base_url=OWN["origin"], raise_server_exceptions=False)


def names_of(database: Database, pairing: Pairing) -> dict[int, str]:
    """What Ada's pairs are called, by their articles."""
    blinding = judgements.begin_blinding(database, *pairing.ids, pairing.rubric)
    return {pair.page_id: blinding.pair_id(pair, "Ada") for pair in pairing.pairs}


def test_nothing_that_is_sent_says_whose_a_text_is(client: TestClient, database: Database, ten: Pairing) -> None:
    """Every page, its headers, what it loads, and errors: no id, no name of a model or a decoder."""
    names = [names_of(database, ten)[pair.page_id] for pair in ten.pairs]
    sent = [client.get("/static/judging.js"), client.get("/static/judging.css"), client.get("/no-such-page")]
    sent += [client.get("/", params={"pair": name, "criterion": "style"}) for name in [*names, "unknown"]]
    for name in names:
        sent.append(client.get("/"))
        sent.append(
            client.post(
                "/answer",
                headers=OWN,
                data={"pair": name, "criterion": "style", "answer": "tie"},
                follow_redirects=False,
            )
        )
    sent.append(client.post("/answer", headers=OWN, data={"pair": names[0], "criterion": "style", "answer": "left"}))
    sent.append(client.get("/"))
    assert sum(BETTER in one.text and WORSE in one.text for one in sent) == 2 * PAIRS
    assert "Thank you" in sent[-1].text
    for one in sent:
        for told in (GREEDY, NUCLEUS, MODEL, "secret", "greedy", "top_p", "sample", "run_a", "run_b"):
            assert told not in one.text, one.url
            assert told not in str(one.headers)


def test_each_answer_is_stored_at_once_and_may_be_changed(client: TestClient, database: Database, ten: Pairing) -> None:
    name = names_of(database, ten)[ten.pairs[0].page_id]
    for said, value in (("first", 1.0), ("tie", 0.5), ("second", 0.0)):
        ended = client.post("/answer", headers=OWN, data={"pair": name, "criterion": "style", "answer": said})
        assert ended.status_code == 200
        [stored] = judgements.every(database, *ten.ids)
        seen = stored.value if stored.first == "a" else 1 - (stored.value or 0)
        assert (stored.judge, stored.judge_kind, stored.said, seen) == ("Ada", "person", None, value)


@pytest.mark.parametrize("headers", [{"origin": "http://evil.example"}, {}, {"origin": "null"}])
def test_no_foreign_page_answers(client: TestClient, database: Database, ten: Pairing, headers: dict[str, str]) -> None:
    data = {"pair": names_of(database, ten)[ten.pairs[0].page_id], "criterion": "style", "answer": "first"}
    for site in ({}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}):
        assert client.post("/answer", headers=headers | site, data=data).status_code == 403
    assert client.put("/answer", headers=OWN, data=data).status_code == 405
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    assert judgements.every(database, *ten.ids) == []


def test_an_answer_that_cannot_be_stored_is_said_and_not_counted(
    client: TestClient, database: Database, ten: Pairing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as another process has the file."""
    import duckdb

    monkeypatch.setattr("storage.database._PATIENCE", 0.1)
    data = {"pair": names_of(database, ten)[ten.pairs[0].page_id], "criterion": "style", "answer": "first"}
    holder = processes.FORKS.Process(target=_hold, args=(database.path, database.path.with_name("held")))
    holder.start()
    while not database.path.with_name("held").exists():
        time.sleep(0.02)
    refused = client.post("/answer", headers=OWN, data=data)
    holder.terminate()
    holder.join()
    assert (refused.status_code, "was not stored" in refused.text) == (503, True)
    assert "0 of 10 answers" in client.get("/").text
    monkeypatch.setattr("storage.database._PATIENCE", 60)
    assert "1 of 10 answers" in client.post("/answer", headers=OWN, data=data).text
    with duckdb.connect(str(database.path), read_only=True) as connection:
        assert connection.execute("select count(*) from judgements").fetchall() == [(1,)]


def _hold(path: Path, held: Path) -> None:
    import duckdb

    with duckdb.connect(str(path)):
        held.touch()
        time.sleep(60)
