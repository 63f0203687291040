"""Fine-tune the base checkpoint on each corpus, in folders next to the database."""

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
from newwiki.training_requests import FinetuneRequest
from storage.outputs import safe

_ENDING = ".corpora"  # suffix of the folder next to the database
_LONGEST_NAME = 40  # characters of a label in a folder name


@dataclass(frozen=True)
class PlannedCheckpoint:
    """A corpus, its training, and its folder, whose name contains the label and the hash of the training inputs."""

    corpus: Corpus
    training: PlannedTraining
    folder: Path


def plan_checkpoints(
    evaluations: Evaluations, request: CorporaRequest, corpora: Sequence[Corpus], evaluated: Sequence[str]
) -> list[PlannedCheckpoint]:
    """Plan one checkpoint per corpus without training yet.

    Raises TerminalError if the base is not available, or if a corpus contains articles of the `evaluated` snapshots,
    because the model would then be prompted with its training data.
    """
    require_accelerate()
    name, revision = split_revision(request.models[0])
    find_models(request.backend, (name,), {"revision": revision, **request.loading})
    home = evaluations.database.path.with_name(f"{evaluations.database.path.name}{_ENDING}")
    planned = []
    for corpus in corpora:
        refuse_evaluated(evaluations.database, corpus.texts.trained, evaluated)
        training = plan_training(
            _training_request(request), evaluations.settings, corpus.template, corpus.texts, evaluated
        )
        folder = safe(home / f"{_slug(corpus.label)}-{training.record.sha256[:12]}", evaluations.database.path)
        planned.append(PlannedCheckpoint(corpus, training, folder))
    return planned


def make_checkpoint(evaluations: Evaluations, planned: PlannedCheckpoint) -> None:
    """Train the checkpoint unless it exists; an interrupted training resumes."""
    evaluations.progress.note(f"corpus {planned.corpus.label}: {planned.folder}")
    train(planned.training, planned.folder, evaluations.progress)


def _training_request(request: CorporaRequest) -> FinetuneRequest:
    """Return the request for a fine-tuning run without held-out data, because a corpus is all that its model reads."""
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
