"""From an article to what a model learns: tokens to read, and those of them, or of the decoder, that are to be written.

A prompt is encoded as in an evaluation, and is never learnt: its labels are -100, or the encoder reads it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from newwiki.errors import TerminalError
from newwiki.models.prompting import Prompting

IGNORED = -100  # torch's cross-entropy leaves such labels out


@dataclass(frozen=True)
class Example:
    """`labels` are as many as `input_ids` for a causal model, and the decoder's own for an encoder-decoder;
    `is_cut` says that the article went beyond the length, so that it has no end."""

    input_ids: tuple[int, ...]
    labels: tuple[int, ...]
    is_cut: bool


@dataclass(frozen=True)
class TrainingText:
    """What a model is given, what it is to write, and of which page."""

    page_id: int
    prompt: str
    completion: str


class Learner:
    """Makes examples for a causal model, or for an encoder-decoder; no label goes beyond `max_length`, nor beyond what
    the model can read. Raises TerminalError for a model that has no token to end a text with."""

    def __init__(self, name: str, model: Any, tokenizer: Any, max_length: int, *, is_causal: bool) -> None:
        self._prompting = Prompting(name, tokenizer, model.config, chat=False, bos="auto")
        self._tokenizer, self._is_causal = tokenizer, is_causal
        self._reads: int | None = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        self._longest = min(max_length, self._reads or max_length)
        self._forced = model.generation_config.forced_bos_token_id
        self._end = _end(name, model, tokenizer)

    def example(self, text: TrainingText) -> Example:
        """Raises TerminalError where the prompt is too long."""
        return self._causal(text) if self._is_causal else self._encoder_decoder(text)

    def _causal(self, text: TrainingText) -> Example:
        # An article is stored without the space that stood before it.
        space = "" if not text.prompt or text.prompt[-1:].isspace() else " "
        before, after = self._prompting.encode_pair(text.prompt, space + text.completion)
        if len(before) >= self._longest:
            raise TerminalError(
                f"the prompt of page {text.page_id} has {len(before)} tokens and leaves nothing to learn within "
                f"{self._longest} (--max-length, or the model's context); raise it, or take a shorter --template"
            )
        tokens = [*before, *after, self._end]
        labels = [*[IGNORED] * len(before), *after, self._end]
        return Example(tuple(tokens[: self._longest]), tuple(labels[: self._longest]), len(tokens) > self._longest)

    def _encoder_decoder(self, text: TrainingText) -> Example:
        """The decoder begins as `generate` has it begin."""
        source = self._tokenizer(text.prompt)["input_ids"]
        if self._reads is not None and len(source) > self._reads:
            raise TerminalError(
                f"the prompt of page {text.page_id} has {len(source)} tokens, and the model's encoder reads "
                f"{self._reads} at most; choose a model with a longer one, or a shorter --template"
            )
        target = list(self._tokenizer(text_target=text.completion)["input_ids"])
        if self._forced is not None and target[:1] != [self._forced]:
            target = [self._forced, *target]
        if target[-1:] != [self._end]:
            target.append(self._end)
        return Example(tuple(source), tuple(target[: self._longest]), len(target) > self._longest)


def _end(name: str, model: Any, tokenizer: Any) -> int:
    """The token that ends a text in an evaluation too."""
    configured = model.generation_config.eos_token_id
    ends = [configured] if isinstance(configured, int) else list(configured or [])
    if tokenizer.eos_token_id is not None and (not ends or tokenizer.eos_token_id in ends):
        return int(tokenizer.eos_token_id)
    if not ends:
        raise TerminalError(
            f"'{name}' has no token that ends a text, so it cannot learn where to stop; set eos_token_id in its "
            "generation_config.json"
        )
    return int(ends[0])


def padded(examples: Sequence[Example]) -> dict[str, Any]:
    """A batch for `forward`: input_ids, attention_mask and labels, int64, each batch × its longest."""
    import torch

    def filled(rows: Sequence[Sequence[int]], padding: int) -> torch.Tensor:
        longest = max(map(len, rows))
        return torch.tensor([[*row, *[padding] * (longest - len(row))] for row in rows])

    return {
        "input_ids": filled([one.input_ids for one in examples], 0),
        "attention_mask": filled([[1] * len(one.input_ids) for one in examples], 0),
        "labels": filled([one.labels for one in examples], IGNORED),
    }
