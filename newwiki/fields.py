"""How a field of a request is declared: its default, its bounds, and in one line what it is for.

The command line (`flows/request_options.py`), the Python API (`flows/api/arguments.py`), newwiki.toml
(`newwiki/registrations.py`) and Prefect's form are made of that. The metadata are keywords of pydantic's `Field`, which
reads them where it meets a request.
"""

import dataclasses
import shlex
import types
from collections.abc import Sequence
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from newwiki.errors import UsageError, did_you_mean


@dataclasses.dataclass(frozen=True)
class Spelling:
    """What only a command line needs: a positional argument instead of an option, other names of it, what stands for
    its value in the help, the word for None, and what is told of a default that is no single value."""

    argument: bool = False
    aliases: Sequence[str] = ()
    metavar: str | None = None
    none: str | None = None
    usually: str | None = None


def asked(
    default: Any = dataclasses.MISSING,
    help: str = "",
    *,
    at_least: float | None = None,
    above: float | None = None,
    names: bool = False,
    example: object = None,
    **spelling: Any,
) -> Any:
    """A field of a request. Without a default it must be given. `names` is for a text of names between commas, in whose
    place Python may give a list; `spelling` is that of `Spelling`."""
    metadata = {
        "description": help or None,
        "ge": at_least,
        "gt": above,
        "examples": None if example is None else [example],
        "names": names or None,
        "spelling": Spelling(**spelling),
    }
    kept = {name: value for name, value in metadata.items() if value is not None}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=default.copy, metadata=kept)
    return dataclasses.field(default=default, metadata=kept)


@dataclasses.dataclass(frozen=True)
class Field:
    """A declared field. `type` is without None; of a tuple, it is that of its items."""

    name: str
    annotation: Any
    type: Any
    is_tuple: bool
    required: bool
    default: Any
    help: str
    at_least: float | None
    above: float | None
    names: bool
    example: Any
    spelling: Spelling

    @property
    def option(self) -> str:
        """`--max-new-tokens`; of `from_`, as Python has it, `--from`."""
        return f"--{self.name.rstrip('_').replace('_', '-')}"

    @property
    def negation(self) -> str:
        """`--no-recompute`, which turns off what is on by default."""
        return f"--no-{self.option.removeprefix('--')}"

    @property
    def choices(self) -> tuple[str, ...]:
        """The words of which one may be given; none where any value of its type may."""
        return get_args(self.type) if get_origin(self.type) is Literal else ()


def fields_of(request: type) -> list[Field]:
    """Its fields as they are declared, those of what it is derived from first."""
    hints = get_type_hints(request)
    return [_field(one, hints[one.name]) for one in dataclasses.fields(request)]


def as_typed(request: Any) -> str:
    """What a shell is to be told for this request: its arguments and options, without those at their defaults."""
    words: list[str] = []
    for one in fields_of(type(request)):
        value = getattr(request, one.name)
        if value == one.default and not one.required:
            continue
        for item in value if one.is_tuple else [value]:
            option = one.negation if item is False else one.option
            name = [] if one.spelling.argument else [option]
            words += name if one.type is bool else [*name, _typed(item)]
    return shlex.join(words)


def check_values(request: Any) -> None:
    """Raises UsageError for a number beyond a bound of its field, and for a word that is none of its choices."""
    for one in fields_of(type(request)):
        value = getattr(request, one.name)
        if value is None:
            continue
        if one.choices and value not in one.choices:
            nearest = did_you_mean(str(value), one.choices) or ";"
            raise UsageError(f"{one.option} cannot be '{value}'{nearest} there are: {', '.join(one.choices)}")
        if one.at_least is not None and value < one.at_least:
            raise UsageError(f"{one.option} must be at least {one.at_least:g}, not {value:g}")
        if one.above is not None and not one.above < value < float("inf"):
            raise UsageError(f"{one.option} must be above {one.above:g}, not {value:g}")


def _typed(value: Any) -> str:
    return ",".join(f"{key}={item}" for key, item in value.items()) if isinstance(value, dict) else str(value)


def _field(one: "dataclasses.Field[Any]", hint: Any) -> Field:
    given = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    (inner,) = [part for part in given if part is not types.NoneType]
    is_tuple = get_origin(inner) is tuple
    made = one.default_factory() if one.default_factory is not dataclasses.MISSING else one.default
    return Field(
        name=one.name,
        annotation=hint,
        type=get_args(inner)[0] if is_tuple else inner,
        is_tuple=is_tuple,
        required=made is dataclasses.MISSING,
        default=None if made is dataclasses.MISSING else made,
        help=one.metadata.get("description", ""),
        at_least=one.metadata.get("ge"),
        above=one.metadata.get("gt"),
        names=one.metadata.get("names", False),
        example=next(iter(one.metadata.get("examples", [])), None),
        spelling=one.metadata["spelling"],
    )
