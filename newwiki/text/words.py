"""What a word is: one rule, by which everything that counts words counts them.

Words are what white space separates. In a text without spaces between its words, which is one with more characters of
the scripts below than runs between white space, each letter of these scripts is a word, with the marks on it, and so
is each run of other letters and digits between them. That takes no dictionary and no download, so it is the same
everywhere: 500 words of Chinese are 500 characters, which is what some 300 English words say, of Japanese some 250.
A dictionary's words would be other ones with each of its versions.
"""

import re
import unicodedata

# Part of the fingerprint of what is not ours and may read an analysis's words. Version 1 told none in scripts without
# spaces. Raise it whenever words change for the same text, and the versions of our own evaluators that read them.
WORDS_VERSION = "2"

# Thai, Lao, Myanmar, Khmer, kana and Chinese characters: scripts that put no space between words.
SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"

_BLOCKS = [(0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3099, 0x309A)]  # of SPACELESS, those with marks
_MARKS = "".join(
    chr(code) for first, last in _BLOCKS for code in range(first, last + 1) if unicodedata.category(chr(code))[0] == "M"
)
_SPACELESS = re.compile(f"[{SPACELESS}]")
_WORD = re.compile(rf"(?=\w)[{SPACELESS}][{_MARKS}]*|[^\W{SPACELESS}]+(?:['’.,\-][^\W{SPACELESS}]+)*")


def without_spaces(text: str) -> bool:
    """Whether it puts no space between words: more characters of such scripts than runs between white space."""
    if text.isascii():
        return False
    return sum(1 for _ in _SPACELESS.finditer(text)) > len(text.split())


def split_words(text: str) -> list[str]:
    """The words of a text in their order; between spaces with the marks that stand beside them."""
    return _WORD.findall(text) if without_spaces(text) else text.split()


def count_words(prose: str) -> int:
    """Words that hold a letter or digit."""
    return sum(any(character.isalnum() for character in word) for word in split_words(prose))
