"""Decide how long to wait before a request is retried."""

import random
import time
from collections.abc import Callable

PATIENCE = 900.0  # seconds, all waits for one answer together


class Backoff:
    """Waits twice as long each time, with jitter, or as long as the server asks.

    `next()` returns False once attempts or patience run out. `tell` receives the seconds of each wait before it begins.
    """

    def __init__(
        self,
        attempts: int = 6,
        first_wait: float = 1.0,
        longest_wait: float = 600.0,
        patience: float = PATIENCE,
    ) -> None:
        self._left = attempts - 1
        self._wait = first_wait
        self._longest = longest_wait
        self._patience = patience
        self._asked = False

    def next(
        self,
        retry_after: float | None = None,
        tell: Callable[[float], None] = lambda _: None,
        *,
        patiently: bool = False,
    ) -> bool:
        """Wait, or return False at once if no attempt is left. `retry_after` is in seconds.

        With `patiently` (the server is healthy and asks clients to wait) retries are limited by patience alone, not by
        the number of attempts. No wait exceeds the longest wait. If a server keeps asking for less than our own
        doubling wait (at most one minute), the wait is our own.
        """
        if (self._left <= 0 and not patiently) or self._patience <= 0:
            return False
        self._left -= not patiently
        own = min(self._wait * random.uniform(0.5, 1.0), 60.0) if patiently else self._wait * random.uniform(0.5, 1.0)
        wait = own if retry_after is None else max(retry_after, own if self._asked else 0.0)
        wait = min(wait, self._longest, self._patience)
        self._asked = self._asked or (retry_after is not None and patiently)
        self._patience -= max(wait, 1.0)
        tell(wait)
        time.sleep(wait)
        self._wait *= 2
        return True
