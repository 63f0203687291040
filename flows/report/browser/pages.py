"""What a page is made of, and what of its address."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import QueryParams
from starlette.requests import Request

from flows.report.browser.live import Live
from newwiki.errors import UsageError

ROWS = 50  # of a list


@dataclass(frozen=True)
class HtmlPage:
    """A template with what it shows."""

    template: str
    shown: dict[str, Any] = field(default_factory=dict)
    status: int = 200


Handler = Callable[[Live, Request], HtmlPage]


class NotFound(UsageError):
    """There is no such page."""


def number(asked: QueryParams, name: str) -> int | None:
    """A whole number from 0 in the address; None where it has none. Raises UsageError for anything else."""
    text = asked.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UsageError(f"{name}={text} is not a whole number")
    return int(text)


def offset(asked: QueryParams) -> int:
    """Where the list's page `?page=`, counted from 1, begins."""
    return (max(number(asked, "page") or 1, 1) - 1) * ROWS
