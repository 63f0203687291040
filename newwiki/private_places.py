"""Remove a machine's paths and addresses from everything that leaves it; the last part of a path stays."""

import json
import re
from collections.abc import Container
from typing import Any

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S*")
_PATH = re.compile(r"(?:[/\\~]|\.{1,2}[/\\]|[A-Za-z]:[/\\]).*", re.DOTALL)
# A run records under these names the address of somebody's server
_DROPPED = frozenset({"base_url"})
# A stop string or a system turn may look like a path, such as /no_think, and it is part of the run's protocol
_PART_OF_RUN = frozenset({"stop", "system", "chat_template_args", "ends"})
# A decoder's parameter with its value, and a path within its text, alone or after a sign
_PARAMETER = re.compile(r"(\w+)=([^,\[\]]+)")
_PATH_WITHIN = re.compile(r"(?:^|(?<=[=:,\[]))(?:[/\\~]|\.{1,2}[/\\]|[A-Za-z]:[/\\])[^,\[\]]*")
# A run's versions have this key if its id covers the public names of the models that its decoder reads
PUBLIC_ID = "decoder_in_id"


def public_name(name: str) -> str:
    """Return the last part of a path that is absolute or begins with `~`, `./` or `../`; any other name unchanged."""
    if not _PATH.fullmatch(name):
        return name
    return re.split(r"[/\\]", name.rstrip("/\\"))[-1] or "unnamed"


def public_decoder(decoder: str, parameters: Container[str] | None = None) -> str:
    """Return the text of a decoder with each path replaced by its public name, or only in the values of these
    `parameters`."""
    if parameters is None:
        return _PATH_WITHIN.sub(lambda match: public_name(match[0]), decoder)
    return _PARAMETER.sub(
        lambda match: f"{match[1]}={public_decoder(match[2])}" if match[1] in parameters else match[0], decoder
    )


def public_parameters(parameters: str) -> str:
    """Return the JSON of `runs.decoder_parameters` with the same replacements as `public_decoder`."""
    original: dict[str, Any] = json.loads(parameters)
    public = {name: public_decoder(value) if isinstance(value, str) else value for name, value in original.items()}
    return parameters if public == original else json.dumps(public, sort_keys=True)


def decoder_in_id(decoder: str, versions: str) -> str:
    """Return the decoder's text as the run's id covers it. A model whose weights are hashed separately in `versions`
    counts by its public name; ids of earlier versions cover the whole text."""
    named: dict[str, Any] = json.loads(versions)
    if PUBLIC_ID not in named:
        return decoder
    return public_decoder(decoder, {name.removesuffix("_sha256") for name in named if name.endswith("_sha256")})


def private_in_id(backend: str, model: str, decoder: str, versions: str) -> str | None:
    """Return the private path that a run's id covers, if there is one: without it, nobody could recompute the id."""
    if backend == "file" and public_name(model) != model:
        return model
    counted = decoder_in_id(decoder, versions)
    return None if public_decoder(counted) == counted else counted


def public_described(described: str) -> str:
    """Return the JSON of an evaluator's parameters with each path replaced by its last part. A regular expression may
    begin with a backslash and is not a path."""

    def public(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: public(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [public(inner) for inner in value]
        return public_name(value) if isinstance(value, str) and not value.startswith("\\") else value

    original = json.loads(described)
    return described if (made := public(original)) == original else json.dumps(made, sort_keys=True)


def public_versions(versions: str) -> str:
    """Return the JSON of `runs.versions` without addresses, and with each path replaced by its last part. JSON that has
    neither is returned unchanged."""
    original: dict[str, Any] = json.loads(versions)
    public = {
        name: value if name in _PART_OF_RUN else _public(value)
        for name, value in original.items()
        if name not in _DROPPED
    }
    return versions if public == original else json.dumps(public, sort_keys=True)


def _public(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _public(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_public(inner) for inner in value]
    if not isinstance(value, str):
        return value
    if value.startswith(("{", "[")):  # JSON in a string, such as a server's report
        try:
            held = json.loads(value)
        except ValueError:
            held = None
        if held is not None:
            public = _public(held)
            return value if public == held else json.dumps(public, sort_keys=True)
    return public_name(_ADDRESS.sub("", value))
