"""Sum up requests, tokens and costs of using a server."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Prices:
    """Prices per million tokens, in any currency; None if unknown."""

    prompt: float | None
    completion: float | None


@dataclass
class Bill:
    """The totals since the start, as the server counts tokens. `again` counts repeated requests; whether a server
    charges for failed ones is unknown."""

    prices: Prices
    requests: int = 0
    again: int = 0
    uncounted: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, prompt_tokens: int | None, completion_tokens: int | None, again: int) -> None:
        """Add one answer, which took `again` repetitions."""
        self.requests += 1 + again
        self.again += again
        self.uncounted += prompt_tokens is None or completion_tokens is None
        self.prompt_tokens += prompt_tokens or 0
        self.completion_tokens += completion_tokens or 0

    @property
    def cost(self) -> float | None:
        """The total cost; None if a price or a count is unknown."""
        if self.prices.prompt is None or self.prices.completion is None or self.uncounted:
            return None
        return (self.prompt_tokens * self.prices.prompt + self.completion_tokens * self.prices.completion) / 1e6

    def __str__(self) -> str:
        requests = f"{self.requests:,} requests" + (f" ({self.again:,} of them repeated)" if self.again else "")
        parts = [requests, f"{self.prompt_tokens:,} prompt and {self.completion_tokens:,} completion tokens"]
        if self.uncounted:
            parts.append(f"{self.uncounted:,} answers without token counts")
        if self.cost is not None:
            parts.append(f"cost {self.cost:,.4f}")
        return ", ".join(parts)
