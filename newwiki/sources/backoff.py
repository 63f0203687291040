"""How long to wait before a request is tried again."""

import random
import time


class Backoff:
    """Doubling waits with jitter, or what the server asks for with Retry-After; `next()` is False when used up."""

    def __init__(self, attempts: int = 6, first_wait: float = 1.0, longest_wait: float = 600.0) -> None:
        self._left = attempts - 1
        self._wait = first_wait
        self._longest = longest_wait

    def next(self, retry_after: float | None = None) -> bool:
        """Waits, or says at once that no attempt is left. `retry_after` is in seconds."""
        if self._left <= 0:
            return False
        self._left -= 1
        wait = self._wait * random.uniform(0.5, 1.0) if retry_after is None else retry_after
        time.sleep(min(wait, self._longest))
        self._wait *= 2
        return True
