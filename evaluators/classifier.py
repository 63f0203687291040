"""The models behind scorers: they read a text in chunks, and their outputs are combined into one number."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluators.networks.chunks import cut
from evaluators.scorer import Scorer
from evaluators.sentences import split_sentences
from newwiki.errors import TerminalError, UsageError
from newwiki.models.checkpoint import Trust, find_whole
from newwiki.text.sentences import SENTENCES_VERSION

if TYPE_CHECKING:
    from torch import Tensor

    from evaluators.networks.network import Network


class Classifier:
    """A scorer with its model: the maker of the part with the scorer's name, a number or None if there are no tokens.

    A text's chunks run together and with no other text's, so its number has the same bits whatever else is scored.
    """

    packages: tuple[str, ...] = ("transformers", "tokenizers", "torch")

    def __init__(self, scorer: Scorer, network: Network, sha256: str) -> None:
        """Check the scorer against the model. Raises UsageError if the model lacks what the scorer names."""
        self.scorer = scorer
        self.parts = frozenset({scorer.name})
        self._network = network
        self._window = _window(scorer, network)
        # The rules by which sentences are split: English for a scorer that reads several languages, or unknown ones.
        self._language = scorer.languages[0] if len(scorer.languages) == 1 else None
        self._reduce = _reducer(scorer, network.labels)
        self.model = Path(scorer.place).resolve().name if Path(scorer.place).is_dir() else scorer.place
        self.model_sha256: str | None = sha256
        self.dtype: str | None = scorer.dtype
        self.backend: str | None = network.backend
        self.parameters: Mapping[str, object] = {
            "output": scorer.output,
            "label": scorer.label,
            "values": list(scorer.values),
            "reads": scorer.reads,
            "window": self._window,
            "batch": scorer.batch,
            "pooling": "mean over chunks by their tokens, then over sentences",
            **({"sentences": SENTENCES_VERSION} if scorer.reads == "sentence" else {}),
            **({"languages": sorted(scorer.languages)} if scorer.languages else {}),
        }

    def make(self, prompts: Sequence[str], texts: Sequence[str], parts: Set[str]) -> Mapping[str, Sequence[Any]]:
        return {self.scorer.name: [self.read(text) for text in texts]}

    def read(self, text: str) -> float | None:
        """Return the score of one text; None if it has no tokens, or no sentence to read."""
        pieces = split_sentences(text, self._language) if self.scorer.reads == "sentence" else [text]
        whole = [cut(self._network.tokenizer, piece, self._window) for piece in pieces]
        cuts = [[chunk for chunk in chunks if chunk.size] for chunks in whole]
        numbers = iter(self._numbers([chunk.tokens for chunks in cuts for chunk in chunks]))
        means = [_mean([(next(numbers), chunk.size) for chunk in chunks]) for chunks in cuts if chunks]
        return _mean([(mean, 1) for mean in means]) if means else None

    def _numbers(self, chunks: Sequence[Sequence[int]]) -> list[float]:
        numbers: list[float] = []
        for start in range(0, len(chunks), self.scorer.batch):
            numbers += self._reduce(self._network.read(chunks[start : start + self.scorer.batch])).tolist()
        return numbers


def load_classifier(scorer: Scorer) -> Classifier:
    """Load the scorer's model from a folder, the Hugging Face cache or the hub; safetensors only, no remote code.

    Raises TerminalError if there is no such model, and UsageError if it does not match the scorer.
    """
    from evaluators.networks.network import load_network

    if not scorer.model:
        raise TerminalError(
            f"there is no published model for {scorer.name}; fit one with `newwiki train-scorer --name "
            f"{scorer.name}`, and add --scorer FOLDER/scorer.toml"
        )
    try:
        checkpoint = find_whole(scorer.place, scorer.revision, Trust())
    except TerminalError as error:
        raise TerminalError(f"{scorer.name}: {error}") from error
    return Classifier(scorer, load_network(checkpoint, scorer.dtype), checkpoint.sha256)


def _window(scorer: Scorer, network: Network) -> int:
    if scorer.window > network.context:
        raise UsageError(
            f"'{scorer.file}': window is {scorer.window}, but '{scorer.model}' reads at most {network.context} tokens"
        )
    return scorer.window or network.context


def _reducer(scorer: Scorer, labels: Sequence[str]) -> Callable[[Tensor], Tensor]:
    """Return a function that converts each row of logits to a number."""
    import torch

    if scorer.output == "expected":
        if len(scorer.values) != len(labels):
            raise UsageError(
                f"'{scorer.file}' lists {len(scorer.values)} values, but '{scorer.model}' has {len(labels)} labels: "
                f"{', '.join(labels)}"
            )
        values = torch.tensor(scorer.values, dtype=torch.float64)
        return lambda logits: logits.softmax(dim=-1) @ values
    place = _place(scorer, labels)
    if scorer.output == "softmax":
        return lambda logits: logits.softmax(dim=-1)[:, place]
    if scorer.output == "likeliest":
        return lambda logits: (logits.argmax(dim=-1) == place).double()
    return (
        (lambda logits: logits[:, place].sigmoid()) if scorer.output == "sigmoid" else lambda logits: logits[:, place]
    )


def _place(scorer: Scorer, labels: Sequence[str]) -> int:
    if scorer.output in ("softmax", "likeliest") and len(labels) == 1:
        raise UsageError(f"'{scorer.file}': '{scorer.model}' has a single output, so output must be raw or sigmoid")
    if scorer.label in labels:
        return list(labels).index(scorer.label)
    if scorer.label or len(labels) > 1:
        raise UsageError(
            f"'{scorer.file}': label is '{scorer.label}', but the labels of '{scorer.model}' are: {', '.join(labels)}"
        )
    return 0


def _mean(weighted: Sequence[tuple[float, int]]) -> float:
    return math.fsum(value * weight for value, weight in weighted) / sum(weight for _, weight in weighted)
