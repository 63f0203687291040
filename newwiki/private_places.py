"""Take the paths and addresses of a machine out of what leaves it: a name stays, where it lay does not."""

import json
import re
from typing import Any

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S*")
_PATH = re.compile(r"(?:[/\\~]|\.{1,2}[/\\]|[A-Za-z]:[/\\]).*", re.DOTALL)
# What a run records by these names says where somebody's server stands
_DROPPED = frozenset({"base_url"})
# A stop string may look like a path, and a run's protocol rests on it
_PART_OF_RUN = frozenset({"stop"})


def public_name(name: str) -> str:
    """Return the last part of a path that is absolute or begins with `~`, `./` or `../`; any other name as it is."""
    if not _PATH.fullmatch(name):
        return name
    return re.split(r"[/\\]", name.rstrip("/\\"))[-1] or "unnamed"


def public_versions(versions: str) -> str:
    """Return the JSON of `runs.versions` without addresses, and with the last part of each path. What holds neither is
    returned as it was written."""
    said: dict[str, Any] = json.loads(versions)
    public = {
        name: value if name in _PART_OF_RUN else _public(value) for name, value in said.items() if name not in _DROPPED
    }
    return versions if public == said else json.dumps(public, sort_keys=True)


def _public(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _public(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_public(inner) for inner in value]
    if not isinstance(value, str):
        return value
    if value.startswith(("{", "[")):  # JSON in a string, as of what a server reports
        try:
            held = json.loads(value)
        except ValueError:
            held = None
        if held is not None:
            public = _public(held)
            return value if public == held else json.dumps(public, sort_keys=True)
    return public_name(_ADDRESS.sub("", value))
