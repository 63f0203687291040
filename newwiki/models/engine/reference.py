"""What transformers makes of a model (the texts of `generate()`, the logits of one pass), and ours beside it."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import GenerationConfig

from newwiki.models.engine.reader import Reader

Text = tuple[list[int], bool]  # its tokens, and whether one that ends a text came after them


def generated(
    model: Any, prompt: Sequence[int], room: int, ends: frozenset[int], beams: int, *, cached: bool = True
) -> Text:
    """The text of `generate()`, greedy or with so many beams. The model's own generation config is set aside, which
    would fill in what is not given here."""
    model.generation_config = GenerationConfig()
    asked = GenerationConfig(
        max_new_tokens=room,
        do_sample=False,
        num_beams=beams,
        pad_token_id=0,
        eos_token_id=sorted(ends) or None,
        use_cache=cached,
    )
    tokens = torch.tensor([prompt], device=model.device)
    written = model.generate(tokens, attention_mask=torch.ones_like(tokens), generation_config=asked)
    text = written[0, len(prompt) :].tolist()
    end = next((place for place, token in enumerate(text) if token in ends), None)
    return text[:end], end is not None


def in_one_pass(model: Any, tokens: Sequence[int]) -> Tensor:
    """Logits [tokens, vocabulary] on the CPU after each token of a text that is read whole, without a cache."""
    with torch.inference_mode():
        logits: Tensor = model(input_ids=torch.tensor([tokens], device=model.device), use_cache=False).logits[0]
        return logits.float().cpu()


def one_by_one(
    reader: Callable[[int], Reader], prompt: Sequence[int], after: Sequence[int], others: Sequence[Sequence[int]]
) -> Tensor:
    """Logits [after, vocabulary] on the CPU after each token that is read after a prompt, in a batch of so many rows,
    whose others begin with `others`."""
    with torch.inference_mode():
        batch = reader(1 + len(others))
        for slot, text in enumerate((prompt, *others)):
            read = batch.read(text)
            batch.slots.put(read.cache, read.length, [slot])
        device = batch.slots.lengths.device
        steps = [batch.step(torch.full((1 + len(others),), token, device=device))[0] for token in after]
        return torch.stack(steps).cpu()


def apart(one: Tensor, other: Tensor) -> float:
    """The largest difference of logits, as a share of the largest."""
    return float((one - other).abs().max() / other.abs().max().clamp(min=torch.finfo(torch.float32).tiny))


def gap(model: Any, prompt: Sequence[int], ours: Text, theirs: Text, ends: frozenset[int]) -> float:
    """How far the logits are apart of the two tokens at which greedy texts part, as a share of the largest."""
    pairs = enumerate(zip(ours[0], theirs[0], strict=False))
    parted = next((place for place, (a, b) in pairs if a != b), min(len(ours[0]), len(theirs[0])))
    logits = in_one_pass(model, [*prompt, *ours[0][:parted]])[-1]
    chosen = [logits[text[parted]] if parted < len(text) else logits[sorted(ends)].max() for text, _ in (ours, theirs)]
    return float((chosen[0] - chosen[1]).abs() / logits.abs().max())
