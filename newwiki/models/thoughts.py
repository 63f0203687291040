"""Let a model think before it answers: its thinking is written first, and its answer follows as a text of its own.

So each of the two has a limit of its own, and an answer can begin with a given sentence.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from newwiki.decoding.stream import Ending
from newwiki.models.prompting import Prompting
from newwiki.models.thinking import UNCLOSED

FULL = "the thinking filled the context"  # a reason for which a completion has no answer


@dataclass(frozen=True)
class Thought:
    """What a model wrote first.

    - `tokens`: all its tokens
    - `thinking`: its text without marks; None if the model does not think
    - `carried`: tokens that are the beginning of the answer already
    - `following`: all tokens between the prompt and what is still to be written
    - `finished`: whether the model has ended its answer already, which is `carried`
    - `no_answer`: the reason why no answer can follow
    """

    tokens: tuple[int, ...]
    thinking: str | None
    carried: tuple[int, ...] = ()
    following: tuple[int, ...] = ()
    finished: bool = False
    no_answer: str | None = None

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of a completion that follow from the thought."""
        return {
            "thinking": self.thinking,
            "thinking_tokens": None if self.thinking is None else len(self.tokens),
            "thinking_ids": self.tokens,
        }


class Thinker:
    """A chat model that may think first. `most` is the maximum number of tokens of its thinking, `ends` are the tokens
    that end a text."""

    def __init__(self, prompting: Prompting, ends: frozenset[int]) -> None:
        assert prompting.marks
        self._prompting = prompting
        self._marks = prompting.marks
        self.most = prompting.options.max_thinking_tokens
        # The mark that closes the thinking may be a token that ends a turn elsewhere
        self.ends = ends - set(prompting.encode_text(self._marks.close))

    def ending(self, sentence: Callable[[Sequence[int], int], bool] | None) -> Ending:
        return Ending(self.ends, self.stops, sentence)

    def stops(self, tokens: Sequence[int]) -> bool:
        """Tell whether the thinking ends with these tokens: it is closed, or it has turned out to be none."""
        reach = len(self._marks.close.encode()) + 8  # a token has a byte or more
        if self._marks.close in self._prompting.raw(tokens[-reach:]):
            return True
        if self._prompting.opened or len(tokens) > len(self._marks.open.encode()) + 8:
            return False
        return self._marks.is_thinking(self._prompting.raw(tokens)) is False

    def thought(self, tokens: Sequence[int], begun: str, *, ended: bool) -> Thought:
        """Return the thought that consists of these tokens. It was closed, or the model ended its text (`ended`), or it
        reached the limit. `begun` begins the answer, or is empty."""
        marks, whole, written = self._marks, self._prompting.raw(tokens), tuple(tokens)
        is_open = self._prompting.opened or (bool(whole.strip()) and marks.is_thinking(whole) is not False)
        if not is_open and begun:
            return Thought(written, None, following=self._ids(marks.answer_open + begun))
        if not is_open:
            return Thought(written, None, carried=written, following=written, finished=ended)
        thinking = self._prompting.split(written, opened=self._prompting.opened).thinking or ""
        if marks.close in whole:
            is_apart = whole.partition(marks.close)[2] != ""
            between = ("" if is_apart else marks.between) + marks.answer_open + begun if begun else ""
            return Thought(written, thinking, following=(*written, *self._ids(between)))
        if ended or not marks.early_close:
            return Thought(written, thinking, no_answer=UNCLOSED)
        return Thought(written, thinking, following=(*written, *self._ids(marks.early_close + begun)))

    def _ids(self, text: str) -> tuple[int, ...]:
        return tuple(self._prompting.encode_text(text)) if text else ()


def answer_seed(seed: int) -> int:
    """Return the seed of the answers of a run: another one than that of the thinking, so that both draw their own
    noise."""
    return int.from_bytes(hashlib.blake2b(f"{seed}:answer".encode(), digest_size=6).digest(), "little")
