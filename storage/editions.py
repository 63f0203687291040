"""Later editions of a snapshot, and what the runs on the first are worth beside them: stored batch by batch."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from newwiki.errors import UsageError
from newwiki.records import Score
from newwiki.snapshot import Origin, Page, Snapshot
from storage.database import Database, insert_new
from storage.queries import query

KIND = "revisit"  # of the snapshots that are editions

Key = tuple[int, int]  # page id and sample


@dataclass(frozen=True)
class CameTrueThing:
    """Something that a text said before its article did."""

    page_id: int
    sample: int
    evaluator_id: str
    kind: str
    text: str


@dataclass(frozen=True)
class CameTrueText:
    """How much of a kind came true of a text; None is what is not known, of which `status` says why."""

    page_id: int
    sample: int
    evaluator_id: str
    kind: str
    additions: int | None
    came_true: int | None
    chance: float | None
    status: str


def edition_id(first: Snapshot, cutoff: datetime) -> str:
    """`enwiki-2026-10@2027-01-15`, with a time where it is not the day's first moment."""
    at = cutoff.astimezone(UTC)
    is_day = at == at.replace(hour=0, minute=0, second=0, microsecond=0)
    return f"{first.snapshot_id}@{at:%Y-%m-%d}" if is_day else f"{first.snapshot_id}@{at:%Y-%m-%dT%H%M%SZ}"


def parameters_json(first: Snapshot) -> str:
    """Those of the first, and which one that was."""
    revisits = {"snapshot_id": first.snapshot_id, "content_sha256": first.content_sha256}
    return json.dumps({**json.loads(first.parameters), "kind": KIND, "revisits": revisits}, sort_keys=True)


def revisited(snapshot: Snapshot) -> dict[str, str] | None:
    """The id and the content hash of the snapshot that this one revisits; None where it revisits none."""
    found: dict[str, str] | None = json.loads(snapshot.parameters).get("revisits")
    return found


def require_first(snapshot: Snapshot) -> Snapshot:
    """Raises UsageError for an edition."""
    if of := revisited(snapshot):
        raise UsageError(f"{snapshot.snapshot_id} is a later edition itself; revisit {of['snapshot_id']}")
    return snapshot


def pages(database: Database, snapshot_id: str) -> dict[int, tuple[Page, Origin]]:
    """The articles of a snapshot as pages to look at again, by page id, with how each began."""
    found = database.rows("revisited_pages", snapshot_id)
    return {
        page_id: (Page(page_id, title, created_at, revisions=revisions), origin or "original")
        for page_id, title, created_at, revisions, origin in found
    }


def editions_of(database: Database, snapshot_id: str) -> list[str]:
    """The ids of its later editions, by their cutoffs."""
    return [name for (name,) in database.rows("editions_of", snapshot_id)]


def changed_pages(database: Database, edition: str) -> list[int]:
    """The articles that have another revision in the edition than in the first."""
    return [page_id for (page_id,) in database.rows("changed_pages", edition)]


def runs_on(database: Database, snapshot_id: str) -> list[str]:
    """The complete runs on a snapshot that have kept texts."""
    return [run_id for (run_id,) in database.rows("revisited_runs", snapshot_id)]


def copy_unchanged(database: Database, edition: str, run_id: str, evaluator_ids: Collection[str]) -> None:
    """Beside an article that has not changed a text has the numbers that it had."""
    with database.write() as connection:
        connection.execute(query("copy_unchanged_scores"), [edition, run_id, sorted(evaluator_ids)])


def scored_texts(database: Database, edition: str, run_id: str, evaluator_ids: Collection[str]) -> dict[str, set[Key]]:
    """By evaluator id, the (page id, sample) pairs that it has judged beside the edition."""
    found: dict[str, set[Key]] = {name: set() for name in evaluator_ids}
    for name, page_id, sample in database.rows("edition_scored_texts", edition, run_id, sorted(evaluator_ids)):
        found[name].add((page_id, sample))
    return found


def add(
    database: Database,
    edition: str,
    run_id: str,
    scores: Sequence[Score],
    texts: Sequence[CameTrueText],
    things: Sequence[CameTrueThing],
) -> None:
    """Stores what was made of a batch of texts, all of it or nothing."""
    rows: dict[str, Sequence[Any]] = {"edition_scores": scores, "came_true_texts": texts, "came_true": things}
    with database.write() as connection:
        for table, some in rows.items():
            insert_new(connection, table, some, edition=edition, run_id=run_id)


def finish(database: Database, edition: str, run_id: str, evaluator_ids: Collection[str]) -> None:
    """Enters that these evaluators have judged the whole run; those that have done so before keep their time."""
    with database.write() as connection:
        connection.execute(query("finish_edition_scoring"), [edition, run_id, sorted(evaluator_ids)])
