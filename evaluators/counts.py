"""Count words, sentences, syllables, complex words and tokens of a text without a model.

The readability counts follow the interpretation that gives the New-Wiki Eval paper's numbers for Wikipedia. Words,
sentences and syllables (hyphenation points) are those of textstat 0.7.4 with `set_rm_apostrophe(False)`: identical on
2,000 articles. textstat 0.7.8 and later look up syllables in a pronouncing dictionary, which lowers the Flesch score by
eight points; without it, 0.7.13 differs by a syllable or two in 7 of those articles, where a quotation opens with 's, t
or d. A complex word counts each time it occurs, as in Gunning, in the paper's equation 2, and in textstat 0.7.13. 0.7.4
counts each complex word of a text once: the index that the paper prints would be 17.5 on 421 articles, where ours is
21.6 and the paper's is 21.4.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache

import pyphen

from evaluators.easy_words import EASY_WORDS
from newwiki.text.words import SPACELESS

# Part of the fingerprint of plug-ins that may read a `Readability`: raise it whenever a count changes for the same
# text, together with the versions of our own evaluators whose numbers may change.
READABILITY_VERSION = "2"

_LATIN = re.compile("[a-z]")
_QUOTE = re.compile(r"'(?!(?:[tsd]|ve|ll|re)\b)")
_PUNCTUATION = re.compile(r"[^\w\s'.!?]")
_SENTENCE = re.compile(r"\b[^.!?]+")
_TERM = re.compile(rf"[{SPACELESS}]|[^\W{SPACELESS}]+")
_TOKEN = re.compile(
    r"""
    (?:[^\W\d_]\.){2,}                          # U.S.
    | \d+ (?:[.,:–-]\d+)*                       # 10,000 and 3.5 and 2024–25
    | [^\W\d_]+ (?=n['’]t\b) | n['’]t\b         # do, n't
    | ['’](?:s|re|ve|ll|d|m)\b
    | \w+
    | [^\w\s]
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Readability:
    """Counts by textstat's rules. Sentences of two words or fewer are not counted, so there may be none.

    `latin_words` are those with a letter from a to z, the only ones whose syllables the English rules can count;
    `ended` tells whether the text contains a full stop, question mark or exclamation mark at all.
    """

    words: int
    latin_words: int
    sentences: int
    syllables: int
    complex_words: int
    ended: bool

    @property
    def mostly_latin(self) -> bool:
        """Whether at least half of the words have a Latin letter."""
        return self.latin_words * 2 >= self.words


def count_readability(text: str) -> Readability:
    """Count in one pass. Complex words have three syllables or more and are not on the list of easy words."""
    bare = _bare(text)
    words = _words(bare)
    latin_words = syllables = complex_words = 0
    for word, times in Counter(words).items():
        latin, word_syllables, is_complex = _count_word(word)
        latin_words += times * latin
        syllables += times * word_syllables
        complex_words += times * is_complex
    sentences = sum(len(sentence.split(maxsplit=3)) > 2 for sentence in _SENTENCE.findall(bare))
    return Readability(
        len(words), latin_words, sentences, syllables, complex_words, ended=any(end in text for end in ".!?")
    )


def readable_words(text: str) -> list[str]:
    """Return the words whose syllables are counted, in lower case."""
    return _words(_bare(text))


def count_syllables(word: str) -> int:
    """Count the syllables of one of `readable_words` by hyphenation points."""
    return _count_word(word)[1]


def count_tokens(text: str) -> int:
    """Count words and punctuation marks, within one per cent of spaCy's count for English prose."""
    return sum(map(_count_tokens_between_spaces, text.split()))


def terms(text: str) -> list[str]:
    """Return the words that are compared between texts: case-folded runs of letters and digits, in order.

    Characters of scripts without spaces between words are words of their own.
    """
    return _TERM.findall(text.casefold())


def located_terms(text: str) -> list[tuple[str, int, int]]:
    """Return the `terms` of a text with the positions in the text where each begins and ends, in characters."""
    folded = text.casefold()
    found = [(match[0], *match.span()) for match in _TERM.finditer(folded)]
    if len(folded) == len(text):
        return found
    # Some letters have a longer case-folded form, such as ß: their positions move all that follow.
    origins = [place for place, letter in enumerate(text) for _ in letter.casefold()]
    return [(word, origins[start], origins[end - 1] + 1) for word, start, end in found]


@lru_cache(maxsize=2**16)
def _count_tokens_between_spaces(text: str) -> int:
    return len(_TOKEN.findall(text))


def _bare(text: str) -> str:
    return _PUNCTUATION.sub("", _QUOTE.sub("", text)).lower()


def _words(bare: str) -> list[str]:
    return bare.replace(".", "").replace("!", "").replace("?", "").split()


@lru_cache(maxsize=2**18)
def _count_word(word: str) -> tuple[bool, int, bool]:
    """Return whether it has a Latin letter, its number of syllables, and whether it is complex."""
    if not _LATIN.search(word):
        return False, 1, False
    syllables = len(_hyphenation().positions(word)) + 1
    # pyphen caches every word it has ever seen; the bounded cache here is enough.
    _hyphenation().hd.cache.clear()
    return True, syllables, syllables >= 3 and word not in EASY_WORDS


@cache
def _hyphenation() -> pyphen.Pyphen:
    return pyphen.Pyphen(lang="en_US")
