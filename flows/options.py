"""Options of every command, and shared options that no request declares."""

import functools
import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from flows.listing import GENERAL, Option
from flows.presenting.tables import FORMATS
from flows.settings_in_force import settings_in_force
from newwiki.registry import load_plugin
from newwiki.settings import Settings

if TYPE_CHECKING:
    from storage.database import Database

_DEBUG = "NEWWIKI_DEBUG"
_general = functools.partial(click.option, cls=Option, heading=GENERAL)


class Input(click.Path):
    """A path that a command reads."""


class Output(click.Path):
    """A path that a command writes: never a database or one of its files, as `common` checks."""


class OwnDatabase(Output):
    """A DuckDB file of the user that a command writes: any file but those of the database."""


def common(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of every command; the command gets `settings` and `quiet`."""

    @_general("--db", metavar="PATH", help="Database file (default: newwiki.duckdb, or NEWWIKI_DB).")
    @_general("--config", type=Input(path_type=Path), help="Configuration file (default: newwiki.toml).")
    @_general(
        "--plugin",
        type=Input(path_type=Path),
        multiple=True,
        help="Python file with your own metrics, decoders, sources or backends (may be repeated).",
    )
    @_general("--quiet", is_flag=True, help="Print no progress and no notes.")
    @debug_option
    @functools.wraps(command)
    def with_settings(db: str | None, config: Path | None, plugin: tuple[Path, ...], quiet: bool, **rest: Any) -> Any:
        for path in plugin:
            load_plugin(path)
        flags = {setting.name: rest.pop(setting.name) for setting in fields(Settings) if setting.name in rest}
        settings = settings_in_force(config, db=db, **flags)
        _require_safe(settings, rest)
        return command(settings=settings, quiet=quiet, **rest)

    return with_settings


def _require_safe(settings: Settings, values: Mapping[str, Any]) -> None:
    """Raise UsageError if an output of the command would overwrite a database."""
    parameters = click.get_current_context().command.params
    outputs = [option for option in parameters if isinstance(option.type, Output) and values.get(option.name or "")]
    if outputs:
        from storage.outputs import safe, safe_of_ones_own

        for option in outputs:
            check = safe_of_ones_own if isinstance(option.type, OwnDatabase) else safe
            check(Path(values[str(option.name)]), Path(settings.db))


def debug_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --debug, which shows tracebacks. An environment variable passes the option on to workers."""

    def keep(context: click.Context, option: click.Parameter, debug: bool) -> None:
        if debug:
            os.environ[_DEBUG] = "1"

    text = "Show the traceback of an error (default where NEWWIKI_DEBUG is set)."
    return _general("--debug", is_flag=True, expose_value=False, callback=keep, help=text)(command)


def is_debugging() -> bool:
    """Return whether tracebacks are shown."""
    return bool(os.environ.get(_DEBUG))


def form_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --format, the format of the rows on stdout; the command gets it as `form`."""
    return _general(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default="table",
        show_default=True,
        help="Format of the rows on stdout.",
    )(command)


def open_database(settings: Settings) -> "Database":
    """Return the database that the settings name."""
    from storage.database import Database

    return Database(settings.db)
