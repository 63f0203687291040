"""Fine-tune a model on snapshots: choose the articles, train the model, and store a record of the training data."""

import math
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.evaluating.leak import evaluation_snapshots, refuse_evaluated
from flows.progress import Progress
from flows.training import training_set
from flows.training.loss_curve import write_curve
from flows.training.output_folder import alone, is_done
from newwiki.errors import TerminalError
from newwiki.knowledge_cutoff import KnowledgeCutoff, known_cutoff
from newwiki.models.checkpoint import Checkpoint, Trust, find, split_revision
from newwiki.models.loading import load
from newwiki.settings import Settings
from newwiki.text.prompts import fill
from newwiki.training import record
from newwiki.training.record import TrainingRecord
from newwiki.training.steps import by_step
from newwiki.training_requests import FinetuneRequest
from storage.database import Database
from storage.outputs import safe

if TYPE_CHECKING:
    from newwiki.training.examples import Example
    from newwiki.training.fit import Loss


@dataclass(frozen=True)
class PlannedTraining:
    """The request, the initial checkpoint, the training set, and the known part of the training record."""

    request: FinetuneRequest
    base: Checkpoint
    chosen: training_set.TrainingSet
    record: TrainingRecord


@dataclass(frozen=True)
class Finetuned:
    """The result of a training: its record and the loss curve.

    The curve is empty if the training was already finished.
    """

    training_record: TrainingRecord
    curve: Sequence["Loss"]


def finetune(
    database: Database, request: FinetuneRequest, settings: Settings, folder: Path, progress: Progress
) -> Finetuned:
    """Fine-tune the model, and write it to `folder` with the newest checkpoints that the request keeps.

    The folder appears when the training is complete. Until then the data is in `FOLDER.unfinished`, where the same
    request resumes. Raises TerminalError if a training article is part of a test set or if the model cannot be trained.
    Raises UsageError if the folder holds a different training.
    """
    safe(folder, database.path)
    fill(settings.template, "", "")
    require_accelerate()
    chosen = training_set.choose(database, request.snapshot, progress)
    evaluated = evaluation_snapshots(database, request.evaluate_on)
    refuse_evaluated(database, chosen.trained, evaluated)
    return train(plan_training(request, settings, settings.template, chosen, evaluated), folder, progress)


def require_accelerate() -> None:
    """Raise TerminalError if the package accelerate is not installed."""
    if find_spec("accelerate") is None:
        raise TerminalError("training needs the package accelerate; pip install 'newwiki-eval[train]'")


def plan_training(
    request: FinetuneRequest,
    settings: Settings,
    template: str,
    chosen: training_set.TrainingSet,
    evaluated: Sequence[str],
) -> PlannedTraining:
    """Return the requested training without starting it.

    Raises TerminalError if the model is unavailable, or if no article is left to train on.
    """
    base = find(*split_revision(request.model), Trust())
    if request.lora and base.base:
        raise TerminalError(
            f"'{request.model}' is an adapter, and one on another cannot be evaluated; leave --lora out, which trains "
            "the merged model"
        )
    known = known_cutoff(request.model, None, dict(settings.knowledge_cutoffs), base.folder)
    return PlannedTraining(request, base, chosen, _record(request, template, base, chosen, evaluated, known))


def train(planned: PlannedTraining, folder: Path, progress: Progress) -> Finetuned:
    """Run a planned training as described for `finetune`."""
    if is_done(folder, planned.record):
        progress.note(f"this training is finished: {folder}")
        return Finetuned(planned.record, [])
    with alone(folder, planned.record) as workplace:
        curve = _train(planned.request, planned.base, planned.chosen, planned.record, workplace, progress)
        os.replace(workplace, folder)
    keep = planned.request.keep_checkpoints
    for checkpoint in by_step(folder)[: None if keep == 0 else -keep]:
        shutil.rmtree(checkpoint)
    return Finetuned(planned.record, curve)


def _train(
    request: FinetuneRequest,
    base: Checkpoint,
    chosen: training_set.TrainingSet,
    planned: TrainingRecord,
    workplace: Path,
    progress: Progress,
) -> list["Loss"]:
    from newwiki.training.fit import fit
    from newwiki.training.lora import name_base, with_lora

    model, tokenizer = load(base, "float32", "cpu", encoder_decoder=request.backend == "seq2seq")
    if request.lora:
        model = with_lora(model, request.lora, request.seed)
    apart, learnt = training_set.held_out(chosen.articles, request.validation, request.seed)
    training = _examples(request, planned, model, tokenizer, learnt)
    validation = _examples(request, planned, model, tokenizer, apart)
    cut = sum(example.is_cut for example in [*training, *validation])
    if cut:
        progress.note(f"{cut} of {len(chosen.articles)} articles go beyond --max-length and are read without their end")
    training_record = TrainingRecord(
        planned.request, planned.articles, planned.model, planned.before, planned.checked_against,
        {"learnt": len(learnt), "held_out": len(apart), "cut": cut, "versions": _versions()}, planned.latest_text,
        planned.base_cutoff,
    )  # fmt: skip

    def save_others(place: Path) -> None:
        record.write(training_record, place)
        tokenizer.save_pretrained(place)
        if request.lora:
            name_base(place, _place(request.model), base.revision)

    record.write(training_record, workplace)
    with progress.stretch(f"training {Path(request.model).name}", "steps") as bar:
        curve = fit(
            model, save_others, training, validation, request, training_record.request["every"], workplace, bar.update
        )
    model.save_pretrained(workplace)
    save_others(workplace)
    write_curve(curve, workplace, Path(request.model).name)
    return curve


def _examples(
    request: FinetuneRequest,
    planned: TrainingRecord,
    model: Any,
    tokenizer: Any,
    articles: Sequence[training_set.TrainingArticle | training_set.WholeText],
) -> list["Example"]:
    from newwiki.training.examples import Learner

    learner = Learner(request.model, model, tokenizer, request.max_length, is_causal=request.backend == "hf")
    return [learner.example(article.text(planned.request["template"])) for article in articles]


def _record(
    request: FinetuneRequest,
    template: str,
    base: Checkpoint,
    chosen: training_set.TrainingSet,
    evaluated: Sequence[str],
    base_cutoff: KnowledgeCutoff | None,
) -> TrainingRecord:
    learnt = training_set.held_out(chosen.articles, request.validation, request.seed)[1]
    if not learnt:
        raise TerminalError(f"{', '.join(request.snapshot)}: there is no article to train on; lower --validation")
    epoch = math.ceil(len(learnt) / request.batch_size)
    settings = {
        "base_sha256": base.sha256,
        "backend": request.backend,
        "snapshots": chosen.snapshots,
        "training_set_sha256": record.set_sha256(chosen.trained),
        "template": template,
        "epochs": request.epochs,
        "batch_size": request.batch_size,
        "learning_rate": request.learning_rate,
        "seed": request.seed,
        "max_length": request.max_length,
        "validation": request.validation,
        "dtype": request.dtype,
        "every": request.checkpoint_every or epoch,
        "steps": request.epochs * epoch,
        **({"lora": request.lora} if request.lora else {}),
    }
    return TrainingRecord(
        settings, chosen.trained, request.model, base.training, evaluated, {}, chosen.latest,
        base_cutoff.day if base_cutoff else None,
    )  # fmt: skip


def _place(model: str) -> str:
    """Return the absolute path of a model folder, which is valid in any working directory, or a hub name unchanged."""
    name, _ = split_revision(model)
    return str(Path(name).resolve()) if Path(name).is_dir() else name


def _versions() -> dict[str, str]:
    import torch

    packages = {
        name: version(name) for name in ("newwiki-eval", "torch", "transformers", "tokenizers", "accelerate", "peft")
    }
    return {**packages, "device": "cuda" if torch.cuda.is_available() else "cpu"}
