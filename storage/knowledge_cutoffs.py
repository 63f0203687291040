"""What is said of the models of stored runs: the last day of what each can have seen."""

from newwiki.knowledge_cutoff import ORIGINS, KnowledgeCutoff
from storage.database import Database


def enter(database: Database, run_id: str, said: KnowledgeCutoff) -> str | None:
    """Enters what is said of the model of a stored run, unless what stands there goes before it: what was asked for
    stays until something else is asked for. Gives a note where something changes or is not believed."""
    rows = database.rows("run_cutoff", run_id) if database.path.exists() else []
    if not rows:
        return None
    [(day, origin)] = rows
    stored = KnowledgeCutoff(day, origin) if day else None
    if stored == said:
        return None
    if stored and ORIGINS.index(said.origin) > ORIGINS.index(stored.origin):
        kept = f"run {run_id} keeps its knowledge cutoff {stored}, and not {said}; --knowledge-cutoff changes it"
        return kept if stored.day != said.day else None
    with database.write() as connection:
        connection.execute(
            "update runs set knowledge_cutoff = ?, knowledge_cutoff_from = ? where run_id = ?",
            [said.day, said.origin, run_id],
        )
    return f"run {run_id} has the knowledge cutoff {said}" + (f", no longer {stored}" if stored else "")
