"""`newwiki runs`: hides, shows, renames and deletes stored runs."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from flows.completing import completer
from flows.listing import Argument, CommandGroup, exemplified, listed
from flows.options import common, open_database
from flows.progress import reporter
from newwiki.errors import UsageError
from newwiki.settings import Settings

if TYPE_CHECKING:
    from storage.database import Database
    from storage.run_names import Contender

_RUN = "Run, named as for `newwiki compare`; a name must match one run only."


@listed(
    "keep",
    "Hide, show, rename and delete runs.",
    examples=(
        "newwiki runs hide gpt2/greedy --snapshot enwiki-2026-09",
        "newwiki runs rename gpt2/greedy gpt2-base --snapshot enwiki-2026-09",
    ),
)
@click.group(cls=CommandGroup)
def runs() -> None:
    """Hide, show, rename and delete stored runs. `newwiki list runs` lists them."""


def _names_runs(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option(
        "--snapshot",
        metavar="ID",
        shell_complete=completer("snapshot"),
        help="Snapshot of the runs, or latest (default: any).",
    )(command)
    return click.argument(
        "runs",
        cls=Argument,
        description=_RUN,
        nargs=-1,
        required=True,
        metavar="RUN...",
        shell_complete=completer("runs"),
    )(command)


@exemplified("newwiki runs hide gpt2/greedy --snapshot enwiki-2026-09")
@runs.command("hide")
@_names_runs
@common
def hide_runs(settings: Settings, quiet: bool, runs: tuple[str, ...], snapshot: str | None) -> None:
    """Hide runs from all leaderboards, reports, sites and pages of `newwiki browse`.

    Names such as gpt2/greedy no longer mean a hidden run, and `newwiki sync push` leaves it out. All its data stays.
    """
    from storage.run_changes import hide

    database = open_database(settings)
    found = _found(database, runs, snapshot)
    hide(database, [run.run_id for run in found])
    reporter(quiet).note(f"hidden: {_in_words(found)}")


@exemplified("newwiki runs show gpt2/greedy --snapshot enwiki-2026-09")
@runs.command("show")
@_names_runs
@common
def show_runs(settings: Settings, quiet: bool, runs: tuple[str, ...], snapshot: str | None) -> None:
    """Show hidden runs again."""
    from storage.run_changes import show

    database = open_database(settings)
    found = _found(database, runs, snapshot)
    show(database, [run.run_id for run in found])
    reporter(quiet).note(f"shown: {_in_words(found)}")


@exemplified("newwiki runs rename gpt2/greedy gpt2-base --snapshot enwiki-2026-09")
@runs.command("rename")
@_names_runs
@click.argument("model", cls=Argument, description="New name of the model of these runs.")
@common
def rename_runs(settings: Settings, quiet: bool, runs: tuple[str, ...], model: str, snapshot: str | None) -> None:
    """Rename the model of runs, for example to tell apart the checkpoints of two trainings.

    The id of a run does not depend on the name. Answers of experiments keep the name with which they were given.
    """
    from flows.evaluating.run_identity import model_label
    from storage.run_changes import rename

    database, name = open_database(settings), model_label(model)
    found = _found(database, runs, snapshot)
    rename(database, [run.run_id for run in found], name)
    reporter(quiet).note(f"the model is now {name}: {_in_words(found)}")


@exemplified("newwiki runs delete gpt2/greedy --snapshot enwiki-2026-09 --yes")
@runs.command("delete")
@_names_runs
@click.option("--yes", is_flag=True, help="Delete the runs without asking.")
@common
def delete_runs(settings: Settings, quiet: bool, runs: tuple[str, ...], snapshot: str | None, yes: bool) -> None:
    """Delete runs with their completions, scores and judgements. Asks first.

    Answers of experiments that used a run keep their numbers. A shared folder keeps its copy of a run, and the next
    `newwiki sync pull` imports it again: hide the run instead.
    """
    from storage.run_changes import delete

    database = open_database(settings)
    found = _found(database, runs, snapshot)
    ids = [run.run_id for run in found]
    [(answers,)] = database.rows("answers_resting_on", ids)
    resting = f" ({answers} answers of experiments that used them stay)" if answers else ""
    try:
        if not yes and not click.confirm(f"Delete {_in_words(found)}{resting}?", err=True):
            raise click.Abort
    except click.Abort:
        raise UsageError("nothing is deleted: answer y, or add --yes") from None
    delete(database, ids)
    reporter(quiet).note(f"deleted: {_in_words(found)}{resting}")


def _found(database: "Database", names: tuple[str, ...], snapshot: str | None) -> "list[Contender]":
    """Return the runs. A name that matches runs of several months is refused, as the newest may not be meant."""
    from storage.comparison import stored_runs

    return list(dict.fromkeys(stored_runs(database, names, snapshot=snapshot, newest=False)))


def _in_words(found: "list[Contender]") -> str:
    return ", ".join(f"{run.run_id} ({run.words} on {run.snapshot_id})" for run in found)
