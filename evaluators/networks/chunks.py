"""Texts cut into chunks of tokens that a network reads at once."""

from dataclasses import dataclass
from typing import Any

_LETTERS = 10  # a token, at most, in most texts


@dataclass(frozen=True)
class Chunk:
    """Token ids with the special ones, and how many of them are the text's own."""

    tokens: tuple[int, ...]
    size: int


def cut(tokenizer: Any, text: str, window: int) -> list[Chunk]:
    """The whole text in chunks of up to `window` tokens; one of size 0 where the tokenizer finds nothing in it."""
    made = tokenizer(
        encodable(text),
        truncation=True,
        max_length=window,
        return_overflowing_tokens=True,
        return_special_tokens_mask=True,
    )
    return [
        Chunk(tuple(ids), len(mask) - sum(mask))
        for ids, mask in zip(made["input_ids"], made["special_tokens_mask"], strict=True)
    ]


def first_chunk(tokenizer: Any, text: str, window: int) -> Chunk:
    """The first that `cut` gives; most of a long text is not looked at."""
    beginning = text[: _LETTERS * window]
    if len(beginning) < len(text) and " " in beginning:
        first = cut(tokenizer, beginning[: beginning.rindex(" ")], window)[0]
        if len(first.tokens) == window:
            return first
    return cut(tokenizer, text, window)[0]


def encodable(text: str) -> str:
    """Lone surrogates, which no tokenizer takes, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
