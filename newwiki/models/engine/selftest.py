"""Check that the engine reads with a model as the model itself does, and gives a row the same bits in any batch."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from newwiki.errors import TerminalError
from newwiki.models.engine.attention import (
    is_compiled,
    leave_cached_attention,
    leave_compiled_attention,
    plain_attention,
    use_cached_attention,
)
from newwiki.models.engine.memory import fits_into_memory, is_out_of_memory
from newwiki.models.engine.own_cache import largest_difference as largest_with_own_cache
from newwiki.models.engine.packed import unpack_linear_layers, use_fast_kernels
from newwiki.models.engine.reader import Reader
from newwiki.models.engine.rotary import ropes_of, rotate_rows_separately
from newwiki.models.engine.thresholds import (
    SHORT,
    UntriedLength,
    refuse_inert,
    refuse_unknown_ropes,
    shortened,
    windows,
)

_TEXT = (1, 2, 3, 4, 5, 6, 7)
_TOLERANCE = {torch.float32: 1e-3, torch.bfloat16: 0.1, torch.float16: 0.02}
_QUANTIZED = 0.1  # with quantized activations, rounding in the last bit moves an activation by a whole step


@dataclass(frozen=True)
class ModelPath:
    """How a causal model is read: in slots, or with its own cache object, where rows may be `joined` in a pass."""

    own_cache: bool = False
    joined: bool = True


SLOTS, _OWN_CACHE, _ROW_BY_ROW = ModelPath(), ModelPath(own_cache=True), ModelPath(own_cache=True, joined=False)
_TRIED = ((False, SLOTS), (False, _OWN_CACHE), (True, SLOTS), (True, _OWN_CACHE), (True, _ROW_BY_ROW))


def path_of(model: Any) -> ModelPath:
    """Return how to read the model: in slots if possible; else with its own cache object and transformers' attention,
    row by row if joined rows differ from single ones. If its code needs more of its linear layers than a product, they
    are unpacked.

    Raises TerminalError for a model that no way reads correctly: with its own cache, too, rows that are read token by
    token, joined, copied and moved must equal those of a plain forward pass, beyond every window.
    """
    with fits_into_memory("the model with a few tokens"):
        first: TerminalError | None = None
        for unpacked, path in _TRIED:
            try:
                _check(model, path, unpacked=unpacked)
                return path
            except UntriedLength:
                raise
            except TerminalError as refused:
                first = first or refused
        assert first
        raise first


def _check(model: Any, path: ModelPath, *, unpacked: bool) -> None:
    if unpacked:
        unpack_linear_layers(model)
    if path.own_cache:
        leave_cached_attention(model)
        difference = partial(largest_with_own_cache, join=path.joined)
        check_reading(model, partial(_largest_past_own_windows, difference=difference))
    else:
        use_cached_attention(model)
        check_reading(model)


def check_reading(model: Any, difference: Callable[[Any], float] | None = None) -> None:
    """Read a few tokens one by one, in rows of several lengths, and compare with the model's plain forward pass. Models
    that are not causal pass their own function for the largest `difference`, as a share of the largest logit. A causal
    model is read once more with every window of its configuration shortened below the text's length.

    Raises TerminalError if they differ: such a model keeps its state in a way that the engine does not support.
    """
    problem = f"the engine cannot run {type(model).__name__}, because it cannot be read token by token in slots"
    remedy = "choose a model with plain attention and rotary or learned positions"
    try:
        with torch.inference_mode():
            if difference:
                error = difference(model)
            else:
                compiled = _compiled_difference(model) if is_compiled(model) else None
                if compiled is not None and not compiled <= _TOLERANCE[model.dtype]:
                    leave_compiled_attention(model)
                    compiled = None
                error = _largest_past_windows(model, compiled)
    except TerminalError:
        raise
    except Exception as failed:
        if is_out_of_memory(failed):
            raise
        raise TerminalError(f"{problem} ({failed}); {remedy}") from failed
    quantised = getattr(model.config, "quantization_config", None) is not None
    if not error <= (_QUANTIZED if quantised else _TOLERANCE[model.dtype]):
        raise TerminalError(f"{problem} (its logits differ by {error:.2g} of the largest); {remedy}")


def _compiled_difference(model: Any) -> float:
    """Return the `_largest_difference` with compiled attention; infinity if the model fails with it."""
    try:
        return _largest_difference(model)
    except (RuntimeError, TypeError, ValueError, IndexError, AttributeError):
        return float("inf")


def _largest_past_windows(model: Any, known: float | None) -> float:
    """Return the larger `_largest_difference` of the model as it is, and of the model with shortened windows and rotary
    thresholds. `known` is the first if it was measured already; it is measured again for a model whose rows are rotated
    separately from here on. Raises TerminalError for a length that cannot be tested."""
    config = model.config.get_text_config()
    refuse_unknown_ropes(config)
    rotate_rows_separately(model)
    lengths = windows(config)
    ropes = ropes_of(model)
    error = known if known is not None and not ropes else _largest_difference(model)
    others = {name for rope in ropes for name in rope.named}
    if not lengths and not others:
        return error
    whole = _plain(model)
    for name, value in lengths.items():
        with shortened(model, [name]):
            if value > SHORT and torch.equal(_plain(model), whole):
                refuse_inert(name, value)
            if len(lengths) > 1:  # shortened together, one may hide the effect of another
                error = max(error, _largest_difference(model))
    with shortened(model, [*lengths, *others]):
        return max(error, _largest_difference(model))


def _largest_past_own_windows(model: Any, difference: Callable[[Any], float]) -> float:
    """Return the larger `difference` of the model as it is, and with shortened windows, which its own cache handles."""
    config = model.config.get_text_config()
    refuse_unknown_ropes(config)
    if ropes_of(model):
        raise UntriedLength(
            f"the rotary embedding of {type(model).__name__} depends on the length of the text, and the model keeps "
            "its keys in a cache of its own; choose another model"
        )
    error = difference(model)
    with shortened(model, [*windows(config)]):
        return max(error, difference(model))


def _plain(model: Any, tokens: int | None = None) -> Tensor:
    """Return the model's own logits [tokens, vocabulary] for the first tokens of a text, without a cache, and with
    transformers' attention."""
    text = [token % model.config.get_text_config().vocab_size for token in _TEXT[:tokens]]
    with plain_attention(model):
        logits: Tensor = model(input_ids=torch.tensor([text], device=model.device), use_cache=False).logits[0].float()
    return logits


def _largest_difference(model: Any) -> float:
    """Return the largest difference as a share of the largest logit."""
    vocabulary = model.config.get_text_config().vocab_size
    text = [token % vocabulary for token in _TEXT]
    plain = _plain(model)
    if bool(plain.isnan().any()):
        return 0.0  # a run reports NaN when it meets one
    if ropes_of(model):
        plain = torch.stack([_plain(model, length)[-1] for length in range(1, len(text) + 1)])
    reader = Reader(model, 2)
    first = (2, 4)  # tokens that each of two rows begins with
    errors = []
    for slot, length in enumerate(first):
        prompt = reader.read(text[:length])
        reader.slots.put(prompt.cache, length, range(slot, len(first)))  # the last slot is no other row's
        errors.append((prompt.logits[0] - plain[length - 1]).abs().max())
    for step in range(len(text) - max(first)):
        places = [length + step for length in first]
        logits = reader.step(torch.tensor([text[place] for place in places], device=model.device))
        for slot, place in enumerate(places):
            if reader.outgrows(place):
                logits[slot] = reader.read_anew(text[: place + 1], slot)
        errors.append((logits - plain[places]).abs().max())
    for slot, length in enumerate(first):
        errors.append((reader.alone_after(text[:length], text[length:], slot)[0] - plain[-1]).abs().max())
    return float(torch.stack(errors).max() / plain.abs().max().clamp(min=1))


def rounding_between_batches() -> float:
    """Return how far a row's float32 logits move, as a share of the largest, when it is read among 2, 7 or 32 rows on
    this machine: 0 if every batch gives the same bits. The model is a small one with random weights."""
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
    """Return the first row's logits for eight consecutive tokens, in a batch whose other rows are longer."""
    reader = Reader(model, rows)
    for slot in range(rows):
        prompt = reader.read([*range(1, 5 + slot)])
        reader.slots.put(prompt.cache, prompt.length, [slot])
    steps = [reader.step(torch.arange(token, token + rows, device=model.device))[0] for token in range(5, 13)]
    return torch.stack(steps)
