"""`newwiki reproduce`: a paper's whole protocol, and each of its numbers beside ours."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flows import tables
from flows.listing import listed
from flows.options import Output, common, form_option, open_database, scoring_options, template_option
from flows.printing import say
from flows.progress import Progress, reporter
from flows.request_options import asks
from newwiki.reproduce_request import ReproduceRequest
from newwiki.settings import Settings

if TYPE_CHECKING:
    from flows.reproducing.reproduce import ReproducedPaper


@listed("compare", "Set a paper's numbers beside your own.", example="newwiki reproduce 003 --dry-run")
@click.command()
@asks(ReproduceRequest)
@click.option("--dry-run", is_flag=True, help="Only say what would run, for how long, and what cannot.")
@click.option(
    "--out", type=Output(path_type=Path, dir_okay=False), help="Write it as a page, too.", metavar="FILE.html"
)
@template_option
@scoring_options
@common
@form_option
def reproduce(
    settings: Settings, quiet: bool, form: str, request: ReproduceRequest, dry_run: bool, out: Path | None
) -> None:
    """Carry out a paper's protocol, and set each of its numbers beside ours.

    What cannot be had here is told first, and its numbers are not run; no model stands in for another unless
    --stand-in says so. What is stored is not made again. Without --scale it is as much as the paper did.
    """
    database, progress = open_database(settings), reporter(quiet)
    if dry_run:
        from flows.reproducing.records import PLAN, plan_rows
        from flows.reproducing.reproduce import plan

        rows, notes = plan_rows(plan(database, request, settings), database)
        tables.show(PLAN, rows, form)
        for note in notes:
            progress.note(note)
        return
    from flows.api.reproducing import run_reproduction

    done = run_reproduction(request, settings, quiet=quiet)
    _show(done, form, progress)
    if out:
        from flows.report.reproduction import write_reproduction

        say(write_reproduction(done, out, database.path), err=form in ("csv", "json"))


def _show(done: "Sequence[ReproducedPaper]", form: str, progress: Progress) -> None:
    from flows.reproducing.records import COLUMNS, HEADS, lines, not_run, record, summary

    if form in ("csv", "json"):
        tables.show(COLUMNS, [record(one) for of_paper in done for one in of_paper.matches], form)
        for sentence in (sentence for one in done for sentence in summary(one)):
            progress.note(sentence)
        return
    for one in done:
        paper = one.reproduction.paper
        if of_ours := lines(one.matches):
            tables.show(HEADS, of_ours, form, f"{paper.id}: {paper.title}")
        if left_out := not_run(one.matches):
            tables.show(("exhibit", "numbers", "not run"), left_out, form)
        for sentence in summary(one):
            say(sentence)
