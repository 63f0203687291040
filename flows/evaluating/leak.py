"""Detect test articles in the training data of a model: refuse them before training, and warn about them afterwards."""

import json
from collections.abc import Iterable, Mapping, Sequence

from newwiki.errors import TerminalError
from newwiki.models.backend import Backend
from newwiki.records import Run
from newwiki.snapshot import Article
from newwiki.training.record import Trained, TrainingRecord, shared
from storage import snapshots
from storage.database import Database

_NAMED = 3  # maximum number of titles in a message


def evaluation_snapshots(database: Database, names: Sequence[str]) -> list[str]:
    """Return the ids of these snapshots. Without names, return the newest snapshot of new articles of each wiki."""
    if names:
        return [snapshots.resolve(database, name).snapshot_id for name in names]
    return [name for (name,) in database.rows("newest_of_each_wiki")]


def refuse_evaluated(database: Database, training: Iterable[Trained], evaluated: Sequence[str]) -> None:
    """Raise TerminalError if a training article is part of one of the `evaluated` snapshots."""
    trained = list(training)
    for name in evaluated:
        snapshot = snapshots.resolve(database, name)
        overlap = shared(trained, snapshot.wiki, snapshots.articles(database, name))
        if overlap:
            raise TerminalError(
                f"{len(overlap)} of the {snapshot.articles} articles of {name}, which models are evaluated on, are "
                f"among the {len(trained)} to train on ({_titles(overlap)}), and a model that has read them is not "
                "tested by them; train on others, such as a snapshot of old articles (`newwiki refresh --kind old "
                f"--before {snapshot.window_start:%Y-%m-%d}`), or say by --evaluate-on ID what "
                "this model will be evaluated on"
            )


def exposure(backend: Backend, wiki: str, articles: Sequence[Article]) -> Mapping[str, str]:
    """Return the entry of `runs.versions` that counts the articles in the model's training data.

    Returns an empty mapping for a model without a training record.
    """
    training: TrainingRecord | None = getattr(backend, "training", None)
    return {"trained_articles": str(len(shared(training.everything, wiki, articles)))} if training else {}


def leak(run: Run) -> str | None:
    """Return a warning if the model was trained on articles of its test set, and None otherwise."""
    versions = json.loads(run.versions)
    count = int(versions.get("trained_articles", 0))
    return _words(run.model, count, run.prompts, versions["training_snapshots"]) if count else None


def leaks(database: Database, snapshot_id: str | None) -> tuple[str, ...]:
    """Return the same warnings for all runs on a snapshot, or on all snapshots, with one line for each model."""
    return tuple(database.records(_words, "trained_runs", snapshot_id))


def _words(model: str, trained: int, prompts: int, origin: str) -> str:
    return (
        f"{model} was trained on {trained} of the {prompts} articles that it writes (from {origin}): its numbers say "
        "what it remembers"
    )


def _titles(articles: Sequence[Article]) -> str:
    named = ", ".join(f"'{article.title}'" for article in articles[:_NAMED])
    more = len(articles) - _NAMED
    return f"{named} and {more:,} more" if more > 0 else named
