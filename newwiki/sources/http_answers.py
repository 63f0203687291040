"""Read a server's answer within limits of size and time, and check it before anything uses it."""

import html
import json
import math
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
import urllib3

from newwiki.errors import TerminalError

LARGEST = 64 * 2**20  # bytes after decompression: eight times MediaWiki's own limit
LONGEST = 300.0  # seconds until an answer must be complete
_PIECE = 65_536
_LARGEST = 2**63 - 1  # the largest integer of the database
_RETRIED_STATUS = frozenset({408, 429, 500, 502, 503, 504, *range(520, 528)})
_RETRIED_ERRORS = frozenset({"maxlag", "ratelimited", "readonly"})
_WISHES = frozenset({"maxlag", "ratelimited"})
_SENT_ON = frozenset({301, 302, 303, 307, 308})
_MARKUP = re.compile(r"<(script|style|title)\b.*?</\1\s*>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]+")


@dataclass(frozen=True)
class Trouble:
    """Why an answer is unusable for now; `is_a_wish` means that a healthy server asks its clients to wait."""

    words: str
    is_a_wish: bool = False


@dataclass(frozen=True)
class Sent:
    """A complete answer."""

    status: int
    body: bytes


def read(response: requests.Response, url: str) -> Sent | Trouble:
    """Read the whole answer of a request made with `stream`, decompressed.

    Raises TerminalError if it is larger than any answer of MediaWiki.
    """
    started, body = time.monotonic(), bytearray()
    try:
        while piece := response.raw.read1(_PIECE, decode_content=True):
            body += piece
            if len(body) > LARGEST:
                raise TerminalError(
                    f"{url} sent more than {LARGEST >> 20} MiB in one answer, which no MediaWiki does; "
                    "check the address, or write to the wiki's operators"
                )
            if time.monotonic() - started > LONGEST:
                return Trouble(f"its answer was incomplete after {LONGEST:.0f} s")
    except (urllib3.exceptions.HTTPError, OSError) as error:
        return Trouble(f"its answer broke off ({in_words(str(error))})")
    finally:
        response.close()
    return Sent(response.status_code, bytes(body))


def judged(sent: Sent, url: str) -> dict[str, Any] | Trouble:
    """Return the answer's content. Raises TerminalError for errors that a retry cannot fix."""
    message = in_words(sent.body.decode("utf-8", "replace")) if sent.status != 200 else ""
    if sent.status in _RETRIED_STATUS:
        words = f"HTTP status {sent.status}{': ' + message if message else ''}"
        return Trouble(words, is_a_wish=sent.status == 429)
    if sent.status != 200:
        what = "there is no MediaWiki API at" if sent.status in (404, 410) else "the request was refused by"
        raise TerminalError(f"{what} {url}: HTTP status {sent.status}{': ' + message if message else ''}")
    try:
        answer = json.loads(sent.body, parse_constant=_refuse, parse_int=_whole, parse_float=_finite)
    except OverflowError as error:
        return Trouble(f"it sent a number that is larger than any MediaWiki uses ({str(error)[:20]})")
    except (ValueError, RecursionError):
        return Trouble("it sent something that is not JSON")
    if not isinstance(answer, dict):
        return Trouble("it sent something that is not an API answer")
    return _without_error(answer)


def _without_error(answer: dict[str, Any]) -> dict[str, Any] | Trouble:
    error = answer.get("error")
    if not error:
        return answer
    if not isinstance(error, dict):
        return Trouble("it sent something that is not an API answer")
    code = in_words(str(error.get("code", "unknown")))
    words = f"{code}: {in_words(str(error.get('info', '')))}"
    if code in _RETRIED_ERRORS or code.startswith("internal_api_error"):
        return Trouble(words, is_a_wish=code in _WISHES)
    raise TerminalError(f"the wiki's API refuses the request: {words}")


def what_is_missing(parameters: dict[str, Any], answer: dict[str, Any]) -> str | None:
    """Return the name of the part that an answer to `action=query` lacks, or None. An empty result is still an answer:
    an empty list, or `batchcomplete` alone where pages were generated."""
    result = answer.get("query", {})
    if not isinstance(result, dict):
        return "query"
    if "list" in parameters:
        return None if isinstance(result.get(parameters["list"]), list) else str(parameters["list"])
    if "pageids" in parameters or "revids" in parameters:
        return None if "pages" in result or "badrevids" in result else "pages"
    return None if result or "batchcomplete" in answer or "continue" in answer else "query"


def next_place(response: requests.Response, place: str) -> str | None:
    """Return the address the server redirects to, without the query; None if the answer is not a redirect.

    Raises TerminalError for a redirect to another host, or from https to http.
    """
    if response.status_code not in _SENT_ON or "Location" not in response.headers:
        return None
    response.close()
    current, target = urlsplit(place), urlsplit(urljoin(place, response.headers["Location"]))
    is_upgrade = (current.scheme, target.scheme) == ("http", "https")
    is_same = (current.scheme, current.port) == (target.scheme, target.port)
    if current.hostname != target.hostname or not (is_upgrade or is_same):
        to = in_words(f"{target.scheme}://{target.netloc}{target.path}")
        raise TerminalError(f"{place} redirects to {to}; if that is the wiki, pass its address")
    return f"{target.scheme}://{target.netloc}{target.path}"


def seconds(retry_after: str | None) -> float | None:
    """Parse a Retry-After header, given in seconds or as a date, into seconds; None if it is neither."""
    if not retry_after:
        return None
    if re.fullmatch(r"[0-9]{1,9}", retry_after.strip()):
        return float(retry_after)
    try:
        moment = parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0)


def in_words(message: str) -> str:
    """Return a server's message in one line of at most 200 characters, without markup and control characters."""
    plain = _CONTROL.sub(" ", html.unescape(_MARKUP.sub(" ", message[:20_000])))
    return " ".join(plain.split())[:200]


def _whole(digits: str) -> int:
    if len(digits) > 20 or abs(number := int(digits)) > _LARGEST:
        raise OverflowError(digits)
    return number


def _finite(digits: str) -> float:
    if math.isinf(number := float(digits)):
        raise OverflowError(digits)
    return number


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not valid JSON")
