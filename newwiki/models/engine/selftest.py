"""Whether the engine reads with a model as the model itself does, and gives a row the same bits in any batch."""

from typing import Any

import torch

from newwiki.errors import TerminalError
from newwiki.models.engine.reader import Reader

_TEXT = (1, 2, 3, 4, 5, 6, 7)
_TOLERANCE = {torch.float32: 1e-3, torch.bfloat16: 0.1, torch.float16: 0.02}


def check_reading(model: Any) -> None:
    """Reads a few tokens one by one, in rows of several lengths, and compares with the model's plain forward pass.

    Raises TerminalError where they differ: such a model keeps its state in a way that the engine does not know.
    """
    vocabulary = model.config.get_text_config().vocab_size
    text = [token % vocabulary for token in _TEXT]
    with torch.inference_mode():
        plain = model(input_ids=torch.tensor([text], device=model.device), use_cache=False).logits[0].float()
        reader = Reader(model, 2)
        short, long = text[:2], text[:4]
        for slot, begun in enumerate((short, long)):
            prompt = reader.read(begun)
            reader.slots.put(prompt.cache, prompt.length, [slot])
        size = plain.abs().max().clamp(min=1)
        for step in range(3):
            tokens = torch.tensor([text[2 + step], text[4 + step]], device=model.device)
            logits = reader.step(tokens)
            expected = plain[[2 + step, 4 + step]]
            error = float((logits - expected).abs().max() / size)
            if error > _TOLERANCE[model.dtype]:
                raise TerminalError(
                    f"{type(model).__name__} reads otherwise token by token than at once (by {error:.2g} of its "
                    "largest logit), so the engine cannot run it; choose a model with plain attention and rotary or "
                    "learned positions"
                )
