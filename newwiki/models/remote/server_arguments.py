"""Parse the `--model-args` of a served model."""

from collections.abc import Mapping
from dataclasses import dataclass

from newwiki.errors import UsageError, did_you_mean
from newwiki.models.local import flag
from newwiki.models.remote.bill import Prices
from newwiki.models.remote.dialects import Dialect, dialect
from newwiki.models.remote.server import Server

_KNOWN = (
    "base_url", "key_env", "server", "chat", "seeds", "concurrency", "requests_per_minute", "tokens_per_minute",
    "timeout", "prompt_price", "completion_price",
)  # fmt: skip


@dataclass(frozen=True)
class ServerArguments:
    """The server, its kind, which names its dialect, and the limits on requests."""

    server: Server
    kind: str
    dialect: Dialect
    chat: bool
    seeds: bool
    concurrency: int
    requests_per_minute: float | None
    tokens_per_minute: float | None
    prices: Prices


def read_arguments(texts: Mapping[str, str]) -> ServerArguments:
    """Parse the arguments. Raises UsageError."""
    if unknown := sorted(texts.keys() - set(_KNOWN) - {"dtype"}):
        nearest = did_you_mean(unknown[0], _KNOWN)
        raise UsageError(
            f"backend 'openai' does not take the model arguments {', '.join(unknown)}; it takes: {', '.join(_KNOWN)}"
            f"{nearest}"
        )
    if texts.get("dtype", "auto") != "auto":
        raise UsageError("a served model computes as its server was configured; omit --dtype")
    kind = texts.get("server", "openai")
    own_dialect = dialect(kind)
    timeout = _number(texts, "timeout") or 600
    concurrency = _number(texts, "concurrency") or own_dialect.at_once
    if concurrency != int(concurrency):
        raise UsageError(f"concurrency must be a whole number of requests, not '{texts['concurrency']}'")
    prices = Prices(_number(texts, "prompt_price", free=True), _number(texts, "completion_price", free=True))
    if (prices.prompt is None) != (prices.completion is None):
        raise UsageError("set both prompt_price and completion_price (per million tokens), or neither")
    return ServerArguments(
        Server.named(texts.get("base_url"), texts.get("key_env"), timeout),
        kind,
        own_dialect,
        flag("chat", texts.get("chat", "no")),
        flag("seeds", texts.get("seeds", "yes")),
        int(concurrency),
        _number(texts, "requests_per_minute"),
        _number(texts, "tokens_per_minute"),
        prices,
    )


def _number(texts: Mapping[str, str], name: str, *, free: bool = False) -> float | None:
    """Return a number above 0, or with `free` at least 0; None if it is not given."""
    if name not in texts:
        return None
    try:
        number = float(texts[name])
    except ValueError:
        number = -1.0
    if not (0 < number < float("inf") or (free and number == 0)):
        raise UsageError(f"{name} must be a number above 0, not '{texts[name]}'")
    return number
