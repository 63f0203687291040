"""`newwiki schedule`: publishes and evaluates every month that is due, unattended."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flows.jobs.field_options import field_option
from flows.jobs.running import PREFECT
from flows.listing import GroupedCommand, listed
from flows.options import common, form_option, open_database
from flows.presenting import tables
from flows.progress import reporter
from newwiki.fields import field_from
from newwiki.settings import Settings

if TYPE_CHECKING:
    from flows.schedule.notice import MonthEnding

_COLUMNS = ["wiki", "month", "snapshot", "complete", "report"]


@listed("keep", "Publish and evaluate every month that is due.", examples=("newwiki schedule --once",))
@click.command(cls=GroupedCommand)
@click.option("--once", is_flag=True, help="Run the months that are due now, then exit.")
@click.option(
    "--cron",
    default="0 6 * * *",
    show_default=True,
    help="Cron expression of the daily check for months that are due, in UTC.",
)
@click.option("--today", type=click.DateTime(["%Y-%m-%d"]), help="Day to assume as today, for a trial.")
@field_option(field_from(PREFECT, "prefect", bool))
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

    A month is due on the 15th of the next month. Complete months are not repeated, and interrupted months resume. After
    each month the months are linked ([linking]), and the site is written ([site]) and copied to other places
    ([publish]), where these tables are registered. The command checks every day until it is stopped; it starts its own
    Prefect server if none is configured (PREFECT_API_URL). With --once the exit status is 1 if a month failed.
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
            from flows.schedule.month import MonthSteps, run, update_site
            from flows.site.build import build

            work = MonthSteps(open_database(settings), reporter(quiet), write, build)
            endings = catch_up(
                work.database, registered, settings, start_of(day), lambda month: run(month, work),
                lambda: update_site(registered, settings, work),
            )  # fmt: skip
    except MonthsFailed as error:
        _show(error.endings, form)
        raise
    _show(endings, form)
    if not endings:
        site = "; the site is up to date" if registered.site else ""
        reporter(quiet).note(f"no month is due: every registered month is complete{site}")


def _show(endings: Sequence["MonthEnding"], form: str) -> None:
    """Print a row for each month that was processed."""
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
