"""What is fit here and what is not, each with its remedy."""

import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from packaging.version import Version

from evaluators.embedding import load_embedder
from evaluators.entities import load_tagger
from flows.comparing.notes import same_weights
from flows.progress import Progress
from newwiki.errors import NewWikiError
from newwiki.settings import Settings
from storage import commit_counter, newest, prompt_sets, runs, short_forms, snapshots, summaries
from storage.database import Database
from storage.keys import repeated

Row = tuple[str, str, str]


def examine(settings: Settings) -> list[Row]:
    """(what, `ok` or `problem` or `note`, in words) for everything that a refresh and an evaluation need."""
    return [
        ("Python", "ok", sys.version.split()[0]),
        *[_package(name) for name in ("torch", "transformers", "duckdb")],
        _below("prefect", "fastapi", "0.151", "its server breaks at import with newer ones"),
        _below("prefect", "sqlalchemy", "2.1", "its schedules fire nothing with newer ones"),
        _loads("named entities", lambda: load_tagger(settings.entities).model),
        _loads(
            "S-BERT", lambda: load_embedder(settings.embedder, settings.embedder_dtype, settings.embedder_backend).model
        ),
        _generation(),
        _contact(settings),
        *_database(Path(settings.db)),
    ]


def examine_model(name: str, loading: Mapping[str, str], progress: Progress) -> list[Row]:
    """(what, `ok` or `problem` or `note`, in words) of a checkpoint. Raises UsageError for what it is loaded with."""
    from newwiki.models.trial import try_checkpoint

    with progress.stretch("tried", "texts") as bar:
        return [*try_checkpoint(name, loading, bar.update)]


def _package(name: str) -> Row:
    try:
        return name, "ok", version(name)
    except PackageNotFoundError:
        return name, "problem", f"is not installed; run: pip install {name}"


def _below(owner: str, name: str, limit: str, why: str) -> Row:
    found = version(name)
    fit = Version(found) < Version(limit)
    return (
        f"{owner} with {name}",
        "ok" if fit else "problem",
        found if fit else f"{found}: {why}; pip install '{name}<{limit}'",
    )


def _loads(what: str, load: Callable[[], str]) -> Row:
    try:
        return what, "ok", load()
    except NewWikiError as error:
        return what, "problem", str(error)


def _generation() -> Row:
    """A small model with random weights is read in batches of several sizes."""
    from newwiki.models.engine.selftest import rounding_between_batches

    try:
        moved = rounding_between_batches()
    except (NewWikiError, RuntimeError) as error:
        return "generation", "problem", str(error)
    if moved == 0:
        return "generation", "ok", "a completion has the same bits in every batch"
    return (
        "generation",
        "note",
        f"a batch moves logits by up to {moved:.1g} of the largest here; in float32 greedy search and sampling write "
        "the same in every batch nevertheless, beam searches nearly always; with --strict all do",
    )


def _contact(settings: Settings) -> Row:
    if settings.contact:
        return "contact", "ok", settings.contact
    return "contact", "note", "not set: Wikimedia's wikis need it; set NEWWIKI_CONTACT to your e-mail address or page"


def _database(path: Path) -> list[Row]:
    database = Database(path)
    if not database.is_there:
        state = "is empty, as a full disk leaves a file" if path.exists() else "is not there yet"
        return [("database", "note", f"'{path}' {state}; newwiki refresh makes it")]
    try:
        with database.read() as connection:
            found = [*database.rows("integrity"), *repeated(connection)]
            told = [*short_forms.doubtful(connection), *newest.doubtful(connection), *summaries.stale(connection)]
            told += commit_counter.losses(connection, path)
        broken = [f"{count} {problem}" for problem, count in found if count]
        broken += told
        broken += [sentence for (sentence,) in [*database.rows("miscounted_texts"), *database.rows("doubtful_cutoffs")]]
        for one in database.records(dict[str, Any], "snapshot_list"):
            name = one["snapshot_id"]
            broken += [f"{name}: {problem}" for problem in snapshots.verify(database, name)]
        broken += prompt_sets.verify(database)
        stopped = runs.interrupted(database)
        told_of_weights = same_weights(database)
    except NewWikiError as error:
        return [("database", "problem", str(error))]
    whole = ("database", "problem" if broken else "ok", "; ".join(broken) or f"'{path}' is whole, its hashes agree")
    whole_rows = [whole, *(("models", "note", told) for told in told_of_weights)]
    return [*whole_rows, *(("run", "note", _told(run_id, heard_at)) for run_id, heard_at in stopped)]


def _told(run_id: str, heard_at: datetime | None) -> str:
    last = f", last heard of on {heard_at:%Y-%m-%d at %H:%M} UTC" if heard_at else ""
    return f"{run_id} was interrupted{last}; the `newwiki evaluate` that began it goes on with it"
