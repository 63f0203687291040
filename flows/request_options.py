"""A request's fields as the options and arguments of a command."""

import functools
from collections.abc import Callable, Collection
from datetime import date, datetime
from pathlib import Path
from typing import Any

import click

from flows.completing import completer
from flows.options import Input
from newwiki.errors import UsageError
from newwiki.fields import Field, fields_of


def asks(
    request: type, *, without: Collection[str] = (), name: str = "request"
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The options and arguments that the request's fields are; the command gets the request by this name, or, where
    fields are left to the command, what makes it of them."""
    asked = [one for one in fields_of(request) if one.name not in without]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def with_request(**given: Any) -> Any:
            made = functools.partial(request, **{one.name: given.pop(one.name) for one in asked})
            return command(**{name: made if without else made()}, **given)

        for one in reversed(asked):
            _parameter(one)(with_request)
        return with_request

    return decorate


def _parameter(one: Field) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    spelling = one.spelling
    if spelling.argument:
        shown = f"[{spelling.metavar}]..." if one.is_tuple and not one.required else spelling.metavar
        return click.argument(
            one.name,
            type=_type(one),
            nargs=-1 if one.is_tuple else 1,
            required=one.required or not one.is_tuple,
            shell_complete=completer(one.name),
            metavar=f"{shown}..." if one.is_tuple and one.required else shown,
        )
    given: dict[str, Any] = {"help": one.help, "metavar": spelling.metavar, "shell_complete": completer(one.name)}
    option = one.option
    if one.type is bool:
        given |= {"is_flag": True, "default": one.default, "show_default": bool(one.default)}
        option = f"{option}/{one.negation}" if one.default else option
    elif one.is_tuple or one.required:
        given |= {"type": _type(one), "multiple": one.is_tuple, "required": one.required}
        if one.default:
            given |= {"default": one.default, "show_default": spelling.usually or True}
    else:
        default = spelling.none if one.default is None else one.default
        given |= {"type": _type(one), "default": default, "show_default": spelling.usually or default not in (None, {})}
    return click.option(option, *spelling.aliases, one.name, **given)


def _type(one: Field) -> "click.ParamType[Any]":
    if one.choices:
        return click.Choice(one.choices)
    if one.spelling.none:
        return _NumberOr(one.spelling.none)
    if one.type in (int, float) and (one.at_least is not None or one.above is not None):
        kind: Callable[..., click.ParamType[Any]] = _Whole if one.type is int else _Real
        return kind(one.above if one.at_least is None else one.at_least, min_open=one.at_least is None)
    return _TYPES[one.type]


class _Whole(click.IntRange):
    """Its bound stands in the help; the request refuses what is beyond it, in the words that Python hears too."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return click.INT.convert(value, param, ctx)


class _Real(click.FloatRange):
    """The same of numbers that need not be whole."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return click.FLOAT.convert(value, param, ctx)


class _NumberOr(click.ParamType):  # type: ignore[type-arg]
    """A whole number, or a word for None."""

    def __init__(self, word: str) -> None:
        self.word, self.name = word, f"n|{word}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        if isinstance(value, int) or value == self.word:
            return None if value == self.word else value
        if not value.isdigit():
            raise UsageError(f"{param.opts[0] if param else self.name} is a number or {self.word}, not '{value}'")
        return int(value)


class _Pairs(click.ParamType):  # type: ignore[type-arg]
    """`key=value,key=value`."""

    name = "k=v,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, str]:
        if isinstance(value, dict):
            return value
        parts = [part.partition("=") for part in value.split(",") if part]
        if any(not equals or not key for key, equals, _ in parts):
            raise UsageError(f"{param.opts[0] if param else ''} are written key=value,key=value, not '{value}'")
        return {key.strip(): value.strip() for key, _, value in parts}


class _Day(click.DateTime):
    def __init__(self) -> None:
        super().__init__(["%Y-%m-%d"])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(value, param, ctx).date()


_TYPES: dict[Any, "click.ParamType[Any]"] = {
    str: click.STRING,
    int: click.INT,
    float: click.FLOAT,
    date: _Day(),
    datetime: click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"]),
    Path: Input(path_type=Path),
    dict[str, str]: _Pairs(),
}
