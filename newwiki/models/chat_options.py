"""The options of a chat: the system turn, the arguments of the chat template, its date, and the thinking."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Literal, get_args

from newwiki.errors import UsageError
from newwiki.foreign_files import read_regular_text
from newwiki.models.thinking import ThinkingMarks, known_families, read_families

Thinking = Literal["auto", "on", "off"]

MOST_THINKING = 2048  # tokens

# The names of the options among the arguments that load a backend
CHAT_ARGUMENTS = (
    "system", "chat_template_args", "chat_template", "thinking", "max_thinking_tokens", "thinking_markers", "date",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ChatOptions:
    """How a chat model is spoken to.

    - `template_args`: arguments of the chat template, such as `enable_thinking`
    - `template`: a chat template that replaces the model's own
    - `thinking`: `on` and `off` use the switch of the template; `auto` leaves it as the model's authors do
    - `max_thinking_tokens`: after as many tokens the thinking is closed, if the model's authors say how; otherwise it
      stays unclosed, and there is no answer
    - `date`: the day for a template that asks for the date
    - `families`: the marks of thinking that are known; `own_markers` is the beginning of the SHA-256 of a file with
      further ones
    """

    system: str | None = None
    template_args: Mapping[str, Any] = field(default_factory=dict)
    template: str | None = None
    thinking: Thinking = "auto"
    max_thinking_tokens: int = MOST_THINKING
    date: "date | None" = None
    families: tuple[ThinkingMarks, ...] = field(default_factory=known_families)
    own_markers: str | None = None

    @property
    def settings(self) -> dict[str, str]:
        """What identifies a run: each option that differs from its default, and both of the thinking."""
        named = {
            "system": self.system,
            "chat_template_args": json.dumps(self.template_args, sort_keys=True) if self.template_args else None,
            "chat_template": None if self.template is None else _sha256(self.template),
            "thinking_markers": self.own_markers,
            "thinking": self.thinking,
            "max_thinking_tokens": str(self.max_thinking_tokens),
        }
        return {name: value for name, value in named.items() if value is not None}


def read_chat_options(*, chat: bool, **texts: str) -> ChatOptions:
    """Parse the arguments that load a backend. Raises UsageError for a value, and for options without a chat."""
    if texts and not chat:
        name = min(texts).replace("_", "-")
        raise UsageError(f"--{name} applies to chat models only; add --chat or --template chat, or omit it")
    thinking: Any = texts.get("thinking", "auto")
    if thinking not in get_args(Thinking):
        raise UsageError(f"thinking must be one of {', '.join(get_args(Thinking))}, not '{thinking}'")
    template, markers = texts.get("chat_template"), texts.get("thinking_markers")
    return ChatOptions(
        system=texts.get("system"),
        template_args=_template_args(texts.get("chat_template_args", "{}")),
        template=None if template is None else _file("chat-template", template),
        thinking=thinking,
        max_thinking_tokens=_count(texts.get("max_thinking_tokens", str(MOST_THINKING))),
        date=_day(texts["date"]) if "date" in texts else None,
        families=known_families() if markers is None else read_families(Path(markers)),
        own_markers=None if markers is None else _sha256(_file("thinking-markers", markers)),
    )


def typed_argument(text: str) -> Any:
    """Return the value of a template argument: `true`, `yes`, `false` and `no` are flags, digits a number, and
    everything else a text."""
    if text.lower() in ("true", "yes", "false", "no"):
        return text.lower() in ("true", "yes")
    return int(text) if text.isdecimal() else text


def _template_args(text: str) -> Mapping[str, Any]:
    try:
        arguments = json.loads(text)
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        raise UsageError(
            f"chat_template_args must be a JSON object, such as {{\"enable_thinking\": false}}, not '{text}'"
        )
    return arguments


def _file(option: str, path: str) -> str:
    try:
        return read_regular_text(Path(path))
    except OSError as error:
        raise UsageError(f"--{option} '{path}' cannot be read: {error.strerror}; name a file") from None
    except UnicodeDecodeError:
        raise UsageError(f"--{option} '{path}' is not UTF-8 text") from None


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"max_thinking_tokens must be a number of at least 1, not '{text}'")
    return int(text)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"date must be a day such as 2026-10-31, not '{text}'") from None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
