"""`newwiki evaluate`: models write a snapshot's articles under decoders, and are scored."""

from typing import Any

import click

from flows.options import (
    common,
    form_option,
    metrics_options,
    open_database,
    prefect_option,
    runner_option,
    scoring_options,
)
from flows.progress import reporter
from newwiki.settings import Settings


@click.command()
@click.argument("models", nargs=-1, required=True, metavar="MODEL...")
@click.option(
    "--decoder",
    "decoders",
    multiple=True,
    required=True,
    metavar="SPEC",
    help="Such as greedy, or sample:top_p=[0.5,0.9].",
)
@click.option("--backend", default="hf", show_default=True)
@click.option("--model-args", "--model_args", default="", metavar="K=V,…", help="Such as revision=main,device=cpu.")
@click.option("--snapshot", default="latest", show_default=True, metavar="ID")
@click.option("--prompts", "--limit", type=int, help="Only the longest so many articles (all).")
@click.option("--samples", type=int, default=20, show_default=True, help="Completions a prompt.")
@click.option("--keep", type=int, default=10, show_default=True, help="The longest so many of them are scored.")
@click.option("--max-new-tokens", "--max_new_tokens", type=int, default=512, show_default=True)
@click.option("--batch-size", "--batch_size", default="auto", show_default=True, metavar="N|auto")
@click.option("--dtype", default="auto", show_default=True, metavar="NAME", help="auto is float32.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--template", help="The prompt, with {title} and {first_sentence}.")
@click.option("--stop", multiple=True, metavar="TEXT", help="A completion ends before this text (may be repeated).")
@click.option("--strict", is_flag=True, help="Each completion alone, in the same shapes always; slower.")
@click.option("--chat", is_flag=True, help="The prompt is the user's turn of the model's chat template.")
@click.option("--allow-pickle", is_flag=True, help="Read weights that are pickles, which can run code.")
@click.option(
    "--trust-remote-code", "--trust_remote_code", is_flag=True, help="Run the code that a model brings along."
)
@metrics_options
@scoring_options
@prefect_option
@runner_option
@common
@form_option
def evaluate(
    settings: Settings,
    quiet: bool,
    prefect: bool,
    runner: str | None,
    form: str,
    models: tuple[str, ...],
    decoders: tuple[str, ...],
    backend: str,
    model_args: str,
    snapshot: str,
    batch_size: str,
    dtype: str,
    metrics: str,
    budget: int,
    chat: bool,
    allow_pickle: bool,
    trust_remote_code: bool,
    **rest: Any,
) -> None:
    """Let models write a snapshot's articles under decoders, and score what they wrote.

    MODEL is a folder that save_pretrained wrote, or an id on the Hugging Face hub.
    """
    from flows.comparing import show_board
    from flows.evaluating.evaluate_all import evaluate_all, model_arguments, rows_at_once
    from flows.evaluating.generate import EvaluationRequest

    request = EvaluationRequest(snapshot, batch_size=rows_at_once(batch_size), template=settings.template, **rest)
    flags = {"chat": chat, "allow_pickle": allow_pickle, "trust_remote_code": trust_remote_code}
    arguments = model_arguments(model_args, dtype, **flags)
    database, progress = open_database(settings), reporter(quiet)
    scoring: dict[str, Any] = {"metrics": metrics, "budget": budget, "backend": backend}
    if prefect or runner:
        from flows.evaluating.flow import evaluate_in_flow

        scorers = evaluate_in_flow(
            database, models, decoders, request, settings, arguments=arguments, runner=runner, quiet=quiet, **scoring
        )
    else:
        scorers = evaluate_all(database, models, decoders, request, settings, progress, arguments=arguments, **scoring)
    for note in show_board.show(database, snapshot, form, prefer=scorers):
        progress.note(note)
