"""Limit the rate of requests or tokens per minute, evenly."""

import asyncio


class Pace:
    """A rate limit of `per_minute` requests or tokens; None for no limit."""

    def __init__(self, per_minute: float | None) -> None:
        self._seconds_each = 60 / per_minute if per_minute else 0.0
        self._free = 0.0  # the event loop's time from which the next amount may be taken

    async def take(self, amount: float = 1) -> None:
        """Wait until earlier amounts have used up their time, then take this amount."""
        now = asyncio.get_running_loop().time()
        start = max(now, self._free)
        self._free = start + amount * self._seconds_each
        await asyncio.sleep(start - now)

    def correct(self, amount: float) -> None:
        """Take more, or give back a negative amount, because what was taken was an estimate."""
        self._free += amount * self._seconds_each
