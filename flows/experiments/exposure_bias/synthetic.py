"""The paper's synthetic setting: a data model replaces the articles, and a smaller model is fitted to its texts."""

import hashlib
import json
import math
import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from flows.evaluating.generate import writing_of
from flows.experiments.evaluations import Evaluations
from flows.experiments.exposure_bias.measuring import ancestral, length_of
from flows.experiments.exposure_bias.prefixes import Key, Tokens
from flows.experiments.exposure_bias.request import ExposureBiasRequest
from flows.experiments.exposure_bias.stored import Contexts, Store, TokenModel
from flows.training.output_folder import alone, is_done
from newwiki.errors import TerminalError
from newwiki.models.checkpoint import Trust, find, split_revision
from newwiki.models.loading import load
from newwiki.training import record
from newwiki.training.record import TrainingRecord
from newwiki.training_requests import FinetuneRequest

_EPOCHS, _LEARNING_RATE, _BATCH = 10, 1e-3, 8


def fitted(
    evaluations: Evaluations, request: ExposureBiasRequest, data_model: TokenModel, stretches: Mapping[Key, Tokens]
) -> Path:
    """Return the folder of a model that was fitted to texts of the data model; the folder is next to the database.

    The folder appears when training is complete; until then, the same request resumes it. Raises TerminalError if
    training is not available.
    """
    if find_spec("accelerate") is None:
        raise TerminalError("--synthetic trains a model with the package accelerate; pip install 'newwiki-eval[train]'")
    texts = _texts(evaluations, request, data_model, stretches)
    training = _training_request(request, data_model.name, [*texts.values()])
    planned = _record(data_model, training, texts)
    place = evaluations.database.path
    folder = place.with_name(f"{place.name}.synthetic-{planned.sha256[:12]}")
    if not is_done(folder, planned):
        with alone(folder, planned) as workplace:
            _train(evaluations, training, planned, texts, request.prompt_length, workplace)
            os.replace(workplace, folder)
    return folder


def _texts(
    evaluations: Evaluations, request: ExposureBiasRequest, data_model: TokenModel, stretches: Mapping[Key, Tokens]
) -> dict[Key, Tokens]:
    """Return continuations of articles' prompts, repeated as needed; these texts differ from the measured ones."""
    rounds = math.ceil(request.training_texts / len(stretches))
    prompts = {
        (page, place + turn * request.samples): tokens[: request.prompt_length]
        for turn in range(rounds)
        for (page, place), tokens in stretches.items()
    }
    chosen = dict(list(prompts.items())[: request.training_texts])
    new = length_of(request) - request.prompt_length
    with evaluations.progress.stretch(f"{data_model.name} writes {len(chosen):,} texts to train on", "texts") as bar:
        store = Store(evaluations.database, writing_of(request, evaluations.progress.note))
        [written] = store.continuations(data_model, ancestral(), [Contexts(chosen, new, "training")], bar.update)
    return {key: (*chosen[key], *tokens) for key, tokens in written.items()}


def _training_request(request: ExposureBiasRequest, name: str, texts: list[Tokens]) -> FinetuneRequest:
    return FinetuneRequest(
        model=name,
        snapshot=(request.snapshot,),
        epochs=_EPOCHS,
        batch_size=_BATCH,
        learning_rate=_LEARNING_RATE,
        max_length=len(texts[0]),
        validation=0.0,
        seed=request.seed,
    )


def _record(data_model: TokenModel, training: FinetuneRequest, texts: Mapping[Key, Tokens]) -> TrainingRecord:
    """Return the training record.

    The record lists no articles, because the training texts come from the data model, whose own record it includes.
    """
    digest = hashlib.sha256(json.dumps([*map(list, texts.values())]).encode()).hexdigest()
    steps = math.ceil(len(texts) / training.batch_size)
    described = {
        "base_sha256": data_model.sha256,
        "snapshots": [],
        "training_set_sha256": record.set_sha256([]),
        "texts_sha256": digest,
        "epochs": training.epochs,
        "batch_size": training.batch_size,
        "learning_rate": training.learning_rate,
        "seed": training.seed,
        "every": steps,
        "steps": training.epochs * steps,
    }
    base = find(*split_revision(data_model.name), Trust())
    return TrainingRecord(described, [], data_model.name, base.training)


def _train(
    evaluations: Evaluations,
    training: FinetuneRequest,
    planned: TrainingRecord,
    texts: Mapping[Key, Tokens],
    prompt_length: int,
    workplace: Path,
) -> None:
    from newwiki.training.examples import IGNORED, Example
    from newwiki.training.fit import fit
    from newwiki.training.small_copy import small_copy

    base, tokenizer = load(find(*split_revision(training.model), Trust()), "float32", "cpu")
    model = small_copy(base, training.seed)
    examples = [
        Example(tokens, (*[IGNORED] * prompt_length, *tokens[prompt_length:]), is_cut=True) for tokens in texts.values()
    ]

    def save_others(place: Path) -> None:
        record.write(planned, place)
        tokenizer.save_pretrained(place)

    record.write(planned, workplace)
    with evaluations.progress.stretch(f"training a smaller {Path(training.model).name} on them", "steps") as bar:
        fit(model, save_others, examples, [], training, planned.request["every"], workplace, bar.update)
    model.save_pretrained(workplace)
    save_others(workplace)
