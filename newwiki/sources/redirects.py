"""Redirects, told by their wikitext alone, in any language: `#WORD [[Target]]`."""

import re

_REDIRECT = re.compile(r"\s*#\s*[^\s\[\]:#]+\s*:?\s*\[\[:?\s*([^\[\]|#]+)")
_LINK = re.compile(r"\[\[:?\s*([^\[\]|#]+)")


def target(wikitext: str) -> str | None:
    """Where the page leads to, or None where it is no redirect."""
    found = _REDIRECT.match(wikitext)
    return _title(found.group(1)) if found else None


def left_by_move(title: str, wikitext: str, summary: str) -> bool:
    """Whether a page began as what a move leaves at the old title. Its creation is in no log, so it is no new page.

    MediaWiki's summary of it links, in every language, the old title and the new one, to which the redirect leads.
    """
    new = target(wikitext)
    return new is not None and {title, new} <= set(links(summary)) and title != new


def links(summary: str) -> list[str]:
    """The titles that a summary links, in their order."""
    return [_title(link) for link in _LINK.findall(summary)]


def _title(link: str) -> str:
    return link.replace("_", " ").strip()
