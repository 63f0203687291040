"""What a snapshot's pages show, read from the database at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.report.material import Material
from flows.site.article_kinds import Kinds, kinds
from flows.site.board_tables import BoardTable, tables
from flows.site.contents import Contents
from flows.site.created_after import LaterArticles, later_articles
from newwiki.snapshot import Snapshot
from storage.database import Database


@dataclass(frozen=True)
class SnapshotParts:
    """`texts` are by run the lowest, the middle and the highest by its own
    table's metric, of runs that are asked for."""

    snapshot: Snapshot
    material: Material
    tables: Sequence[BoardTable]
    later: Sequence[LaterArticles]
    funnel: Sequence[tuple[Any, ...]]
    topics: Sequence[tuple[Any, ...]]
    kinds: Sequence[Kinds]
    texts: Mapping[str, Sequence[Mapping[str, Any]]]


def parts_of(database: Database, contents: Contents, snapshot: Snapshot, with_texts: Sequence[str]) -> SnapshotParts:
    material = contents.boards[snapshot.snapshot_id]
    names = {run.run_id: contents.model_of(run.run_id).name for run in contents.on(snapshot.snapshot_id)}
    found = tables(database, material, contents.settings)
    return SnapshotParts(
        snapshot,
        material,
        found,
        later_articles(database, material, names),
        database.rows("funnel", snapshot.snapshot_id),
        database.rows("topic_counts", snapshot.snapshot_id),
        kinds(database, material, found),
        _texts(database, snapshot.snapshot_id, found, with_texts),
    )


def _texts(
    database: Database, snapshot_id: str, found: Sequence[BoardTable], with_texts: Sequence[str]
) -> dict[str, list[Mapping[str, Any]]]:
    """Each run's by the metric of its own table."""
    texts: dict[str, list[Mapping[str, Any]]] = {}
    for table in found:
        asked = [one["run_id"] for one in table.group.records if one["run_id"] in with_texts]
        new = [run_id for run_id in asked if run_id not in texts]
        if table.by and new:
            column = table.by
            rows = database.records(
                dict[str, Any], "report_examples", new, column.metric, column.evaluator_id, snapshot_id, [], []
            )
            for row in rows:
                told = {"metric": column.metric, "rank": _rank(row["place"], row["scored"])}
                texts.setdefault(row["run_id"], []).append(row | told)
    return texts


def _rank(place: int, scored: int) -> str:
    if scored == 1:
        return "only"
    return "lowest" if place == 1 else "highest" if place == scored else "median"
