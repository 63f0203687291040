"""Store the knowledge cutoffs of the models of runs: the last day that a model's training data can include."""

from collections.abc import Mapping
from datetime import date

from newwiki.knowledge_cutoff import ORIGINS, KnowledgeCutoff
from storage.database import Database


def enter(database: Database, run_id: str, cutoff: KnowledgeCutoff) -> str | None:
    """Store the knowledge cutoff of a run's model, unless the stored cutoff has precedence.

    A cutoff that a user gave stays until the user gives another cutoff. Returns a note if the cutoff changes or is
    rejected.
    """
    if not database.is_there or not database.rows("run_cutoff", run_id):
        return None
    stored = of_run(database, run_id)
    if stored == cutoff:
        return None
    if stored and goes_before(stored, cutoff):
        message = f"run {run_id} keeps its knowledge cutoff {stored}, and not {cutoff}; --knowledge-cutoff changes it"
        return message if stored.day != cutoff.day else None
    with database.write() as connection:
        connection.execute(
            "update runs set knowledge_cutoff = ?, knowledge_cutoff_from = ? where run_id = ?",
            [cutoff.day, cutoff.origin, run_id],
        )
    return f"run {run_id} has the knowledge cutoff {cutoff}" + (f", no longer {stored}" if stored else "")


def enter_for_model(database: Database, model: str, cutoff: KnowledgeCutoff) -> list[str]:
    """Store the knowledge cutoff for every run of a model, and return the notes of `enter`."""
    run_ids = [run_id for (run_id,) in database.rows("runs_of_model", model)]
    return [note for run_id in run_ids if (note := enter(database, run_id, cutoff))]


def of_run(database: Database, run_id: str) -> KnowledgeCutoff | None:
    """Return the stored knowledge cutoff of a run's model; None if there is none."""
    [(day, origin)] = database.rows("run_cutoff", run_id)
    return KnowledgeCutoff(day, origin) if day else None


def goes_before(cutoff: KnowledgeCutoff | None, other: KnowledgeCutoff | None) -> bool:
    """Return whether `cutoff` takes precedence over `other`, judged by their origins."""
    return cutoff is not None and (other is None or ORIGINS.index(cutoff.origin) < ORIGINS.index(other.origin))


def facts(cutoff: KnowledgeCutoff | None) -> dict[str, object]:
    """Return the knowledge cutoff as the facts in the note of a run's row in a shared folder."""
    return {"knowledge_cutoff": cutoff.day.isoformat(), "knowledge_cutoff_from": cutoff.origin} if cutoff else {}


def of_facts(noted: Mapping[str, str]) -> KnowledgeCutoff | None:
    """Return the knowledge cutoff from a note's facts; None if they have none, as in notes of older versions."""
    origin = next(
        (known_origin for known_origin in ORIGINS if known_origin == noted.get("knowledge_cutoff_from")), None
    )
    return KnowledgeCutoff(date.fromisoformat(noted["knowledge_cutoff"]), origin) if origin else None
