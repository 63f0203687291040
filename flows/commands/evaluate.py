"""`newwiki evaluate`: models write a snapshot's articles under decoders, and are scored."""

from typing import Any

import click

from flows.options import common, form_option, metrics_options, open_database, prefect_option, scoring_options
from flows.progress import reporter
from newwiki.errors import UsageError
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
@common
@form_option
def evaluate(
    settings: Settings,
    quiet: bool,
    prefect: bool,
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
    from evaluators.scoring import select
    from flows import leaderboard
    from flows.steps.evaluate import EvaluationRequest
    from newwiki.decoding.grammar import parse
    from storage.snapshots import resolve

    chosen = [decoder for specification in decoders for decoder in parse(specification)]
    select(metrics)  # misuse is told before any work
    rows = _batch_size(batch_size)
    request = EvaluationRequest(snapshot, batch_size=rows, template=settings.template, **rest)
    flags = {"chat": chat, "allow_pickle": allow_pickle, "trust_remote_code": trust_remote_code}
    arguments = {"dtype": dtype, **{name: "yes" for name, is_set in flags.items() if is_set}}
    arguments |= _model_arguments(model_args)
    database = open_database(settings)
    resolve(database, snapshot)
    if prefect:
        from flows.evaluate import evaluate as flow

        scorers = flow(
            settings.db,
            models,
            decoders,
            request=request,
            settings=settings,
            metrics=metrics,
            budget=budget,
            backend=backend,
            model_arguments=arguments,
        )
    else:
        from flows.steps.evaluate import find_models, generate, load_model, plan
        from flows.steps.score import Jury, choose, score_run

        progress = reporter(quiet)
        find_models(backend, models, arguments)
        jury = Jury(choose(metrics, settings, progress), settings, budget)
        for name in models:
            loaded = load_model(backend, name, arguments)
            for decoder in chosen:
                planned = plan(database, loaded, decoder, request)
                generate(database, planned, loaded, decoder, progress)
                score_run(database, planned.run, planned.articles, jury, progress)
        scorers = jury.ids(jury.evaluators)
    for note in leaderboard.show(database, snapshot, form, prefer=scorers):
        reporter(quiet).note(note)


def _batch_size(text: str) -> int | None:
    if text != "auto" and not text.isdigit():
        raise UsageError(f"--batch-size is a number or auto, not '{text}'")
    return None if text == "auto" else int(text)


def _model_arguments(text: str) -> dict[str, str]:
    parts = [part.partition("=") for part in text.split(",") if part]
    if any(not equals or not key for key, equals, _ in parts):
        raise UsageError(f"--model-args are written key=value,key=value, not '{text}'")
    return {key.strip(): value.strip() for key, _, value in parts}
