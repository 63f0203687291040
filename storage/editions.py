"""Store later editions of a snapshot, and the scores of the first snapshot's runs against them, batch by batch."""

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

KIND = "revisit"  # the kind of the snapshots that are editions

Key = tuple[int, int]  # page id and sample


@dataclass(frozen=True)
class CameTrueThing:
    """Something that a completion stated before the article did."""

    page_id: int
    sample: int
    evaluator_id: str
    kind: str
    text: str


@dataclass(frozen=True)
class CameTrueText:
    """How many later additions of one kind to an article a completion had stated.

    None means unknown, and `status` states the reason.
    """

    page_id: int
    sample: int
    evaluator_id: str
    kind: str
    additions: int | None
    came_true: int | None
    chance: float | None
    status: str


def edition_id(first: Snapshot, cutoff: datetime) -> str:
    """Return an id such as `enwiki-2026-10@2027-01-15`. It has a time of day unless the cutoff is midnight UTC."""
    at = cutoff.astimezone(UTC)
    is_day = at == at.replace(hour=0, minute=0, second=0, microsecond=0)
    return f"{first.snapshot_id}@{at:%Y-%m-%d}" if is_day else f"{first.snapshot_id}@{at:%Y-%m-%dT%H%M%SZ}"


def parameters_json(first: Snapshot) -> str:
    """Return the parameters of the first snapshot with a reference to it, as JSON."""
    revisits = {"snapshot_id": first.snapshot_id, "content_sha256": first.content_sha256}
    return json.dumps({**json.loads(first.parameters), "kind": KIND, "revisits": revisits}, sort_keys=True)


def revisited(snapshot: Snapshot) -> dict[str, str] | None:
    """Return the id and the content hash of the snapshot that an edition revisits; None if `snapshot` is no edition."""
    first: dict[str, str] | None = json.loads(snapshot.parameters).get("revisits")
    return first


def require_first(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot. Raises UsageError for an edition."""
    if first := revisited(snapshot):
        raise UsageError(f"{snapshot.snapshot_id} is a later edition itself; revisit {first['snapshot_id']}")
    return snapshot


def pages(database: Database, snapshot_id: str) -> dict[int, tuple[Page, Origin]]:
    """Return the articles of a snapshot as pages to read again, by page id, each with its origin."""
    rows = database.rows("revisited_pages", snapshot_id)
    return {
        page_id: (Page(page_id, title, created_at, revisions=revisions), origin or "original")
        for page_id, title, created_at, revisions, origin in rows
    }


def editions_of(database: Database, snapshot_id: str) -> list[str]:
    """Return the ids of the later editions of a snapshot, ordered by cutoff."""
    return [name for (name,) in database.rows("editions_of", snapshot_id)]


def changed_pages(database: Database, edition: str) -> list[int]:
    """Return the ids of the pages whose revision in the edition differs from the first snapshot's."""
    return [page_id for (page_id,) in database.rows("changed_pages", edition)]


def runs_on(database: Database, snapshot_id: str) -> list[str]:
    """Return the ids of the complete runs on a snapshot that have kept texts."""
    return [run_id for (run_id,) in database.rows("revisited_runs", snapshot_id)]


def copy_unchanged(database: Database, edition: str, run_id: str, evaluator_ids: Collection[str]) -> None:
    """Copy the scores of texts whose articles have not changed, because these scores stay the same."""
    with database.write() as connection:
        connection.execute(query("copy_unchanged_scores"), [edition, run_id, sorted(evaluator_ids)])


def scored_texts(database: Database, edition: str, run_id: str, evaluator_ids: Collection[str]) -> dict[str, set[Key]]:
    """Return the (page id, sample) pairs that each evaluator has scored against the edition, by evaluator id."""
    scored: dict[str, set[Key]] = {name: set() for name in evaluator_ids}
    for name, page_id, sample in database.rows("edition_scored_texts", edition, run_id, sorted(evaluator_ids)):
        scored[name].add((page_id, sample))
    return scored


def add(
    database: Database,
    edition: str,
    run_id: str,
    scores: Sequence[Score],
    texts: Sequence[CameTrueText],
    things: Sequence[CameTrueThing],
) -> None:
    """Store the results of a batch of texts in one transaction."""
    rows: dict[str, Sequence[Any]] = {"edition_scores": scores, "came_true_texts": texts, "came_true": things}
    with database.write() as connection:
        for table, table_rows in rows.items():
            insert_new(connection, table, table_rows, edition=edition, run_id=run_id)


def finish(database: Database, edition: str, run_id: str, evaluator_ids: Collection[str]) -> None:
    """Record that these evaluators have finished the run. An evaluator that was recorded before keeps its time."""
    with database.write() as connection:
        connection.execute(query("finish_edition_scoring"), [edition, run_id, sorted(evaluator_ids)])
