"""Define the settings that two runs must share to be compared, and those that are only noted.

Every field of a request, and everything that identifies a run, is in one of the sets here.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from newwiki.errors import UsageError, did_you_mean

Settings = Mapping[str, Any]

# The subject of comparisons: the model, and how the next token is chosen.
COMPARED = ("model_sha256", "others", "decoder", "likelihood_only", "path")
# The protocol: settings that decide which texts are judged, whatever the model. Those of chats are "none" for others.
BASIC = ("max_new_tokens", "samples", "keep", "template", "stop", "chat")
CHAT_SETTINGS = ("system", "chat_template_args", "thinking", "max_thinking_tokens", "begun", "cleaning")
PROTOCOL = (*BASIC, *CHAT_SETTINGS)
# Settings that are noted next to a comparison if they differ.
TOLD = ("prompts", "dtype", "backend", "seed", "strict", "bos", "context", "server", "seeds", "numerics",
        "date", "chat_template", "thinking_markers", "ends", "tokenizer_json")  # fmt: skip
# The snapshot and its pages: runs are paired on the prompts that both have.
PAIRED = ("snapshot", "content_sha256", "pages")
# Differences besides settings that a comparison can be allowed to cross: the months of linked snapshots, and wikis, on
# pages that are new in both.
ACROSS_MONTHS, ACROSS_WIKIS = "snapshot", "wiki"
# Settings that no text depends on.
IRRELEVANT = ("batch_size", "memory", "knowledge_cutoff", "max_cost", "server_batch")

# The settings of backends, stored under these names in `runs.versions`, next to settings that are only noted.
SETTINGS = (
    "bos", "chat", "context", "path", "seeds", "server", *CHAT_SETTINGS, "date", "chat_template", "thinking_markers",
    "ends", "tokenizer_json",
)  # fmt: skip

_ONE_TEXT = ("samples", "keep")
NONE = "none"  # the value of a setting of chats in a run that is none


def protocol_json(
    *,
    max_new_tokens: int | None,
    samples: int | None,
    keep: int | None,
    template: str | None,
    stop: Iterable[str] | None,
    chat: bool | None,
    settings: Settings = MappingProxyType({}),
) -> str:
    """Return the protocol in canonical form, as the database stores it.

    `samples` and `keep` are None for a deterministic decoder: it has a single text, so it can be compared with any
    number. For texts from elsewhere the others are None, because they are unknown. `settings` holds the
    `CHAT_SETTINGS` that a run has, among others.
    """
    named = {
        **{name: settings[name] for name in CHAT_SETTINGS if name in settings},
        "chat": chat,
        "keep": keep,
        "max_new_tokens": max_new_tokens,
        "samples": samples,
        "stop": None if stop is None else list(stop),
        "template": template,
    }
    return json.dumps(named, ensure_ascii=False, separators=(",", ":"))


def differing(a: Settings | None, b: Settings | None) -> list[str]:
    """Return the protocol settings in which two runs differ. Articles (None) have no settings and match any run."""
    if a is None or b is None:
        return []
    return [name for name in PROTOCOL if _differ(name, _setting(a, name), _setting(b, name))]


def told_apart(a: Settings | None, b: Settings | None) -> list[str]:
    """Return the other settings that differ, as far as they are known for both."""
    if a is None or b is None:
        return []
    return [name for name in TOLD if a[name] is not None and b[name] is not None and a[name] != b[name]]


def varying(runs: Collection[Settings]) -> list[str]:
    """Return the settings, of the protocol and others, in which any two of these runs differ."""
    return [name for name in (*PROTOCOL, *TOLD) if len(values_of(runs, name)) > 1]


def values_of(runs: Iterable[Settings], name: str) -> list[Any]:
    """Return the distinct values of a setting among these runs; without None where it matches any value, as for a run
    that only reads articles."""
    values: list[Any] = []
    for run in runs:
        if name not in run or (run[name] is None and (name in _ONE_TEXT or writes_none(run))):
            continue
        if run[name] not in values:
            values.append(run[name])
    return values


def writes_none(run: Settings) -> bool:
    """Tell whether a run only reads articles, so that length, number and seed of texts do not apply."""
    return run.get("max_new_tokens", 0) is None and run.get("samples", 0) is None


def settings_named(names: Iterable[str]) -> frozenset[str]:
    """Return the named settings, which may be separated by commas and include `ACROSS_MONTHS` and `ACROSS_WIKIS`.
    Raises UsageError for a name that is not part of the protocol."""
    named = [part.strip() for name in names for part in name.split(",")]
    known = (*PROTOCOL, ACROSS_MONTHS, ACROSS_WIKIS)
    for name in named:
        if name not in known:
            nearest = did_you_mean(name, known) or f"; its settings are: {', '.join(PROTOCOL)}"
            raise UsageError(f"'{name}' is not a setting of the protocol{nearest}")
    return frozenset(named)


def in_words(names: Iterable[str], *runs: Settings) -> str:
    """Describe differences, such as `max_new_tokens 64 and 256, chat no and yes`."""
    return ", ".join(f"{name} {' and '.join(value_in_words(run[name]) for run in runs)}" for name in names)


def value_in_words(value: object) -> str:
    """Format a value on one line: `no` for False, `none` for an empty list, `unknown` for None."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " ".join(json.dumps(item, ensure_ascii=False) for item in value) or "none"
    return "unknown" if value is None else str(value).replace("\n", "↵")


def canonical(settings: Settings) -> str:
    """Return the protocol of these settings in canonical form."""
    of_chat = {name: settings[name] for name in CHAT_SETTINGS if _setting(settings, name) not in (None, NONE)}
    return protocol_json(**{name: settings[name] for name in BASIC}, settings=of_chat)


def _setting(settings: Settings, name: str) -> Any:
    """Return a setting of a run, or of a protocol, which leaves out those of chats that it does not have."""
    return settings.get(name, NONE) if name in CHAT_SETTINGS else settings[name]


def _differ(name: str, a: object, b: object) -> bool:
    if name in (*_ONE_TEXT, *CHAT_SETTINGS) and (a is None or b is None):
        return False
    return a != b
