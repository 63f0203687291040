"""Repeat a request until the server answers it, for as long as that can help."""

import asyncio
import email.utils
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")

RETRIES = 10
_SILENT_RETRIES = 2  # after a timeout, because each of them takes the whole timeout
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0  # seconds; doubled each time
LONGEST_PAUSE = 300.0  # seconds for which a server may ask (Retry-After)
QUOTA = "insufficient_quota"


async def until_answered(send: Callable[[], Awaitable[T]], retries: int = RETRIES) -> tuple[T, int]:
    """Return the response of `send`, a request by OpenAI's client, and the number of repetitions.

    Repeats it after a lost connection, a timeout (twice) and a status that may pass. Raises the client's last error.
    """
    import openai

    silent = 0
    for attempt in range(retries + 1):
        try:
            return await send(), attempt
        except (openai.APITimeoutError, TimeoutError):
            silent += 1
            if silent > _SILENT_RETRIES or attempt == retries:
                raise
            wait = 0.0
        except openai.APIConnectionError:
            if attempt == retries:
                raise
            wait = backoff(attempt)
        except openai.APIStatusError as error:
            pause = pause_of(error.response.headers)
            if attempt == retries or not may_pass(error) or (pause or 0) > LONGEST_PAUSE:
                raise
            wait = backoff(attempt) if pause is None else pause
        await asyncio.sleep(wait)
    raise AssertionError("the last attempt returns or raises")


def may_pass(error: Any) -> bool:
    """Tell whether a status is one that the same request may not get again."""
    return error.code != QUOTA and (error.status_code in (408, 409, 429) or error.status_code >= 500)


def pause_of(headers: Mapping[str, str]) -> float | None:
    """Return the seconds for which the server asks to wait (RFC 9110, section 10.2.3); None if it does not."""
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    return None if date is None else max(0.0, float(email.utils.mktime_tz(date)) - time.time())


def backoff(attempt: int) -> float:
    """Return the seconds to wait after a failed attempt, the first of which is 0."""
    longest: float = min(_FIRST_WAIT * 2**attempt, _LONGEST_WAIT)
    return longest * random.uniform(0.5, 1)
