"""`newwiki finetune`: a model learns to generate articles of snapshots that it will not be evaluated on."""

from pathlib import Path

from flows.jobs.job import Answer, Here, arrow_table, job
from flows.printing import say
from newwiki.fields import field
from newwiki.training_requests import FinetuneRequest


@job(
    FinetuneRequest,
    group="make",
    summary="Fine-tune a model on articles outside its evaluation.",
    examples=("newwiki finetune gpt2 --out tuned --snapshot enwiki-2026-08",),
    settings=("template",),
    formats=False,
    result="""\
Returns the loss curve: `step`, `training` and `validation` in nats per token. It has no rows where the training was
complete before.""",
)
def finetune(
    request: FinetuneRequest, here: Here, *, out: Path = field(help="Folder to write the model to.", writes="folder")
) -> Answer:
    """Fine-tune a causal language model or an encoder-decoder on the articles of snapshots.

    An interrupted training resumes when the same command runs again.
    """
    from flows.training.finetuning import finetune as train

    curve = train(here.database, request, here.settings, out, here.progress).curve

    def show(form: str) -> None:
        losses = [point.validation if request.validation else point.training for point in curve]
        known = [loss for loss in losses if loss is not None]
        if known:
            articles = "held-out articles" if request.validation else "the training articles"
            say(f"loss on {articles}: {known[0]:.3f} at first, {known[-1]:.3f} after {curve[-1].step} steps")
        say(f"newwiki evaluate {out} --backend {request.backend} --decoder …")

    rows = [(point.step, point.training, point.validation) for point in curve]
    return Answer(lambda: arrow_table(("step", "training", "validation"), rows), show)
