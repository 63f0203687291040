"""A snapshot's title names its wiki and its time in words."""

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from flows.presenting.snapshot_title import snapshot_title
from newwiki.snapshot import Window

MONTH = Window.month("2026-09")


@pytest.mark.parametrize(
    ("wiki", "language", "window", "title"),
    [
        ("enwiki", "en", MONTH, "English Wikipedia, September 2026"),
        ("dewiki", "de", MONTH, "German Wikipedia, September 2026"),
        ("zh_yuewiki", "zh-yue", MONTH, "zh_yuewiki, September 2026"),
        ("samplewiki", "en", MONTH, "samplewiki, September 2026"),
        ("enwiki", None, MONTH, "enwiki, September 2026"),
        ("enwiki", "en", Window.days(date(2026, 9, 3), date(2026, 9, 3)), "English Wikipedia, 3 September 2026"),
        (
            "enwiki", "en", Window.days(date(2026, 9, 30), date(2026, 10, 1)),
            "English Wikipedia, 30 September 2026 to 1 October 2026",
        ),
        ("enwiki", "en", Window.before(date(2020, 1, 1)), "English Wikipedia, before 1 January 2020"),
    ],
)  # fmt: skip
def test_a_title_is_in_words(wiki: str, language: str | None, window: Window, title: str) -> None:
    snapshot: Any = SimpleNamespace(wiki=wiki, language=language, window_start=window.start, window_end=window.end)
    assert snapshot_title(snapshot) == title
