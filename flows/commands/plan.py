"""`newwiki plan`: what a workload will cost in hours, machines, money and disk, and where each rate comes from."""

import click

from flows.listing import listed
from flows.options import common, form_option
from flows.request_options import asks
from newwiki.request import PlanRequest
from newwiki.settings import Settings


@listed("keep", "Say what an evaluation will cost.", example="newwiki plan --prompts 2000 --models 50 --deadline 72")
@click.command()
@asks(PlanRequest)
@common
@form_option
def plan(settings: Settings, quiet: bool, form: str, request: PlanRequest) -> None:
    """Say what an evaluation will cost: hours, machines for a deadline, money, disk.

    Rates are fitted to the runs in the database where there are some; two of different size tell what a run costs
    whatever its size. A machine is one like theirs.
    """
    from flows.planning.plan_rows import COLUMNS, plan_rows
    from flows.progress import reporter
    from flows.tables import show
    from storage.database import Database

    rows, notes = plan_rows(Database(settings.db), request)
    show(COLUMNS, rows, form)
    for note in notes:
        reporter(quiet).note(note)
