"""Cut a text that is longer than a model's context into windows that overlap by half."""

from collections.abc import Sequence
from dataclasses import dataclass

LONGEST = 2048  # tokens per window, if the model's context is long enough

# The rules that decide a number, for the fingerprints of the evaluators that compute it
RULE = {
    "window": f"the model's context, at most {LONGEST} tokens",
    "stride": "half a window: every token but those of the first window has at least that many before it",
    "bos": "begins every window of a model whose prompts begin with it, and is never scored; without it the first "
    "token of the prompt is not scored, and its bytes are not counted",
}


@dataclass(frozen=True)
class ReadingWindow:
    """A window, and the text's tokens that are scored in it: `inputs[first + n]` is the last token before the text's
    token number `target + n`, for each n below `scored`."""

    inputs: tuple[int, ...]
    first: int
    target: int
    scored: int


def cut(tokens: Sequence[int], size: int, *, bos: bool) -> list[ReadingWindow]:
    """Return the windows of a text, at most `size` tokens each, so that each token but the first is scored once.

    With `bos`, the first token begins every window. Raises ValueError for windows of fewer than 2 tokens, or 3 with
    BOS.
    """
    head = tuple(tokens[:bos])
    room = size - len(head)
    stride = room // 2
    if stride < 1:
        raise ValueError(f"a window of {size} tokens is too short to read in")
    made: list[ReadingWindow] = []
    target = 1
    while target < len(tokens):
        start = len(head) + len(made) * stride  # the first token after the head
        inputs = (*head, *tokens[start : min(start + room, len(tokens) - 1)])
        end = start + len(inputs) - len(head)  # the last token that is scored in this window
        made.append(ReadingWindow(inputs, target - 1 - start + len(head), target, end - target + 1))
        target = end + 1
    return made
