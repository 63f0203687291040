"""Compute what transformers makes of a model (texts of `generate()`, logits of one pass), to compare ours with it."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import GenerationConfig

from newwiki.models.engine.reader import Reader

Text = tuple[list[int], bool]  # its tokens, and whether an end-of-text token followed them


def generated(
    model: Any, prompt: Sequence[int], room: int, ends: frozenset[int], beams: int, *, cached: bool = True
) -> Text:
    """Return the text of `generate()`, greedy or with `beams` beams. The model's own generation config is replaced,
    because it would set other options."""
    model.generation_config = GenerationConfig()
    options = GenerationConfig(
        max_new_tokens=room,
        do_sample=False,
        num_beams=beams,
        pad_token_id=0,
        eos_token_id=sorted(ends) or None,
        use_cache=cached,
    )
    tokens = torch.tensor([prompt], device=model.device)
    written = model.generate(tokens, attention_mask=torch.ones_like(tokens), generation_config=options)
    text = written[0, len(prompt) :].tolist()
    end = next((place for place, token in enumerate(text) if token in ends), None)
    return text[:end], end is not None


def in_one_pass(model: Any, tokens: Sequence[int]) -> Tensor:
    """Return logits [tokens, vocabulary] on the CPU after each token of a text that is read whole, without a cache."""
    with torch.inference_mode():
        logits: Tensor = model(input_ids=torch.tensor([tokens], device=model.device), use_cache=False).logits[0]
        return logits.float().cpu()


def one_by_one(
    reader: Callable[[int], Reader], prompt: Sequence[int], after: Sequence[int], others: Sequence[Sequence[int]]
) -> Tensor:
    """Return logits [after, vocabulary] on the CPU after each token in `after`, which are read after a prompt, in a
    batch with the rows `others`."""
    with torch.inference_mode():
        batch = reader(1 + len(others))
        for slot, text in enumerate((prompt, *others)):
            read = batch.read(text)
            batch.slots.put(read.cache, read.length, [slot])
        device = batch.slots.lengths.device
        steps = [batch.step(torch.full((1 + len(others),), token, device=device))[0] for token in after]
        return torch.stack(steps).cpu()


def largest_share(ours: Tensor, theirs: Tensor) -> float:
    """Return the largest difference of logits, as a share of the largest logit."""
    return float((ours - theirs).abs().max() / theirs.abs().max().clamp(min=torch.finfo(torch.float32).tiny))


def gap(model: Any, prompt: Sequence[int], ours: Text, theirs: Text, ends: frozenset[int]) -> float:
    """Return the difference between the logits of the two tokens at which greedy texts diverge, as a share of the
    largest logit."""
    pairs = enumerate(zip(ours[0], theirs[0], strict=False))
    parted = next((place for place, (a, b) in pairs if a != b), min(len(ours[0]), len(theirs[0])))
    logits = in_one_pass(model, [*prompt, *ours[0][:parted]])[-1]
    chosen = [logits[text[parted]] if parted < len(text) else logits[sorted(ends)].max() for text, _ in (ours, theirs)]
    return float((chosen[0] - chosen[1]).abs() / logits.abs().max())
