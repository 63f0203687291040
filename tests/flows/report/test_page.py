"""The report as a reader opens it, in a real browser: nothing asked of a network, nothing hostile come alive."""

import re
import shutil
import time
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from flows.progress import Silent
from flows.report import page as report
from newwiki.comparison_requests import ReportRequest
from storage import summaries
from storage.database import Database
from tests.browser import watched
from tests.flows.conftest import Run
from tests.flows.report.conftest import HOSTILE
from tests.flows.scored import SNAPSHOT

PHONE, DESKTOP, WIDE = ({"width": width, "height": 900} for width in (390, 1280, 1440))
SHOWN = HOSTILE[: HOSTILE.index("\x00")].strip()
# 20 runs more, each with the texts of sample-0 twice and its numbers a little higher.
MANY = """
create temp table number as select range as n, 'many-' || range as name, 0.5 + range / 100 as top_p from range(20);
insert into runs
select runs.* replace (
    name as run_id, format('sample:temperature=0.9,top_k=50,top_p={}', top_p) as decoder,
    json_merge_patch(decoder_parameters, json_object('top_p', top_p)) as decoder_parameters
)
from runs, number where run_id = 'sample-0';
insert into completions
select completions.* replace (name as run_id, sample + 2 * range as sample, repeat(text, 4) as text)
from completions, number, range(2) where run_id = 'sample-0';
insert into scores
select scores.* replace (name as run_id, sample + 2 * range as sample, value + (n + range) / 200 as value)
from scores, number, range(2) where run_id = 'sample-0';
insert into scorings select scorings.* replace (name as run_id) from scorings, number where run_id = 'sample-0';
"""
LUMINANCE = """element => {
    const channel = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number).map((c) => c / 255)
        .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    const light = (text) => { const [r, g, b] = channel(text); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    let behind = element;
    while (getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
    const [one, two] = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor].map(light);
    return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
}"""


def opened(browser: Browser, path: Path, **options: object):  # type: ignore[no-untyped-def]
    return watched(browser, allowed=path.as_uri(), **({"viewport": DESKTOP, "reduced_motion": "reduce"} | options))


def first_column(page: Page) -> list[str]:
    return (
        page.locator("#leaderboard table.sortable")
        .first.locator("tbody:first-of-type th a")
        .evaluate_all("links => links.map((link) => link.getAttribute('href'))")
    )


def test_what_is_hostile_stays_text(browser: Browser, written: Path) -> None:
    with opened(browser, written) as page:
        page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
        page.goto(written.as_uri())
        assert page.locator("script").count() == 1
        assert page.locator("img, iframe, object, [onerror]").count() == 0
        assert page.locator("a[href^='javascript']").count() == 0
        page.locator("a[href='#run-greedy-0']").first.click()
        generation = page.locator("#run-greedy-0 blockquote").first
        assert generation.inner_text().startswith(rf"{SHOWN} \u0000\u202e")
        assert SHOWN in page.locator("#run-greedy-0 h4 bdi").first.inner_text()
        assert "evil <img onerror=console.error(3) src=x>" in page.locator("#leaderboard").inner_text()
        assert '<script>console.error("run")</script>' in page.locator("#snapshot").inner_text()


@pytest.mark.slow
def test_no_script_but_its_own_can_run(written: Path) -> None:
    """Whatever were to slip through the escaping: the policy names the one script by its hash, and no address."""
    policy = written.read_text("utf-8").split('Content-Security-Policy" content="')[1].split('"')[0]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-")
    assert "http" not in policy


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("desktop", {"viewport": DESKTOP}),
        ("phone", {"viewport": PHONE}),
        ("dark", {"viewport": DESKTOP, "color_scheme": "dark"}),
    ],
)
def test_it_is_legible_on(
    browser: Browser, written: Path, tmp_path: Path, name: str, options: dict[str, object]
) -> None:
    """No sideways scrolling of the page, contrast of at least 4.5, and a picture of it."""
    with opened(browser, written, **options) as page:
        page.goto(f"{written.as_uri()}#run-sample-0")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert page.locator("#run-sample-0 blockquote").first.is_visible()
        told = ("h1", ".lead", "nav a", "caption", "th button", "td .interval", "mark", ".cut", ".prompt", "figcaption")
        for selector in told:
            contrast = page.locator(selector).first.evaluate(LUMINANCE)
            assert contrast >= 4.5, (selector, contrast)
        image = page.screenshot(path=tmp_path / f"{name}.png")
        assert len(image) > 20_000


def test_all_of_it_can_be_printed(browser: Browser, written: Path) -> None:
    with opened(browser, written) as page:
        page.goto(written.as_uri())
        pdf = page.pdf(prefer_css_page_size=True)
        assert pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") >= 3
        page.emulate_media(media="print")
        assert not page.locator("nav").is_visible()
        shade = page.locator("#leaderboard .scroll").first.evaluate("box => getComputedStyle(box).maxHeight")
        assert shade == "none"
        # Chromium draws no button that has a box of its own in the heads of further pages.
        shown = "all => [...new Set(all.map((one) => getComputedStyle(one).display))]"
        assert page.locator("thead").evaluate_all(shown) == ["table-header-group"]
        assert page.locator("thead button").evaluate_all(shown) == ["contents"]


def test_the_leaderboard_is_sorted_by_keyboard(browser: Browser, written: Path) -> None:
    with opened(browser, written) as page:
        page.goto(written.as_uri())
        assert page.locator("th[aria-sort='descending']").inner_text().startswith("sbert")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        head = page.locator(
            "#leaderboard th", has=page.get_by_role("button", name=re.compile("rep_4.*lower is better"))
        )
        head.get_by_role("button").focus()
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == "ascending"
        assert page.locator("#leaderboard [aria-sort]").count() == 1
        numbers = head.evaluate(
            "head => [...head.closest('table').tBodies[0].rows].map((row) => +row.cells[head.cellIndex].dataset.value)"
        )
        assert len(numbers) == 5 and numbers == sorted(numbers)
        upwards = first_column(page)
        page.keyboard.press("Space")
        assert head.get_attribute("aria-sort") == "descending"
        assert first_column(page) == upwards[::-1]


def test_rows_are_filtered_by_words_of_their_run_and_nothing_scrolls_sideways_on_a_wide_screen(
    browser: Browser, written: Path
) -> None:
    with opened(browser, written, viewport=WIDE) as page:
        page.goto(written.as_uri())
        too_wide = "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.ariaLabel)"
        assert page.locator(".scroll:visible").evaluate_all(too_wide) == []
        field, rows = page.locator("#leaderboard input"), page.locator("#leaderboard tbody:first-of-type tr:visible")
        tables = page.locator("#leaderboard table.sortable").count()
        field.fill("SAMPLE top_p=0.9")
        assert rows.locator("a").evaluate_all("all => all.map((one) => one.hash)") == ["#run-sample-1"] * tables
        assert page.locator("#leaderboard output").inner_text() == "1 of 5"
        assert page.locator("#leaderboard .reference tr:visible").count() == tables
        field.fill("")
        assert rows.count() == 5 * tables


def test_a_metric_that_one_run_has_sorts_the_others_last(browser: Browser, written: Path) -> None:
    with opened(browser, written) as page:
        page.goto(written.as_uri())
        button = page.locator("#leaderboard").get_by_role("button", name="mauve")
        for _ in range(2):
            button.click()
            assert first_column(page)[0] == "#run-greedy-0"


def test_a_run_is_shown_by_its_address_and_one_at_a_time(browser: Browser, written: Path) -> None:
    with opened(browser, written) as page:
        page.goto(f"{written.as_uri()}#run-greedy-1")
        assert page.locator("details.run[open] #run-greedy-1").count() == 1
        page.locator("a[href='#run-sample-1']").first.click()
        assert page.locator("details.run[open]").count() == 1
        assert page.locator("#run-sample-1").is_visible()
        assert page.url.endswith("#run-sample-1")


def test_without_javascript_everything_is_there(browser: Browser, written: Path) -> None:
    with opened(browser, written, java_script_enabled=False) as page:
        page.goto(f"{written.as_uri()}#run-greedy-0")
        assert page.locator("#run-greedy-0 table").is_visible()
        assert page.locator("#leaderboard table.sortable").first.locator("tbody:first-of-type tr").count() == 5
        assert page.locator("th button, input").count() == 0


def test_it_is_built_for_a_screen_reader(browser: Browser, written: Path) -> None:
    with opened(browser, written) as page:
        page.goto(written.as_uri())
        assert page.locator("html").get_attribute("lang") == "en"
        for landmark in ("banner", "navigation", "main", "contentinfo"):
            assert page.get_by_role(landmark).count() == 1
        tables = page.locator("table")
        assert tables.count() == page.locator("table > caption").count() >= 10
        assert page.locator("thead th:not([scope]), tbody th:not([scope])").count() == 0
        assert page.locator("svg.marks:not([role=img][aria-label])").count() == 0
        levels = page.locator("h1,h2,h3,h4,h5").evaluate_all("all => all.map((one) => +one.tagName[1])")
        assert levels[0] == 1 and all(after <= before + 1 for before, after in pairwise(levels))
        identities = page.locator("[id]").evaluate_all("all => all.map((one) => one.id)")
        assert len(identities) == len(set(identities))
        lost = page.locator("a[href^='#']").evaluate_all(
            "links => links.map((link) => link.hash.slice(1)).filter((name) => !document.getElementById(name))"
        )
        assert lost == []


@pytest.mark.slow
def test_report_of_25_runs_is_under_two_megabytes(scored: Path, tmp_path: Path) -> None:
    """Four long texts a prompt, and a sweep of 20 values."""
    database = Database(shutil.copy(scored, tmp_path / "many.duckdb"))
    with database.write() as connection:
        connection.execute(MANY)
        for number in range(20):
            summaries.store(connection, f"many-{number}", ["evaluator-all"])
    started = time.perf_counter()
    path = report.write(database, Silent(), ReportRequest(), tmp_path / "many.html")
    took, size = time.perf_counter() - started, path.stat().st_size
    print(f"25 runs: {size / 1e6:.2f} MB in {took:.1f} s")
    assert path.read_text("utf-8").count('<details class="run"') == 25
    assert size < 1_500_000


def test_the_command_says_where_it_is_and_how_large(newwiki: Run, scored: Path, tmp_path: Path) -> None:
    ended = newwiki("report", "--db", scored)
    assert ended.returncode == 0, ended.stderr
    path = tmp_path / f"report-{SNAPSHOT}.html"
    assert ended.stdout == f"report-{SNAPSHOT}.html ({path.stat().st_size / 1e6:.2f} MB)\n"
    assert not list(tmp_path.glob("*.part"))


def test_what_cannot_be_reported_is_one_line(in_process: Run, scored: Path, published: Path, tmp_path: Path) -> None:
    for arguments, status, words in (
        (("--db", published), 1, f"no run on {SNAPSHOT} is scored yet; score one with `newwiki evaluate MODEL"),
        (("--db", scored, "--snapshot", "nowhere"), 2, "there is no snapshot 'nowhere'"),
        (("--db", scored, "--texts-by", "sbrt"), 2, "did you mean 'sbert'?"),
        (("--db", scored, "--by", "sbert"), 2, "'sbert' is not one of 'length', 'citations'"),
        (("--db", scored, "--out", tmp_path / "no" / "report.html"), 2, "the report cannot be written to"),
        (("--db", tmp_path / "none.duckdb"), 1, "there is no database"),
    ):
        ended = in_process("report", *arguments)
        assert ended.returncode == status, ended.stderr
        assert words in ended.stderr.splitlines()[-1]
    assert not list(tmp_path.rglob("*.html*"))
