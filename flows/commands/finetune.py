"""`newwiki finetune`: a model learns to write the articles of snapshots that it will not be evaluated on."""

from pathlib import Path

import click

from flows.listing import listed
from flows.options import Output, common, open_database, template_option
from flows.printing import say
from flows.progress import reporter
from flows.request_options import asks
from newwiki.request import FinetuneRequest
from newwiki.settings import Settings


@listed(
    "make",
    "Fine-tune a model on articles that it is not tested by.",
    example="newwiki finetune gpt2 --out tuned --snapshot enwiki-2026-08",
)
@click.command()
@asks(FinetuneRequest)
@click.option("--out", required=True, type=Output(path_type=Path, file_okay=False), help="The folder to write.")
@template_option
@common
def finetune(settings: Settings, quiet: bool, out: Path, request: FinetuneRequest) -> None:
    """Fit a causal language model or an encoder-decoder to the articles of snapshots.

    MODEL is a folder that save_pretrained wrote, or an id on the Hugging Face hub. Killed and run again, it goes on.
    """
    from flows.training.finetuning import finetune as train

    done = train(open_database(settings), request, settings, out, reporter(quiet))
    losses = [one.validation if request.validation else one.training for one in done.curve]
    known = [loss for loss in losses if loss is not None]
    if known:
        whose = "articles held out" if request.validation else "the articles"
        said = f"loss on {whose}: {known[0]:.3f} at first, {known[-1]:.3f} after {done.curve[-1].step} steps"
        say(said)
    say(f"newwiki evaluate {out} --backend {request.backend} --decoder …")
