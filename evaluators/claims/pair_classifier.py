"""The model behind a pair scorer: pairs of evidence and claim in, the shares of the three labels out."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from evaluators.claims.pair_scorer import PairScorer
from evaluators.networks.chunks import encodable
from newwiki.errors import TerminalError, UsageError
from newwiki.foreign_json import read_object
from newwiki.models.checkpoint import Checkpoint, Trust, find_whole

if TYPE_CHECKING:
    from torch import Tensor

Pair = tuple[str, str]  # evidence, claim

_MULTIPLE = 8  # pairs are padded to multiples of this many tokens


@dataclass(frozen=True)
class Shares:
    """The softmax over a pair's three labels, and whether the end of its evidence was `cut` off."""

    supported: float
    refuted: float
    not_enough_info: float
    cut: bool


@dataclass(frozen=True)
class _Tokens:
    """A tokenized pair: token ids with special tokens, the text that each belongs to, and whether evidence was cut."""

    ids: tuple[int, ...]
    types: tuple[int, ...]
    cut: bool


class PairClassifier:
    """A pair scorer with its model. The attributes enter the fingerprint of every score that uses it.

    A pair is padded to the next multiple of 8 tokens, and runs with others of that length, each batch on a core of its
    own. So on a CPU its shares are identical to the last bit whatever else runs. Equal pairs run once.
    """

    packages: tuple[str, ...] = ("transformers", "tokenizers", "torch")

    def __init__(self, scorer: PairScorer, model: Any, tokenizer: Any, sha256: str) -> None:
        """Check the scorer's file against the model. Raises UsageError if the model lacks what the file names."""
        from evaluators.networks.network import context_of
        from newwiki.models.engine.packed import pack_linear_layers

        self._scorer, self._model, self._tokenizer = scorer, model, tokenizer
        self._places = _places(scorer, model.config)
        self._special = _special_tokens(scorer, tokenizer)
        self._padding: int | None = tokenizer.pad_token_id
        if model.config.pad_token_id is None:
            model.config.pad_token_id = self._padding
        self._window = scorer.window or context_of(model, tokenizer)
        if self._window > context_of(model, tokenizer):
            raise UsageError(
                f"'{scorer.file}': window is {scorer.window}, but '{scorer.model}' reads at most "
                f"{context_of(model, tokenizer)} tokens; lower it"
            )
        self._has_types = _has_types(model, tokenizer)
        self._device = model.device
        pack_linear_layers(model)
        self.model = Path(scorer.place).resolve().name if Path(scorer.place).is_dir() else scorer.place
        self.model_sha256 = sha256
        self.dtype = scorer.dtype
        self.backend = f"torch-{model.device.type}"
        self.parameters: Mapping[str, object] = {
            "labels": scorer.labels.model_dump(),
            "first": scorer.first,
            "window": self._window,
            "beyond the window": "the end of the evidence is left out",
            "padding": f"to a multiple of {_MULTIPLE} tokens" if self._padding is not None else "none",
        }

    def fits(self, claim: str) -> bool:
        """Tell whether the claim leaves room for any evidence in the window."""
        room = self._window - self._special - 1
        # No token is shorter than a byte.
        return len(claim.encode("utf-8", "replace")) <= room or len(self._alone(claim)) <= room

    def shares(self, pairs: Sequence[Pair]) -> list[Shares]:
        """Return the shares of each pair of evidence and fitting claim, in order."""
        different = list(dict.fromkeys(pairs))
        tokens = self._tokens(different)
        lengths = [self._padded(len(pair.ids)) for pair in tokens]
        groups = groupby(sorted(range(len(tokens)), key=lengths.__getitem__), key=lengths.__getitem__)
        batches = [batch for _, places in groups for batch in _batched([*places], self._scorer.batch)]
        read = self._workers.map(self._read, [[tokens[place] for place in batch] for batch in batches])
        found: dict[Pair, Shares] = {}
        for batch, rows in zip(batches, read, strict=True):
            for place, (supported, refuted, not_enough_info) in zip(batch, rows, strict=True):
                found[different[place]] = Shares(supported, refuted, not_enough_info, tokens[place].cut)
        return [found[pair] for pair in pairs]

    def _tokens(self, pairs: Sequence[Pair]) -> list[_Tokens]:
        if not pairs:
            return []
        evidence, claims = ([encodable(pair[side]) for pair in pairs] for side in (0, 1))
        in_order = (evidence, claims) if self._scorer.first == "evidence" else (claims, evidence)
        cut = "only_first" if self._scorer.first == "evidence" else "only_second"
        made = self._tokenizer(*in_order, truncation=cut, max_length=self._window, return_overflowing_tokens=False)
        return [_Tokens(tuple(pair.ids), tuple(pair.type_ids), bool(pair.overflowing)) for pair in made.encodings]

    def _alone(self, claim: str) -> Sequence[int]:
        tokens: Sequence[int] = self._tokenizer(encodable(claim), add_special_tokens=False, verbose=False)["input_ids"]
        return tokens

    def _padded(self, length: int) -> int:
        """Return the padded length of a pair, whatever else runs; unpadded if the model has no padding token."""
        if self._padding is None:
            return length
        return min(math.ceil(length / _MULTIPLE) * _MULTIPLE, self._window)

    def _read(self, batch: Sequence[_Tokens]) -> list[list[float]]:
        """Return the three shares of each pair in a batch of equal padded length."""
        import torch

        length = self._padded(len(batch[0].ids))

        def tensor(rows: list[Sequence[int]], padding: int) -> Tensor:
            return torch.tensor([[*row, *[padding] * (length - len(row))] for row in rows], device=self._device)

        ids = tensor([pair.ids for pair in batch], self._padding or 0)
        types = {"token_type_ids": tensor([pair.types for pair in batch], 0)} if self._has_types else {}
        mask = tensor([[1] * len(pair.ids) for pair in batch], 0)
        with torch.inference_mode():
            logits: Tensor = self._model(input_ids=ids, attention_mask=mask, **types)[0]
        rows: list[list[float]] = logits.double().cpu().softmax(dim=-1)[:, self._places].tolist()
        return rows

    @cached_property
    def _workers(self) -> ThreadPoolExecutor:
        """One thread per core on a CPU, because parallel batches are faster than one batch on several cores."""
        import torch

        if self._device.type != "cpu":
            return ThreadPoolExecutor(1)
        count = torch.get_num_threads()
        together = Barrier(count)
        workers = ThreadPoolExecutor(count, initializer=lambda: torch.set_num_threads(1))
        list(workers.map(lambda _: together.wait(), range(count)))
        torch.set_num_threads(count)  # for all other threads: the call above also affects future ones
        return workers


# The classifiers in use: evaluators with several kinds of evidence share one.
_LOADED: WeakValueDictionary[tuple[PairScorer, str], PairClassifier] = WeakValueDictionary()


def load_pair_classifier(scorer: PairScorer) -> PairClassifier:
    """Load the pair scorer's model from a folder, the Hugging Face cache or the hub; safetensors only, no remote code.

    Raises TerminalError if there is no such model, and UsageError if it does not match the file.
    """
    from newwiki.models.loading import load_classifier

    try:
        checkpoint = find_whole(scorer.place, scorer.revision, Trust())
    except TerminalError as error:
        raise TerminalError(f"the pair scorer of claims: {error}; name another with --pair-scorer FILE.toml") from error
    if known := _LOADED.get((scorer, checkpoint.sha256)):
        return known
    _refuse_other_kinds(scorer, checkpoint)
    model, tokenizer = load_classifier(checkpoint, scorer.dtype)
    if not tokenizer.is_fast:
        raise TerminalError(
            f"'{scorer.model}' has no fast tokenizer, which is needed to cut long pairs; choose another model"
        )
    classifier = PairClassifier(scorer, model, tokenizer, checkpoint.sha256)
    _LOADED[scorer, checkpoint.sha256] = classifier
    return classifier


def _refuse_other_kinds(scorer: PairScorer, checkpoint: Checkpoint) -> None:
    from evaluators.networks.lstm import MODEL_TYPE

    config = checkpoint.folder / "config.json"
    kind = read_object(config.read_bytes(), f"'{config}'", allow_nan=True).get("model_type")
    if kind == MODEL_TYPE:
        raise UsageError(_single_text_error(scorer))


def _special_tokens(scorer: PairScorer, tokenizer: Any) -> int:
    """Return the number of special tokens in a pair. Raises UsageError if none separates the two texts."""
    special: int = tokenizer.num_special_tokens_to_add(pair=True)
    if special <= tokenizer.num_special_tokens_to_add(pair=False):
        raise UsageError(_single_text_error(scorer))
    return special


def _single_text_error(scorer: PairScorer) -> str:
    return (
        f"'{scorer.file}': '{scorer.model}' reads single texts, without a token between evidence and claim; name a "
        "classifier of sentence pairs (natural language inference)"
    )


def _places(scorer: PairScorer, config: Any) -> list[int]:
    """Return the positions of supported, refuted and not enough info among the model's labels."""
    labels = [config.id2label[place] for place in range(config.num_labels)]
    wanted = scorer.labels.model_dump()
    for ours, theirs in wanted.items():
        if theirs not in labels:
            raise UsageError(
                f"'{scorer.file}', labels, {ours} is '{theirs}', which is not a label of '{scorer.model}'; its labels "
                f"are: {', '.join(labels)}"
            )
    if len(labels) != len(wanted):
        raise UsageError(
            f"'{scorer.file}': '{scorer.model}' has {len(labels)} labels ({', '.join(labels)}), but a pair scorer "
            "needs exactly three; name another model"
        )
    return [labels.index(theirs) for theirs in wanted.values()]


def _has_types(model: Any, tokenizer: Any) -> bool:
    """Tell whether the model uses token types, which tell the two texts apart."""
    taken = "token_type_ids" in inspect.signature(model.forward).parameters
    kinds = getattr(model.config, "type_vocab_size", None)
    return taken and "token_type_ids" in tokenizer.model_input_names and kinds not in (0, 1)


def _batched(places: Sequence[int], most: int) -> Iterator[Sequence[int]]:
    """Split into batches of about equal size."""
    size = math.ceil(len(places) / math.ceil(len(places) / most))
    return (places[start : start + size] for start in range(0, len(places), size))
