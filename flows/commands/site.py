"""`newwiki site`: a leaderboard as static pages, which anyone can host."""

from pathlib import Path

from flows.jobs.job import Answer, Here, job
from flows.printing import say
from newwiki.fields import field
from newwiki.settings import SCORERS
from newwiki.site_request import SiteRequest


@job(
    SiteRequest,
    group="share",
    summary="Write a leaderboard as static web pages.",
    examples=("newwiki site --out board", "newwiki site bundles --key trusted --out board"),
    settings=SCORERS,
    returns="path",
    result="Returns the path of the first page.",
)
def site(
    request: SiteRequest,
    here: Here,
    *,
    out: Path = field(help="Folder of the site; an existing site in it is replaced.", metavar="DIR", writes="folder"),
) -> Answer:
    """Write static pages of all snapshots, models and months, with every table as a file. They need no server.

    SOURCE is a database, a folder written by `newwiki sync push`, or bundles written by `newwiki bundle submit`.
    Several sources are merged; sources that contradict each other are refused.
    """
    from flows.site.build import build

    built = build(request, here.settings, here.progress, out)
    page = built.folder / "index.html"
    size = f"{built.pages} pages, {built.tables} tables, {built.size / 1e6:.1f} MB"
    return Answer(lambda: page, lambda form: say(f"{page} ({size})"))
