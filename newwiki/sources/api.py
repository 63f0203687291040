"""One polite client of a MediaWiki Action API: a request at a time, retried where the server asks for it."""

from collections.abc import Iterator
from importlib.metadata import version
from typing import Any
from urllib.parse import urlparse

import requests

from newwiki.errors import TerminalError, TransientError
from newwiki.sources.backoff import Backoff

_RETRIED_STATUS = frozenset({429, 500, 502, 503, 504})
_RETRIED_ERRORS = frozenset({"maxlag", "ratelimited", "readonly"})
_TIMEOUT = (10, 60)  # seconds to connect, and between two bytes
_OPERATED_BY_WIKIMEDIA = (
    ".wikipedia.org", ".wikimedia.org", ".wiktionary.org", ".wikidata.org", ".wikibooks.org", ".wikinews.org",
    ".wikiquote.org", ".wikisource.org", ".wikiversity.org", ".wikivoyage.org", ".mediawiki.org",
)  # fmt: skip


class Api:
    """GET requests with `format=json&formatversion=2&maxlag=5`, gzip, and a user agent that names the operator."""

    def __init__(self, url: str, contact: str | None, backoff: type[Backoff] = Backoff) -> None:
        host = urlparse(url).hostname
        if not host or urlparse(url).scheme not in ("http", "https"):
            raise TerminalError(f"'{url}' is not an API address; write it as https://en.wikipedia.org/w/api.php")
        if not contact and f".{host}".endswith(_OPERATED_BY_WIKIMEDIA):
            raise TerminalError(
                f"{host} wants to know whom to write to: set NEWWIKI_CONTACT to your e-mail address or page, "
                "as its user-agent policy asks (https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy)"
            )
        self.url = url
        self._backoff = backoff
        self._session = requests.Session()
        agent = f"newwiki-eval/{version('newwiki-eval')} ({contact or 'no contact given'})"
        self._session.headers["User-Agent"] = f"{agent} python-requests/{requests.__version__}"

    def query(self, **parameters: str | int) -> Iterator[dict[str, Any]]:
        """The `query` part of every round, until the server names no continuation.

        A round may hold only a part of each page: merge them before judging one.
        """
        carry: dict[str, str] = {}
        while True:
            answer = self._ask({"action": "query", **parameters, **carry})
            yield answer.get("query", {})
            if "continue" not in answer:
                return
            carry = answer["continue"]

    def _ask(self, parameters: dict[str, Any]) -> dict[str, Any]:
        common = {"format": "json", "formatversion": 2, "maxlag": 5}
        backoff = self._backoff()
        while True:
            retry_after: float | None = None
            try:
                response = self._session.get(self.url, params={**parameters, **common}, timeout=_TIMEOUT)
                retry_after = _seconds(response.headers.get("Retry-After"))
                problem = _problem(response)
                if problem is None:
                    answer: dict[str, Any] = response.json()
                    return answer
            except requests.RequestException as error:
                problem = f"it cannot be reached ({_root_cause(error)})"
            if not backoff.next(retry_after):
                raise TransientError(
                    f"the wiki's API at {self.url} does not answer: {problem}; check the address, or try later"
                )


def _problem(response: requests.Response) -> str | None:
    """What speaks against this answer for now, or None. Raises TerminalError for what no retry will mend."""
    if response.status_code in _RETRIED_STATUS:
        return f"HTTP status {response.status_code}"
    if response.status_code != 200:
        raise TerminalError(
            f"there is no MediaWiki API at {response.url.split('?')[0]}: HTTP status {response.status_code}"
        )
    try:
        answer = response.json()
    except requests.JSONDecodeError:
        return "it sent something that is not JSON"
    if not isinstance(answer, dict):
        return "it sent something that is not an API answer"
    error = answer.get("error")
    if not error:
        return None
    code = error.get("code", "unknown")
    if code in _RETRIED_ERRORS or code.startswith("internal_api_error"):
        return f"{code}: {error.get('info', '')}"
    raise TerminalError(f"the wiki's API refuses the request: {code}: {error.get('info', '')}")


def _seconds(retry_after: str | None) -> float | None:
    return float(retry_after) if retry_after and retry_after.isdigit() else None


def _root_cause(error: BaseException) -> str:
    while error.__context__ is not None:
        error = error.__context__
    return str(error) or type(error).__name__
