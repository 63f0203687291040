"""A function's arguments, made of a request's fields: what `inspect.signature` and `help` show is what it takes."""

import functools
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from newwiki.fields import Field, fields_of

T = TypeVar("T")


def asks(request: type, *, by_place: Collection[str] = ()) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """The function gets the request in the place of its fields; what else it takes stays as it is.

    A field that is positional on the command line is so here, and those `by_place`: of several values each is an
    argument of its own.
    """
    asked = fields_of(request)

    def decorate(function: Callable[..., T]) -> Callable[..., T]:
        _, *own = inspect.signature(function).parameters.values()
        parameters = [_parameter(one, one.spelling.argument or one.name in by_place) for one in asked]
        signature = inspect.Signature(
            sorted([*parameters, *own], key=lambda one: one.kind),
            return_annotation=inspect.signature(function).return_annotation,
        )

        @functools.wraps(function)
        def with_request(*args: Any, **kwargs: Any) -> T:
            given = signature.bind(*args, **kwargs)
            given.apply_defaults()
            values = {one.name: _value(one, given.arguments.pop(one.name)) for one in asked}
            settings = given.arguments.pop("settings")
            return function(request(**values), **given.arguments, **settings)

        told = [f"{one.name}: {one.help}" for one in asked]
        with_request.__doc__ = "\n".join([inspect.getdoc(function) or "", "", *told])
        with_request.__signature__ = signature  # type: ignore[attr-defined]
        with_request.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}
        with_request.__annotations__["return"] = signature.return_annotation
        return with_request

    return decorate


def _parameter(one: Field, is_positional: bool) -> inspect.Parameter:
    default = inspect.Parameter.empty if one.required else one.default or None if one.default == {} else one.default
    if not is_positional:
        return inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=_type(one))
    if one.is_tuple:
        return inspect.Parameter(one.name, inspect.Parameter.VAR_POSITIONAL, annotation=str | Path)
    return inspect.Parameter(one.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=_type(one))


def _type(one: Field) -> Any:
    """What may be given for it: for several values a single one too, for names between commas a list."""
    if one.is_tuple:
        return str | Path if one.type is Path else str | Sequence[str]
    if one.names:
        return str | Sequence[str]
    if one.type is Path:
        return one.annotation | str
    return Mapping[str, object] | None if one.type == dict[str, str] else one.annotation


def _value(one: Field, given: Any) -> Any:
    """What was given as the request has it."""
    if one.is_tuple:
        return tuple(map(one.type, [given] if isinstance(given, str | Path) else given))
    if one.names and not isinstance(given, str):
        return ",".join(given)
    if one.type == dict[str, str]:
        return {name: str(value) for name, value in (given or {}).items()}
    return Path(given) if one.type is Path and given is not None else given
