"""Whether a token ends a sentence, for decoders that go sentence by sentence."""

import functools
import re
from collections.abc import Sequence
from typing import Any

from newwiki.text.language import Language, load_language

_TOKENS = 8  # so much of the text is looked at, the token itself included
_END = re.compile(r"([.!?]+)[\"'”’»)\]}]*\s*$")
_MAY_END = re.compile(r"(?:^|[.!?\"'”’»)\]}\ufffd])\s*$")  # \ufffd: a piece of a character, perhaps of such a one
_LINE_BREAK = re.compile(r"[\n\r\u2028\u2029]")
_LAST_WORD = re.compile(r"[^\s(\[{\"“‘«„–—/]+$")
_DOTTED_LETTERS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")


class SentenceEnd:
    """Tells of a token of this tokenizer, given those of the completion before it, whether it ends a sentence.

    It does if the text of the last 8 tokens with it does (see `ends_sentence`), or if it holds a line break.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._language = load_language("en")
        self._own_text = functools.cache(lambda token: self._text([token]))

    def __call__(self, before: Sequence[int], token: int) -> bool:
        alone = self._own_text(token)
        if _LINE_BREAK.search(alone):
            return True
        return bool(_MAY_END.search(alone)) and ends_sentence(
            self._text([*before[-_TOKENS + 1 :], token]), self._language
        )

    def _text(self, tokens: Sequence[int]) -> str:
        return str(self._tokenizer.decode(tokens, clean_up_tokenization_spaces=False))


def ends_sentence(text: str, language: Language) -> bool:
    """Whether it ends in `.`, `!` or `?`, perhaps followed by closing quotation marks or brackets and white space.

    A full stop after an abbreviation, an initial or dotted letters (`U.S.`) is none, as what follows is not known yet.
    """
    end = _END.search(text)
    if end is None or end[1] != ".":
        return end is not None
    before = text[: end.start()]
    last = _LAST_WORD.search(before)
    word = last.group() if last else ""
    if (len(word) == 1 and word.isupper()) or _DOTTED_LETTERS.fullmatch(word):
        return False
    known = language.abbreviations | language.titles
    return word.lower() not in known and " ".join(before.lower().split()[-2:]) not in known
