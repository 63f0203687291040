"""Convert an article into a training example: the tokens to read, and the labels to write.

A prompt is encoded as in an evaluation and is never learned: its labels are -100, or the encoder reads it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from newwiki.errors import TerminalError
from newwiki.models.prompting import Prompting

IGNORED = -100  # torch's cross-entropy skips such labels


@dataclass(frozen=True)
class Example:
    """Token ids of an example. A causal model has as many `labels` as `input_ids`, an encoder-decoder those of its
    decoder; `is_cut` means that the article exceeded the maximum length, so it has no end."""

    input_ids: tuple[int, ...]
    labels: tuple[int, ...]
    is_cut: bool


@dataclass(frozen=True)
class TrainingText:
    """The prompt that a model gets, the text that it has to write, and their page."""

    page_id: int
    prompt: str
    completion: str


class Learner:
    """Makes examples for a causal model, or for an encoder-decoder, with at most `max_length` labels, and at most as
    many as the model can read. Raises TerminalError for a model without an end-of-text token."""

    def __init__(self, name: str, model: Any, tokenizer: Any, max_length: int, *, is_causal: bool) -> None:
        self._prompting = Prompting(name, tokenizer, model.config, chat=False, bos="auto")
        self._tokenizer, self._is_causal = tokenizer, is_causal
        self._reads: int | None = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        self._longest = min(max_length, self._reads or max_length)
        self._forced = model.generation_config.forced_bos_token_id
        self._end = _end(name, model, tokenizer)

    def example(self, text: TrainingText) -> Example:
        """Make an example. Raises TerminalError if the prompt is too long."""
        return self._causal(text) if self._is_causal else self._encoder_decoder(text)

    def _causal(self, text: TrainingText) -> Example:
        # An article is stored without the space before it.
        space = "" if not text.prompt or text.prompt[-1:].isspace() else " "
        before, after = self._prompting.encode_pair(text.prompt, space + text.completion)
        if len(before) >= self._longest:
            raise TerminalError(
                f"the prompt of page {text.page_id} has {len(before)} tokens, which leaves nothing to learn within "
                f"{self._longest} (--max-length, or the model's context); raise it, or use a shorter --template"
            )
        tokens = [*before, *after, self._end]
        labels = [*[IGNORED] * len(before), *after, self._end]
        return Example(tuple(tokens[: self._longest]), tuple(labels[: self._longest]), len(tokens) > self._longest)

    def _encoder_decoder(self, text: TrainingText) -> Example:
        """Make an example whose decoder begins as in `generate`."""
        source = self._tokenizer(text.prompt)["input_ids"]
        if self._reads is not None and len(source) > self._reads:
            raise TerminalError(
                f"the prompt of page {text.page_id} has {len(source)} tokens, but the model's encoder reads at most "
                f"{self._reads}; choose a model with a longer encoder, or a shorter --template"
            )
        target = list(self._tokenizer(text_target=text.completion)["input_ids"])
        if self._forced is not None and target[:1] != [self._forced]:
            target = [self._forced, *target]
        if target[-1:] != [self._end]:
            target.append(self._end)
        return Example(tuple(source), tuple(target[: self._longest]), len(target) > self._longest)


def _end(name: str, model: Any, tokenizer: Any) -> int:
    """Return the token that also ends a text in an evaluation."""
    configured = model.generation_config.eos_token_id
    ends = [configured] if isinstance(configured, int) else list(configured or [])
    if tokenizer.eos_token_id is not None and (not ends or tokenizer.eos_token_id in ends):
        return int(tokenizer.eos_token_id)
    if not ends:
        raise TerminalError(
            f"'{name}' has no end-of-text token, so it cannot learn where to stop; set eos_token_id in its "
            "generation_config.json"
        )
    return int(ends[0])


def padded(examples: Sequence[Example]) -> dict[str, Any]:
    """Return a batch for `forward`: input_ids, attention_mask and labels, int64, each [batch, longest]."""
    import torch

    def filled(rows: Sequence[Sequence[int]], padding: int) -> torch.Tensor:
        longest = max(map(len, rows))
        return torch.tensor([[*row, *[padding] * (longest - len(row))] for row in rows])

    return {
        "input_ids": filled([example.input_ids for example in examples], 0),
        "attention_mask": filled([[1] * len(example.input_ids) for example in examples], 0),
        "labels": filled([example.labels for example in examples], IGNORED),
    }
