"""A server that speaks OpenAI's API: its address, the key to it, and its errors in our words."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from newwiki.errors import TerminalError, TransientError, UsageError

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

_KEY = "OPENAI_API_KEY"
_RETRIES = 10  # after 0.5, 1, 2, 4 and then 8 seconds each, or when the server says (Retry-After), with jitter
_LONGEST_WORDS = 300  # characters of what a server says that an error repeats
_QUOTA = "insufficient_quota"


@dataclass(frozen=True)
class Server:
    """Where it is, and the name of the environment variable that holds the key, which is nowhere else."""

    base_url: str
    key_variable: str
    timeout: float

    @classmethod
    def named(cls, base_url: str | None, key_env: str | None, timeout: float) -> "Server":
        """By what the user says, else by the environment. Raises UsageError, which never repeats what may be secret."""
        url = (base_url or os.environ.get("OPENAI_BASE_URL") or "").rstrip("/")
        if not url:
            raise UsageError(
                "--backend openai needs to know whom to ask: add --model-args base_url=http://127.0.0.1:8000/v1, or "
                "set OPENAI_BASE_URL (https://api.openai.com/v1 is OpenAI's own)"
            )
        parts = urlsplit(url)
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise UsageError(
                "a base_url is stored, so no user, password or query may stand in it; put the key into the environment "
                f"variable {_KEY}, or into another one that key_env=NAME names"
            )
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"'{url}' is not the address of a server; write it as http://127.0.0.1:8000/v1")
        if key_env and not os.environ.get(key_env):
            raise UsageError(f"key_env={key_env}, but there is no such environment variable; put the key there")
        return cls(url, key_env or _KEY, timeout)

    def opened(self, retries: int = _RETRIES) -> "AsyncOpenAI":
        """A client, to be closed. Raises TerminalError where the package is not there."""
        client: AsyncOpenAI = _package().AsyncOpenAI(
            api_key=self._key or "none", base_url=self.base_url, timeout=self.timeout, max_retries=retries
        )
        return client

    @contextmanager
    def asked(self, what: str) -> Iterator[None]:
        """The client's errors as ours: TerminalError where asking for `what` again will not help, else TransientError.

        Raised from nothing, as the client's own hold the request with its headers.
        """
        openai = _package()
        try:
            yield
        except openai.APIStatusError as error:
            raise self._in_our_words(error, what) from None
        except openai.APIConnectionError as error:
            cause = self.clean(str(error.__cause__ or error) or type(error).__name__)
            raise TransientError(
                f"the server at {self.base_url} cannot be reached for {what} ({cause}); check the address, or run the "
                "same command again later, and it goes on from here"
            ) from None

    def wrong(self, what: str, problem: str) -> TransientError:
        """The error of a server that keeps sending what is no answer."""
        return TransientError(
            f"the server at {self.base_url} sends no answer to {what} ({self.clean(problem)}); check that it speaks "
            "OpenAI's API, or run the same command again later, and it goes on from here"
        )

    def clean(self, text: str) -> str:
        """What somebody else says, in one line of no great length, without the key."""
        line = " ".join((text.replace(self._key, "…") if self._key else text).split())
        return line if len(line) <= _LONGEST_WORDS else f"{line[:_LONGEST_WORDS]}…"

    @property
    def _key(self) -> str:
        return os.environ.get(self.key_variable, "")

    def _in_our_words(self, error: "APIStatusError", what: str) -> TerminalError | TransientError:
        place, said = f"the server at {self.base_url}", self.clean(_said(error))
        status = error.status_code
        if status == 401 and not self._key:
            return TerminalError(f"{place} wants a key; put it into the environment variable {self.key_variable}")
        if status == 401:
            return TerminalError(f"{place} does not accept the key in {self.key_variable}: {said}; check the key")
        if status == 403:
            return TerminalError(f"{place} does not allow {what} to this key: {said}")
        if status == 404:
            return TerminalError(
                f"{place} does not have {what}: {said}; check the model's name, and that the address ends as in …/v1; "
                "a model that only chats wants --chat"
            )
        if error.code == _QUOTA:
            return TerminalError(f"{place} says that the quota is used up: {said}")
        if status < 500 and status not in (408, 409, 429):
            return TerminalError(
                f"{place} refuses {what} (HTTP status {status}): {said}; if it is too long, lower --max-new-tokens or "
                "shorten --template; nothing is cut unasked"
            )
        return TransientError(
            f"{place} fails at {what} (HTTP status {status}, again and again): {said}; its log may say why; run the "
            "same command again later, and it goes on from here"
        )


def _package() -> Any:
    try:
        import openai
    except ImportError:
        raise TerminalError("--backend openai needs a package: pip install 'newwiki-eval[openai]'") from None
    return openai


def _said(error: "APIStatusError") -> str:
    body = error.body
    found = (body.get("message") or body.get("detail")) if isinstance(body, dict) else body
    return str(found or error.message)
