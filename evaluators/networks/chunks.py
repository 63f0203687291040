"""Texts cut into chunks of tokens that a network reads at once."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Chunk:
    """Token ids with the special ones, and how many of them are the text's own."""

    tokens: tuple[int, ...]
    size: int


def cut(tokenizer: Any, text: str, window: int) -> list[Chunk]:
    """The whole text in chunks of up to `window` tokens; none where the tokenizer finds nothing in it."""
    # Lone surrogates, which no tokenizer takes, become question marks.
    made = tokenizer(
        text.encode("utf-8", "replace").decode("utf-8"),
        truncation=True,
        max_length=window,
        return_overflowing_tokens=True,
        return_special_tokens_mask=True,
    )
    chunks = [
        Chunk(tuple(ids), len(mask) - sum(mask))
        for ids, mask in zip(made["input_ids"], made["special_tokens_mask"], strict=True)
    ]
    return [chunk for chunk in chunks if chunk.size]
