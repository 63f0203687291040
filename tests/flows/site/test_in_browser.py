"""The site as a reader opens it from a folder, in a real browser: nothing asked of a network, with a script or none."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import chromium, watched
from tests.flows.report.test_page import LUMINANCE
from tests.flows.site.test_site import SEPTEMBER

PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1440, "height": 900}
DAY = "2026-09-15"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def shown(site: Path) -> list[Path]:
    """A page of each kind, and that of the model whose name is hostile."""
    models = sorted((site / "models").glob("*.html"))
    return [
        site / "index.html", site / "submit.html", site / "models.html", site / "metrics.html",
        site / f"snapshots/{SEPTEMBER}.html",
        site / f"snapshots/{SEPTEMBER}/after-{DAY}.html", site / f"snapshots/{SEPTEMBER}/by-topic.html",
        site / "months/enwiki.html", site / "months/enwiki/sbert.html", models[0],
        next(page for page in models if page.name.startswith("run-script")),
    ]  # fmt: skip


@pytest.mark.parametrize(("viewport", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")])
def test_every_kind_of_page_is_legible_and_asks_for_nothing(
    browser: Browser, site: Path, viewport: dict[str, int], scheme: str
) -> None:
    with watched(browser, allowed=site.as_uri(), viewport=viewport, color_scheme=scheme) as page:
        page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
        for path in shown(site):
            page.goto(path.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
            assert page.evaluate("getComputedStyle(document.querySelector('footer')).borderTopWidth") == "1px", path
            link = "main code" if path.name == "submit.html" else ".files a"
            for selector in ("h1", "nav a", link, "footer p"):
                assert page.locator(selector).first.evaluate(LUMINANCE) >= 4.5, (path, selector)


def numbers(page: Page) -> dict[str, str]:
    """By run, what stands in its row."""
    return dict(
        page.locator("table.board tbody tr").evaluate_all(
            "rows => rows.map((row) => [row.cells[0].innerText, "
            "[...row.querySelectorAll('.mean, .bounds, .prompts, .seen')].map((one) => one.innerText).join(' ')])"
        )
    )


def test_the_slider_shows_what_the_page_of_the_day_shows_and_puts_the_best_first(browser: Browser, site: Path) -> None:
    with watched(browser, allowed=site.as_uri(), viewport=DESKTOP) as page:
        page.goto((site / f"snapshots/{SEPTEMBER}/after-{DAY}.html").as_uri())
        of_the_day = numbers(page)
        page.goto((site / f"snapshots/{SEPTEMBER}.html").as_uri())
        of_all = numbers(page)
        assert not page.locator(".after-links").is_visible()
        days = page.evaluate("Object.keys(JSON.parse(document.querySelector('.after-numbers').textContent))")
        page.get_by_label("Only articles created after").fill(str(days.index(DAY) + 1))
        assert page.locator("output[for=after]").inner_text() == f"{DAY}: 18 of 40 articles"
        assert numbers(page) == of_the_day != of_all
        best = page.locator("table.board tbody:first-of-type tr td[data-value]:has(.strip)").evaluate_all(
            "cells => cells.filter((cell) => cell.cellIndex === document.querySelector('[aria-sort]').cellIndex)"
            ".map((cell) => +cell.dataset.value)"
        )
        assert len(best) == 10 and best == sorted(best, reverse=True)
        assert page.url.endswith(f"#after-{DAY}")
        page.reload()
        assert numbers(page) == of_the_day
        page.get_by_label("Only articles created after").fill("0")
        assert numbers(page) == of_all


def test_without_a_script_the_days_are_links(browser: Browser, site: Path) -> None:
    with watched(browser, allowed=site.as_uri(), viewport=PHONE, java_script_enabled=False) as page:
        page.goto((site / f"snapshots/{SEPTEMBER}.html").as_uri())
        assert not page.locator(".after-slider").is_visible()
        page.get_by_role("link", name=DAY).click()
        assert page.locator("h1").inner_text() == f"Articles created after {DAY}"


def test_a_printed_page_has_its_tables_whole_and_no_links_to_press(browser: Browser, site: Path) -> None:
    with watched(browser, allowed=site.as_uri(), viewport=DESKTOP) as page:
        page.goto((site / f"snapshots/{SEPTEMBER}.html").as_uri())
        assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
        page.emulate_media(media="print")
        assert not page.locator("nav").first.is_visible() and not page.locator(".files").first.is_visible()
        box = page.locator("#leaderboard .scroll").first
        assert box.evaluate("box => getComputedStyle(box).overflowX") == "visible"
