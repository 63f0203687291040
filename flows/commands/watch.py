"""`newwiki watch`: evaluates each checkpoint of a training run as it appears."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import click

from flows.commands.evaluate import evaluate_and_show
from flows.listing import listed
from flows.options import (
    common,
    form_option,
    open_database,
    prefect_option,
    runner_option,
    scoring_options,
    template_option,
)
from flows.progress import reporter
from flows.request_options import asks
from newwiki.request import EvaluationRequest, WatchRequest
from newwiki.settings import Settings


@listed(
    "keep",
    "Evaluate each checkpoint of a training as it appears.",
    example="newwiki watch checkpoints --decoder greedy",
)
@click.command()
@asks(WatchRequest, name="watched")
@asks(EvaluationRequest, without=("models",))
@template_option
@scoring_options
@prefect_option
@runner_option
@common
@form_option
def watch(
    settings: Settings,
    quiet: bool,
    prefect: bool,
    runner: str | None,
    form: str,
    watched: WatchRequest,
    request: Callable[..., EvaluationRequest],
) -> None:
    """Evaluate each checkpoint in DIR (checkpoint-500, step_1000, …) when it is whole, until Ctrl-C.

    DIR is where a training run writes them. What was evaluated before is not done again.
    """
    from flows.training.checkpoints import Watch
    from newwiki.models.merging import bases_stay
    from storage.snapshots import resolve

    asked = request(models=())
    # One snapshot for the whole curve, though another may be published meanwhile.
    asked = replace(asked, snapshot=resolve(open_database(settings), asked.snapshot).snapshot_id)

    def evaluate_one(checkpoint: Path, arguments: Mapping[str, str]) -> None:
        of_one = replace(asked, models=(str(checkpoint),), model_args={**arguments})
        evaluate_and_show(of_one, settings, form, runner=runner, prefect=prefect, quiet=quiet)

    watching = Watch(watched.folder, evaluate_one, reporter(quiet), watched.settle, asked.model_args)
    with bases_stay():
        if watched.once:
            watching.once()
        else:
            watching.forever(watched.poll)
