"""Block repeated n-grams (`no_repeat_ngram_size`, Paulus et al. 2017), as in transformers, for every decoder."""

from collections.abc import Sequence


def repeating_tokens(tokens: Sequence[int], size: int) -> list[int]:
    """Return the tokens that would complete an n-gram of this size that already occurs (in prompt and completion)."""
    if size == 0 or len(tokens) < size:
        return []
    last = tuple(tokens[len(tokens) - size + 1 :])
    return [
        tokens[place + size - 1]
        for place in range(len(tokens) - size + 1)
        if tuple(tokens[place : place + size - 1]) == last
    ]
