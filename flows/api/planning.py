"""What a workload will cost."""

import pyarrow as pa

from flows.api.arguments import asks
from flows.api.opening import PathLike, opened, rows_of, say
from newwiki.request import PlanRequest


@asks(PlanRequest)
def plan(request: PlanRequest, *, db: PathLike | None = None, quiet: bool = False, **settings: str) -> pa.Table:
    """What an evaluation will cost: `what`, its `amount`, and `where_from` the rate behind it comes."""
    from flows.planning.plan_rows import COLUMNS, plan_rows

    rows, notes = plan_rows(opened(db, settings)[1], request)
    say(notes, quiet)
    return rows_of([dict(zip(COLUMNS, row, strict=True)) for row in rows], COLUMNS)
