"""Parse the arguments of a served model: those of `--model-args`, and the options of a chat."""

from collections.abc import Mapping
from dataclasses import dataclass

from newwiki.errors import UsageError, did_you_mean
from newwiki.models.chat_options import CHAT_ARGUMENTS, ChatOptions, read_chat_options
from newwiki.models.local import flag
from newwiki.models.remote.bill import Prices
from newwiki.models.remote.dialects import Dialect, dialect
from newwiki.models.remote.server import Server

_KNOWN = (
    "base_url", "key_env", "server", "chat", "seeds", "concurrency", "requests_per_minute", "tokens_per_minute",
    "timeout", "prompt_price", "completion_price", "cached_price",
)  # fmt: skip


@dataclass(frozen=True)
class ServerArguments:
    """The server, its kind, which names its dialect, the chat's options, and the limits on requests.

    `begins` tells whether the server can begin the assistant's turn of a chat: a model that is told to think would
    skip its thinking.
    """

    server: Server
    kind: str
    dialect: Dialect
    chat: bool
    options: ChatOptions
    seeds: bool
    concurrency: int
    requests_per_minute: float | None
    tokens_per_minute: float | None
    prices: Prices

    @property
    def begins(self) -> bool:
        return self.dialect.begins is not None and self.options.thinking != "on"


def read_arguments(texts: Mapping[str, str]) -> ServerArguments:
    """Parse the arguments. Raises UsageError."""
    if unknown := sorted(texts.keys() - set(_KNOWN) - set(CHAT_ARGUMENTS) - {"dtype"}):
        nearest = did_you_mean(unknown[0], _KNOWN)
        raise UsageError(
            f"backend 'openai' does not take the model arguments {', '.join(unknown)}; it takes: {', '.join(_KNOWN)}"
            f"{nearest or _for_template(unknown[0], texts)}"
        )
    if texts.get("dtype", "auto") != "auto":
        raise UsageError("a served model computes as its server was configured; omit --dtype")
    kind = texts.get("server", "openai")
    own_dialect = dialect(kind)
    timeout = _number(texts, "timeout") or 600
    concurrency = _number(texts, "concurrency") or own_dialect.at_once
    if concurrency != int(concurrency):
        raise UsageError(f"concurrency must be a whole number of requests, not '{texts['concurrency']}'")
    chat = flag("chat", texts.get("chat", "no"))
    return ServerArguments(
        Server.named(texts.get("base_url"), texts.get("key_env"), timeout),
        kind,
        own_dialect,
        chat,
        _chat_options(texts, kind, own_dialect, chat=chat),
        flag("seeds", texts.get("seeds", "yes")),
        int(concurrency),
        _number(texts, "requests_per_minute"),
        _number(texts, "tokens_per_minute"),
        _prices(texts),
    )


def _for_template(name: str, texts: Mapping[str, str]) -> str:
    """Return a hint for what may be an argument of the chat template."""
    is_chat = texts.get("chat") == "yes"
    return f"; give an argument of the chat template as --chat-template-args {name}=…" if is_chat else ""


def _chat_options(texts: Mapping[str, str], kind: str, own_dialect: Dialect, *, chat: bool) -> ChatOptions:
    if "chat_template" in texts:
        raise UsageError(
            "a server has the chat template with which it was started: omit --chat-template, and start the server with "
            "that template"
        )
    options = read_chat_options(chat=chat, **{name: texts[name] for name in CHAT_ARGUMENTS if name in texts})
    if options.thinking != "auto" and own_dialect.switches is None and "reasoning_effort" not in options.template_args:
        raise UsageError(
            f"a server of kind '{kind}' has no switch for thinking: add --chat-template-args reasoning_effort=low (or "
            "another effort that the model knows), or name the server's kind with --model-args server=…"
        )
    return options


def _prices(texts: Mapping[str, str]) -> Prices:
    names = ("prompt_price", "completion_price", "cached_price")
    prompt, completion, cached = (_number(texts, name, free=True) for name in names)
    if (prompt is None) != (completion is None) or (prompt is None and cached is not None):
        raise UsageError("set both prompt_price and completion_price (per million tokens), or neither")
    return Prices(prompt, completion, cached)


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
