"""Handle rotary embeddings whose frequencies depend on the length of a text: LongRoPE and dynamic NTK.

transformers derives the frequencies of a whole batch from its longest row, for dynamic NTK also from the longest text
before. Here each row has those of its own length, as if it were read alone by a fresh model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from newwiki.errors import TerminalError
from newwiki.models.engine.thresholds import DYNAMIC, LONG_ROPE, rotary_scalings

_ORIGINAL = "original_max_position_embeddings"


@dataclass(frozen=True)
class Rope:
    """Beyond `tokens` tokens a text is read with other frequencies from its first token on; if it `grows` (dynamic
    NTK), they change again with each further token."""

    tokens: int
    grows: bool

    def frequencies(self, length: int) -> int:
        """Return a number that two lengths share if they have the same frequencies."""
        return max(length, self.tokens) if self.grows else int(length > self.tokens)

    @property
    def named(self) -> tuple[str, ...]:
        """The names of `tokens` in configurations and modules."""
        return ("max_position_embeddings", "original_max_seq_len") if self.grows else (_ORIGINAL,)


def ropes_of(model: Any) -> list[Rope]:
    """Return a model's length-dependent ropes; most models have none."""
    return [rope for module in model.modules() for _, rope in _ropes(module)]


def rotate_rows_separately(model: Any) -> None:
    """Give each row of a batch, in place, the frequencies of its own length, which its last position shows.

    Raises TerminalError for a model with LongRoPE code of its own, because that code may use another length.
    """
    for module in model.modules():
        if any(_ropes(module)):
            module.forward = _SeparateRows(module)
    kinds = {kind for kind, _ in rotary_scalings(model.config.get_text_config())}
    if LONG_ROPE in kinds and not ropes_of(model):
        raise TerminalError(
            f"{type(model).__name__} computes its rotary embedding ({LONG_ROPE}) with its own code, which may use the "
            "longest row for a whole batch; choose a model whose code is part of transformers"
        )


def context(model: Any) -> int | None:
    """Return the maximum length of a text: `max_position_embeddings`, times dynamic NTK's factor; None if unlimited."""
    config = model.config.get_text_config()
    tokens: int | None = getattr(config, "max_position_embeddings", None)
    if tokens is None or not any(rope.grows for rope in ropes_of(model)):
        return tokens
    scalings = [rope for kind, rope in rotary_scalings(config) if kind == DYNAMIC and not rope.get("alpha")]
    return int(tokens * min((rope["factor"] for rope in scalings), default=1.0))  # an alpha applies at every length


def same_frequencies(ropes: Sequence[Rope], length: int, other: int) -> bool:
    """Tell whether texts of these two lengths are read with the same frequencies."""
    return all(rope.frequencies(length) == rope.frequencies(other) for rope in ropes)


def _ropes(module: Any) -> Iterator[tuple[str, Rope]]:
    """Yield each rope of one of transformers' own modules, with the prefix of its attributes."""
    kinds = vars(module).get("rope_type", {})
    for layer, kind in kinds.items() if isinstance(kinds, dict) else [("", kinds)]:
        prefix = f"{layer}_" if layer else ""
        if kind == DYNAMIC:
            yield prefix, Rope(module.original_max_seq_len, grows=True)
        elif kind == LONG_ROPE:
            parameters = module.config.rope_parameters
            named = (parameters[layer] if layer else parameters)[_ORIGINAL]
            yield prefix, Rope(named, grows=False)


class _SeparateRows:
    """The forward pass of a rotary embedding, run separately for each group of rows with the same frequencies."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __call__(self, x: Tensor, position_ids: Tensor, *layer: str, **layers: str) -> Any:
        ropes = [rope for _, rope in _ropes(self._module)]
        groups: dict[tuple[int, ...], list[int]] = {}
        for row, last in enumerate(position_ids.amax(dim=-1).tolist()):
            groups.setdefault(tuple(rope.frequencies(last + 1) for rope in ropes), []).append(row)
        made = [self._rotated(x, position_ids[rows], *layer, **layers) for rows in groups.values()]
        order = torch.tensor([row for rows in groups.values() for row in rows], device=x.device).argsort()
        if isinstance(made[0], Tensor):
            return torch.cat(made)[order]
        return tuple(torch.cat(parts)[order] for parts in zip(*made, strict=True))

    def _rotated(self, *inputs: Any, **layers: str) -> Any:
        for prefix, rope in _ropes(self._module):
            if rope.grows:  # reset, as if nothing had been read before
                setattr(self._module, f"{prefix}max_seq_len_cached", rope.tokens)
                setattr(self._module, f"{prefix}inv_freq", getattr(self._module, f"{prefix}original_inv_freq"))
        return type(self._module).forward(self._module, *inputs, **layers)
