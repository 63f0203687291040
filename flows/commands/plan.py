"""`newwiki plan`: what a workload will cost in hours, machines, money and disk, and where each rate comes from."""

import click

from flows.options import common, form_option
from flows.request_options import asks
from newwiki.errors import TerminalError
from newwiki.request import PlanRequest
from newwiki.settings import Settings


@click.command()
@asks(PlanRequest)
@common
@form_option
def plan(settings: Settings, quiet: bool, form: str, request: PlanRequest) -> None:
    """Say what an evaluation will cost: hours, machines for a deadline, money, disk.

    Rates are fitted to the runs in the database where there are some; two of different size tell what a run costs
    whatever its size. A machine is one like theirs.
    """
    from flows.planning.costs import MOST_MACHINES, machines_for
    from flows.planning.costs import plan as simulate
    from flows.planning.rates import rates
    from flows.progress import reporter
    from flows.tables import show
    from storage.database import Database

    given = {
        "tokens_per_completion": request.tokens,
        "tokens_per_second": request.tokens_per_second,
        "score_seconds": request.score_seconds,
        "load_seconds": request.load_seconds,
    }
    known = rates(Database(settings.db)).changed(**{name: one for name, one in given.items() if one is not None})
    found, deadline = simulate(request, known, request.machines or 1), request.deadline
    if deadline is not None and request.machines is None:
        in_time = machines_for(request, known, deadline * 3600)
        if in_time is None:
            raise TerminalError(
                f"not even {MOST_MACHINES} machines are done in {deadline:g} hours: one shard, or loading the models "
                "one after the other, takes longer; split the models over several databases, or raise --deadline"
            )
        found = in_time
    hours = found.seconds / 3600
    rows: list[tuple[str, float, str]] = [
        ("machines", found.machines, ""),
        ("hours until all is done", hours, "run after run, each written and then scored"),
        *((f"machine-hours of {stage}", seconds / 3600, "") for stage, seconds in found.work.items()),
        ("requests to the wiki", found.requests, known.requests.source),
        ("hours of requests", found.refresh_seconds / 3600, known.request_seconds.source),
        ("gigabytes stored", found.bytes / 1e9, known.score_bytes.source),
        *(
            [("money", hours * found.machines * request.price_per_hour, "all machines, all that time")]
            if request.price_per_hour
            else []
        ),
        ("tokens a completion", known.tokens_per_completion.value, known.tokens_per_completion.source),
        ("tokens a second of a machine", known.tokens_per_second.value, known.tokens_per_second.source),
        ("seconds of any run's writing", known.write_run_seconds.value, known.write_run_seconds.source),
        ("seconds to score a text", known.score_seconds.value, known.score_seconds.source),
        ("seconds of any run's scoring", known.score_run_seconds.value, known.score_run_seconds.source),
        ("seconds to load a model", known.load_seconds.value, known.load_seconds.source),
    ]
    show(("what", "amount", "where_from"), rows, form)
    if deadline is not None and hours > deadline:
        reporter(quiet).note(f"{found.machines} machines are not done in {deadline:g} hours")
