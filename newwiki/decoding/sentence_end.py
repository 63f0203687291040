"""Tell whether a token ends a sentence, for decoders that proceed sentence by sentence."""

import functools
import re
from collections.abc import Sequence
from typing import Any

from newwiki.text.language import Language, load_language

_TOKENS = 8  # tokens examined, including the new one
_END = re.compile(r"([.!?]+)[\"'”’»)\]}]*\s*$")
_MAY_END = re.compile(r"(?:^|[.!?\"'”’»)\]}\ufffd])\s*$")  # \ufffd: part of a character, perhaps of a closing mark
_LINE_BREAK = re.compile(r"[\n\r\u2028\u2029]")
_LAST_WORD = re.compile(r"[^\s(\[{\"“‘«„–—/]+$")
_DOTTED_LETTERS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")


class SentenceEnd:
    """Tells whether a token of this tokenizer ends a sentence, given the completion's tokens before it.

    It does if the text of the last 8 tokens ends a sentence (see `ends_sentence`), or if the token holds a line break.
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
    """Tell whether the text ends in `.`, `!` or `?`, perhaps followed by closing quotation marks, brackets and spaces.

    A full stop after an abbreviation, an initial or dotted letters (`U.S.`) does not count, because what follows is not
    known yet.
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
