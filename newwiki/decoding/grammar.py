"""Decoder specifications: `name`, `name:key=value,key=value`, and grids where a value is `[a,b,c]`."""

import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from newwiki.errors import UsageError, did_you_mean
from newwiki.registry import decoders

_PART = re.compile(r"(\w+)=(\[[^\[\]]*\]|[^,\[\]]+)(?:,|$)")


@dataclass(frozen=True)
class Parameter:
    """A number that a decoder takes, under transformers' name where it has one. Bounds are inclusive unless `above`."""

    default: int | float
    minimum: float
    maximum: float = math.inf
    above: bool = False


@dataclass(frozen=True)
class Decoder:
    """A decoder with all its parameters: what a run names, and what an engine carries out."""

    name: str
    parameters: Mapping[str, int | float]

    @property
    def canonical(self) -> str:
        """Defaults written out, keys sorted, numbers normalised: equal decoders have equal canonical forms."""
        body = ",".join(f"{key}={_written(value)}" for key, value in sorted(self.parameters.items()))
        return f"{self.name}:{body}" if body else self.name


def _written(value: int | float) -> str:
    return repr(int(value)) if value == int(value) else repr(value)


def parse(text: str) -> list[Decoder]:
    """The decoders that a specification names, more than one where it holds a grid. Raises UsageError."""
    name, _, body = text.partition(":")
    kind = decoders.get(name)
    values = {key: kind.parameters[key].default for key in kind.parameters}
    grid = {key: [value] for key, value in values.items()}
    for key, written in _parts(text, body):
        if key not in kind.parameters:
            known = ", ".join(sorted(kind.parameters)) or "none"
            nearest = did_you_mean(key, kind.parameters)
            raise UsageError(f"decoder '{name}' has no parameter '{key}'; it has: {known}{nearest}")
        items = written[1:-1].split(",") if written.startswith("[") else [written]
        numbers = [_number(name, key, item.strip(), kind.parameters[key]) for item in items]
        grid[key] = list(dict.fromkeys(numbers))
    combinations = itertools.product(*grid.values())
    return [Decoder(name, dict(zip(grid, combination, strict=True))) for combination in combinations]


def _parts(text: str, body: str) -> list[tuple[str, str]]:
    parts, position = [], 0
    for part in _PART.finditer(body):
        if part.start() != position:
            break
        parts.append((part[1], part[2]))
        position = part.end()
    keys = [key for key, _ in parts]
    if position != len(body) or (":" in text and not body) or body.endswith(",") or len(set(keys)) != len(keys):
        raise UsageError(f"'{text}' is not a decoder; write name:key=value,key=value, each key once, [a,b] for a grid")
    return parts


def _number(name: str, key: str, text: str, parameter: Parameter) -> int | float:
    whole = isinstance(parameter.default, int)
    try:
        value: int | float = int(text) if whole else float(text)
    except ValueError:
        raise UsageError(
            f"decoder '{name}': {key} must be {'a whole number' if whole else 'a number'}, not '{text}'"
        ) from None
    too_low = value <= parameter.minimum if parameter.above else value < parameter.minimum
    if too_low or value > parameter.maximum or not math.isfinite(value):
        low = f"{'above' if parameter.above else 'at least'} {parameter.minimum:g}"
        high = f" and at most {parameter.maximum:g}" if math.isfinite(parameter.maximum) else ""
        raise UsageError(f"decoder '{name}': {key} must be {low}{high}, not {value}")
    return value
