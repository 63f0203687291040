"""Split a text into sentences, and count the distinct ones.

This is how scores split any text, generated or not, in any language and however broken. Three other modules have
other tasks: `newwiki.text.first_sentence` finds one sentence end in the article's own language, and prefers a prompt
that is too long to one that breaks off; `newwiki.decoding.sentence_end` judges a text whose next word is not known yet;
`counts` counts sentences as the readability formulas do, without locating them.
"""

import re
from collections.abc import Iterator
from itertools import pairwise, zip_longest

from evaluators.analysis import Analysis
from newwiki.records import Metric, Unscorable
from newwiki.registry import evaluator

# Raise it whenever a text may be split differently.
SENTENCES_VERSION = "1"

_CLOSERS = "\"'”’»)\\]"
_OPENERS = "\"'“‘«([„"
_END = re.compile(rf"[.!?…؟।۔][{_CLOSERS}]*$")
_WIDE_END = re.compile("(?<=[。！？])(?![。！？」』）”’])|(?<=[。！？][」』）”’])")
_WORD = re.compile(r"\S+")
_WIDE_MARK = re.compile("[。！？][」』）”’]?$")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
# "J." and "U.S."
_INITIALS = re.compile(rf"[{re.escape(_OPENERS)}]*(?:[^\W\d_]\.)+")
_ABBREVIATIONS = """
    mr. mrs. ms. dr. prof. st. mt. ft. jr. sr. rev. hon. gen. col. lt. capt. sgt. maj. gov. sen. rep. vs. ca. cf. al.
    etc. inc. ltd. co. corp. dept. est. approx. jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. dec.
"""
_ABBREVIATED = frozenset(_ABBREVIATIONS.split())
_BEFORE_NUMBERS = frozenset({"no.", "nos.", "vol.", "fig.", "p.", "pp."})


@evaluator(
    metrics=[
        Metric(
            "distinct_sentences",
            unit="sentences",
            minimum=1.0,
            maximum=None,
            direction="higher",
            definition="sentences, those that are the same but for white space counted once",
            source="Massarelli et al. 2020, table 4",
        )
    ],
    version="1",
    parameters={"sentences": SENTENCES_VERSION},
)
def distinct_sentences(analysis: Analysis, reference: Analysis) -> int | Unscorable:
    """Return the number of distinct sentences, 1 and up, higher is less repetitive.

    Source: Massarelli et al. 2020, How decoding strategies affect the verifiability of generated text, table 4. The
    paper splits with spaCy and does not define when two sentences are the same or how a cut-off end is treated: here
    case and punctuation count, white space does not, and a last sentence without its end counts. Pitfalls: it grows
    with length (the paper's texts have about five sentences); a text without any sentence end has no score.
    """
    if analysis.wordless:
        return Unscorable("no words")
    return len(set(split_sentences(analysis.text))) or Unscorable("no sentence end")


def split_sentences(text: str) -> list[str]:
    """Return the sentences in order, with single spaces for white space; none if the text has no sentence end at all.

    A sentence ends at `. ! ? … ؟ । ۔`, with closing quotation marks and brackets, before white space that no lower-case
    letter follows; at `。 ！ ？`; and at the end of its line. Not after initials or common English abbreviations within
    a line. A span without letters and digits is not a sentence. Linear in the length of the text.
    """
    spans = list(sentence_spans(text))
    return [" ".join(text[start:end].split()) for start, end, _ in spans] if any(ended for *_, ended in spans) else []


def first_sentence_of(text: str) -> tuple[str, bool]:
    """Return the beginning of a text up to its first sentence end or the end of its line, by the rules of
    `split_sentences`, with single spaces for white space; and whether there is such an end."""
    line, broken, _ = text.lstrip().partition("\n")
    words = [line[slice(*span)] for word in _WORD.finditer(line) for span in _split_word(word.group(), word.start())]
    for place, (word, following) in enumerate(zip_longest(words, words[1:]), start=1):
        if _ends_sentence(word, following):
            return " ".join(words[:place]), True
    return " ".join(words), bool(broken)


def sentence_spans(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield where each sentence begins and ends in the text, in characters, and whether it has its end mark: the last
    one may break off."""
    line_start = 0
    for line in text.splitlines(keepends=True):
        words = [span for word in _WORD.finditer(line) for span in _split_word(word.group(), line_start + word.start())]
        first = 0
        for place, (span, following) in enumerate(zip_longest(words, words[1:]), start=1):
            ended = _ends_sentence(text[slice(*span)], following and text[slice(*following)])
            if ended or following is None:
                start, end = words[first][0], span[1]
                first = place
                if _LETTER_OR_DIGIT.search(text, start, end):
                    yield start, end, ended
        line_start += len(line)


def _split_word(word: str, start: int) -> list[tuple[int, int]]:
    """Return the spans of a word at `start`, split where sentences end within it."""
    cuts = [0, *(mark.end() for mark in _WIDE_END.finditer(word)), len(word)]
    return [(start + left, start + right) for left, right in pairwise(cuts) if left < right]


def _ends_sentence(word: str, following: str | None) -> bool:
    if _WIDE_MARK.search(word):
        return True
    if not _END.search(word):
        return False
    if following is None:
        return True
    lowered = word.lower().lstrip(_OPENERS)
    if lowered in _BEFORE_NUMBERS and following[0].isdigit():
        return False
    return not (following.lstrip(_OPENERS)[:1].islower() or lowered in _ABBREVIATED or _INITIALS.fullmatch(word))
