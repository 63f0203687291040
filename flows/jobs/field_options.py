"""Declared fields as options and arguments of a command: those of requests, of jobs, and of settings."""

import os
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import click

from flows.completing import completer
from flows.listing import Argument, Option
from flows.options import Input, Output
from newwiki.errors import UsageError
from newwiki.fields import Field, offered
from newwiki.settings import setting

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def field_options(request: type, *, without: Sequence[str] = ()) -> Decorator:
    """Give a command the options and arguments of a request; the command gets the values by name."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for field in reversed(offered(request)):
            if field.name not in without:
                command = field_option(field)(command)
        return command

    return decorate


def field_option(field: Field) -> Decorator:
    """Give a command the option or argument of a field."""
    spelling = field.spelling
    if spelling.argument:
        shown = f"[{spelling.metavar}]..." if field.is_tuple and not field.required else spelling.metavar
        return click.argument(
            field.name,
            cls=Argument,
            description=field.help,
            type=_type(field),
            nargs=-1 if field.is_tuple else 1,
            required=field.required or not field.is_tuple,
            shell_complete=completer(field.name),
            metavar=f"{shown}..." if field.is_tuple and field.required else shown,
        )
    keywords: dict[str, Any] = {
        "help": field.help,
        "metavar": spelling.metavar,
        "heading": spelling.group,
        "shell_complete": completer(field.name),
    }
    option = field.option
    if field.type is bool:
        keywords |= {"is_flag": True, "default": field.default, "show_default": bool(field.default)}
        option = f"{option}/{field.negation}" if field.default else option
        if spelling.set_by:
            keywords["callback"] = _set_by(spelling.set_by)
    elif field.is_tuple or field.required:
        keywords |= {"type": _type(field), "multiple": field.is_tuple, "required": field.required}
        if field.default:
            keywords |= {"default": field.default, "show_default": spelling.usually or True}
    else:
        default = spelling.none if field.default is None else field.default
        keywords |= {
            "type": _type(field),
            "default": default,
            "show_default": spelling.usually or _in_words(field, default),
        }
    return click.option(option, *spelling.aliases, field.name, cls=Option, **keywords)


def _set_by(variable: str) -> Callable[[click.Context, click.Parameter, bool], bool]:
    return lambda context, option, flag: flag or bool(os.environ.get(variable))


def setting_options(names: Sequence[str]) -> Decorator:
    """Give a command the options of these settings, whose values are in the command's `settings`."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(names):
            command = _setting_option(setting(name))(command)
        return command

    return decorate


def _setting_option(field: Field) -> Decorator:
    """The settings in force have the default, so that an option without a value leaves the environment and newwiki.toml
    in force."""
    several: dict[str, Any] = {}
    option = field.option
    if field.name == "scorers":
        option = "--scorer"
        several = {"multiple": True, "callback": lambda context, option, files: ",".join(files) or None}
    return click.option(
        option,
        field.name,
        cls=Option,
        heading=field.spelling.group,
        type=_type(field),
        metavar=field.spelling.metavar,
        help=f"{field.help}  [default: {_in_a_line(field.default)}]" if field.default else field.help,
        **several,
    )


def _in_words(field: Field, default: object) -> str | bool:
    """Return names between commas with spaces, where a line may break; whether to show the default otherwise."""
    if field.names and "," in str(default):
        return str(default).replace(",", ", ")
    return default not in (None, {})


def _in_a_line(default: str) -> str:
    return default.replace("\n", "\\n")


def _type(field: Field) -> "click.ParamType[Any]":
    if field.choices:
        return click.Choice(field.choices)
    if field.spelling.none:
        return _NumberOr(field.spelling.none)
    if field.spelling.reads:
        return Input()
    if field.spelling.writes:
        kind = field.spelling.writes
        return Output(dir_okay=kind != "file", file_okay=kind != "folder", path_type=Path)
    if field.type in (int, float) and (field.at_least is not None or field.above is not None):
        kind_of_number: Callable[..., click.ParamType[Any]] = _Integer if field.type is int else _Number
        return kind_of_number(
            field.above if field.at_least is None else field.at_least, min_open=field.at_least is None
        )
    return _TYPES[field.type]


class _Integer(click.IntRange):
    """An integer with its bound in the help; the request refuses values beyond it, with one message for all faces."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return click.INT.convert(value, param, ctx)


class _Number(click.FloatRange):
    """The same for a real number."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return click.FLOAT.convert(value, param, ctx)


class _NumberOr(click.ParamType):  # type: ignore[type-arg]
    """An integer, or a word for None."""

    def __init__(self, word: str) -> None:
        self.word, self.name = word, f"n|{word}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        if isinstance(value, int) or value == self.word:
            return None if value == self.word else value
        if not value.isdigit():
            raise UsageError(f"{param.opts[0] if param else self.name} '{value}' is not a number or {self.word}")
        return int(value)


class _Pairs(click.ParamType):  # type: ignore[type-arg]
    """Pairs written as `key=value,key=value`."""

    name = "k=v,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, str]:
        if isinstance(value, dict):
            return value
        parts = [part.partition("=") for part in value.split(",") if part]
        if any(not equals or not key for key, equals, _ in parts):
            raise UsageError(f"{param.opts[0] if param else ''} '{value}' is malformed: write key=value,key=value")
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
