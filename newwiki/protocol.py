"""How a run was asked: what two runs must share to be compared, and what is only told beside them.

Every field of a request and of what names a run stands in one of four sets here.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from newwiki.errors import UsageError, did_you_mean

Settings = Mapping[str, Any]

# What is compared: who writes, and how the next token is chosen.
COMPARED = ("model_sha256", "others", "decoder", "likelihood_only", "path")
# The protocol: what decides which texts are judged, whatever the model.
PROTOCOL = ("max_new_tokens", "samples", "keep", "template", "stop", "chat")
# What is told beside a comparison where it differs.
TOLD = ("prompts", "dtype", "backend", "seed", "strict", "bos", "context", "server", "seeds", "numerics")
# Which snapshot and which pages of it: runs are paired on the prompts that both have.
PAIRED = ("snapshot", "content_sha256", "pages")
# What a comparison can go across beside settings: runs of two months, where these are linked, and of two wikis, on what
# is new in both.
ACROSS_MONTHS, ACROSS_WIKIS = "snapshot", "wiki"
# What no text depends on.
IRRELEVANT = ("batch_size", "memory", "knowledge_cutoff")

# The settings of backends, which stand in `runs.versions` by these names, beside what is only told there.
SETTINGS = ("bos", "chat", "context", "path", "seeds", "server")

_ONE_TEXT = ("samples", "keep")


def protocol_json(
    *,
    max_new_tokens: int | None,
    samples: int | None,
    keep: int | None,
    template: str | None,
    stop: Iterable[str] | None,
    chat: bool | None,
) -> str:
    """The protocol in canonical form, as the database keeps it.

    `samples` and `keep` None are those of a deterministic decoder: it has one text to give, whatever number is asked
    for, so it goes with any. Of texts from elsewhere the others are None, as nobody knows them.
    """
    named = {
        "chat": chat,
        "keep": keep,
        "max_new_tokens": max_new_tokens,
        "samples": samples,
        "stop": None if stop is None else list(stop),
        "template": template,
    }
    return json.dumps(named, ensure_ascii=False, separators=(",", ":"))


def differing(a: Settings | None, b: Settings | None) -> list[str]:
    """The settings of the protocol in which two runs differ. Articles (None) were not asked, and go with any run."""
    return [] if a is None or b is None else [name for name in PROTOCOL if _differ(name, a[name], b[name])]


def told_apart(a: Settings | None, b: Settings | None) -> list[str]:
    """What else differs, as far as it is known of both."""
    if a is None or b is None:
        return []
    return [name for name in TOLD if a[name] is not None and b[name] is not None and a[name] != b[name]]


def varying(of_runs: Collection[Settings]) -> list[str]:
    """The settings, of the protocol and others, in which any two of these differ."""
    return [name for name in (*PROTOCOL, *TOLD) if len(values_of(of_runs, name)) > 1]


def values_of(of_runs: Iterable[Settings], name: str) -> list[Any]:
    """The values of a setting among these runs, each once; without None where that goes with any, as what
    a run has that reads articles and writes none."""
    found: list[Any] = []
    for one in of_runs:
        if name not in one or (one[name] is None and (name in _ONE_TEXT or writes_none(one))):
            continue
        if one[name] not in found:
            found.append(one[name])
    return found


def writes_none(one: Settings) -> bool:
    """Whether these are of a run that reads articles: no length, number or seed of texts has a part in it."""
    return one.get("max_new_tokens", 0) is None and one.get("samples", 0) is None


def settings_named(names: Iterable[str]) -> frozenset[str]:
    """The settings that are meant, several between commas too, and `ACROSS_MONTHS` and `ACROSS_WIKIS` among them.
    Raises UsageError for one that no protocol has."""
    named = [part.strip() for name in names for part in name.split(",")]
    known = (*PROTOCOL, ACROSS_MONTHS, ACROSS_WIKIS)
    for name in named:
        if name not in known:
            nearest = did_you_mean(name, known) or f"; its settings are: {', '.join(PROTOCOL)}"
            raise UsageError(f"'{name}' is no setting of the protocol{nearest}")
    return frozenset(named)


def in_words(names: Iterable[str], *of_runs: Settings) -> str:
    """`max_new_tokens 64 and 256, chat no and yes`."""
    return ", ".join(f"{name} {' and '.join(value_in_words(one[name]) for one in of_runs)}" for name in names)


def value_in_words(value: object) -> str:
    """On one line: `no` for False, `none` for an empty list, `unknown` for None."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " ".join(json.dumps(one, ensure_ascii=False) for one in value) or "none"
    return "unknown" if value is None else str(value).replace("\n", "↵")


def _differ(name: str, a: object, b: object) -> bool:
    if name in _ONE_TEXT and (a is None or b is None):
        return False
    return a != b
