"""Sentences that claims are checked against, as an index in a folder."""

from pathlib import Path

import pyarrow as pa

from flows.api.arguments import asks
from flows.api.opening import PathLike, opened, rows_of
from flows.progress import reporter
from newwiki.evidence_request import EvidenceRequest
from storage.outputs import safe


@asks(EvidenceRequest)
def build_evidence(
    request: EvidenceRequest, *, out: PathLike, db: PathLike | None = None, quiet: bool = False, **settings: str
) -> pa.Table:
    """Writes an index of sentences to the new folder `out`, and gives a row of what it holds: its hash, pages,
    sentences, words, bytes and sources."""
    from flows.evidence.building import build, row_of

    database = opened(db, settings)[1]
    row = row_of(build(database, request, safe(Path(out), database.path), reporter(quiet)))
    return rows_of([row], list(row))
