"""`newwiki doctor`: what is fit here and what is not."""

import click

from flows import tables
from flows.listing import listed
from flows.options import common, form_option, scoring_options
from flows.progress import reporter
from flows.request_options import asks
from newwiki.request import TrialRequest
from newwiki.settings import Settings


@listed("keep", "Say what is fit here and what is not.", example=("newwiki doctor", "newwiki doctor --model gpt2"))
@click.command()
@asks(TrialRequest)
@scoring_options
@common
@form_option
def doctor(settings: Settings, quiet: bool, form: str, request: TrialRequest) -> int:
    """Say what is fit here and what is not, each with its remedy.

    With --model a checkpoint is tried instead: which way it is read, whether it writes what transformers' generate()
    writes, past its windows too, and the same in every batch. It writes some hundred tokens.
    """
    from flows.health_checks import examine, examine_model

    if request.model is None:
        rows = examine(settings)
    else:
        rows = examine_model(request.model, request.loading, reporter(quiet))
    tables.show(["what", "state", "in words"], rows, form)
    return 1 if any(state == "problem" for _, state, _ in rows) else 0
