"""Store the knowledge cutoffs of the models of runs: the last day that a model's training data can include."""

from collections.abc import Mapping
from datetime import date

from newwiki.knowledge_cutoff import ORIGINS, KnowledgeCutoff
from storage.database import Database


def enter(database: Database, run_id: str, said: KnowledgeCutoff) -> str | None:
    """Store the knowledge cutoff of a run's model, unless the stored cutoff has precedence.

    A cutoff that a user gave stays until the user gives another cutoff. Returns a note if the cutoff changes or is
    rejected.
    """
    if not database.is_there or not database.rows("run_cutoff", run_id):
        return None
    stored = of_run(database, run_id)
    if stored == said:
        return None
    if stored and goes_before(stored, said):
        kept = f"run {run_id} keeps its knowledge cutoff {stored}, and not {said}; --knowledge-cutoff changes it"
        return kept if stored.day != said.day else None
    with database.write() as connection:
        connection.execute(
            "update runs set knowledge_cutoff = ?, knowledge_cutoff_from = ? where run_id = ?",
            [said.day, said.origin, run_id],
        )
    return f"run {run_id} has the knowledge cutoff {said}" + (f", no longer {stored}" if stored else "")


def of_run(database: Database, run_id: str) -> KnowledgeCutoff | None:
    """Return the stored knowledge cutoff of a run's model; None if there is none."""
    [(day, origin)] = database.rows("run_cutoff", run_id)
    return KnowledgeCutoff(day, origin) if day else None


def goes_before(one: KnowledgeCutoff | None, other: KnowledgeCutoff | None) -> bool:
    """Return whether `one` takes precedence over `other`, judged by their origins."""
    return one is not None and (other is None or ORIGINS.index(one.origin) < ORIGINS.index(other.origin))


def facts(said: KnowledgeCutoff | None) -> dict[str, object]:
    """Return the knowledge cutoff as the facts in the note of a run's row in a shared folder."""
    return {"knowledge_cutoff": said.day.isoformat(), "knowledge_cutoff_from": said.origin} if said else {}


def of_facts(noted: Mapping[str, str]) -> KnowledgeCutoff | None:
    """Return the knowledge cutoff from a note's facts; None if they have none, as in notes of older versions."""
    origin = next((one for one in ORIGINS if one == noted.get("knowledge_cutoff_from")), None)
    return KnowledgeCutoff(date.fromisoformat(noted["knowledge_cutoff"]), origin) if origin else None
