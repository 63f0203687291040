"""`newwiki doctor`: what is fit here and what is not."""

import click

from flows import tables
from flows.options import common, form_option, scoring_options
from newwiki.settings import Settings


@click.command()
@scoring_options
@common
@form_option
def doctor(settings: Settings, quiet: bool, form: str) -> int:
    """Say what is fit here and what is not, each with its remedy."""
    from flows.health_checks import examine

    rows = examine(settings)
    tables.show(["what", "state", "in words"], rows, form)
    return 1 if any(state == "problem" for _, state, _ in rows) else 0
