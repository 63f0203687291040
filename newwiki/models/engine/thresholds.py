"""Find lengths beyond which a model reads differently, from its configuration: windows, chunks, rotary scaling."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from newwiki.errors import TerminalError

SHORT = 3  # tokens of every window during a test

_LENGTH = re.compile(r"window|chunk|local_att|index_topk|block_size|block_len|sparse_len|attention_span|ntk|logn")
# These count layers, belong to the feed-forward part, are a scan's blocks, or (ModernBERT) repeat the sliding_window.
_NO_LENGTH = {
    "max_window_layers",
    "local_attention",
    "chunk_size_feed_forward",
    "chunk_size_lm_head",
    "index_topk_blocks",
    "mamba_chunk_size",
}
_LAYERS = re.compile(r"window_pattern$")
DYNAMIC, LONG_ROPE = "dynamic", "longrope"  # their frequencies depend on the text's length
_EVEN_ROPES = {"default", "linear", "yarn", "llama3", "proportional"}


class UntriedLength(TerminalError):
    """Raised for a length beyond which a model may read differently in a way that cannot be tested."""


def windows(config: Any) -> dict[str, int]:
    """Return the windows, chunks and the like of a text model's configuration that are longer than a token.

    Raises UntriedLength for a length that is given per layer.
    """
    lengths = {}
    for name, value in config.to_dict().items():
        if not _LENGTH.search(name) or name in _NO_LENGTH or _LAYERS.search(name) or isinstance(value, bool):
            continue
        if isinstance(value, list | tuple) and any(isinstance(item, int) and item > 1 for item in value):
            raise _cannot_be_tried(name, value)
        if isinstance(value, int) and value > 1 and not _is_off(config, name):
            lengths[name] = value
    return lengths


def _is_off(config: Any, name: str) -> bool:
    """Tell whether the window is disabled, as in Qwen's configurations."""
    return getattr(config, f"use_{name}", None) is False


def refuse_inert(name: str, value: int) -> None:
    """Raise UntriedLength for a length that has no effect when it is short, so its effect is unknown."""
    if name != "sliding_window":  # the reader implements this one, and would be wrong if the model ignores it
        raise _cannot_be_tried(name, value)


def _cannot_be_tried(name: str, value: object) -> UntriedLength:
    return UntriedLength(
        f"the model's configuration sets {name} ({value}), beyond which it may read differently, and the engine "
        "cannot test that; choose another model or another backend"
    )


@contextmanager
def shortened(model: Any, lengths: Sequence[str]) -> Iterator[None]:
    """Set these lengths to `SHORT` tokens: same code and weights, but beyond every threshold in a short text."""
    config = model.config.get_text_config()
    others = {id(own): own for own in map(_config, model.modules()) if own not in (None, config)}
    configs = [config, *others.values()]
    holders: list[Any] = [*map(vars, configs), *(rope for own in configs for _, rope in rotary_scalings(own))]
    changed = [(holder, name) for holder in holders for name in lengths if name in holder]
    changed += [(vars(part), name) for part in model.modules() for name in lengths if type(vars(part).get(name)) is int]
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
    """Raise UntriedLength for a rotary scaling whose dependence on the length is unknown."""
    for kind, _ in rotary_scalings(config):
        if kind not in {*_EVEN_ROPES, DYNAMIC, LONG_ROPE}:
            raise UntriedLength(
                f"the model's rotary embedding uses the scaling '{kind}' (rope_type), which may read a text "
                "differently as it gets longer; choose a model without it"
            )


def rotary_scalings(config: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield kind and parameters of each rotary embedding: one for all layers, or one for each kind of layer."""
    rope = getattr(config, "rope_parameters", None) or {}
    for parameters in [rope, *rope.values()]:
        if isinstance(parameters, dict) and (kind := parameters.get("rope_type", parameters.get("type"))):
            yield str(kind), parameters
