"""`newwiki reproduce`: the protocol of a paper, and each of its numbers next to ours."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flows.jobs.job import Answer, Here, job, rows_answer
from flows.presenting import tables
from flows.printing import say
from newwiki.fields import field
from newwiki.reproduce_request import ReproduceRequest
from newwiki.settings import SCORERS

if TYPE_CHECKING:
    from flows.reproducing.reproduce import ReproducedPaper


@job(
    ReproduceRequest,
    group="compare",
    summary="Reproduce a paper, and compare its numbers with yours.",
    examples=("newwiki reproduce 003 --dry-run",),
    settings=("template", *SCORERS),
    result="""\
Returns a row for each number of the paper, in the paper's unit. `standing` says whether our interval contains it,
`whose` names our model, and `why` is the reason where a number is `not run`.""",
)
def reproduce(
    request: ReproduceRequest,
    here: Here,
    *,
    dry_run: bool = field(False, "Only print what would run, for how long, and what is unavailable.", shell_only=True),
    out: Path | None = field(None, "HTML page to write the comparison to as well.", metavar="FILE.html", writes="file"),
) -> Answer:
    """Run the protocol of a paper, and compare each of its numbers with ours.

    Models and data that are unavailable are listed first, and their numbers are not run; no model replaces another
    unless --stand-in says so. Stored results are not computed again. Without --scale the run is as large as the
    paper's.
    """
    from flows.reproducing.records import COLUMNS, PLAN, plan_rows, plan_words, record, summary
    from flows.reproducing.reproduce import carry_out, plan

    database, progress = here.database, here.progress
    planned = plan(database, request, here.settings)
    if dry_run:
        return rows_answer(here, PLAN, *plan_rows(planned, database))
    here.note(plan_words(planned, database))
    papers = [carry_out(reproduction, progress) for reproduction in planned]
    records = [record(match) for paper in papers for match in paper.matches]
    notes = [sentence for paper in papers for sentence in summary(paper)]
    numbers = rows_answer(here, COLUMNS, records, notes)

    def write_page() -> None:
        if out:
            from flows.report.reproduction import write_reproduction

            write_reproduction(papers, out, database.path)

    def value() -> object:
        write_page()
        return numbers.value()

    def show(form: str) -> None:
        if form in tables.MACHINE_FORMATS:
            numbers.show(form)
        else:
            _show(papers, form)
        write_page()
        if out:
            say(out, err=form in tables.MACHINE_FORMATS)

    return Answer(value, show)


def _show(papers: "Sequence[ReproducedPaper]", form: str) -> None:
    from flows.reproducing.records import HEADS, lines, not_run, summary

    for reproduced in papers:
        paper = reproduced.reproduction.paper
        if compared := lines(reproduced.matches):
            tables.show(HEADS, compared, form, f"{paper.id}: {paper.title}")
        if left_out := not_run(reproduced.matches):
            tables.show(("exhibit", "numbers", "not run"), left_out, form)
        for sentence in summary(reproduced):
            say(sentence)
