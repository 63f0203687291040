"""Runs as signed files that others can check."""

from pathlib import Path

import pyarrow as pa

from flows.api.arguments import asks
from flows.api.opening import PathLike, opened, rows_of, say
from flows.progress import reporter
from newwiki.bundle_requests import CheckRequest, SubmitRequest


@asks(SubmitRequest)
def submit(
    request: SubmitRequest, *, out: PathLike, db: PathLike | None = None, quiet: bool = False, **settings: str
) -> Path:
    """Writes complete runs with their snapshot, texts and scores into one signed file, and gives its path."""
    from flows.bundles.submit import submit as write

    return write(opened(db, settings)[1], request, Path(out), reporter(quiet).note).path


@asks(CheckRequest)
def check(
    request: CheckRequest,
    *,
    receipt: PathLike | None = None,
    db: PathLike | None = None,
    quiet: bool = False,
    **settings: str,
) -> pa.Table:
    """Checks a bundle: signature, hashes, scores computed again, and with `spot` completions of every run replayed.

    Gives a row for each thing that was checked; raises TerminalError for the first fault. With `receipt` and `sign` it
    writes a signed receipt of what was confirmed.
    """
    from flows.bundles.check import check_with_receipt as look
    from flows.bundles.checked import COLUMNS

    path = None if receipt is None else Path(receipt)
    found = look(request, opened(db, settings)[0], reporter(quiet), path)
    say(found.sentences, quiet)
    return rows_of([dict(zip(COLUMNS, one.row, strict=True)) for one in found.lines], COLUMNS)
