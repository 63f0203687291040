"""`newwiki plan`: what a workload will cost in hours, machines, money and disk, and where each rate comes from."""

from typing import Any

import click

from flows.options import common, form_option
from newwiki.errors import TerminalError
from newwiki.settings import Settings

_POSITIVE = click.FloatRange(min=0, min_open=True)
_COUNT = click.IntRange(min=1)


@click.command()
@click.option("--prompts", type=_COUNT, default=2000, show_default=True)
@click.option("--samples", type=_COUNT, default=20, show_default=True, help="Completions a prompt.")
@click.option("--keep", type=_COUNT, default=10, show_default=True, help="The longest so many of them are scored.")
@click.option("--models", type=_COUNT, default=1, show_default=True)
@click.option("--decoders", type=_COUNT, default=1, show_default=True, help="Each model under each of so many.")
@click.option("--metrics", type=_COUNT, default=9, show_default=True, help="Numbers that each text gets.")
@click.option("--machines", type=_COUNT, help="How many machines there are (1, or what the deadline takes).")
@click.option("--deadline", type=_POSITIVE, metavar="HOURS", help="How many machines are done by then?")
@click.option("--price-per-hour", type=_POSITIVE, metavar="MONEY", help="Of one machine.")
@click.option("--tokens", type=_POSITIVE, help="Tokens a completion, in the place of what was measured.")
@click.option("--tokens-per-second", type=_POSITIVE, help="Of one machine, in the place of what was measured.")
@click.option("--score-seconds", type=_POSITIVE, help="A text, of one machine, in the place of what was measured.")
@click.option("--load-seconds", type=_POSITIVE, help="Until a model is loaded, in the place of a guess.")
@common
@form_option
def plan(
    settings: Settings,
    quiet: bool,
    form: str,
    machines: int | None,
    deadline: float | None,
    price_per_hour: float | None,
    tokens: float | None,
    tokens_per_second: float | None,
    score_seconds: float | None,
    load_seconds: float | None,
    **asked: Any,
) -> None:
    """Say what an evaluation will cost: hours, machines for a deadline, money, disk.

    Rates are fitted to the runs in the database where there are some; two of different size tell what a run costs
    whatever its size. A machine is one like theirs.
    """
    from flows.planning.costs import MOST_MACHINES, Workload, machines_for
    from flows.planning.costs import plan as simulate
    from flows.planning.rates import rates
    from flows.progress import reporter
    from flows.tables import show
    from storage.database import Database

    workload = Workload(**asked)
    given = {
        "tokens_per_completion": tokens,
        "tokens_per_second": tokens_per_second,
        "score_seconds": score_seconds,
        "load_seconds": load_seconds,
    }
    known = rates(Database(settings.db)).changed(**{name: one for name, one in given.items() if one is not None})
    found = simulate(workload, known, machines or 1)
    if deadline is not None and machines is None:
        in_time = machines_for(workload, known, deadline * 3600)
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
            [("money", hours * found.machines * price_per_hour, "all machines, all that time")]
            if price_per_hour
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
