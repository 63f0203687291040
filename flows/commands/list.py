"""`newwiki list`: metrics, decoders, models, runs, snapshots and experiments."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from flows.commands.snapshots import list_snapshots, show_snapshot
from flows.completing import completer
from flows.jobs.field_options import Decorator, setting_options
from flows.listing import Argument, CommandGroup, exemplified, listed
from flows.options import common, form_option, open_database
from flows.presenting import tables
from flows.progress import reporter
from newwiki.errors import UsageError, did_you_mean
from newwiki.settings import Settings

if TYPE_CHECKING:
    from storage.run_names import Contender

_RUN_COLUMNS = ("run", "model", "decoder", "snapshot", "prompts", "samples", "seed", "status", "started", "hidden")
_EXPERIMENT_COLUMNS = ("experiment", "title", "answers", "newest", "question", "source", "example")


@listed(
    "look",
    "List runs, models, metrics, decoders and more.",
    examples=("newwiki list runs", "newwiki list metrics sbert"),
)
@click.group(cls=CommandGroup)
def list() -> None:
    """List runs, models, snapshots, metrics, decoders and experiments. With NAME, explain one of them."""


def _name(what: str, field: str) -> Decorator:
    return click.argument(
        "name",
        cls=Argument,
        description=f"{what} to explain (default: list all).",
        required=False,
        shell_complete=completer(field),
    )


@exemplified("newwiki list metrics", "newwiki list metrics sbert")
@list.command("metrics")
@_name("Metric", "metric")
@setting_options(("scorers",))
@common
@form_option
def list_metrics(settings: Settings, quiet: bool, form: str, name: str | None) -> None:
    """List all metrics: units, ranges, better directions, evaluators, definitions, sources and pitfalls, and what they
    see according to the newest answers of `newwiki experiment metrics` in the database."""
    from flows import pieces

    rows = pieces.rows(settings.pair_scorer, pieces.sights(open_database(settings)))
    _show(pieces.COLUMNS, _only("metric", name, rows), form, one=name is not None)


@exemplified("newwiki list decoders", "newwiki list decoders sample")
@list.command("decoders")
@_name("Decoder", "decoder_name")
@common
@form_option
def list_decoders(settings: Settings, quiet: bool, form: str, name: str | None) -> None:
    """List the decoders with their parameters, defaults, ranges and sources."""
    from flows import pieces

    rows = _only("decoder", name, pieces.decoders())
    if form == "table":
        heads, source = pieces.DECODER_COLUMNS[:-1], pieces.DECODER_COLUMNS[-1]
        tables.show(heads, _without_repetition([row[:-1] for row in rows]), form)
        tables.show((heads[0], source), [*dict.fromkeys((row[0], row[-1]) for row in rows)], form)
    else:
        tables.show(pieces.DECODER_COLUMNS, rows, form)


@exemplified("newwiki list models", "newwiki list models gpt2")
@list.command("models")
@_name("Model", "model_name")
@common
@form_option
def list_models(settings: Settings, quiet: bool, form: str, name: str | None) -> None:
    """List the models of the stored runs, with their weights, decoders and knowledge cutoffs."""
    database = open_database(settings)
    if name and not database.rows("listed_models", name):
        known = [row[0] for row in database.rows("listed_models", None)]
        _require("model", name, known)
    tables.show_query(database, "listed_models", form, name)


@exemplified("newwiki list runs", "newwiki list runs greedy --snapshot latest", "newwiki list runs --model gpt2")
@list.command("runs")
@click.argument(
    "name",
    cls=Argument,
    description="Name of runs, as for `newwiki compare` (default: list all).",
    required=False,
    shell_complete=completer("runs"),
)
@click.option("--model", metavar="NAME", shell_complete=completer("model_name"), help="List runs of this model only.")
@click.option(
    "--decoder",
    metavar="SPEC",
    shell_complete=completer("decoder"),
    help="List runs of this decoder only, such as sample.",
)
@click.option(
    "--snapshot",
    metavar="ID",
    shell_complete=completer("snapshot"),
    help="List runs on this snapshot only, or on latest.",
)
@click.option("--prompts", type=click.IntRange(1), metavar="N", help="List runs with this number of prompts only.")
@click.option(
    "--since", type=click.DateTime(["%Y-%m-%d"]), metavar="DAY", help="List runs started on this day (UTC) or later."
)
@click.option(
    "--until", type=click.DateTime(["%Y-%m-%d"]), metavar="DAY", help="List runs started before this day (UTC)."
)
@click.option("--hidden", is_flag=True, help="List hidden runs in place of the others.")
@common
@form_option
def list_runs(settings: Settings, quiet: bool, form: str, name: str | None, **filters: Any) -> None:
    """List stored runs, scored or not, in the order in which they were started."""
    from storage.comparison import run_catalogue, snapshot_id

    database = open_database(settings)
    filters["snapshot"] = snapshot_id(database, filters["snapshot"])
    runs = [run for run in run_catalogue(database) if _is_wanted(run, name, **filters)]
    rows = [_run_row(run) for run in runs]
    if not rows and run_catalogue(database):
        reporter(quiet).note("no run matches; `newwiki list runs` lists all, and --model and --decoder filter them")
    if form == "table" and not filters["hidden"]:
        tables.show(_RUN_COLUMNS[:-1], [row[:-1] for row in rows], form)
    else:
        tables.show(_RUN_COLUMNS, rows, form)


@exemplified("newwiki list snapshots", "newwiki list snapshots latest")
@list.command("snapshots")
@_name("Snapshot", "snapshot")
@common
@form_option
def list_all_snapshots(settings: Settings, quiet: bool, form: str, name: str | None) -> None:
    """List all snapshots, the newest window first; with NAME (an id, or latest), show one with its funnel."""
    command, arguments = (show_snapshot, {"snapshot": name}) if name else (list_snapshots, {})
    click.get_current_context().invoke(command, db=settings.db, quiet=quiet, form=form, **arguments)


@exemplified("newwiki list experiments", "newwiki list experiments leakage")
@list.command("experiments")
@_name("Experiment", "experiment_name")
@common
@form_option
def list_experiments(settings: Settings, quiet: bool, form: str, name: str | None) -> None:
    """List the experiments, and how many answers the database has; with NAME, show the question and all answers."""
    from flows.experiments.experiment import every, named

    database = open_database(settings)
    stored = database.rows("experiments_answered") if database.is_there else []
    answered = {experiment: (answers, newest) for experiment, answers, newest in stored}
    rows = [
        [known.name, known.title, *answered.get(known.name, (0, None)), known.question, known.source, known.example]
        for known in ([named(name)] if name else every())
    ]
    if form == "table" and not name:
        tables.show(_EXPERIMENT_COLUMNS[:4], [row[:4] for row in rows], form)
    else:
        _show(_EXPERIMENT_COLUMNS, rows, form, one=name is not None)
    if form == "table" and name in answered:
        tables.show_query(database, "answers_of", form, name)


def _show(columns: Sequence[str], rows: Sequence[Sequence[object]], form: str, *, one: bool) -> None:
    """Write the rows, or as a table the properties of the only row."""
    if one and form == "table":
        [row] = rows
        tables.show(["", str(row[0])], [*zip(columns[1:], map(tables.short, row[1:]), strict=True)], form)
    else:
        tables.show(columns, rows, form)


def _only(what: str, name: str | None, rows: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
    """Return the rows of this name, or all rows without one. Raises UsageError for an unknown name."""
    if name is None:
        return rows
    _require(what, name, [row[0] for row in rows])
    return [row for row in rows if row[0] == name]


def _require(what: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        nearest = did_you_mean(name, known)
        there_are = f"there are: {', '.join(dict.fromkeys(known)) or 'none yet'}"
        all_listed = f"`newwiki list {what}s` lists them all"
        raise UsageError(f"there is no {what} '{name}'{nearest or ';'} {all_listed if nearest else there_are}")


def _is_wanted(
    run: "Contender", name: str | None, model: str | None, decoder: str | None, snapshot: str | None,
    prompts: int | None, since: datetime | None, until: datetime | None, hidden: bool,
) -> bool:  # fmt: skip
    started = run.started_at.replace(tzinfo=None) if run.started_at else datetime.min
    return (
        (name is None or run.answers_to(name))
        and (model is None or f"/{run.model}".endswith(f"/{model}"))
        and (decoder is None or decoder in (run.decoder, run.short, run.decoder.partition(":")[0]))
        and snapshot in (None, run.snapshot_id)
        and prompts in (None, (run.settings or {}).get("prompts"))
        and (since is None or started >= since)
        and (until is None or started < until)
        and run.hidden == hidden
    )


def _run_row(run: "Contender") -> Sequence[object]:
    settings = run.settings or {}
    numbers = [settings.get("prompts"), settings.get("samples"), run.seed]
    return [run.run_id, run.model, run.short, run.snapshot_id, *numbers, run.status, run.started_at, run.hidden]


def _without_repetition(rows: Sequence[Sequence[object]]) -> Sequence[Sequence[object]]:
    """Name each decoder in its first row only."""
    above = [None, *(row[0] for row in rows)]
    return [["" if row[0] == name else row[0], *row[1:]] for name, row in zip(above, rows, strict=False)]
