"""`newwiki finetune`: a model learns to write the articles of snapshots that it will not be evaluated on."""

from pathlib import Path
from typing import Any

import click

from flows.options import Output, common, open_database
from flows.progress import reporter
from newwiki.settings import Settings
from newwiki.visible import visible


@click.command()
@click.argument("model", metavar="MODEL[@REVISION]")
@click.option(
    "--snapshot", "snapshots", multiple=True, required=True, metavar="ID", help="To train on (may be repeated)."
)
@click.option("--out", required=True, type=Output(path_type=Path, file_okay=False), help="The folder to write.")
@click.option("--backend", type=click.Choice(["hf", "seq2seq"]), default="hf", show_default=True)
@click.option("--epochs", type=click.IntRange(1), default=10, show_default=True)
@click.option("--batch-size", "--batch_size", type=click.IntRange(1), default=8, show_default=True)
@click.option("--learning-rate", type=float, default=5e-5, show_default=True, help="At the start; it falls to 0.")
@click.option("--max-length", type=click.IntRange(2), default=1024, show_default=True, help="Tokens of an article.")
@click.option("--validation", type=float, default=0.1, show_default=True, help="The share of articles held out.")
@click.option("--dtype", type=click.Choice(["float32", "bfloat16"]), default="float32", show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--checkpoint-every", "every", type=click.IntRange(1), metavar="STEPS", help="(an epoch)")
@click.option("--keep-checkpoints", "keep", type=click.IntRange(0), default=0, show_default=True, help="In --out.")
@click.option("--template", help="The prompt, with {title} and {first_sentence}.")
@click.option(
    "--evaluate-on",
    "--evaluation-snapshot",
    multiple=True,
    metavar="ID",
    help="Whose articles are refused (the newest of each wiki; may be repeated).",
)
@common
def finetune(
    settings: Settings, quiet: bool, out: Path, evaluate_on: tuple[str, ...], keep: int, **request: Any
) -> None:
    """Fit a causal language model or an encoder-decoder to the articles of snapshots.

    MODEL is a folder that save_pretrained wrote, or an id on the Hugging Face hub. Killed and run again, it goes on.
    """
    from flows.training.finetuning import FinetuneRequest
    from flows.training.finetuning import finetune as train

    asked = FinetuneRequest(template=settings.template, **request)
    done = train(open_database(settings), asked, out, reporter(quiet), evaluate_on=evaluate_on, keep=keep)
    losses = [one.validation if asked.validation else one.training for one in done.curve]
    known = [loss for loss in losses if loss is not None]
    if known:
        whose = "articles held out" if asked.validation else "the articles"
        said = f"loss on {whose}: {known[0]:.3f} at first, {known[-1]:.3f} after {done.curve[-1].step} steps"
        click.echo(visible(said))
    click.echo(visible(f"newwiki evaluate {out} --backend {asked.backend} --decoder …"))
