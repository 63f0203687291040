"""`newwiki doctor`: checks the installation, the database, a checkpoint, or a leaderboard."""

from datetime import datetime
from typing import Any

import click

from flows.jobs.field_options import field_options, setting_options
from flows.listing import GroupedCommand, listed
from flows.options import common, form_option
from flows.presenting import tables
from flows.progress import reporter
from newwiki.errors import UsageError
from newwiki.request import TrialRequest
from newwiki.settings import TRIED, Settings


@listed(
    "keep",
    "Check the installation, the database, a checkpoint or a board.",
    examples=("newwiki doctor", "newwiki doctor --model gpt2", "newwiki doctor --board"),
)
@click.command(cls=GroupedCommand)
@field_options(TrialRequest)
@setting_options(TRIED)
@click.option("--board", is_flag=True, help="Check the months and the site that newwiki.toml registers.")
@click.option("--today", type=click.DateTime(["%Y-%m-%d"]), help="Day to assume as today with --board, for a trial.")
@common
@form_option
@click.pass_context
def doctor(
    context: click.Context,
    /,
    settings: Settings,
    quiet: bool,
    form: str,
    board: bool,
    today: datetime | None,
    **fields: Any,
) -> int:
    """Check the installation and the database, and print a remedy for each problem.

    With --model, test a checkpoint instead: how it is loaded, whether it generates the same texts as generate() of
    transformers, beyond its context window too, and the same texts in every batch. The test generates some hundred
    tokens. With --board, check a leaderboard instead: how old the newest month of each wiki is, what it waits for, and
    whether the site is published. The exit status is 1 if there is a problem, such as a month that is late.
    """
    from flows.health_checks import examine, examine_model

    request = TrialRequest(**fields)
    if today and not board:
        raise UsageError("--today applies to --board only")
    if board and request.model is not None:
        raise UsageError("--board and --model are two checks: name one of them")
    if board:
        from flows.schedule.board_health import examine_board
        from flows.schedule.catch_up import start_of
        from newwiki.registrations import load_registrations

        rows = examine_board(load_registrations(context.params["config"]), settings, start_of(today and today.date()))
    elif request.model is None:
        rows = examine(settings)
    else:
        rows = examine_model(request.model, request.loading, reporter(quiet))
    tables.show(["what", "state", "in words"], rows, form)
    return 1 if any(state == "problem" for _, state, _ in rows) else 0
