"""A real browser for tests: headless Chromium, which fails a test where a page is not as it should be."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def chromium() -> Iterator[Browser]:
    """The Chromium of this machine. Where there is none the test is skipped, and fails in continuous integration."""
    path = next((found for name in _NAMES if (found := shutil.which(name))), None)
    if path is None:
        say = pytest.fail if os.environ.get("CI") else pytest.skip
        say("needs Chromium; on Debian: apt-get install chromium")
    with sync_playwright() as playwright:
        # Chromium's own sandbox cannot start as root or in a container.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def watched(browser: Browser, *, allowed: str, **options: object) -> Iterator[Page]:
    """A page of which every console error, uncaught exception, and request to anywhere but `allowed` (the beginning of
    its address) fails the test at the end. `options` are those of `new_page`: viewport, color_scheme …"""
    page = browser.new_page(**options)
    wrong: list[str] = []
    page.on(
        "console", lambda said: wrong.append(f"console: {said.text}") if said.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: wrong.append(f"uncaught: {error}"))
    page.on("request", lambda one: None if one.url.startswith((allowed, "data:")) else wrong.append(f"asked {one.url}"))
    yield page
    page.close()
    assert not wrong, wrong
