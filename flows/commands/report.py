"""`newwiki report`: the results on a snapshot as one HTML file."""

from pathlib import Path

from flows.jobs.job import Answer, Here, job
from flows.printing import say
from newwiki.comparison_requests import ReportRequest
from newwiki.fields import field


@job(
    ReportRequest,
    group="look",
    summary="Write all results on a snapshot as one HTML file.",
    examples=("newwiki report --snapshot latest --out report.html",),
    returns="path",
    result="Returns the path of the file.",
)
def report(
    request: ReportRequest,
    here: Here,
    *,
    out: Path | None = field(None, "HTML file to write (default: report-SNAPSHOT.html).", writes="file"),
) -> Answer:
    """Write one HTML file with the leaderboard, the paper's tables and figures, every run, and the generated texts.

    The file needs no network and no server.
    """
    from flows.report.page import write

    path = write(here.database, here.progress, request, out)
    return Answer(lambda: path, lambda form: say(f"{path} ({path.stat().st_size / 1e6:.2f} MB)"))
