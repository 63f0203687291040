"""What a server's answer is: read within bounds of size and time, and judged before anything is made of it."""

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

LARGEST = 64 * 2**20  # bytes, unpacked: eight times what MediaWiki puts in one answer
LONGEST = 300.0  # seconds until an answer is whole
_PIECE = 65_536
_LARGEST = 2**63 - 1  # that a database holds
_RETRIED_STATUS = frozenset({408, 429, 500, 502, 503, 504, *range(520, 528)})
_RETRIED_ERRORS = frozenset({"maxlag", "ratelimited", "readonly"})
_WISHES = frozenset({"maxlag", "ratelimited"})
_SENT_ON = frozenset({301, 302, 303, 307, 308})
_MARKUP = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]+")


@dataclass(frozen=True)
class Trouble:
    """What speaks against an answer for now; `is_a_wish` where the server is well and wants its clients to wait."""

    words: str
    is_a_wish: bool = False


@dataclass(frozen=True)
class Sent:
    """An answer that was read to its end."""

    status: int
    body: bytes


def read(response: requests.Response, url: str) -> Sent | Trouble:
    """The whole answer of a request that was made with `stream`, unpacked.

    Raises TerminalError where it is larger than any that MediaWiki sends.
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
                return Trouble(f"its answer was not whole after {LONGEST:.0f} s")
    except (urllib3.exceptions.HTTPError, OSError) as error:
        return Trouble(f"its answer broke off ({in_words(str(error))})")
    finally:
        response.close()
    return Sent(response.status_code, bytes(body))


def judged(sent: Sent, url: str) -> dict[str, Any] | Trouble:
    """The answer's content. Raises TerminalError for what no retry will mend."""
    if sent.status in _RETRIED_STATUS:
        return Trouble(f"HTTP status {sent.status}", is_a_wish=sent.status == 429)
    if sent.status != 200:
        said = in_words(sent.body.decode("utf-8", "replace"))
        what = "there is no MediaWiki API at" if sent.status in (404, 410) else "the request is refused at"
        raise TerminalError(f"{what} {url}: HTTP status {sent.status}{': ' + said if said else ''}")
    try:
        answer = json.loads(sent.body, parse_constant=_refuse, parse_int=_whole, parse_float=_finite)
    except OverflowError as error:
        return Trouble(f"it sent a number that is larger than any of MediaWiki's ({str(error)[:20]})")
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
    """What an answer to `action=query` must hold and does not. Nothing found is said too: by an empty list, or by
    `batchcomplete` alone where pages were generated."""
    said = answer.get("query", {})
    if not isinstance(said, dict):
        return "query"
    if "list" in parameters:
        return None if isinstance(said.get(parameters["list"]), list) else str(parameters["list"])
    if "pageids" in parameters or "revids" in parameters:
        return None if "pages" in said or "badrevids" in said else "pages"
    return None if said or "batchcomplete" in answer or "continue" in answer else "query"


def next_place(response: requests.Response, place: str) -> str | None:
    """Where the server sends its client on to, without the question; None where it does not.

    Raises TerminalError for another host, and for a way back from https.
    """
    if response.status_code not in _SENT_ON or "Location" not in response.headers:
        return None
    response.close()
    here, there = urlsplit(place), urlsplit(urljoin(place, response.headers["Location"]))
    is_upgrade = (here.scheme, there.scheme) == ("http", "https")
    is_same = (here.scheme, here.port) == (there.scheme, there.port)
    if here.hostname != there.hostname or not (is_upgrade or is_same):
        to = in_words(f"{there.scheme}://{there.netloc}{there.path}")
        raise TerminalError(f"{place} sends its clients on to {to}; if that is the wiki, give its address")
    return f"{there.scheme}://{there.netloc}{there.path}"


def seconds(retry_after: str | None) -> float | None:
    """The seconds that a Retry-After asks for, which may be written as a date; None where it says neither."""
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


def in_words(said: str) -> str:
    """What a server says of itself, in one line of at most 200 characters, without markup and control characters."""
    plain = _CONTROL.sub(" ", html.unescape(_MARKUP.sub(" ", said[:20_000])))
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
    raise ValueError(f"{constant} is no JSON")
