"""`newwiki browse` as a process of its own, in a real browser and as many readers see it."""

import functools
import os
import re
import shutil
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from flows.report.browser.compare_page import differences
from newwiki.records import CheckedClaim, Completion, Metric, Score
from storage import runs, snapshots
from storage.cookbook import answerable, questions
from storage.database import Database
from tests import processes
from tests.browser import chromium, watched
from tests.flows.conftest import Run, environment
from tests.flows.scored import RULES, SNAPSHOT, add_run

pytestmark = pytest.mark.slow

_GREEDY, _NUCLEUS, _UNDER_WAY = "aaaa0123", "bbbb4567", "cccc89ab"
_TITLE = "\"><img src=x onerror=console.error(1)> <script>console.error('title')</script>"
_TEXT = "He wrote <script>console.error('text')</script> </textarea></div>\"><img src=x onerror=console.error(2)> שלום"

_SECONDS = 60  # that a slow machine has
_get = functools.partial(httpx.get, timeout=_SECONDS)
expect.set_options(timeout=_SECONDS * 1000)


@pytest.fixture(scope="module")
def database(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """The sample wiki's September with two scored runs; an article's title and a text of it are hostile."""
    path = tmp_path_factory.mktemp("browse") / "newwiki.duckdb"
    filled = Database(shutil.copy(published, path))
    pages = sorted(article.page_id for article in snapshots.articles(filled, SNAPSHOT))
    with filled.write() as connection:
        connection.execute("update stored_articles set title = ? where page_id = ?", [_TITLE, pages[0]])
    runs.register(filled, [RULES], [Metric("density", "ratio", 0, 1, "higher", "what it is", "who says so")])
    for run_id, decoder in ((_GREEDY, "greedy"), (_NUCLEUS, "sample:top_p=0.9")):
        add_run(
            filled, run_id, decoder, prompts=len(pages), samples=2, keep=2, prompt_template="{title}: {first_sentence}"
        )
        keys = [(page, sample) for page in pages for sample in (0, 1)]
        texts = [_text(*key, _TEXT if key == (pages[0], 1) else f"{decoder} on {key}") for key in keys]
        runs.add_completions(filled, run_id, texts)
        runs.complete(filled, run_id, 2)
        scores = [Score(*key, "density", place / 100, "ok", RULES.evaluator_id) for place, key in enumerate(keys)]
        runs.add_scores(filled, run_id, scores, [_refuted(pages[1])] if run_id == _GREEDY else [])
        runs.finish_scoring(filled, run_id, {RULES.evaluator_id})
    reference = f"reference:{SNAPSHOT}"
    runs.add_scores(filled, reference, [Score(page, 0, "density", 0.5, "ok", RULES.evaluator_id) for page in pages])
    runs.finish_scoring(filled, reference, {RULES.evaluator_id})
    return filled


def _text(page: int, sample: int, text: str) -> Completion:
    return Completion(page, sample, text, 8, len(text.split()), "length", truncated=True)


def _refuted(page: int) -> CheckedClaim:
    """The verdict on the first word of a completion."""
    return CheckedClaim(
        page_id=page, sample=0, evaluator_id=RULES.evaluator_id, sentence=0, start_char=0, end_char=6, claim="greedy",
        checkable=True, label="refuted", supported=0.1, refuted=0.7, not_enough_info=0.2, evidence_title=_TITLE,
        evidence_sentence=4, evidence=_TEXT, evidence_cut=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def site(database: Database) -> Iterator[str]:
    """The address of the running command, which ends with 0 when it is interrupted."""
    folder = database.path.parent
    out, err = folder / "out", folder / "err"
    arguments = ["browse", "--no-open", "--port", 0, "--db", database.path]
    process = processes.start(arguments, folder, environment(), out, err)
    deadline = time.monotonic() + 60
    while not (out.is_file() and out.read_text().endswith("/\n")):
        assert process.is_alive() and time.monotonic() < deadline, err.read_text()
        time.sleep(0.05)
    yield out.read_text().strip()
    assert process.pid
    os.kill(process.pid, signal.SIGINT)
    process.join(20)
    assert (process.exitcode, err.read_text().count("\n")) == (0, 1), err.read_text()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def test_a_snapshot_a_run_and_a_prompt_are_chosen_and_their_address_shows_the_same(site: str, browser: Browser) -> None:
    with watched(browser, allowed=site) as page:
        page.goto(site)
        page.get_by_role("link", name=SNAPSHOT).click()
        page.get_by_role("link", name="models/toy sample:top_p=0.9").click()
        expect(page.get_by_role("row", name=re.compile("^density"))).to_contain_text("higher")
        page.get_by_label("Sort by").select_option("density")
        page.get_by_label("show first").select_option("highest")
        page.get_by_role("button", name="Sort").click()
        places = page.get_by_role("region", name="Prompts").get_by_role("rowheader")
        chosen = places.first.inner_text()
        places.first.get_by_role("link").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(chosen)
        page.get_by_role("link", name="Sample 1").click()
        page.get_by_label("Compare with").select_option(_GREEDY)
        page.get_by_role("button", name="Show").click()
        for name in ("Reference", "models/toy sample:top_p=0.9", "models/toy greedy"):
            expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
        page.get_by_role("link", name="Sample 1").click()
        expect(page.locator("[aria-current=true]")).to_contain_text("Sample 1")
        address, seen = page.url, page.get_by_role("main").text_content()
        assert "sample=1" in address and f"with={_GREEDY}" in address
        page.get_by_role("link", name="next prompt").click()
        expect(page.get_by_role("heading", level=1)).not_to_have_text(chosen)
    with watched(browser, allowed=site) as fresh:
        fresh.goto(address)
        assert fresh.get_by_role("main").text_content() == seen
        fresh.get_by_role("link", name="this article in all runs").click()
        expect(fresh.get_by_role("region", name="Scores").get_by_role("rowheader")).to_have_count(3)


def test_a_run_shows_its_worst_prompts_first_with_their_texts_and_j_and_k_go_on(site: str, browser: Browser) -> None:
    with watched(browser, allowed=site) as page:
        page.goto(f"{site}runs/{_GREEDY}")
        prompts = page.get_by_role("region", name="Prompts").get_by_role("row")
        scores = [float(text) for text in prompts.locator("td strong").all_inner_texts()]
        assert len(scores) > 5 and scores == sorted(scores)
        expect(prompts.nth(2)).to_contain_text("greedy on (")
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        expect(page.get_by_text("2 of 13, sorted by density")).to_be_visible()
        for key, place in (("j", 3), ("k", 2)):
            page.wait_for_load_state("load")  # which the keys' script comes before
            page.keyboard.press(key)
            expect(page.get_by_text(f"{place} of 13, sorted by density")).to_be_visible()


def test_two_ticked_runs_are_compared_with_their_texts_side_by_side(site: str, browser: Browser) -> None:
    with watched(browser, allowed=site) as page:
        page.goto(f"{site}snapshots/{SNAPSHOT}")
        for name in ("greedy", "sample:top_p=0.9"):
            page.get_by_role("checkbox", name=name).check()
        page.get_by_role("button", name="Compare the two ticked runs").click()
        expect(page.get_by_text("cannot tell")).not_to_have_count(0)
        expect(page.get_by_role("heading", name="Where they differ most, by density")).to_be_visible()
        first = page.locator("details.pair[open]")
        assert {*first.locator("mark").all_inner_texts()} == {"greedy", "sample:top_p=0.9"}
        first.get_by_role("link", name="All texts beside the article").click()
        expect(page.get_by_role("heading", name="Reference")).to_be_visible()


@pytest.mark.parametrize(
    ("one", "other", "marked"),
    [
        ("", "", ("", "")),
        ("the same words", "the same words", ("the same words", "the same words")),
        ("a b c", "a x c", ("a <mark>b</mark> c", "a <mark>x</mark> c")),
        ("a", "", ("<mark>a</mark>", "")),
        ("<b>bold</b> שלום 😀", "שלום 😀", ("<mark>&lt;b&gt;bold&lt;/b&gt; </mark>שלום 😀", "שלום 😀")),
    ],
)
def test_words_that_the_other_text_lacks_are_marked(one: str, other: str, marked: tuple[str, str]) -> None:
    assert differences(one, other) == marked


def test_a_sentence_shows_its_verdict_and_when_it_is_reached_its_evidence(
    site: str, browser: Browser, database: Database
) -> None:
    page_id = sorted(article.page_id for article in snapshots.articles(database, SNAPSHOT))[1]
    with watched(browser, allowed=site, viewport={"width": 390, "height": 844}, color_scheme="dark") as page:
        page.goto(f"{site}runs/{_GREEDY}/{page_id}")
        sentence, evidence = page.locator(".claim.refuted[tabindex]"), page.locator(".evidence")
        expect(sentence).to_have_text(re.compile("^✗greedy"))
        expect(evidence).to_be_hidden()
        sentence.focus()
        expect(evidence).to_be_visible()
        expect(evidence).to_contain_text(f"Refuted. {_TITLE}, sentence 5: {_TEXT} supported 0.10, refuted 0.70")
        assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_query_is_run_from_the_keyboard_and_its_plot_is_seen(site: str, browser: Browser) -> None:
    with watched(browser, allowed=site) as page:
        page.set_default_timeout(_SECONDS * 1000)
        page.goto(site + "sql")
        page.get_by_label("Query").fill(
            "select decoder, avg(value) as mean\nfrom runs join scores using (run_id)\ngroup by 1"
        )
        page.get_by_label("Plot").select_option("bar")
        page.get_by_label("Query").press("Control+Enter")
        plot = page.get_by_role("img", name="Bars of mean by decoder")
        expect(plot).to_be_visible()
        expect(plot.get_by_text("greedy")).to_be_visible()
        assert plot.locator(".mark-rect path").count() == 2
        expect(page.get_by_role("region", name="Result").get_by_role("row")).to_have_count(3)
        page.reload()
        expect(plot).to_be_visible()


def test_titles_and_texts_are_only_text(site: str, browser: Browser) -> None:
    query = "select title, text from articles join completions using (page_id) where contains(text, 'script')"
    with watched(browser, allowed=site) as page:
        page.goto(f"{site}runs/{_GREEDY}")
        page.get_by_role("link", name=_TITLE).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(_TITLE)
        expect(page.get_by_text(_TEXT)).to_be_visible()
        assert page.get_by_text(_TEXT).get_attribute("dir") == "auto"
        page.goto(f"{site}sql?q={quote(query)}&plot=points&x=title&y=title")
        expect(page.get_by_role("alert")).to_contain_text("needs a numeric column")
        page.get_by_role("region", name="Result").get_by_text("<script>").first.click()
        page.goto(f"{site}articles/{SNAPSHOT}?find={quote('<script>')}")
        expect(page.get_by_role("rowheader", name=_TITLE)).to_be_visible()
        assert page.locator("main script, main img[src]").count() == 0


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_no_page_is_wider_than_the_screen(site: str, browser: Browser, width: int, scheme: str) -> None:
    with watched(browser, allowed=site, viewport={"width": width, "height": 800}, color_scheme=scheme) as page:
        plotted = "sql?plot=histogram&q=" + quote("select words, text from completions")  # noqa: S608
        prompt = f"runs/{_GREEDY}/{_a_page(page, site)}"
        beside = f"{prompt}?with={_NUCLEUS}&entities=marked"
        pair = f"compare?run={_GREEDY}&run={_NUCLEUS}"
        for place in ("", f"snapshots/{SNAPSHOT}", f"runs/{_GREEDY}", prompt, beside, pair, plotted):
            page.goto(site + place)
            assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), place


def _a_page(page: Page, site: str) -> str:
    page.goto(f"{site}runs/{_GREEDY}")
    address = page.get_by_role("region", name="Prompts").get_by_role("link").first.get_attribute("href")
    return str(address).partition("?")[0].rpartition("/")[2]


@pytest.mark.parametrize(
    "query",
    [
        "update runs set model = 'x'",
        "select 1; drop table runs",
        "select * from read_text('/etc/hostname')",
        "selec 1",
        "  ",
    ],
)
def test_a_query_that_does_more_than_read_is_refused(site: str, query: str) -> None:
    """One of each kind; `tests/flows/querying/test_sql.py` tries every statement."""
    for place in ("sql", "sql.csv"):
        answer = _get(site + place, params={"q": query})
        assert answer.status_code == 400
        assert re.search(r'role="alert">(the query is refused: |there is no query;)[^\n]+</p>', answer.text), (
            answer.text
        )


def test_every_example_with_a_plot_answers_with_it(site: str) -> None:
    """What the others answer is asked in test_cookbook.py, without a page around it. Those about metrics that nothing
    here is scored by are left out."""
    examples = re.findall(r'<li><a href="/(sql\?[^"]+)"', _get(site + "sql").text)
    assert len(examples) == len(answerable(["density"])) < len(questions())
    plotted = [address for address in examples if "plot=" in address]
    assert len(plotted) > 4
    for address in [*plotted, examples[0]]:
        answer = _get(site + address.replace("&amp;", "&"))
        assert answer.status_code == 200 and 'role="alert"' not in answer.text, address
        assert ("<svg role" in answer.text) == ("plot=" in address)


def test_a_long_result_is_cut_where_it_is_shown_and_whole_as_a_file(site: str) -> None:
    query = {"q": "select range as n, null as nothing, 'a,b' as words from range(2500)"}
    shown = _get(site + "sql", params=query).text
    assert "the table shows the first 1,000" in shown and shown.count("<tr>") == 1001
    assert "first 1,000 rows of the result" in _get(site + "sql", params=query | {"plot": "line"}).text
    file = _get(site + "sql.csv", params=query)
    assert file.headers["content-disposition"] == 'attachment; filename="newwiki.csv"'
    assert file.text == "n,nothing,words\n" + "".join(f'{n},,"a,b"\n' for n in range(2500))


def test_only_this_machine_may_ask_and_only_to_read(site: str) -> None:
    assert _get(site, headers={"host": "evil.example"}).status_code == 400
    assert _get(site, headers={"host": f"localhost:{httpx.URL(site).port}"}).status_code == 200
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert httpx.request(method, site + "sql", timeout=_SECONDS).status_code == 405
    assert httpx.head(site, timeout=_SECONDS).status_code == 200
    embedded = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert _get(site + "sql?q=select+1", headers=embedded).status_code == 403
    assert _get(site + "sql?q=select+1", headers=followed).status_code == 200
    for place, status in (("", 200), ("nowhere", 404), ("sql?q=drop", 400)):
        answer = _get(site + place)
        assert answer.status_code == status
        assert answer.headers["content-security-policy"].startswith("default-src 'none'; style-src 'self'")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("place", "status", "words"),
    [
        ("runs/aaaa", 200, "greedy"),
        ("runs/zzzz", 404, "there is no run &#39;zzzz&#39;"),
        (f"runs/reference:{SNAPSHOT}", 404, "is not a run but the articles"),
        ("runs/aaaa?order=sbert", 404, "not scored by &#39;sbert&#39;"),
        ("runs/aaaa?page=-1", 400, "page=-1 is not a whole number"),
        ("runs/aaaa/99999", 404, "has no completion for page 99999"),
        (f"compare?run={_GREEDY}&run={_NUCLEUS}&order=sbert", 404, "not compared by &#39;sbert&#39;"),
        (f"compare?run={_GREEDY}", 400, "name two different runs to compare"),
        (f"compare?run={_GREEDY}&run={_GREEDY}", 400, "name two different runs to compare"),
        (f"compare?run={_GREEDY}&run=zzzz", 404, "there is no run &#39;zzzz&#39;"),
        ("snapshots/nothing", 404, "there is no snapshot &#39;nothing&#39;"),
        (f"articles/{SNAPSHOT}/99999", 404, "has no article 99999"),
        ("sql?q=select+1&plot=pie", 400, "there is no plot &#39;pie&#39;"),
        ("sql?q=select+1&plot=bar&x=b", 200, "the result has no column &#39;b&#39;"),
    ],
)
def test_an_address_says_what_is_wrong_with_it(site: str, place: str, status: int, words: str) -> None:
    answer = _get(site + place)
    assert (answer.status_code, words in answer.text) == (status, True), answer.text


def test_many_read_while_a_run_is_written(site: str, database: Database) -> None:
    pages = [article.page_id for article in snapshots.articles(database, SNAPSHOT)]
    places = ["", f"snapshots/{SNAPSHOT}", f"runs/{_UNDER_WAY}", f"runs/{_GREEDY}/{pages[0]}"]
    add_run(database, _UNDER_WAY)
    read, written = threading.Event(), 0

    def reader(number: int) -> int:
        with httpx.Client(base_url=site, timeout=300) as client:
            return client.get(places[number % 4]).status_code

    def writer() -> int:
        batches = 0
        while not read.is_set():
            runs.add_completions(database, _UNDER_WAY, [_text(page, batches, "a batch") for page in pages])
            batches += 1
            time.sleep(0.05)  # a model takes longer for a batch
        return batches

    with ThreadPoolExecutor(9) as people:
        writing = people.submit(writer)
        statuses = [*people.map(reader, range(8))]
        read.set()
        written = writing.result()
    assert statuses == [200] * 8
    assert written > 2
    assert len(runs.stored_completions(database, _UNDER_WAY)) == written * len(pages)


def test_a_taken_port_and_a_missing_database_are_one_line(in_process: Run, database: Database) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = in_process("browse", "--no-open", "--port", str(port), "--db", database.path)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == (
        f"newwiki: cannot use port {port} of 127.0.0.1 (Address already in use); choose another with --port, or "
        "a free one with --port 0\n"
    )
    ended = in_process("browse", "--no-open", "--db", "nowhere.duckdb")
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
    assert "there is no database 'nowhere.duckdb'" in ended.stderr
