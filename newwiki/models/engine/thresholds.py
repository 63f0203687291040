"""Lengths past which a model reads otherwise than before, by its configuration: windows, chunks, rotary scaling."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from newwiki.errors import TerminalError

SHORT = 3  # tokens, of every window that is tried

_LENGTH = re.compile(r"window|chunk|local_att|index_topk|block_size|block_len|sparse_len|attention_span|ntk|logn")
# These count layers, are of the feed-forward part, a scan's blocks, or (ModernBERT's) twice the sliding_window beside
# them.
_NO_LENGTH = {
    "max_window_layers",
    "local_attention",
    "chunk_size_feed_forward",
    "chunk_size_lm_head",
    "index_topk_blocks",
    "mamba_chunk_size",
}
_LAYERS = re.compile(r"window_pattern$")
DYNAMIC, LONG_ROPE = "dynamic", "longrope"  # their frequencies go with a text's length
_EVEN_ROPES = {"default", "linear", "yarn", "llama3", "proportional"}


class UntriedLength(TerminalError):
    """A length past which a model may read otherwise, and nobody knows how."""


def windows(config: Any) -> dict[str, int]:
    """What the configuration of a text model calls a window, a chunk or the like, longer than a token.

    Raises UntriedLength for one that is given by layers.
    """
    found = {}
    for name, value in config.to_dict().items():
        if not _LENGTH.search(name) or name in _NO_LENGTH or _LAYERS.search(name) or isinstance(value, bool):
            continue
        if isinstance(value, list | tuple) and any(isinstance(one, int) and one > 1 for one in value):
            raise _cannot_be_tried(name, value)
        if isinstance(value, int) and value > 1 and not _is_off(config, name):
            found[name] = value
    return found


def _is_off(config: Any, name: str) -> bool:
    """Qwen's window counts only where it is used."""
    return getattr(config, f"use_{name}", None) is False


def refuse_inert(name: str, value: int) -> None:
    """Raises UntriedLength for a length that changes nothing where it is short, so that nobody knows what it does."""
    if name != "sliding_window":  # the reader knows this one, and is wrong with it where the model leaves it out
        raise _cannot_be_tried(name, value)


def _cannot_be_tried(name: str, value: object) -> UntriedLength:
    return UntriedLength(
        f"the model's configuration names {name} ({value}), past which it may read otherwise, and the engine cannot "
        "try that; choose another model, or another backend"
    )


@contextmanager
def shortened(model: Any, lengths: Sequence[str]) -> Iterator[None]:
    """The model with these lengths of `SHORT` tokens: same code and weights, past every threshold in a short text."""
    config = model.config.get_text_config()
    configs = [config, *{id(one): one for one in map(_config, model.modules()) if one not in (None, config)}.values()]
    holders: list[Any] = [*map(vars, configs), *(rope for one in configs for _, rope in rotary_scalings(one))]
    changed = [(holder, name) for holder in holders for name in lengths if name in holder]
    changed += [(vars(one), name) for one in model.modules() for name in lengths if type(vars(one).get(name)) is int]
    before = [holder[name] for holder, name in changed]
    try:
        for holder, name in changed:
            holder[name] = SHORT
        yield
    finally:
        for (holder, name), value in zip(changed, before, strict=True):
            holder[name] = value


def _config(module: Any) -> Any:
    return vars(module).get("config")


def refuse_unknown_ropes(config: Any) -> None:
    """Raises UntriedLength for a rotary scaling of which it is not known how it goes with the length."""
    for kind, _ in rotary_scalings(config):
        if kind not in {*_EVEN_ROPES, DYNAMIC, LONG_ROPE}:
            raise UntriedLength(
                f"the model's rotary embedding is scaled by '{kind}' (rope_type), which may read a text otherwise as "
                "it gets longer; choose a model without"
            )


def rotary_scalings(config: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Kind and parameters of each rotary embedding: one for all layers, or one for each kind of layer."""
    rope = getattr(config, "rope_parameters", None) or {}
    for one in [rope, *rope.values()]:
        if isinstance(one, dict) and (kind := one.get("rope_type", one.get("type"))):
            yield str(kind), one
