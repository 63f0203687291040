"""Whether the engine reads with a model as the model itself does, and gives a row the same bits in any batch."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from newwiki.errors import TerminalError
from newwiki.models.engine.kernels import use_fast_kernels
from newwiki.models.engine.reader import Reader
from newwiki.models.engine.thresholds import SHORT, refuse_inert, refuse_uneven_ropes, shortened, windows

_TEXT = (1, 2, 3, 4, 5, 6, 7)
_TOLERANCE = {torch.float32: 1e-3, torch.bfloat16: 0.1, torch.float16: 0.02}
_QUANTISED = 0.1  # where activations are quantised too, the last bit of one moves it by a whole step


def check_reading(model: Any, difference: Callable[[Any], float] | None = None) -> None:
    """Reads a few tokens one by one, in rows of several lengths, and compares with the model's plain forward pass; what
    is no causal model brings its own way to find the largest `difference`, as a share of the largest logit. A causal
    model is read so once more with every window that its configuration names as short as the text reads past it.

    Raises TerminalError where they differ: such a model keeps its state in a way that the engine does not know.
    """
    problem = f"{type(model).__name__} cannot be read token by token in slots, so the engine cannot run it"
    remedy = "choose a model with plain attention and rotary or learned positions"
    try:
        with torch.inference_mode():
            error = difference(model) if difference else _largest_past_windows(model)
    except TerminalError:
        raise
    except Exception as failed:
        raise TerminalError(f"{problem} ({failed}); {remedy}") from failed
    quantised = getattr(model.config, "quantization_config", None) is not None
    if not error <= (_QUANTISED if quantised else _TOLERANCE[model.dtype]):
        raise TerminalError(f"{problem} (its logits are off by {error:.2g} of the largest); {remedy}")


def _largest_past_windows(model: Any) -> float:
    """The larger of `_largest_difference` as the model is, and past its windows. Raises TerminalError for a length that
    cannot be tried."""
    config = model.config.get_text_config()
    refuse_uneven_ropes(config)
    lengths = windows(config)
    error = _largest_difference(model)
    if not lengths:
        return error
    whole = _plain(model)
    for name, value in lengths.items():
        with shortened(model, {name: value}):
            if value > SHORT and torch.equal(_plain(model), whole):
                refuse_inert(name, value)
            if len(lengths) > 1:  # together one may hide what another does
                error = max(error, _largest_difference(model))
    with shortened(model, lengths):
        return max(error, _largest_difference(model))


def _plain(model: Any) -> Tensor:
    """The model's own logits [tokens, vocabulary], without a cache."""
    text = [token % model.config.get_text_config().vocab_size for token in _TEXT]
    logits: Tensor = model(input_ids=torch.tensor([text], device=model.device), use_cache=False).logits[0].float()
    return logits


def _largest_difference(model: Any) -> float:
    """As a share of the largest logit."""
    vocabulary = model.config.get_text_config().vocab_size
    text = [token % vocabulary for token in _TEXT]
    plain = _plain(model)
    if bool(plain.isnan().any()):
        return 0.0  # a run says so when it meets them
    reader = Reader(model, 2)
    first = (2, 4)  # tokens that each of two rows begins with
    for slot, length in enumerate(first):
        prompt = reader.read(text[:length])
        reader.slots.put(prompt.cache, prompt.length, [slot])
    errors = []
    for step in range(len(text) - max(first)):
        places = [length + step for length in first]
        logits = reader.step(torch.tensor([text[place] for place in places], device=model.device))
        errors.append((logits - plain[places]).abs().max())
    return float(torch.stack(errors).max() / plain.abs().max().clamp(min=1))


def rounding_between_batches() -> float:
    """How far a row's float32 logits move, as a share of the largest, when it is read among 2, 7 or 32 others on this
    machine: 0 where every batch gives the same bits. The model is a small one with random weights."""
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    config = GPT2Config(vocab_size=512, n_positions=64, n_embd=128, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=0)
    model = GPT2LMHeadModel(config).to("cuda" if torch.cuda.is_available() else "cpu").eval()
    use_fast_kernels(model)
    check_reading(model)
    with torch.inference_mode():
        alone = _logits_of_first_row(model, 1)
        errors = [(_logits_of_first_row(model, rows) - alone).abs().max() for rows in (2, 7, 32)]
    return float(torch.stack(errors).max() / alone.abs().max())


def _logits_of_first_row(model: Any, rows: int) -> Tensor:
    """Of eight tokens that follow each other, in a batch whose other rows are longer."""
    reader = Reader(model, rows)
    for slot in range(rows):
        prompt = reader.read([*range(1, 5 + slot)])
        reader.slots.put(prompt.cache, prompt.length, [slot])
    steps = [reader.step(torch.arange(token, token + rows, device=model.device))[0] for token in range(5, 13)]
    return torch.stack(steps)
