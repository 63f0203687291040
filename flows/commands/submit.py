"""`newwiki submit`: runs as one signed file, which others can check and import."""

from pathlib import Path

from flows.jobs.job import Answer, Here, job
from newwiki.bundle_requests import SubmitRequest
from newwiki.fields import field


@job(
    SubmitRequest,
    group="share",
    summary="Write runs as one signed bundle.",
    examples=("newwiki submit gpt2/greedy --key newwiki-key --out gpt2.newwiki",),
    returns="path",
    result="Returns the path of the bundle.",
)
def submit(
    request: SubmitRequest,
    here: Here,
    *,
    out: Path = field(help="Bundle to write.", metavar="FILE.newwiki", writes="file"),
) -> Answer:
    """Write complete runs with their snapshot, texts and scores into one file, and sign it.

    RUN is named as for `newwiki compare`. `newwiki check` verifies a bundle.
    """
    from flows.bundles.submit import submit as write

    bundle = write(here.database, request, out, here.progress.note)
    runs = "1 run" if len(bundle.runs) == 1 else f"{len(bundle.runs)} runs"
    return Answer(lambda: bundle.path, lambda form: here.note([f"{out}: {runs}, signed by {bundle.signer}"]))
