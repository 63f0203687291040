"""Sum up requests, tokens and costs of using a server, and keep to a limit of costs."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from newwiki.errors import TerminalError
from newwiki.models.backend import StoredAnswers
from newwiki.records import Completion


@dataclass(frozen=True)
class Prices:
    """Prices per million tokens, in any currency; None if unknown. Cached tokens cost as much as others unless they
    have a price of their own."""

    prompt: float | None
    completion: float | None
    cached: float | None = None

    def cost(self, prompt_tokens: int, cached_tokens: int, written_tokens: int) -> float | None:
        """Return the cost of these tokens, of which `cached_tokens` are a part of the prompt; None without prices."""
        if self.prompt is None or self.completion is None:
            return None
        cached = self.prompt if self.cached is None else self.cached
        fresh = prompt_tokens - cached_tokens
        return (fresh * self.prompt + cached_tokens * cached + written_tokens * self.completion) / 1e6

    def cost_of(self, completion: Completion) -> float | None:
        """Return the cost of a completion; None without prices, or if the server has not counted its tokens."""
        if completion.prompt_tokens is None or completion.tokens is None:
            return None
        return self.cost(completion.prompt_tokens, completion.cached_tokens or 0, _written(completion))


@dataclass
class Bill:
    """The totals since the start, as the server counts tokens. `again` counts repeated requests; whether a server
    charges for failed ones is unknown."""

    prices: Prices
    requests: int = 0
    again: int = 0
    uncounted: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    reasoning_tokens: int = 0

    def add(self, completion: Completion, again: int) -> None:
        """Add one answer, which took `again` repetitions."""
        self.requests += 1 + again
        self.again += again
        self.uncounted += completion.prompt_tokens is None or completion.tokens is None
        self.prompt_tokens += completion.prompt_tokens or 0
        self.cached_tokens += completion.cached_tokens or 0
        self.written_tokens += _written(completion)
        self.reasoning_tokens += completion.thinking_tokens or 0

    @property
    def cost(self) -> float | None:
        """The total cost; None if a price or a count is unknown."""
        if self.uncounted:
            return None
        return self.prices.cost(self.prompt_tokens, self.cached_tokens, self.written_tokens)

    def __str__(self) -> str:
        requests = f"{self.requests:,} requests" + (f" ({self.again:,} of them repeated)" if self.again else "")
        cached = f" ({self.cached_tokens:,} of them cached)" if self.cached_tokens else ""
        reasoning = f" ({self.reasoning_tokens:,} of them reasoning)" if self.reasoning_tokens else ""
        parts = [
            requests,
            f"{self.prompt_tokens:,} prompt{cached} and {self.written_tokens:,} completion tokens{reasoning}",
        ]
        if self.uncounted:
            parts.append(f"{self.uncounted:,} answers without token counts")
        if self.cost is not None:
            parts.append(f"cost {self.cost:,.4f}")
        return ", ".join(parts)


class Allowance:
    """What a run may still cost. A request counts at its maximum until its answer is there, and an answer without
    token counts always."""

    def __init__(self, limit: float | None, prices: Prices, stored: StoredAnswers, maxima: Iterable[float]) -> None:
        """Subtract what the run has cost already; `maxima` are the highest costs of the requests to come."""
        self._limit = float("inf") if limit is None else limit
        self._prices = prices
        earlier = prices.cost(stored.prompt_tokens, stored.cached_tokens, stored.written_tokens) or 0.0
        self._spent = earlier + stored.uncounted * max(maxima, default=0.0)
        self._completions = stored.completions
        self._held: list[float] = []
        self._settled = asyncio.Condition()

    def fits(self, cost: float) -> bool:
        return self._spent + sum(self._held) + cost <= self._limit

    async def hold(self, cost: float) -> None:
        """Reserve the maximum cost of a request, once enough requests have turned out cheaper. Raises TerminalError
        if the limit does not allow it."""
        async with self._settled:
            while not self.fits(cost):
                if not self._held:
                    self._settled.notify_all()
                    raise self.exceeded(cost)
                await self._settled.wait()
            self._held.append(cost)

    async def settle(self, held: float, completion: Completion | None) -> None:
        """Replace a reserved cost by that of the completion; None if the request has failed."""
        async with self._settled:
            self._held.remove(held)
            if completion is not None:
                self.spend(held, completion)
            self._settled.notify_all()

    def spend(self, most: float, completion: Completion) -> None:
        """Add the cost of a completion, or the maximum cost of its request if its tokens are not counted."""
        cost = self._prices.cost_of(completion)
        self._spent += most if cost is None else cost
        self._completions += 1

    def exceeded(self, cost: float) -> TerminalError:
        return TerminalError(
            f"stopped at --max-cost {self._limit:g}: {self._completions:,} completions are stored and cost "
            f"{self._spent:.4g}, and the next one may cost {cost:.4g}; repeat the command with a higher --max-cost to "
            "resume"
        )


def _written(completion: Completion) -> int:
    return (completion.tokens or 0) + (completion.thinking_tokens or 0)
