"""The interface between a scorer and its model, and the models that implement it."""

from collections.abc import Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

from newwiki.errors import TerminalError
from newwiki.foreign_json import read_object
from newwiki.models.checkpoint import Checkpoint
from newwiki.models.loading import load_classifier

_USUAL_CONTEXT = 512  # tokens, of models that set no limit


class Network(Protocol):
    """A model that returns a logit for each of its `labels` and reads up to `context` tokens at once."""

    labels: Sequence[str]
    context: int
    backend: str
    tokenizer: Any

    def read(self, chunks: Sequence[Sequence[int]]) -> Tensor:
        """Return the logits of each chunk, shape [chunks, labels], in float64 on the CPU."""
        ...


class TransformersNetwork:
    """Any sequence classifier that transformers knows."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model, self.tokenizer = model, tokenizer
        self.labels: Sequence[str] = [model.config.id2label[place] for place in range(model.config.num_labels)]
        self.context = context_of(model, tokenizer)
        self.backend = f"torch-{model.device.type}"
        if model.config.pad_token_id is None and tokenizer.pad_token_id is not None:
            model.config.pad_token_id = tokenizer.pad_token_id

    def read(self, chunks: Sequence[Sequence[int]]) -> Tensor:
        # Without a padding token, chunks of different lengths cannot share a batch.
        alone = self.tokenizer.pad_token_id is None
        return torch.cat([self._logits([chunk]) for chunk in chunks]) if alone else self._logits(chunks)

    def _logits(self, chunks: Sequence[Sequence[int]]) -> Tensor:
        if len(chunks) == 1:
            features = {"input_ids": torch.tensor([list(chunks[0])]), "attention_mask": torch.ones(1, len(chunks[0]))}
        else:
            features = self.tokenizer.pad({"input_ids": [list(chunk) for chunk in chunks]}, return_tensors="pt")
        with torch.inference_mode():
            logits: Tensor = self._model(**{name: value.to(self._model.device) for name, value in features.items()})[0]
        return logits.double().cpu()


def load_network(checkpoint: Checkpoint, dtype: str) -> Network:
    """Load the model of a checkpoint: our own LSTM, or a model of transformers. Raises TerminalError."""
    from evaluators.networks.lstm import MODEL_TYPE, LstmNetwork

    config = checkpoint.folder / "config.json"
    kind = read_object(config.read_bytes(), f"'{config}'", allow_nan=True).get("model_type")
    if kind == MODEL_TYPE:
        with checkpoint.opened() as opened:
            return LstmNetwork.load(opened.model, dtype, checkpoint.folder)
    model, tokenizer = load_classifier(checkpoint, dtype)
    if not tokenizer.is_fast:
        raise TerminalError(
            f"'{checkpoint.folder}' has no fast tokenizer, which is needed to cut long texts; choose another model"
        )
    return TransformersNetwork(model, tokenizer)


def context_of(model: Any, tokenizer: Any) -> int:
    """Return the number of tokens that fit. RoBERTa and similar models count positions after the padding index."""
    embeddings = getattr(model.base_model, "embeddings", None)
    padding = getattr(embeddings, "padding_idx", None)
    positions = getattr(model.config, "max_position_embeddings", None) or tokenizer.model_max_length
    fits = min(positions - (0 if padding is None else padding + 1), tokenizer.model_max_length)
    return int(fits) if fits < 1_000_000 else _USUAL_CONTEXT
