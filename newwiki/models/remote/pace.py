"""How fast a server may be asked: so much a minute, evenly."""

import asyncio


class Pace:
    """At most `per_minute` of something, requests or tokens; None for as fast as it goes."""

    def __init__(self, per_minute: float | None) -> None:
        self._seconds_each = 60 / per_minute if per_minute else 0.0
        self._free = 0.0  # the loop's time from which on the next may be taken

    async def take(self, amount: float = 1) -> None:
        """Waits until what was taken before has had its time, and takes this."""
        now = asyncio.get_running_loop().time()
        start = max(now, self._free)
        self._free = start + amount * self._seconds_each
        await asyncio.sleep(start - now)

    def correct(self, amount: float) -> None:
        """Takes so much more, or gives it back where it is negative: what was taken was an estimate."""
        self._free += amount * self._seconds_each
