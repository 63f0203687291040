"""What models made of reference articles, kept so that no article is read twice by the same model."""

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
    """By page id, the parts that these makers (part: `made_by`) have made of the article, and its `facts` where they
    are asked for, which were published with it."""
    found: dict[int, dict[str, Any]] = {page_id: {} for page_id in page_ids}
    wanted = [f"{part}:{made_by}" for part, made_by in makers.items()]
    for page_id, part, value in database.rows("reference_parts", snapshot_id, list(page_ids), wanted):
        found[page_id][part] = json.loads(value)
    if "facts" in makers:
        for page_id, facts in known_facts(database, snapshot_id, page_ids).items():
            found[page_id]["facts"] = facts
    return found


def add_parts(
    database: Database, snapshot_id: str, made: Iterable[tuple[int, str, Any]], makers: Mapping[str, str]
) -> None:
    """Stores (page id, part, value); a value is a number, texts, or an array of numbers. What another process has
    stored meanwhile stays."""
    rows = [
        {
            "snapshot_id": snapshot_id,
            "page_id": page_id,
            "part": part,
            "made_by": makers[part],
            "value": json.dumps(plain(value), ensure_ascii=False),
        }
        for page_id, part, value in made
    ]
    if rows:
        with database.write() as connection:
            insert_new(connection, "reference_parts", pa.Table.from_pylist(rows), snapshot_id=snapshot_id)


def plain(value: Any) -> Any:
    """As JSON has it: numbers that are not a number become null, which is read as such a number again."""
    if hasattr(value, "tolist"):
        return [number if number == number else None for number in value.tolist()]
    return value
