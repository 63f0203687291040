"""A polite client of a MediaWiki Action API: one request at a time, retried when the server asks for it."""

import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib.metadata import version
from typing import Any, Self, TypeVar
from urllib.parse import quote, urlparse

import requests

from newwiki.errors import TerminalError, TransientError, UsageError
from newwiki.snapshot import Requests
from newwiki.sources.backoff import Backoff
from newwiki.sources.http_answers import Trouble, judged, next_place, read, seconds, what_is_missing
from newwiki.sources.source import Memory

_USER, _PASSWORD = "NEWWIKI_BOT_USER", "NEWWIKI_BOT_PASSWORD"


@dataclass(frozen=True)
class Account:
    """A bot password as Special:BotPasswords issues it: `user` is written Name@label."""

    user: str
    password: str = field(repr=False)

    @classmethod
    def from_environment(cls) -> Self | None:
        """Return the account, or None if neither variable is set. Raises UsageError if only one of them is set."""
        user, password = os.environ.get(_USER, ""), os.environ.get(_PASSWORD, "")
        if bool(user) != bool(password):
            raise UsageError(f"{_USER} and {_PASSWORD} belong together: set both (see Special:BotPasswords) or neither")
        return cls(user, password) if user else None


_BATCH = 50  # pages, revisions or items per request: the API's limit for everyone
_LARGE_BATCH = 500  # the limit for accounts with `apihighlimits`
_TIMEOUT = (10, 60)  # seconds to connect, and between two bytes
_MAX_ROUNDS = 10_000  # five million list entries: more than any wiki has in a window
_MAX_REDIRECTS = 5
_OPERATED_BY_WIKIMEDIA = (
    ".wikipedia.org", ".wikimedia.org", ".wiktionary.org", ".wikidata.org", ".wikibooks.org", ".wikinews.org",
    ".wikiquote.org", ".wikisource.org", ".wikiversity.org", ".wikivoyage.org", ".mediawiki.org",
)  # fmt: skip
# An e-mail address, a web address, or a user page
_REACHABLE = re.compile(
    r"[^\s@]+@[^\s@]+\.[^\s@]+|https?://\S+|[\w-]+\.[^\W\d_]{2,}|\buser(?: talk)?:\S", re.IGNORECASE
)

_Item = TypeVar("_Item")


class Api:
    """Sends requests with `format=json&formatversion=2&maxlag=5`, gzip, and a user agent that names the operator."""

    def __init__(
        self, url: str, contact: str | None, backoff: type[Backoff] = Backoff, account: Account | None = None
    ) -> None:
        host = urlparse(url).hostname
        if not host or urlparse(url).scheme not in ("http", "https"):
            raise TerminalError(f"'{url}' is not an API address; write it as https://en.wikipedia.org/w/api.php")
        _check_contact(contact, host)
        self.url = self._place = url
        self._say: Callable[[str], None] = lambda _: None
        self._backoff, self._account = backoff, account
        self._session = requests.Session()
        agent = f"newwiki-eval/{version('newwiki-eval')} ({_in_ascii(contact or 'no contact given')})"
        self._session.headers["User-Agent"] = f"{agent} python-requests/{requests.__version__}"
        self._common: dict[str, str | int] = {"format": "json", "formatversion": 2, "maxlag": 5}
        self._asked: dict[str, Requests] = {}

    def query(self, kind: str, memory: Memory | None = None, /, **parameters: str | int) -> Iterator[dict[str, Any]]:
        """Yield the `query` part of each round until the server sends no continuation. Requests count under `kind`.

        A round may hold only part of each page: merge the rounds before judging a page. Rounds already in `memory` are
        not requested again. Raises TerminalError if the continuation repeats itself or never ends.
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
            if json.dumps(carry) in seen or len(seen) >= _MAX_ROUNDS:
                raise TerminalError(
                    f"the wiki's API at {self.url} continues its answer endlessly ({kind}, {len(seen) + 1} rounds); "
                    "ask for a shorter window, or write to the wiki's operators"
                )
            seen.add(json.dumps(carry))

    def tell(self, say: Callable[[str], None]) -> None:
        """Report every wait through `say` from now on: its length, and whether the server asked for it."""
        self._say = say

    @cached_property
    def batch(self) -> int:
        """The maximum number of pages, revisions or items per request. With an account, logs in to learn it."""
        if not self._account:
            return _BATCH
        self.log_in(self._account)
        (answer,) = self.query("login", meta="userinfo", uiprop="rights")
        return _LARGE_BATCH if "apihighlimits" in answer["userinfo"]["rights"] else _BATCH

    def batches(self, items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
        """Split the items into batches that fit into one request each."""
        return (items[start : start + self.batch] for start in range(0, len(items), self.batch))

    def ask(self, kind: str, /, **parameters: str | int) -> dict[str, Any]:
        """Return the answer to one request, for actions other than `query`. The request counts under `kind`."""
        return self._ask(kind, parameters)

    def log_in(self, account: Account) -> None:
        """Send all further requests as that account. Raises TerminalError if the wiki rejects the login."""
        # A lost answer may have been the one that logged in, so only a new session can try again
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
            f"the wiki rejects the login of '{account.user}': {login.get('reason', login.get('result'))}; check "
            "NEWWIKI_BOT_USER (Name@label) and NEWWIKI_BOT_PASSWORD, as Special:BotPasswords gives them"
        )

    def asked(self) -> list[Requests]:
        """Return the requests made since the last call, one row per kind."""
        requested, self._asked = list(self._asked.values()), {}
        return requested

    def _ask(self, kind: str, parameters: dict[str, Any], secrets: dict[str, str] | None = None) -> dict[str, Any]:
        """Send a GET request, or with `secrets`, which must not reach a server log, a POST request."""
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
                        answer = Trouble(f"its answer lacks '{missing}'") if missing else answer
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
        """Return the response with its body unread, following redirects on the same host. Raises TerminalError for a
        redirect to another host, or for too many redirects."""
        for _ in range(_MAX_REDIRECTS):
            response = self._session.request(
                "POST" if secrets else "GET", self._place, params={**parameters, **self._common}, data=secrets,
                timeout=_TIMEOUT, stream=True, allow_redirects=False,
            )  # fmt: skip
            place = next_place(response, self._place)
            if place is None:
                return response
            self._place = place
        raise TerminalError(f"{self.url} redirects endlessly; check the address")

    def _tell_wait(self, trouble: Trouble, retry_after: float | None, wait: float) -> None:
        host = urlparse(self.url).hostname
        reason = f"before the next request to {host}"
        if retry_after is not None:
            reason = f"as {host} asks" if retry_after <= wait else f"though {host} asks for {retry_after:.0f} s"
        self._say(f"waiting {wait:.0f} s, {reason} ({trouble.words})")

    def _count(self, more: Requests) -> None:
        so_far = self._asked.get(more.kind, Requests(more.kind, 0, 0, 0, 0.0))
        self._asked[more.kind] = Requests(
            more.kind,
            so_far.requests + more.requests,
            so_far.retries + more.retries,
            so_far.bytes + more.bytes,
            so_far.seconds + more.seconds,
        )


def _check_contact(contact: str | None, host: str) -> None:
    """Raise TerminalError if the contact cannot be part of a header, or if a Wikimedia wiki could not write to it."""
    if contact and not contact.isprintable():
        raise TerminalError(
            f"the contact {contact!r} holds a line break or another control character: set NEWWIKI_CONTACT to one line"
        )
    if not f".{host}".endswith(_OPERATED_BY_WIKIMEDIA) or _REACHABLE.search(contact or ""):
        return
    what = f" ('{contact}' is neither an e-mail address nor a page)" if contact else ""
    raise TerminalError(
        f"{host} requires contact details{what}: set NEWWIKI_CONTACT to your e-mail address or page, "
        "as its user-agent policy asks (https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy)"
    )


def _in_ascii(text: str) -> str:
    """Write other characters as percent-encoded UTF-8: HTTP headers hold ASCII."""
    return quote(text, safe="".join(map(chr, range(0x20, 0x7F))))


def joined(names: Iterable[int | str]) -> str:
    """Join several values of one parameter as the API expects them."""
    return "|".join(map(str, names))


def _root_cause(error: BaseException) -> str:
    while error.__context__ is not None:
        error = error.__context__
    return str(error) or type(error).__name__


WITH_TEXT = {"prop": "revisions", "rvprop": "ids|timestamp|size|content", "rvslots": "main"}
WITH_SIZE = {"prop": "revisions", "rvprop": "ids|size|sha1"}


def fetch_revisions(
    api: Api, kind: str, rev_ids: Sequence[int], properties: dict[str, str] = WITH_TEXT
) -> dict[int, dict[str, Any]]:
    """Return the revisions that still exist, by id; `rev_ids` must fit into one request.

    Raises TransientError if the wiki omits a revision without reporting it as missing.
    """
    revisions: dict[int, dict[str, Any]] = {}
    gone: set[int] = set()
    for answer in api.query(kind, revids=joined(rev_ids), **properties):
        gone |= {int(rev_id) for rev_id in answer.get("badrevids", {})}
        for page in answer.get("pages", []):
            revisions |= {revision["revid"]: revision for revision in page.get("revisions", [])}
    left_out = set(rev_ids) - revisions.keys() - gone
    if left_out:
        raise TransientError(f"the wiki's API at {api.url} left out revision {min(left_out)}; try again")
    return revisions


def is_hidden(revision: dict[str, Any]) -> bool:
    """Tell whether the wiki hides the revision's text; works for requests with and without the text."""
    return "texthidden" in _slot(revision) or "texthidden" in revision or "sha1hidden" in revision


def wikitext(revision: dict[str, Any]) -> str | None:
    """Return the text, or None if it is hidden or was not requested."""
    return None if is_hidden(revision) else _slot(revision).get("content")


def _slot(revision: dict[str, Any]) -> dict[str, Any]:
    slot: dict[str, Any] = revision.get("slots", {}).get("main", {})
    return slot
