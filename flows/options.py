"""What commands share: options under `common` and its like, and the database that the options name."""

import functools
import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from flows.settings_in_force import settings_in_force
from flows.tables import FORMATS
from newwiki.registry import load_plugin
from newwiki.settings import Settings

if TYPE_CHECKING:
    from storage.database import Database

_DEBUG = "NEWWIKI_DEBUG"


class Input(click.Path):
    """A path that a command reads."""


class Output(click.Path):
    """A path that a command writes: never a database, nor what belongs to one. `common` sees to it."""


class OwnDatabase(Output):
    """A DuckDB file of the user's own that a command writes: any but those of the database."""


def common(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that every command has; the command gets `settings` and `quiet` for them."""

    @click.option("--db", metavar="PATH", help="The database (newwiki.duckdb, or NEWWIKI_DB).")
    @click.option("--config", type=Input(path_type=Path), help="A configuration file (newwiki.toml).")
    @click.option("--plugin", type=Input(path_type=Path), multiple=True, help="A Python file of your own pieces.")
    @click.option("--quiet", is_flag=True, help="No progress, no notes.")
    @debug_option
    @functools.wraps(command)
    def with_settings(db: str | None, config: Path | None, plugin: tuple[Path, ...], quiet: bool, **rest: Any) -> Any:
        for path in plugin:
            load_plugin(path)
        flags = {one.name: rest.pop(one.name) for one in fields(Settings) if one.name in rest}
        settings = settings_in_force(config, db=db, **flags)
        _require_safe(settings, rest)
        return command(settings=settings, quiet=quiet, **rest)

    return with_settings


def _require_safe(settings: Settings, given: Mapping[str, Any]) -> None:
    """Raises UsageError where an output of the command would go over a database."""
    options = click.get_current_context().command.params
    outputs = [option for option in options if isinstance(option.type, Output) and given.get(option.name or "")]
    if outputs:
        from storage.outputs import safe, safe_of_ones_own

        for option in outputs:
            check = safe_of_ones_own if isinstance(option.type, OwnDatabase) else safe
            check(Path(given[str(option.name)]), Path(settings.db))


def debug_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Whether an error shows where it came from. It is kept in the environment, so that it holds for workers too."""

    def keep(context: click.Context, option: click.Parameter, asked: bool) -> None:
        if asked:
            os.environ[_DEBUG] = "1"

    text = "Show the traceback of an error (so it does where NEWWIKI_DEBUG is set)."
    return click.option("--debug", is_flag=True, expose_value=False, callback=keep, help=text)(command)


def is_debugging() -> bool:
    return bool(os.environ.get(_DEBUG))


def contact_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Whom the wikis may write to, which is in the command's `settings`."""
    text = "Your address for the wiki's operators (NEWWIKI_CONTACT)."
    return click.option("--contact", help=text)(command)


def template_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """What a prompt is made of, which is in the command's `settings`."""
    return click.option("--template", help="The prompt, with {title} and {first_sentence}.")(command)


def form_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """How rows are written; the command gets `form` for it."""
    return click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)(command)


def prefect_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Whether to run as a flow; the command gets `prefect` for it."""
    text = "Run as a Prefect flow (so it does where PREFECT_API_URL is set)."
    return click.option("--prefect", is_flag=True, callback=_asked_or_served, help=text)(command)


def runner_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which workers do the work, as a Prefect flow; the command gets `runner` for it."""
    text = "Who does the work, through Prefect: threads:N, processes:N, dask:N, dask:tcp://…, ray:N or ray://…."
    return click.option("--runner", metavar="KIND", callback=_known_runner, help=text)(command)


def _known_runner(context: click.Context, option: click.Parameter, text: str | None) -> str | None:
    if text:
        from flows.workers.runners import parse_runner

        parse_runner(text)
    return text


def _asked_or_served(context: click.Context, option: click.Parameter, asked: bool) -> bool:
    return asked or bool(os.environ.get("PREFECT_API_URL"))


def scorer_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Metrics of the user's own that are described in TOML; they are in the command's `settings`."""
    return click.option(
        "--scorer",
        "scorers",
        multiple=True,
        metavar="FILE.toml",
        callback=lambda context, option, files: ",".join(files) or None,
        help="A classifier or regressor as a metric (may be repeated).",
    )(command)


def scoring_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The models that score and the user's own scorers, which are in the command's `settings`."""
    return metric_models_options(scorer_option(command))


def metric_models_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The models that score, which are in the command's `settings`."""
    for option in (
        click.option(
            "--evidence", type=Input(), help="The index that claims_wiki looks into, of `newwiki evidence build`."
        ),
        click.option(
            "--pair-scorer",
            metavar="FILE.toml",
            help="Who judges claims beside evidence: a TOML file, or the name of one that comes along "
            f"({Settings.pair_scorer}).",
        ),
        click.option(
            "--likelihood-model",
            metavar="NAME[@REVISION]",
            help="Whose likelihood likelihood_coherence is: a folder or a hub id (facebook/opt-2.7b@refs/pr/26).",
        ),
        click.option(
            "--lexicon",
            type=Input(),
            metavar="FILE",
            help="A list of negative words, one a line, whose share negative_words is.",
        ),
        click.option(
            "--embedder-backend",
            metavar="NAME",
            help="Who runs the S-BERT model: torch (the default), or openvino, on the CPU.",
        ),
        click.option("--embedder-dtype", metavar="NAME", help="auto, float32 or bfloat16."),
        click.option("--embedder", help="The S-BERT model: a folder or a hub id (all-MiniLM-L6-v2)."),
        click.option(
            "--entities",
            help="Who finds named entities: spacy:en_core_web_sm (or another pipeline), gliner:FOLDER (a model of many "
            "languages), or rules-v1, a stand-in of regular expressions.",
        ),
    ):
        command = option(command)
    return command


def open_database(settings: Settings) -> "Database":
    from storage.database import Database

    return Database(settings.db)
