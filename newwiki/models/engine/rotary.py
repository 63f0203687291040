"""Rotary embeddings whose frequencies go with the length of a text: LongRoPE and dynamic NTK.

transformers makes those of a whole batch by its longest row, and dynamic NTK's by the longest before as well. Here each
row has those of its own length, as where it is read alone by a model that has read nothing yet.
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
    """Past so many `tokens` a text is read with other frequencies from its first token on; with others again for each
    further token where it `grows` (dynamic NTK)."""

    tokens: int
    grows: bool

    def frequencies(self, length: int) -> int:
        """A number that texts of so many tokens share if they have the same frequencies."""
        return max(length, self.tokens) if self.grows else int(length > self.tokens)

    @property
    def named(self) -> tuple[str, ...]:
        """What configurations and modules call `tokens`."""
        return ("max_position_embeddings", "original_max_seq_len") if self.grows else (_ORIGINAL,)


def ropes_of(model: Any) -> list[Rope]:
    """Those of a model, which most have none of."""
    return [rope for module in model.modules() for _, rope in _ropes(module)]


def rotate_rows_apart(model: Any) -> None:
    """Gives each row of a batch the frequencies of its own length, which its last position tells, in place.

    Raises TerminalError for a model whose own code makes LongRoPE, as nobody knows by which length.
    """
    for module in model.modules():
        if any(_ropes(module)):
            module.forward = _RowsApart(module)
    kinds = {kind for kind, _ in rotary_scalings(model.config.get_text_config())}
    if LONG_ROPE in kinds and not ropes_of(model):
        raise TerminalError(
            f"{type(model).__name__} has a rotary embedding ({LONG_ROPE}) of its own code, which may read a whole "
            "batch by its longest row; choose a model whose code is part of transformers"
        )


def context(model: Any) -> int | None:
    """How many tokens a text may have: `max_position_embeddings`, and by dynamic NTK's factor more; None for no end."""
    config = model.config.get_text_config()
    tokens: int | None = getattr(config, "max_position_embeddings", None)
    if tokens is None or not any(rope.grows for rope in ropes_of(model)):
        return tokens
    scalings = [rope for kind, rope in rotary_scalings(config) if kind == DYNAMIC and not rope.get("alpha")]
    return int(tokens * min((rope["factor"] for rope in scalings), default=1.0))  # an alpha holds at every length


def same_frequencies(ropes: Sequence[Rope], length: int, other: int) -> bool:
    """Whether texts of so many tokens are read with the same."""
    return all(rope.frequencies(length) == rope.frequencies(other) for rope in ropes)


def _ropes(module: Any) -> Iterator[tuple[str, Rope]]:
    """Each one of a module that is transformers' own, and what its attributes begin with."""
    kinds = vars(module).get("rope_type", {})
    for layer, kind in kinds.items() if isinstance(kinds, dict) else [("", kinds)]:
        prefix = f"{layer}_" if layer else ""
        if kind == DYNAMIC:
            yield prefix, Rope(module.original_max_seq_len, grows=True)
        elif kind == LONG_ROPE:
            parameters = module.config.rope_parameters
            named = (parameters[layer] if layer else parameters)[_ORIGINAL]
            yield prefix, Rope(named, grows=False)


class _RowsApart:
    """The forward pass of a rotary embedding, in a pass of its own for all rows of the same frequencies."""

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
            if rope.grows:  # as if nothing was read before
                setattr(self._module, f"{prefix}max_seq_len_cached", rope.tokens)
                setattr(self._module, f"{prefix}inv_freq", getattr(self._module, f"{prefix}original_inv_freq"))
        return type(self._module).forward(self._module, *inputs, **layers)
