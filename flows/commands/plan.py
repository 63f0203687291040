"""`newwiki plan`: the cost of a workload in hours, machines, money and disk space."""

from flows.jobs.job import Answer, Here, job, rows_answer
from newwiki.request import PlanRequest


@job(
    PlanRequest,
    group="keep",
    summary="Estimate the cost of an evaluation.",
    examples=("newwiki plan --prompts 2000 --models 50 --deadline 72",),
    result="Returns a table of `what`, its `amount`, and `where_from` its rate comes.",
)
def plan(request: PlanRequest, here: Here) -> Answer:
    """Estimate the cost of an evaluation: hours, machines for a deadline, money and disk space.

    Rates are fitted to the runs in the database if there are any. Two runs of different size show the fixed cost of a
    run. The estimate assumes machines like those that made the runs.
    """
    from flows.planning.plan_rows import COLUMNS, plan_rows

    rows, notes = plan_rows(here.database, request)
    return rows_answer(here, COLUMNS, rows, notes)
