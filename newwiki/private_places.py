"""Take the paths and addresses of a machine out of what leaves it: a name stays, where it lay does not."""

import json
import re
from collections.abc import Container
from typing import Any

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S*")
_PATH = re.compile(r"(?:[/\\~]|\.{1,2}[/\\]|[A-Za-z]:[/\\]).*", re.DOTALL)
# What a run records by these names says where somebody's server stands
_DROPPED = frozenset({"base_url"})
# A stop string may look like a path, and a run's protocol rests on it
_PART_OF_RUN = frozenset({"stop"})
# A parameter of a decoder with its value, and a path that stands in its text, alone or behind a sign
_PARAMETER = re.compile(r"(\w+)=([^,\[\]]+)")
_PATH_WITHIN = re.compile(r"(?:^|(?<=[=:,\[]))(?:[/\\~]|\.{1,2}[/\\]|[A-Za-z]:[/\\])[^,\[\]]*")
# A run's versions hold this key where its id rests on the public names of the models that its decoder reads
PUBLIC_ID = "decoder_in_id"


def public_name(name: str) -> str:
    """Return the last part of a path that is absolute or begins with `~`, `./` or `../`; any other name as it is."""
    if not _PATH.fullmatch(name):
        return name
    return re.split(r"[/\\]", name.rstrip("/\\"))[-1] or "unnamed"


def public_decoder(decoder: str, parameters: Container[str] | None = None) -> str:
    """Return the text of a decoder with the public name of each path in it, or in the values of these `parameters`
    alone."""
    if parameters is None:
        return _PATH_WITHIN.sub(lambda found: public_name(found[0]), decoder)
    return _PARAMETER.sub(
        lambda found: f"{found[1]}={public_decoder(found[2])}" if found[1] in parameters else found[0], decoder
    )


def public_parameters(parameters: str) -> str:
    """Return the JSON of `runs.decoder_parameters` with the same names as `public_decoder`."""
    said: dict[str, Any] = json.loads(parameters)
    public = {name: public_decoder(value) if isinstance(value, str) else value for name, value in said.items()}
    return parameters if public == said else json.dumps(public, sort_keys=True)


def decoder_in_id(decoder: str, versions: str) -> str:
    """Return the text of the decoder that the id of a run rests on, from its row. A model whose weights are hashed
    beside it in `versions` counts by its public name; runs of earlier versions rest on the whole text."""
    said: dict[str, Any] = json.loads(versions)
    if PUBLIC_ID not in said:
        return decoder
    return public_decoder(decoder, {name.removesuffix("_sha256") for name in said if name.endswith("_sha256")})


def private_in_id(backend: str, model: str, decoder: str, versions: str) -> str | None:
    """Return the private path that the id of a run rests on, if there is one: without the path, nobody could compute
    the id again."""
    if backend == "file" and public_name(model) != model:
        return model
    counted = decoder_in_id(decoder, versions)
    return None if public_decoder(counted) == counted else counted


def public_described(described: str) -> str:
    """Return the JSON of an evaluator's parameters with the last part of each path. A regular expression may begin with
    a backslash and is no path."""

    def public(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: public(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [public(inner) for inner in value]
        return public_name(value) if isinstance(value, str) and not value.startswith("\\") else value

    said = json.loads(described)
    return described if (made := public(said)) == said else json.dumps(made, sort_keys=True)


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
