"""`newwiki evaluate`: models write a snapshot's articles under decoders, and are scored."""

import click

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
from newwiki.request import EvaluationRequest, LeaderboardRequest
from newwiki.settings import Settings


@listed(
    "make",
    "Let models write a snapshot's articles, and score them.",
    example=(
        "newwiki evaluate gpt2 --decoder greedy --decoder sample:top_p=0.9",
        "newwiki evaluate gpt2 --decoder 'sample:top_p=[0.5,0.9]' --prompts 100",
    ),
)
@click.command()
@asks(EvaluationRequest)
@template_option
@scoring_options
@prefect_option
@runner_option
@common
@form_option
def evaluate(
    settings: Settings, quiet: bool, prefect: bool, runner: str | None, form: str, request: EvaluationRequest
) -> None:
    """Let models write a snapshot's articles under decoders, and score what they wrote.

    MODEL is a folder that save_pretrained wrote, or an id on the Hugging Face hub.
    """
    evaluate_and_show(request, settings, form, runner=runner, prefect=prefect, quiet=quiet)


def evaluate_and_show(
    request: EvaluationRequest, settings: Settings, form: str, *, runner: str | None, prefect: bool, quiet: bool
) -> None:
    """The evaluation, and the leaderboard of its snapshot on stdout."""
    from flows.api.making import run_evaluation
    from flows.comparing import show_board

    scorers = run_evaluation(request, settings, runner=runner, prefect=prefect, quiet=quiet)
    board = LeaderboardRequest(snapshot=request.snapshot)
    for note in show_board.show(open_database(settings), board, form, prefer=scorers):
        reporter(quiet).note(note)
