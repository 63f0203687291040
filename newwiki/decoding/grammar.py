"""Parse decoder specifications: `name`, `name:key=value,key=value`, and grids where a value is `[a,b,c]`."""

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from newwiki.errors import UsageError, did_you_mean
from newwiki.registry import decoders

_PART = re.compile(r"(\w+)=(\[[^\[\]]*\]|[^,\[\]]+)(?:,|$)")

Value = int | float | str


@dataclass(frozen=True)
class Parameter:
    """A numeric parameter of a decoder, under transformers' name if it has one.

    Bounds are inclusive, except the minimum with `above` and the maximum with `below`.

    The canonical form omits the default if it is `omitted_at_default`, so a parameter that is added later does not
    rename the runs that were made without it.
    """

    default: int | float
    minimum: float
    maximum: float = math.inf
    above: bool = False
    below: bool = False
    omitted_at_default: bool = False

    def read(self, text: str) -> Value:
        """Parse the value. Raises ValueError with the description of valid values."""
        whole = isinstance(self.default, int)
        try:
            value: int | float = int(text) if whole else float(text)
        except ValueError:
            raise ValueError("a whole number" if whole else "a number") from None
        too_low = value <= self.minimum if self.above else value < self.minimum
        too_high = value >= self.maximum if self.below else value > self.maximum
        if too_low or too_high or not math.isfinite(value):
            raise ValueError(self.range)
        return value

    @property
    def range(self) -> str:
        low = f"{'above' if self.above else 'at least'} {self.minimum:g}"
        high = f"{'below' if self.below else 'at most'} {self.maximum:g}"
        return f"{low} and {high}" if math.isfinite(self.maximum) else low


@dataclass(frozen=True)
class DecoderChoice:
    """A parameter with a few possible words; the first is the default."""

    words: Sequence[str]

    @property
    def default(self) -> str:
        return self.words[0]

    @property
    def range(self) -> str:
        return " or ".join(self.words)

    def read(self, text: str) -> Value:
        if text not in self.words:
            raise ValueError(self.range)
        return text


@dataclass(frozen=True)
class Named:
    """A required parameter that names something, such as another model; it has no default."""

    what: str
    default: None = None

    @property
    def range(self) -> str:
        return self.what

    def read(self, text: str) -> Value:
        return text


Setting = Parameter | DecoderChoice | Named

# These apply to every decoder; the engine implements them.
EVERYWHERE: Mapping[str, Setting] = {"no_repeat_ngram_size": Parameter(default=0, minimum=0, omitted_at_default=True)}


@dataclass(frozen=True)
class Decoder:
    """A decoder with all its parameters, as a run names it and an engine executes it."""

    name: str
    parameters: Mapping[str, Value]

    @property
    def canonical(self) -> str:
        """The form that is equal for equal decoders: defaults written out unless they are `omitted_at_default`, keys
        sorted, numbers normalized."""
        settings = decoders.get(self.name).parameters
        return _joined(self.name, {key: v for key, v in self.parameters.items() if not _is_omitted(v, settings[key])})

    @property
    def recorded(self) -> Mapping[str, Value]:
        """The parameters that a run stores: a parameter that the decoder got later is left out at its default.

        A request therefore stores what it stored before the decoder had that parameter.
        """
        settings = decoders.get(self.name).parameters
        return {key: v for key, v in self.parameters.items() if key in EVERYWHERE or not _is_omitted(v, settings[key])}

    def is_recorded_as(self, stored: Mapping[str, object]) -> bool:
        """Return whether a run of this decoder stores these parameters, now or in an earlier version."""
        return self.recorded.items() <= stored.items() <= self.parameters.items()

    @property
    def short(self) -> str:
        """The canonical form without defaults, for display."""
        defaults = {key: setting.default for key, setting in decoders.get(self.name).parameters.items()}
        return _joined(self.name, {key: v for key, v in self.parameters.items() if v != defaults.get(key)})


def short_form(canonical: str) -> str:
    """Return a canonical form without its defaults; unchanged if it does not name a single known decoder."""
    try:
        [decoder] = parse(canonical)
    except (UsageError, ValueError):
        return canonical
    return decoder.short


def _joined(name: str, parameters: Mapping[str, Value]) -> str:
    body = ",".join(f"{key}={_written(value)}" for key, value in sorted(parameters.items()))
    return f"{name}:{body}" if body else name


def _is_omitted(value: Value, setting: Setting) -> bool:
    return isinstance(setting, Parameter) and setting.omitted_at_default and value == setting.default


def _written(value: Value) -> str:
    if isinstance(value, str):
        return value
    return repr(int(value)) if value == int(value) else repr(value)


def parse(text: str) -> list[Decoder]:
    """Return the decoders that a specification names, several if it holds a grid. Raises UsageError."""
    name, _, body = text.partition(":")
    kind = decoders.get(name)
    grid: dict[str, list[Value]] = {
        key: [] if setting.default is None else [setting.default] for key, setting in kind.parameters.items()
    }
    for key, written in _parts(text, body):
        if key not in kind.parameters:
            known = ", ".join(sorted(kind.parameters)) or "none"
            nearest = did_you_mean(key, kind.parameters)
            raise UsageError(f"decoder '{name}' has no parameter '{key}'; it has: {known}{nearest}")
        items = written[1:-1].split(",") if written.startswith("[") else [written]
        grid[key] = list(dict.fromkeys(_read(name, key, item.strip(), kind.parameters[key]) for item in items))
    for key, values in grid.items():
        if not values:
            raise UsageError(f"decoder '{name}' needs {key}=…, {kind.parameters[key].range}")
    combinations = itertools.product(*grid.values())
    parsed = [Decoder(name, dict(zip(grid, combination, strict=True))) for combination in combinations]
    for decoder in parsed:
        kind.search(decoder)
    return parsed


def _parts(text: str, body: str) -> list[tuple[str, str]]:
    parts, position = [], 0
    for part in _PART.finditer(body):
        if part.start() != position:
            break
        parts.append((part[1], part[2]))
        position = part.end()
    keys = [key for key, _ in parts]
    if position != len(body) or (":" in text and not body) or body.endswith(",") or len(set(keys)) != len(keys):
        raise UsageError(
            f"'{text}' is not a decoder; write name:key=value,key=value, with each key once, and [a,b] for a grid"
        )
    return parts


def _read(name: str, key: str, text: str, setting: Setting) -> Value:
    try:
        return setting.read(text)
    except ValueError as error:
        raise UsageError(f"decoder '{name}': {key} must be {error}, not '{text}'") from None
