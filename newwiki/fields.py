"""How a request declares a field: type, default, bounds, and one line of help.

The command line (`flows/jobs/options.py`), the Python API (`flows/jobs/arguments.py`), newwiki.toml
(`newwiki/registrations.py`) and Prefect's form are derived from these declarations. The metadata use the keywords of
pydantic's `Field`, which reads them where Prefect validates a request.
"""

import dataclasses
import shlex
import types
from collections.abc import Sequence
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from newwiki.errors import UsageError, did_you_mean


@dataclasses.dataclass(frozen=True)
class Spelling:
    """The details of an option or argument on the command line.

    - argument: a positional argument instead of an option.
    - aliases: further spellings of the option.
    - metavar: the placeholder of the value in the help.
    - none: the word for None.
    - usually: the description of a default that is not a single value.
    - group: the heading of the option in the help; None for the command's own options.
    - reads: the text is a path that the command reads.
    - writes: `file`, `folder` or `path` for an output path, which may never overwrite a database.
    - set_by: an environment variable that sets the flag.
    - shell_only: the Python function has no such argument.
    """

    argument: bool = False
    aliases: Sequence[str] = ()
    metavar: str | None = None
    none: str | None = None
    usually: str | None = None
    group: str | None = None
    reads: bool = False
    writes: Literal["file", "folder", "path"] | None = None
    set_by: str | None = None
    shell_only: bool = False


def field(
    default: Any = dataclasses.MISSING,
    help: str = "",
    *,
    at_least: float | None = None,
    above: float | None = None,
    names: bool = False,
    example: object = None,
    **spelling: Any,
) -> Any:
    """Declare a field of a request; a field without a default is required.

    `names` marks a text of comma-separated names, for which Python also accepts a list. `spelling` takes the arguments
    of `Spelling`.
    """
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
    """A declared field. `type` is without None, and for a tuple the type of its items."""

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
        """The name of the option: `--max-new-tokens`, and `--from` for `from_`."""
        return f"--{self.name.rstrip('_').replace('_', '-')}"

    @property
    def negation(self) -> str:
        """The option that turns off a flag that is on by default, such as `--no-recompute`."""
        return f"--no-{self.option.removeprefix('--')}"

    @property
    def choices(self) -> tuple[str, ...]:
        """The allowed words; empty where any value of the type is allowed."""
        return get_args(self.type) if get_origin(self.type) is Literal else ()


def fields_of(request: type) -> list[Field]:
    """Return the fields of a request in order of declaration, those of its base classes first.

    A base class may name the group of the fields that it hands down, as `INHERITED`.
    """
    hints = get_type_hints(request)
    return [
        field_from(declared, declared.name, hints[declared.name], _inherited_group(request, declared))
        for declared in dataclasses.fields(request)
    ]


def offered(request: type) -> list[Field]:
    """Return the fields that a command and its Python function take: all but those that the request names as `UNUSED`,
    because they would do nothing."""
    unused: Sequence[str] = getattr(request, "UNUSED", ())
    return [field for field in fields_of(request) if field.name not in unused]


def _inherited_group(request: type, declared: "dataclasses.Field[Any]") -> str | None:
    for base in request.__mro__[1:]:
        if getattr(base, "__dataclass_fields__", {}).get(declared.name) is declared:
            group: str | None = vars(base).get("INHERITED")
            if group:
                return group
    return None


def as_typed(request: Any) -> str:
    """Return the request as words for a shell: arguments and options, without those at their defaults."""
    words: list[str] = []
    for field in fields_of(type(request)):
        value = getattr(request, field.name)
        if value == field.default and not field.required:
            continue
        for item in value if field.is_tuple else [value]:
            option = field.negation if item is False else field.option
            name = [] if field.spelling.argument else [option]
            words += name if field.type is bool else [*name, _typed(item)]
    return shlex.join(words)


def check_values(request: Any) -> None:
    """Raise UsageError for a number beyond a bound of its field, and for a word that is not one of its choices."""
    for field in fields_of(type(request)):
        value = getattr(request, field.name)
        if value is None:
            continue
        if field.choices and value not in field.choices:
            nearest = did_you_mean(str(value), field.choices) or ";"
            raise UsageError(f"{field.option} cannot be '{value}'{nearest} choose from: {', '.join(field.choices)}")
        if field.at_least is not None and value < field.at_least:
            raise UsageError(f"{field.option} must be at least {field.at_least:g}, not {value:g}")
        if field.above is not None and not field.above < value < float("inf"):
            raise UsageError(f"{field.option} must be above {field.above:g}, not {value:g}")


def _typed(value: Any) -> str:
    return ",".join(f"{key}={item}" for key, item in value.items()) if isinstance(value, dict) else str(value)


def field_from(declared: "dataclasses.Field[Any]", name: str, hint: Any, inherited_group: str | None = None) -> Field:
    """Return what `field` declared under this name with this type."""
    given = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    (inner,) = [part for part in given if part is not types.NoneType]
    is_tuple = get_origin(inner) is tuple
    factory = declared.default_factory
    default = factory() if factory is not dataclasses.MISSING else declared.default
    metadata, spelling = declared.metadata, declared.metadata["spelling"]
    if inherited_group and not spelling.group:
        spelling = dataclasses.replace(spelling, group=inherited_group)
    return Field(
        name=name,
        annotation=hint,
        type=get_args(inner)[0] if is_tuple else inner,
        is_tuple=is_tuple,
        required=default is dataclasses.MISSING,
        default=None if default is dataclasses.MISSING else default,
        help=metadata.get("description", ""),
        at_least=metadata.get("ge"),
        above=metadata.get("gt"),
        names=metadata.get("names", False),
        example=next(iter(metadata.get("examples", [])), None),
        spelling=spelling,
    )
