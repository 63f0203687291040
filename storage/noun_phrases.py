"""Store the noun phrases that each phrase finder has found in responses."""

from collections.abc import Mapping

import pyarrow as pa

from storage.database import Database, insert_new

_SCHEMA = pa.schema(  # explicit, because a batch without phrases has no inferable type
    {"run_id": pa.string(), "evaluator_id": pa.string(), "page_id": pa.int64(), "sample": pa.int64(),
     "phrases": pa.list_(pa.string())}
)  # fmt: skip

Phrases = Mapping[tuple[int, int], tuple[str, ...]]  # by page id and sample, each phrase once


def stored(database: Database, run_id: str, evaluator_id: str) -> dict[tuple[int, int], tuple[str, ...]]:
    """Return the phrases of those responses of the run that the finder has read, by (page id, sample)."""
    rows = database.rows("response_phrases", run_id, evaluator_id)
    return {(page_id, sample): tuple(phrases) for page_id, sample, phrases in rows}


def keep(database: Database, run_id: str, evaluator_id: str, phrases_by_text: Phrases) -> None:
    """Store the phrases of responses. Phrases that are stored already stay."""
    scoring = {"run_id": run_id, "evaluator_id": evaluator_id}
    rows = [
        {**scoring, "page_id": page_id, "sample": sample, "phrases": list(phrases)}
        for (page_id, sample), phrases in phrases_by_text.items()
    ]
    with database.write() as connection:
        insert_new(connection, "response_phrases", pa.Table.from_pylist(rows, _SCHEMA), **scoring)
