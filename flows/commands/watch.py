"""`newwiki watch`: evaluates each checkpoint of a training run as it appears."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from flows.commands.evaluate import evaluation_answer
from flows.jobs.field_options import field_option, field_options, setting_options
from flows.jobs.job import Here
from flows.jobs.running import PREFECT, RUNNER
from flows.listing import GroupedCommand, listed
from flows.options import common, form_option
from newwiki.fields import field_from
from newwiki.request import EvaluationRequest, WatchRequest
from newwiki.settings import SCORERS, Settings


@listed(
    "keep",
    "Evaluate each checkpoint of a training run as it appears.",
    examples=("newwiki watch checkpoints --decoder greedy",),
)
@click.command(cls=GroupedCommand)
@field_options(WatchRequest)
@field_options(EvaluationRequest, without=("models",))
@setting_options(("template", *SCORERS))
@field_option(field_from(PREFECT, "prefect", bool))
@field_option(field_from(RUNNER, "runner", str | None))
@common
@form_option
def watch(
    settings: Settings,
    quiet: bool,
    prefect: bool,
    runner: str | None,
    form: str,
    folder: Path,
    once: bool,
    poll: float,
    settle: float,
    **fields: Any,
) -> None:
    """Evaluate each checkpoint in DIR (checkpoint-500, step_1000, …) when it is complete, until Ctrl-C.

    Checkpoints that are evaluated already are not evaluated again.
    """
    from flows.training.checkpoints import Watch
    from newwiki.models.merging import bases_stay
    from storage.snapshots import resolve

    here = Here(settings, quiet)
    watched = WatchRequest(folder=folder, once=once, poll=poll, settle=settle)
    request = EvaluationRequest(models=(), **fields)
    # One snapshot for the whole curve, even if another one is published meanwhile
    request = replace(request, snapshot=resolve(here.database, request.snapshot).snapshot_id)

    def evaluate_checkpoint(checkpoint: Path, arguments: Mapping[str, str]) -> None:
        checkpoint_request = replace(request, models=(str(checkpoint),), model_args={**arguments})
        evaluation_answer(checkpoint_request, here, prefect=prefect, runner=runner).show(form)

    watching = Watch(watched.folder, evaluate_checkpoint, here.progress, watched.settle, request.model_args)
    with bases_stay():
        if watched.once:
            watching.once()
        else:
            watching.forever(watched.poll)
