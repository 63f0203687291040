"""Connect to a server with OpenAI's API: its address, its key, and its errors translated into ours."""

import html
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from newwiki.errors import TerminalError, TransientError, UsageError
from newwiki.models.remote.patience import LONGEST_PAUSE, QUOTA, may_pass, pause_of
from newwiki.visible import visible

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI, OpenAI

_KEY = "OPENAI_API_KEY"
_BATCH_RETRIES = 2  # of OpenAI's client; whoever waits for a batch for a day has more patience
_LONGEST_WORDS = 300  # characters of a server's message that an error repeats
_PAGE = re.compile(r"<(!doctype|html|head|body)\b", re.IGNORECASE)
_MARKUP = re.compile(r"<(style|script|title)\b.*?</\1\s*>|<[^>]*>", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Server:
    """The server's address, and the name of the environment variable with the key, which is stored nowhere else."""

    base_url: str
    key_variable: str
    timeout: float

    @classmethod
    def named(cls, base_url: str | None, key_env: str | None, timeout: float) -> "Server":
        """Build from the user's arguments, else from the environment. Raises UsageError, without repeating secrets."""
        url = (base_url or os.environ.get("OPENAI_BASE_URL") or "").rstrip("/")
        if not url:
            raise UsageError(
                "--backend openai needs the server's address: add --model-args base_url=http://127.0.0.1:8000/v1, or "
                "set OPENAI_BASE_URL (OpenAI's own is https://api.openai.com/v1)"
            )
        parts = urlsplit(url)
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise UsageError(
                "base_url must not contain a user, password or query, because it is stored; put the key into the "
                f"environment variable {_KEY}, or into another variable and name it with key_env=NAME"
            )
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"'{url}' is not a server address; write it as http://127.0.0.1:8000/v1")
        if key_env and not os.environ.get(key_env):
            raise UsageError(f"key_env={key_env}, but this environment variable is not set; put the key there")
        return cls(url, key_env or _KEY, timeout)

    def opened(self) -> "AsyncOpenAI":
        """Return a client, which the caller must close, and which repeats no request by itself. Raises TerminalError
        if the package is not installed."""
        client: AsyncOpenAI = _package().AsyncOpenAI(
            api_key=self._key or "none", base_url=self.base_url, timeout=self.timeout, max_retries=0
        )
        return client

    def opened_for_batches(self) -> "OpenAI":
        """Return a client that waits for each response and repeats requests, which the caller must close. Raises
        TerminalError if the package is not installed."""
        client: OpenAI = _package().OpenAI(
            api_key=self._key or "none", base_url=self.base_url, timeout=self.timeout, max_retries=_BATCH_RETRIES
        )
        return client

    @contextmanager
    def asked(self, what: str, timeout: float | None = None) -> Iterator[None]:
        """Convert the client's errors: TerminalError if requesting `what` again cannot help, else TransientError.
        `timeout` is that of the request, if it differs from the server's.

        The causes are dropped, because the client's own errors hold the request with its headers.
        """
        openai = _package()
        try:
            yield
        except openai.APIStatusError as error:
            raise self._in_our_words(error, what) from None
        except (openai.APITimeoutError, TimeoutError):
            raise TransientError(
                f"the server at {self.base_url} gave no answer to {what} within {timeout or self.timeout:g} seconds, "
                "several times in a row; look whether it is stuck, or set a longer --model-args timeout=SECONDS, and "
                "run the same command again to resume"
            ) from None
        except openai.APIConnectionError as error:
            cause = self.clean(str(error.__cause__ or error) or type(error).__name__)
            raise TransientError(
                f"the server at {self.base_url} cannot be reached for {what} ({cause}); check the address, or run the "
                "same command again later to resume"
            ) from None

    def wrong(self, what: str, problem: str) -> TransientError:
        """Return the error for a server that keeps sending invalid answers."""
        return TransientError(
            f"the server at {self.base_url} sends no valid answer to {what} ({self.clean(problem)}); check that it "
            "implements OpenAI's API, or run the same command again later to resume"
        )

    def clean(self, text: str) -> str:
        """Return a server's message in one line of limited length, without the key, control characters, and the
        markup of a page."""
        if _PAGE.search(text):
            text = html.unescape(_MARKUP.sub(" ", text))
        line = " ".join(visible(text.replace(self._key, "…") if self._key else text).split())
        return line if len(line) <= _LONGEST_WORDS else f"{line[:_LONGEST_WORDS]}…"

    @property
    def _key(self) -> str:
        return os.environ.get(self.key_variable, "")

    def _in_our_words(self, error: "APIStatusError", what: str) -> TerminalError | TransientError:
        place, message = f"the server at {self.base_url}", self.clean(_message(error))
        status = error.status_code
        if status == 401 and not self._key:
            return TerminalError(f"{place} requires a key; put it into the environment variable {self.key_variable}")
        if status == 401:
            return TerminalError(f"{place} rejects the key in {self.key_variable}: {message}; check the key")
        if status == 403:
            return TerminalError(f"{place} does not allow {what} with this key: {message}")
        if status == 404:
            return TerminalError(
                f"{place} does not have {what}: {message}; check the model's name, and that the address ends in /v1; "
                "a model that only supports chat needs --chat"
            )
        if error.code == QUOTA:
            return TerminalError(f"{place} reports that the quota is used up: {message}")
        if not may_pass(error):
            return TerminalError(
                f"{place} refuses {what} (HTTP status {status}): {message}; if it is too long, lower --max-new-tokens "
                "or shorten --template; newwiki never truncates by itself"
            )
        if (pause := pause_of(error.response.headers) or 0) > LONGEST_PAUSE:
            resume = datetime.now(UTC) + timedelta(seconds=min(pause, 10**8))
            return TransientError(
                f"{place} refuses further requests until {resume:%Y-%m-%d %H:%M} UTC (HTTP status {status}): "
                f"{message}; run the same command again then to resume"
            )
        return TransientError(
            f"{place} failed repeatedly at {what} (HTTP status {status}): {message}; its log may say why; run the "
            "same command again later to resume"
        )


def _package() -> Any:
    try:
        import openai
    except ImportError:
        raise TerminalError("--backend openai needs a package: pip install 'newwiki-eval[openai]'") from None
    return openai


def _message(error: "APIStatusError") -> str:
    body = error.body
    text = (body.get("message") or body.get("detail")) if isinstance(body, dict) else body
    return str(text or error.message)
