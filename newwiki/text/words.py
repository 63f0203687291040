"""Split text into words by one rule, which everything that counts words uses.

White space separates words. In a text without spaces between words (`without_spaces`), each letter of the scripts below
is a word, with its marks, and so is each run of other letters and digits between them. This needs no dictionary and no
download, so it is the same everywhere. 500 words of Chinese are 500 characters, about as much as 300 English words;
for Japanese it is about 250. A dictionary would change the words with each of its versions.
"""

import re
import unicodedata
from itertools import islice

# Part of the fingerprint of plug-ins that may read an analysis's words. Version 1 found no words in scripts without
# spaces. Raise it whenever the words of a text change, together with the versions of our own evaluators that read them.
WORDS_VERSION = "2"

# Thai, Lao, Myanmar, Khmer, kana and Chinese characters: scripts that put no space between words.
SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"

_BLOCKS = [(0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3099, 0x309A)]  # blocks of SPACELESS with marks
_MARKS = "".join(
    chr(code) for first, last in _BLOCKS for code in range(first, last + 1) if unicodedata.category(chr(code))[0] == "M"
)
_SPACELESS = re.compile(f"[{SPACELESS}]")
_RUN = re.compile(r"\S+")
_WORD = re.compile(rf"(?=\w)[{SPACELESS}][{_MARKS}]*|[^\W{SPACELESS}]+(?:['’.,\-][^\W{SPACELESS}]+)*")


def without_spaces(text: str) -> bool:
    """Tell whether the text puts no space between words: its characters of such scripts outnumber its runs between
    white space and a quarter of its letters and digits. An English article with many Chinese names has spaces."""
    if text.isascii():
        return False
    spaceless = sum(1 for _ in _SPACELESS.finditer(text))
    return spaceless > len(text.split()) and 4 * spaceless > sum(map(str.isalnum, text))


def split_words(text: str) -> list[str]:
    """Return the words of a text in order; words between spaces keep their punctuation."""
    return _WORD.findall(text) if without_spaces(text) else text.split()


def count_words(prose: str) -> int:
    """Count the words that contain a letter or digit."""
    return sum(any(character.isalnum() for character in word) for word in split_words(prose))


def first_words(text: str, count: int) -> str:
    """Return the text up to the end of its first `count` words, with its white space; the whole text if it has fewer
    words."""
    words = _WORD.finditer(text) if without_spaces(text) else _RUN.finditer(text)
    end = next((word.end() for word in islice(words, max(count - 1, 0), None)), len(text))
    return text[: end if count > 0 else 0]
