"""One polite client of a MediaWiki Action API: a request at a time, retried where the server asks for it."""

import json
import time
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any
from urllib.parse import urlparse

import requests

from newwiki.errors import TerminalError, TransientError
from newwiki.records import Requests
from newwiki.sources.account import Account
from newwiki.sources.backoff import Backoff
from newwiki.sources.source import Memory

_RETRIED_STATUS = frozenset({429, 500, 502, 503, 504})
_RETRIED_ERRORS = frozenset({"maxlag", "ratelimited", "readonly"})
_TIMEOUT = (10, 60)  # seconds to connect, and between two bytes
_MOST_ROUNDS = 10_000  # five million entries of a list: more than any wiki has in a window
_OPERATED_BY_WIKIMEDIA = (
    ".wikipedia.org", ".wikimedia.org", ".wiktionary.org", ".wikidata.org", ".wikibooks.org", ".wikinews.org",
    ".wikiquote.org", ".wikisource.org", ".wikiversity.org", ".wikivoyage.org", ".mediawiki.org",
)  # fmt: skip


class Api:
    """Requests with `format=json&formatversion=2&maxlag=5`, gzip, and a user agent that names the operator."""

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
        self._common: dict[str, str | int] = {"format": "json", "formatversion": 2, "maxlag": 5}
        self._asked: dict[str, Requests] = {}

    def query(self, kind: str, memory: Memory | None = None, /, **parameters: str | int) -> Iterator[dict[str, Any]]:
        """The `query` part of every round, until the server names no continuation. `kind` is what it is counted as.

        A round may hold only a part of each page: merge them before judging one. Rounds that `memory` holds are not
        asked for again. Raises TerminalError for a continuation that goes round in circles, or has no end.
        """
        question = json.dumps(parameters, sort_keys=True)
        answers = [json.loads(answer) for answer in memory.recall(question)] if memory else []
        carry: dict[str, str] = {}
        seen: set[str] = set()
        while True:
            if len(seen) < len(answers):
                answer = answers[len(seen)]
            else:
                answer = self._ask(kind, {"action": "query", **parameters, **carry})
                if memory:
                    memory.keep(question, json.dumps(answer))
            yield answer.get("query", {})
            if "continue" not in answer:
                return
            carry = answer["continue"]
            if json.dumps(carry) in seen or len(seen) >= _MOST_ROUNDS:
                raise TerminalError(
                    f"the wiki's API at {self.url} continues its answer without end ({kind}, {len(seen) + 1} rounds); "
                    "ask for a shorter window, or write to the wiki's operators"
                )
            seen.add(json.dumps(carry))

    def ask(self, kind: str, /, **parameters: str | int) -> dict[str, Any]:
        """The answer to one request, for actions other than `query`. `kind` is what it is counted as."""
        return self._ask(kind, parameters)

    def log_in(self, account: Account) -> None:
        """Acts as that account from now on. Raises TerminalError where the wiki does not know it."""
        # An answer that got lost may have been the one that logged in: only a new session can try again
        for _ in range(2):
            self._session.cookies.clear()
            (answer,) = self.query("login", meta="tokens", type="login")
            secrets = {
                "lgname": account.user,
                "lgpassword": account.password,
                "lgtoken": answer["tokens"]["logintoken"],
            }
            login = self._ask("login", {"action": "login"}, secrets).get("login", {})
            if login.get("result") == "Success":
                self._common["assert"] = "user"
                return
        raise TerminalError(
            f"the wiki does not let '{account.user}' in: {login.get('reason', login.get('result'))}; check "
            "NEWWIKI_BOT_USER (Name@label) and NEWWIKI_BOT_PASSWORD, as Special:BotPasswords gives them"
        )

    def asked(self) -> list[Requests]:
        """What was asked for since this was last called, a row a kind."""
        asked, self._asked = list(self._asked.values()), {}
        return asked

    def _ask(self, kind: str, parameters: dict[str, Any], secrets: dict[str, str] | None = None) -> dict[str, Any]:
        """The answer to a GET request, or with `secrets`, which no server's log gets to see, to a POST request."""
        backoff = self._backoff()
        method = "POST" if secrets else "GET"
        attempts = size = 0
        start = time.monotonic()
        try:
            while True:
                retry_after: float | None = None
                attempts += 1
                try:
                    response = self._session.request(
                        method, self.url, params={**parameters, **self._common}, data=secrets, timeout=_TIMEOUT
                    )
                    size += response.raw.tell()
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
        finally:
            self._count(Requests(kind, attempts, attempts - 1, size, time.monotonic() - start))

    def _count(self, more: Requests) -> None:
        so_far = self._asked.get(more.kind, Requests(more.kind, 0, 0, 0, 0.0))
        self._asked[more.kind] = Requests(
            more.kind,
            so_far.requests + more.requests,
            so_far.retries + more.retries,
            so_far.bytes + more.bytes,
            so_far.seconds + more.seconds,
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
