"""The checkpoints: the base fine-tuned on each corpus, in folders beside the database."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flows.evaluating.generate import find_models
from flows.evaluating.leak import refuse_evaluated
from flows.experiments.corpora.corpora import Corpus
from flows.experiments.corpora.request import CorporaRequest
from flows.experiments.evaluations import Evaluations
from flows.training.finetuning import PlannedTraining, plan_training, require_accelerate, train
from newwiki.models.checkpoint import split_revision
from newwiki.request import FinetuneRequest
from storage.outputs import safe

_ENDING = ".corpora"  # of the folder beside the database
_LONGEST_NAME = 40  # of a label, in a folder's name


@dataclass(frozen=True)
class PlannedCheckpoint:
    """A corpus, its training, and the folder, which is named by the label and by the hash of all that is trained."""

    corpus: Corpus
    training: PlannedTraining
    folder: Path


def plan_checkpoints(
    evaluations: Evaluations, request: CorporaRequest, corpora: Sequence[Corpus], evaluated: Sequence[str]
) -> list[PlannedCheckpoint]:
    """One a corpus; nothing is trained yet. Raises TerminalError where the base is not to be had, and for articles of
    the snapshots that are `evaluated`, which would be asked for what they were trained on."""
    require_accelerate()
    name, revision = split_revision(request.models[0])
    find_models(request.backend, (name,), {"revision": revision, **request.loading})
    home = evaluations.database.path.with_name(f"{evaluations.database.path.name}{_ENDING}")
    planned = []
    for corpus in corpora:
        refuse_evaluated(evaluations.database, corpus.texts.trained, evaluated)
        training = plan_training(_asked(request), evaluations.settings, corpus.template, corpus.texts, evaluated)
        folder = safe(home / f"{_slug(corpus.label)}-{training.record.sha256[:12]}", evaluations.database.path)
        planned.append(PlannedCheckpoint(corpus, training, folder))
    return planned


def make_checkpoint(evaluations: Evaluations, planned: PlannedCheckpoint) -> None:
    """Trains it, unless it is there; what was killed goes on."""
    evaluations.progress.note(f"corpus {planned.corpus.label}: {planned.folder}")
    train(planned.training, planned.folder, evaluations.progress)


def _asked(request: CorporaRequest) -> FinetuneRequest:
    """Nothing is held out: a corpus is what its model reads."""
    return FinetuneRequest(
        model=request.models[0],
        snapshot=request.train_on,
        backend="seq2seq" if request.backend == "seq2seq" else "hf",
        epochs=request.epochs,
        batch_size=request.training_batch,
        learning_rate=request.learning_rate,
        max_length=request.max_length,
        validation=0.0,
        seed=request.seed,
    )


def _slug(label: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[:_LONGEST_NAME] or "corpus"
