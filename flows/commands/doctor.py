"""`newwiki doctor`: checks the installation, the database, or a checkpoint."""

from typing import Any

import click

from flows.jobs.field_options import field_options, setting_options
from flows.listing import GroupedCommand, listed
from flows.options import common, form_option
from flows.presenting import tables
from flows.progress import reporter
from newwiki.request import TrialRequest
from newwiki.settings import TRIED, Settings


@listed(
    "keep",
    "Check the installation, the database, or a checkpoint.",
    examples=("newwiki doctor", "newwiki doctor --model gpt2"),
)
@click.command(cls=GroupedCommand)
@field_options(TrialRequest)
@setting_options(TRIED)
@common
@form_option
def doctor(settings: Settings, quiet: bool, form: str, **fields: Any) -> int:
    """Check the installation and the database, and print a remedy for each problem.

    With --model, test a checkpoint instead: how it is loaded, whether it generates the same texts as generate() of
    transformers, beyond its context window too, and the same texts in every batch. The test generates some hundred
    tokens. The exit status is 1 if there is a problem.
    """
    from flows.health_checks import examine, examine_model

    request = TrialRequest(**fields)
    if request.model is None:
        rows = examine(settings)
    else:
        rows = examine_model(request.model, request.loading, reporter(quiet))
    tables.show(["what", "state", "in words"], rows, form)
    return 1 if any(state == "problem" for _, state, _ in rows) else 0
