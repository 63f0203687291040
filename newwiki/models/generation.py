"""Many prompts through one causal language model at once, with every choice the same as if each ran alone.

Batches are padded on the left, each prompt is read once for all its samples, finished rows leave at once. How rows are
batched moves logits by rounding (some 1e-6 in float32). Where such a move could change a token, the row is settled by a
forward pass of its own: whole sequence, no cache, no padding. So the batch decides the speed and never the text.
"""

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from newwiki.decoding import noise
from newwiki.decoding.decoder import Noise, Step
from newwiki.errors import TerminalError
from newwiki.records import FinishReason

if TYPE_CHECKING:
    from torch import Tensor

# A logit's rounding error, as a share of the largest logit's size; measured errors in float32 stay twenty times below.
FLOAT32_SLACK = 2e-5


@dataclass
class Row:
    """One completion under way: `room` is how many tokens it may have, `tokens` those that it has."""

    page_id: int
    sample: int
    prompt: tuple[int, ...]
    room: int
    tokens: list[int] = field(default_factory=list)
    stopped: bool = False


@dataclass(frozen=True)
class Limits:
    """When a completion ends: at one of these tokens, after so many, or at the model's context length."""

    end_tokens: frozenset[int]
    max_new_tokens: int
    context: int | None

    def room(self, prompt_length: int) -> int:
        left = self.max_new_tokens if self.context is None else self.context - prompt_length
        return max(0, min(self.max_new_tokens, left))

    def reason(self, row: Row) -> FinishReason:
        if row.stopped:
            return "stop"
        return "length" if len(row.tokens) == self.max_new_tokens else "context"


def generate(
    model: Any, rows: Sequence[Row], step: Step, limits: Limits, *, seed: int, batch_size: int, slack: float
) -> Iterator[list[Row]]:
    """Fills the rows' tokens, `batch_size` rows at a time, and hands on each batch when it is done."""
    full = [row for row in rows if row.room == 0]
    if full:
        yield full
    open_rows = [row for row in rows if row.room]
    for start in range(0, len(open_rows), batch_size):
        batch = open_rows[start : start + batch_size]
        _Batch(model, batch, step, limits, seed, slack).run()
        yield batch


class _Batch:
    """Rows that run together until the last of them has ended."""

    def __init__(self, model: Any, rows: Sequence[Row], step: Step, limits: Limits, seed: int, slack: float) -> None:
        import torch

        self._torch = torch
        self._model = model
        self._step = step
        self._limits = limits
        self._slack = slack
        self._rows = list(rows)
        self._keys = noise.keys([(row.page_id, row.sample) for row in rows], seed).to(model.device)
        self._takes_positions = "position_ids" in inspect.signature(model.forward).parameters

    def run(self) -> None:
        with self._torch.inference_mode():
            logits, cache, mask = self._read_prompts()
            while True:
                chosen = self._choose(logits)
                going = [place for place, token in enumerate(chosen.tolist()) if self._append(self._rows[place], token)]
                if not going:
                    return
                if len(going) < len(self._rows):
                    kept = self._torch.tensor(going, device=self._model.device)
                    self._rows = [self._rows[place] for place in going]
                    self._keys, chosen, mask = self._keys[kept], chosen[kept], mask[kept]
                    cache.batch_select_indices(kept)
                mask = self._torch.cat([mask, mask.new_ones(len(going), 1)], dim=1)
                logits, cache = self._forward(chosen[:, None], mask, cache)

    def _append(self, row: Row, token: int) -> bool:
        """Adds the token and says whether the row goes on."""
        if token in self._limits.end_tokens:
            row.stopped = True
            return False
        row.tokens.append(token)
        return len(row.tokens) < row.room

    def _read_prompts(self) -> "tuple[Tensor, Any, Tensor]":
        torch, device = self._torch, self._model.device
        prompts = list(dict.fromkeys(row.prompt for row in self._rows))
        longest = max(map(len, prompts))
        tokens = torch.tensor([[0] * (longest - len(prompt)) + list(prompt) for prompt in prompts], device=device)
        lengths = torch.tensor([len(prompt) for prompt in prompts], device=device)
        mask = (torch.arange(longest, device=device) >= longest - lengths[:, None]).long()
        logits, cache = self._forward(tokens, mask, None)
        if not hasattr(cache, "batch_select_indices"):
            raise TerminalError(
                f"{type(self._model).__name__} keeps its state in {type(cache).__name__}, "
                "whose rows cannot be shared out; choose a model with an attention cache"
            )
        place = {prompt: position for position, prompt in enumerate(prompts)}
        shared = torch.tensor([place[row.prompt] for row in self._rows], device=device)
        cache.batch_select_indices(shared)
        return logits[shared], cache, mask[shared]

    def _forward(self, tokens: "Tensor", mask: "Tensor", cache: Any) -> "tuple[Tensor, Any]":
        inputs: dict[str, Any] = {"input_ids": tokens, "attention_mask": mask, "use_cache": True}
        if cache is not None:
            inputs["past_key_values"] = cache
        if self._takes_positions:
            inputs["position_ids"] = (mask.cumsum(dim=1) - 1).clamp(min=0)[:, -tokens.shape[1] :]
        output = self._model(**inputs)
        return output.logits[:, -1].float(), output.past_key_values

    def _choose(self, logits: "Tensor") -> "Tensor":
        rounding = self._slack * logits.abs().amax(dim=-1, keepdim=True)
        chosen, sure = self._step(logits, self._noise(slice(None)), rounding)
        if self._slack:
            for place in (~sure).nonzero()[:, 0].tolist():
                chosen[place] = self._settle(place)
        return chosen

    def _settle(self, place: int) -> "Tensor":
        row = self._rows[place]
        tokens = self._torch.tensor([[*row.prompt, *row.tokens]], device=self._model.device)
        logits = self._model(input_ids=tokens, use_cache=False).logits[:, -1].float()
        exact = self._torch.zeros(1, 1, device=logits.device)
        chosen, _ = self._step(logits, self._noise(slice(place, place + 1)), exact)
        return chosen[0]

    def _noise(self, places: slice) -> Noise:
        keys = self._keys[places]
        steps = self._torch.tensor([len(row.tokens) for row in self._rows[places]], device=keys.device)
        return lambda tokens: noise.gumbel(keys, steps, tokens)
