"""`newwiki schedule`: every month that is due, published and evaluated without a person."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flows import tables
from flows.listing import listed
from flows.options import common, form_option, open_database, prefect_option
from flows.progress import reporter
from newwiki.settings import Settings

if TYPE_CHECKING:
    from flows.schedule.notice import MonthEnding

_COLUMNS = ["wiki", "month", "snapshot", "complete", "report"]


@listed("keep", "Publish and evaluate every month that is due.", example="newwiki schedule --once")
@click.command()
@click.option("--once", is_flag=True, help="Do what is due now, and end.")
@click.option("--cron", default="0 6 * * *", show_default=True, help="When to look for what is due, in UTC.")
@click.option("--today", type=click.DateTime(["%Y-%m-%d"]), help="As if it were this day, for a trial.")
@prefect_option
@common
@form_option
@click.pass_context
def schedule(
    context: click.Context,
    settings: Settings,
    quiet: bool,
    prefect: bool,
    form: str,
    once: bool,
    cron: str,
    today: datetime | None,
) -> None:
    """Publish and evaluate every month that is due, as the tables of newwiki.toml register it.

    A month is due on the 15th of the next one. What is complete is not done again, what was interrupted goes on. It
    looks every day until it is stopped, by a Prefect server of its own where none is configured (PREFECT_API_URL). With
    --once it ends with 1 where something has failed.
    """
    from flows.schedule.catch_up import MonthsFailed, catch_up, check, start_of
    from newwiki.registrations import load_registrations

    config = context.params["config"] or Path("newwiki.toml")
    registered = load_registrations(config)
    check(registered, settings)
    day = today and today.date()
    if not once:
        from flows.schedule.serve import serve

        serve(config, settings.db, context.params["plugin"], cron, day)
        return
    try:
        if prefect:
            from flows.schedule.flow import monthly

            endings = monthly(str(config), settings.db, today=day)
        else:
            from flows.report.page import write
            from flows.schedule.month import MonthSteps, run

            work = MonthSteps(open_database(settings), reporter(quiet), write)
            endings = catch_up(work.database, registered, settings, start_of(day), lambda month: run(month, work))
    except MonthsFailed as error:
        _show(error.endings, form)
        raise
    _show(endings, form)
    if not endings:
        reporter(quiet).note("nothing is due: every month that is registered is complete")


def _show(endings: Sequence["MonthEnding"], form: str) -> None:
    """A row for each month that was worked on."""
    rows = [
        (
            ending.month.wiki.name,
            ending.month.label,
            ending.snapshot and ending.snapshot.snapshot_id,
            ending.complete,
            ending.report and str(ending.report),
        )
        for ending in endings
    ]
    if rows or form != "table":
        tables.show(_COLUMNS, rows, form)
