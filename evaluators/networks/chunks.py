"""Cut texts into chunks of tokens that a network reads at once."""

from dataclasses import dataclass
from typing import Any

_LETTERS = 10  # per token, an upper bound for most texts


@dataclass(frozen=True)
class Chunk:
    """Token ids with special tokens, and how many of them belong to the text."""

    tokens: tuple[int, ...]
    size: int


def cut(tokenizer: Any, text: str, window: int) -> list[Chunk]:
    """Cut the whole text into chunks of up to `window` tokens; one of size 0 if it has no tokens."""
    encoded = tokenizer(
        encodable(text),
        truncation=True,
        max_length=window,
        return_overflowing_tokens=True,
        return_special_tokens_mask=True,
    )
    return [
        Chunk(tuple(ids), len(mask) - sum(mask))
        for ids, mask in zip(encoded["input_ids"], encoded["special_tokens_mask"], strict=True)
    ]


def first_chunk(tokenizer: Any, text: str, window: int) -> Chunk:
    """Return the first chunk of `cut` without tokenizing most of a long text."""
    beginning = text[: _LETTERS * window]
    if len(beginning) < len(text) and " " in beginning:
        first = cut(tokenizer, beginning[: beginning.rindex(" ")], window)[0]
        if len(first.tokens) == window:
            return first
    return cut(tokenizer, text, window)[0]


def encodable(text: str) -> str:
    """Replace lone surrogates, which no tokenizer accepts, by question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
