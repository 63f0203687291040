"""Store the parts that models computed from reference articles, so that each model reads an article only once."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from storage.database import Database, insert_new
from storage.structures import known_facts

Parts = Mapping[str, Any]


def known_parts(
    database: Database, snapshot_id: str, page_ids: Sequence[int], makers: Mapping[str, str]
) -> dict[int, dict[str, Any]]:
    """Return the stored parts of each article, by page id, that were computed by these makers (part: `made_by`).

    If `makers` includes `facts`, the facts that were published with the snapshot are included.
    """
    parts_by_page: dict[int, dict[str, Any]] = {page_id: {} for page_id in page_ids}
    wanted = [f"{part}:{made_by}" for part, made_by in makers.items()]
    for page_id, part, value in database.rows("reference_parts", snapshot_id, list(page_ids), wanted):
        parts_by_page[page_id][part] = json.loads(value)
    if "facts" in makers:
        for page_id, facts in known_facts(database, snapshot_id, page_ids).items():
            parts_by_page[page_id]["facts"] = facts
    return parts_by_page


def add_parts(
    database: Database, snapshot_id: str, parts: Iterable[tuple[int, str, Any]], makers: Mapping[str, str]
) -> None:
    """Store (page id, part, value) triples; a value is a number, texts, or an array of numbers.

    Parts that another process has stored meanwhile stay.
    """
    rows = [
        {
            "snapshot_id": snapshot_id,
            "page_id": page_id,
            "part": part,
            "made_by": makers[part],
            "value": json.dumps(plain(value), ensure_ascii=False),
        }
        for page_id, part, value in parts
    ]
    if rows:
        with database.write() as connection:
            insert_new(connection, "reference_parts", pa.Table.from_pylist(rows), snapshot_id=snapshot_id)


def plain(value: Any) -> Any:
    """Convert a value to JSON types. NaN in an array becomes null, which is read as NaN again."""
    if hasattr(value, "tolist"):
        return [number if number == number else None for number in value.tolist()]
    return value
