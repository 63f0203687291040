"""Find a paragraph's first sentence, which becomes part of a prompt, and check that it is a sentence."""

import re

from newwiki.text.language import Language
from newwiki.text.sentences import sentence_ends
from newwiki.text.words import count_words, split_words

_OPENING = "\"'“‘«([„"
_WORD = re.compile(r"[^\W_]++(?:['’.\-][^\W_]++)*+")
_DISAMBIGUATOR = re.compile(r" \([^()]*\)$")
_NO_BEGINNING = re.compile(r"[,;:!?)\]}”»*|=%–—]|\.(?![\w.])")
_QUOTATION_MARK = re.compile('["“”„«»]')
_CLOSING = re.compile(r"[^\s\d(\[–—/\-][\"“”](?!\w)|\A”|.?»(?!\w)")  # with the character before it
_SENTENCE_LINE = re.compile(r"[.!?…。！？؟।:;][\"'”’»)\]」』）》]*+$")
_MINIMUM_WORDS = 6
_LONGEST_LINE = 40  # words; a longer line without an end mark is not taken for the rest of a list


def first_sentence(paragraph: str, language: Language) -> str:
    """Return the first sentence with its end mark, or the whole paragraph if no end is found.

    It ends by the rules of `newwiki.text.sentences`, with the differences of `opens_article`.
    """
    return paragraph[: next(sentence_ends(paragraph, language, opens_article=True), None)]


def why_no_sentence(sentence: str, language: Language, title: str = "") -> str | None:
    """Explain why the text is not a usable sentence; None if it is one.

    A sentence has six words and a verb. It does not begin with a small letter, a comma or the end of a quotation. The
    title may be written in small letters (`eBay is`, `k.d. lang is`), and so may a word with a capital in it (`mRNA`).
    """
    words = [word.lower().replace("’", "'") for word in _WORD.findall(sentence)]
    count = count_words(sentence) if language.spaceless else len(words)
    if count < _MINIMUM_WORDS:
        return f"the first sentence has {count} of {_MINIMUM_WORDS} words"
    if not any(map(language.is_verb, [sentence] if language.spaceless else words)):
        return "the first sentence has no verb"
    return _wrong_beginning(sentence, language, title)


def _wrong_beginning(sentence: str, language: Language, title: str) -> str | None:
    if _closes_unopened_quotation(sentence):
        return "the first sentence begins within a quotation"
    start = sentence.lstrip(f"{_OPENING} ")
    if _begins_with_title(start, language, title):
        return None
    if _NO_BEGINNING.match(start):
        return f"the first sentence begins with '{start[0]}'"
    word = _first_piece(start)
    if _is_small(word[:1]) and not any(character.isupper() for character in word):
        return "the first sentence begins with a small letter"
    return None


def _begins_with_title(start: str, language: Language, title: str) -> bool:
    """Tell whether the text begins with the title without its brackets, or with the title's first word if that is not
    a word such as `the`."""
    name = _DISAMBIGUATOR.sub("", title).lstrip(f"{_OPENING} ").casefold()
    folded = start.casefold()
    if not name:
        return False
    if folded.startswith(name) and not folded[len(name) : len(name) + 1].isalnum():
        return True
    first = _first_piece(name)
    return _first_piece(folded) == first and first.capitalize() not in language.sentence_starters


def _first_piece(text: str) -> str:
    return next(iter(text.split(maxsplit=1)), "")


def _is_small(letter: str) -> bool:
    """Tell whether the letter has a capital that begins sentences; Georgian capitals do not."""
    return letter.islower() and letter.title() != letter


def _closes_unopened_quotation(sentence: str) -> bool:
    """Tell whether the first quotation mark ends a quotation (and does not stand for inches)."""
    mark = _QUOTATION_MARK.search(sentence)
    return mark is not None and _CLOSING.match(sentence, max(0, mark.start() - 1)) is not None


def list_share(prose: str) -> float:
    """The share of words in short paragraphs without an end mark, as lists and tables leave them: 0 … 1."""
    words = in_lists = 0
    for paragraph in prose.split("\n\n"):
        count = len(split_words(paragraph))
        words += count
        in_lists += count if count <= _LONGEST_LINE and not _SENTENCE_LINE.search(paragraph) else 0
    return in_lists / words if words else 0.0
