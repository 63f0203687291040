"""The checks of `newwiki doctor`: installation, settings, database and checkpoint, each with a remedy."""

import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from packaging.version import Version

from evaluators.embedding import load_embedder
from evaluators.entities import load_tagger
from flows.comparing.notes import of_several_models, same_weights
from flows.progress import Progress
from newwiki.errors import NewWikiError
from newwiki.settings import Settings
from storage import commit_counter, newest, prompt_sets, runs, short_forms, snapshots, summaries
from storage.database import Database
from storage.keys import repeated
from storage.result_tables import mistyped

Row = tuple[str, str, str]


def examine(settings: Settings) -> list[Row]:
    """Return (check, `ok`, `problem` or `note`, words) for everything that a refresh and an evaluation need."""
    return [
        ("Python", "ok", sys.version.split()[0]),
        *[_package(name) for name in ("torch", "transformers", "duckdb")],
        _below("prefect", "fastapi", "0.151", "the Prefect server fails at import with newer versions"),
        _below("prefect", "sqlalchemy", "2.1", "schedules of Prefect start no runs with newer versions"),
        _loads("named entities", lambda: load_tagger(settings.entities).model),
        _loads(
            "S-BERT", lambda: load_embedder(settings.embedder, settings.embedder_dtype, settings.embedder_backend).model
        ),
        _generation(),
        _contact(settings),
        *examine_database(Path(settings.db)),
    ]


def examine_model(name: str, loading: Mapping[str, str], progress: Progress) -> list[Row]:
    """Return (check, `ok`, `problem` or `note`, words) for a checkpoint. Raises UsageError for invalid arguments."""
    from newwiki.models.trial import try_checkpoint

    with progress.stretch("tried", "texts") as bar:
        return [*try_checkpoint(name, loading, bar.update)]


def _package(name: str) -> Row:
    try:
        return name, "ok", version(name)
    except PackageNotFoundError:
        return name, "problem", f"is not installed; run: pip install {name}"


def _below(owner: str, name: str, limit: str, why: str) -> Row:
    installed = version(name)
    fit = Version(installed) < Version(limit)
    return (
        f"{owner} with {name}",
        "ok" if fit else "problem",
        installed if fit else f"{installed}: {why}; pip install '{name}<{limit}'",
    )


def _loads(what: str, load: Callable[[], str]) -> Row:
    try:
        return what, "ok", load()
    except NewWikiError as error:
        return what, "problem", str(error)


def _generation() -> Row:
    """Run a small model with random weights in batches of several sizes."""
    from newwiki.models.engine.selftest import rounding_between_batches

    try:
        moved = rounding_between_batches()
    except (NewWikiError, RuntimeError) as error:
        return "generation", "problem", str(error)
    if moved == 0:
        return "generation", "ok", "a completion is bit-identical in every batch"
    return (
        "generation",
        "note",
        f"batching changes logits by up to {moved:.1g} of the largest; in float32, greedy search and sampling still "
        "generate the same text in every batch, and beam searches nearly always; --strict makes all of them exact",
    )


def _contact(settings: Settings) -> Row:
    if settings.contact:
        return "contact", "ok", settings.contact
    return (
        "contact",
        "note",
        "not set, but required by Wikimedia's wikis: set NEWWIKI_CONTACT to your mail address or page",
    )


def examine_database(path: Path) -> list[Row]:
    """Return the rows about the database alone: whether it exists and is whole, and the interrupted runs in it."""
    database = Database(path)
    if not database.is_there:
        state = "is empty, perhaps because the disk was full" if path.exists() else "does not exist yet"
        return [("database", "note", f"'{path}' {state}: `newwiki refresh` creates it")]
    try:
        with database.read() as connection:
            counted = [*database.rows("integrity"), *repeated(connection), *mistyped(connection)]
            broken = [f"{count} {problem}" for problem, count in counted if count]
            broken += [*short_forms.doubtful(connection), *newest.doubtful(connection), *summaries.stale(connection)]
            broken += commit_counter.losses(connection, path)
        broken += [sentence for (sentence,) in [*database.rows("miscounted_texts"), *database.rows("doubtful_cutoffs")]]
        for snapshot in database.records(dict[str, Any], "snapshot_list"):
            name = snapshot["snapshot_id"]
            broken += [f"{name}: {problem}" for problem in snapshots.verify(database, name)]
        broken += prompt_sets.verify(database)
        interrupted = runs.interrupted(database)
        notes = [*same_weights(database), *of_several_models(database)]
    except NewWikiError as error:
        return [("database", "problem", str(error))]
    whole = (
        "database",
        "problem" if broken else "ok",
        "; ".join(broken) or f"'{path}' is complete, and its hashes agree",
    )
    runs_to_resume = [("run", "note", _interrupted(run_id, heard_at)) for run_id, heard_at in interrupted]
    return [whole, *(("models", "note", note) for note in notes), *runs_to_resume]


def _interrupted(run_id: str, heard_at: datetime | None) -> str:
    last = f", last active on {heard_at:%Y-%m-%d at %H:%M} UTC" if heard_at else ""
    return f"{run_id} was interrupted{last}: repeat its `newwiki evaluate` to resume"
