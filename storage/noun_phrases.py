"""The noun phrases of responses: found once by each finder, and kept."""

from collections.abc import Mapping

import pyarrow as pa

from storage.database import Database, insert_new

_SCHEMA = pa.schema(  # a batch may have no phrase at all, by which a type could be told
    {"run_id": pa.string(), "evaluator_id": pa.string(), "page_id": pa.int64(), "sample": pa.int64(),
     "phrases": pa.list_(pa.string())}
)  # fmt: skip

Phrases = Mapping[tuple[int, int], tuple[str, ...]]  # by page id and sample, each phrase once


def stored(database: Database, run_id: str, evaluator_id: str) -> dict[tuple[int, int], tuple[str, ...]]:
    """Of those responses of the run that the finder has read."""
    rows = database.rows("response_phrases", run_id, evaluator_id)
    return {(page_id, sample): tuple(phrases) for page_id, sample, phrases in rows}


def keep(database: Database, run_id: str, evaluator_id: str, found: Phrases) -> None:
    """Stores them, but for those that are there."""
    of_run = {"run_id": run_id, "evaluator_id": evaluator_id}
    rows = [
        {**of_run, "page_id": page_id, "sample": sample, "phrases": list(phrases)}
        for (page_id, sample), phrases in found.items()
    ]
    with database.write() as connection:
        insert_new(connection, "response_phrases", pa.Table.from_pylist(rows, _SCHEMA), **of_run)
