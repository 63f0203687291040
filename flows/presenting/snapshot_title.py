"""Name a snapshot in words for the titles of pages: English Wikipedia, September 2026."""

from datetime import datetime, timedelta

from newwiki.snapshot import Snapshot, Window
from newwiki.text.language import load_language


def snapshot_title(snapshot: Snapshot) -> str:
    """Return the wiki and the time in which the articles were created, in words."""
    return f"{_wiki_title(snapshot)}, {_period(Window(snapshot.window_start, snapshot.window_end))}"


def _wiki_title(snapshot: Snapshot) -> str:
    """Return `English Wikipedia` for enwiki; for a wiki that is no Wikipedia of a known language, its database name."""
    code = (snapshot.language or "").lower()
    name = load_language("en").language_names.get(code) if snapshot.wiki == f"{code.replace('-', '_')}wiki" else None
    return f"{name} Wikipedia" if name else snapshot.wiki


def _period(window: Window) -> str:
    if window.is_old:
        return f"before {_day(window.end)}"
    first, last = window.start, window.end - timedelta(days=1)
    if len(window.label) == len("2026-10"):
        return f"{first:%B %Y}"
    return _day(first) if first.date() == last.date() else f"{_day(first)} to {_day(last)}"


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y}"
