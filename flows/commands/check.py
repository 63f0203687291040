"""`newwiki check`: verifies a bundle."""

from pathlib import Path

from flows.jobs.job import Answer, Here, job, rows_answer
from newwiki.bundle_requests import CheckRequest
from newwiki.fields import field
from newwiki.settings import SCORERS


@job(
    CheckRequest,
    group="share",
    summary="Verify a signed bundle of runs.",
    examples=("newwiki check gpt2.newwiki --spot 20 --model gpt2",),
    settings=SCORERS,
    result="Returns a row for each check. Raises TerminalError for the first fault.",
)
def check(
    request: CheckRequest,
    here: Here,
    *,
    receipt: Path | None = field(
        None,
        "Receipt to write: the confirmed facts, signed by --sign, for `newwiki site`.",
        metavar="FILE",
        writes="file",
    ),
) -> Answer:
    """Verify a bundle of `newwiki submit`: check its signature and hashes, and recompute its scores.

    With --spot, completions of every run are drawn at random and replayed with your copy of the checkpoint: their
    tokens must be those that the decoder chooses. The check ends at the first fault and prints what failed and where.
    """
    from flows.bundles.check import check_with_receipt
    from flows.bundles.checked import COLUMNS

    checked = check_with_receipt(request, here.settings, here.progress, receipt)
    return rows_answer(here, COLUMNS, [line.row for line in checked.lines], checked.sentences)
