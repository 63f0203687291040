"""One polite client of a MediaWiki Action API: a request at a time, retried where the server asks for it."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from importlib.metadata import version
from typing import Any, TypeVar
from urllib.parse import urlparse

import requests

from newwiki.errors import TerminalError, TransientError
from newwiki.snapshot import Requests
from newwiki.sources.account import Account
from newwiki.sources.backoff import Backoff
from newwiki.sources.http_answers import Trouble, judged, next_place, read, seconds, what_is_missing
from newwiki.sources.source import Memory

_BATCH = 50  # things that one request may name: what the API allows everyone
_LARGE_BATCH = 500  # and accounts with `apihighlimits`
_TIMEOUT = (10, 60)  # seconds to connect, and between two bytes
_MOST_ROUNDS = 10_000  # five million entries of a list: more than any wiki has in a window
_MOST_PLACES = 5  # that a server may send its clients on to
_OPERATED_BY_WIKIMEDIA = (
    ".wikipedia.org", ".wikimedia.org", ".wiktionary.org", ".wikidata.org", ".wikibooks.org", ".wikinews.org",
    ".wikiquote.org", ".wikisource.org", ".wikiversity.org", ".wikivoyage.org", ".mediawiki.org",
)  # fmt: skip


_Item = TypeVar("_Item")


class Api:
    """Requests with `format=json&formatversion=2&maxlag=5`, gzip, and a user agent that names the operator."""

    def __init__(
        self, url: str, contact: str | None, backoff: type[Backoff] = Backoff, account: Account | None = None
    ) -> None:
        host = urlparse(url).hostname
        if not host or urlparse(url).scheme not in ("http", "https"):
            raise TerminalError(f"'{url}' is not an API address; write it as https://en.wikipedia.org/w/api.php")
        if not contact and f".{host}".endswith(_OPERATED_BY_WIKIMEDIA):
            raise TerminalError(
                f"{host} wants to know whom to write to: set NEWWIKI_CONTACT to your e-mail address or page, "
                "as its user-agent policy asks (https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy)"
            )
        self.url = self._place = url
        self._say: Callable[[str], None] = lambda _: None
        self._backoff, self._account = backoff, account
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

    def tell(self, say: Callable[[str], None]) -> None:
        """From now on each wait is said: how long it is, and by whose wish."""
        self._say = say

    @cached_property
    def batch(self) -> int:
        """How many pages, revisions or items one request may name. An account logs in to learn it."""
        if not self._account:
            return _BATCH
        self.log_in(self._account)
        (answer,) = self.query("login", meta="userinfo", uiprop="rights")
        return _LARGE_BATCH if "apihighlimits" in answer["userinfo"]["rights"] else _BATCH

    def batches(self, items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
        """So many as one request may name at a time."""
        return (items[start : start + self.batch] for start in range(0, len(items), self.batch))

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
        attempts = size = 0
        start = time.monotonic()
        try:
            while True:
                attempts += 1
                retry_after: float | None = None
                try:
                    response = self._sent(parameters, secrets)
                    retry_after = seconds(response.headers.get("Retry-After"))
                    sent = read(response, self.url)
                    size += response.raw.tell()
                    answer = sent if isinstance(sent, Trouble) else judged(sent, self.url)
                    if not isinstance(answer, Trouble) and parameters["action"] == "query":
                        missing = what_is_missing(parameters, answer)
                        answer = Trouble(f"it left out '{missing}' of its answer") if missing else answer
                except requests.RequestException as error:
                    answer = Trouble(f"it cannot be reached ({_root_cause(error)})")
                if not isinstance(answer, Trouble):
                    return answer
                tell = partial(self._tell_wait, answer, retry_after)
                if not backoff.next(retry_after, tell, patiently=answer.is_a_wish):
                    raise TransientError(
                        f"the wiki's API at {self.url} does not answer: {answer.words}; check the address, or try later"
                    )
        finally:
            self._count(Requests(kind, attempts, attempts - 1, size, time.monotonic() - start))

    def _sent(self, parameters: dict[str, Any], secrets: dict[str, str] | None) -> requests.Response:
        """The beginning of an answer. Raises TerminalError where the server sends its clients to another host, or from
        place to place without end."""
        for _ in range(_MOST_PLACES):
            response = self._session.request(
                "POST" if secrets else "GET", self._place, params={**parameters, **self._common}, data=secrets,
                timeout=_TIMEOUT, stream=True, allow_redirects=False,
            )  # fmt: skip
            place = next_place(response, self._place)
            if place is None:
                return response
            self._place = place
        raise TerminalError(f"{self.url} sends its clients from place to place without end; check the address")

    def _tell_wait(self, trouble: Trouble, retry_after: float | None, wait: float) -> None:
        host = urlparse(self.url).hostname
        wish = f"before {host} is asked again"
        if retry_after is not None:
            wish = f"as {host} asks" if retry_after <= wait else f"though {host} asks for {retry_after:.0f} s"
        self._say(f"waiting {wait:.0f} s, {wish} ({trouble.words})")

    def _count(self, more: Requests) -> None:
        so_far = self._asked.get(more.kind, Requests(more.kind, 0, 0, 0, 0.0))
        self._asked[more.kind] = Requests(
            more.kind,
            so_far.requests + more.requests,
            so_far.retries + more.retries,
            so_far.bytes + more.bytes,
            so_far.seconds + more.seconds,
        )


def joined(names: Iterable[int | str]) -> str:
    """Several values of one parameter."""
    return "|".join(map(str, names))


def _root_cause(error: BaseException) -> str:
    while error.__context__ is not None:
        error = error.__context__
    return str(error) or type(error).__name__
