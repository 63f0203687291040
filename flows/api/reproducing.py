"""A paper's numbers beside ours."""

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from flows.api.arguments import asks
from flows.api.opening import PathLike, opened, rows_of, say
from flows.progress import reporter
from newwiki.reproduce_request import ReproduceRequest
from newwiki.settings import Settings
from storage.database import Database
from storage.outputs import safe

if TYPE_CHECKING:
    from flows.reproducing.reproduce import ReproducedPaper


@asks(ReproduceRequest, by_place=("paper",))
def reproduce(
    request: ReproduceRequest,
    *,
    out: PathLike | None = None,
    db: PathLike | None = None,
    quiet: bool = False,
    **settings: str,
) -> pa.Table:
    """Carries out a paper's protocol, and gives its numbers with ours beside them, a row a number, in the paper's unit:
    `standing` says whether our interval holds it, `whose` which model ours is of. With `out` it is a page, too.

    What is stored is not made again. What cannot be had is `not run`, with the reason as `why`.
    """
    from flows.reproducing.records import COLUMNS, record, summary

    force, database = opened(db, settings)
    page = safe(Path(out), database.path) if out else None
    done = run_reproduction(request, force, quiet=quiet)
    for one in done:
        say(summary(one), quiet)
    if page:
        from flows.report.reproduction import write_reproduction

        write_reproduction(done, page, database.path)
    records = [dict(zip(COLUMNS, record(one), strict=True)) for of_paper in done for one in of_paper.matches]
    return rows_of(records, COLUMNS)


def run_reproduction(request: ReproduceRequest, settings: Settings, *, quiet: bool = False) -> "list[ReproducedPaper]":
    """Each part of the paper, carried out. What will be, and what cannot, is told first."""
    from flows.reproducing.records import plan_words
    from flows.reproducing.reproduce import carry_out, plan

    database, progress = Database(settings.db), reporter(quiet)
    planned = plan(database, request, settings)
    for sentence in plan_words(planned, database):
        progress.note(sentence)
    return [carry_out(one, progress) for one in planned]
