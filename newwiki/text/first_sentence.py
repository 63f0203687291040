"""Find the end of a paragraph's first sentence and check that it is a sentence, in linear time.

The first sentence becomes part of a prompt. The language's data file supplies abbreviations, ordinals and words that
open sentences; in doubtful cases the sentence continues.
"""

import re

from newwiki.text.language import Language
from newwiki.text.words import count_words, split_words

_END = re.compile(r"(?<![.!?…。！？؟।])[.!?…。！？؟।]++[\"'”’»)\]]*+(?=\s|$)|[。！？]")
_OPENING = "\"'“‘«([„"
_NO_WORD = frozenset('(["“‘«„–—/')
_FIRST_WORD = re.compile(r"[\w’']*+")
_INITIAL = re.compile(r"[^\W\d_]\.")
_WORD = re.compile(r"[^\W_]++(?:['’.\-][^\W_]++)*+")
_DOTTED_CAPITALS = re.compile(r"(?:[^\W\d_]\.)++[^\W\d_]?")
_ROMAN = re.compile(r"(?=[IVXLC])(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_DISAMBIGUATOR = re.compile(r" \([^()]*\)$")
_NO_BEGINNING = re.compile(r"[,;:!?)\]}”»*|=%–—]|\.(?![\w.])")
_APOSTROPHE = re.compile("['’]")
_QUOTATION_MARK = re.compile('["“”„«»]')
_CLOSING = re.compile(r"[^\s\d(\[–—/\-][\"“”](?!\w)|\A”|.?»(?!\w)")  # with the character before it
_SENTENCE_LINE = re.compile(r"[.!?…。！？؟।:;][\"'”’»)\]」』）》]*+$")
_OPENERS, _CLOSERS = "([", ")]"
_MINIMUM_WORDS = 6
_LONGEST_NAME = 4  # words
_LONGEST_LINE = 40  # words; a longer line without an end mark is not taken for the rest of a list


def first_sentence(paragraph: str, language: Language) -> str:
    """Return the first sentence with its end mark, or the whole paragraph if no end is found.

    Full stops in brackets, after abbreviations and after initials do not end a sentence.
    """
    if language.spaceless:
        return paragraph[: next(iter(spaceless_ends(paragraph)), None)]
    for end in _ends(paragraph):
        if _ends_sentence(paragraph, end, language):
            return paragraph[: end.end()]
    return paragraph


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


def _ends(paragraph: str) -> list[re.Match[str]]:
    """Return the end marks outside of brackets; all end marks if a bracket is never closed."""
    outside, depth, position = [], 0, 0
    ends = list(_END.finditer(paragraph))
    for end in ends:
        for character in paragraph[position : end.start()]:
            depth += (character in _OPENERS) - (character in _CLOSERS)
        if depth <= 0:
            outside.append(end)
        position = end.start()
    return outside if depth <= 0 or outside else ends


def _ends_sentence(paragraph: str, end: re.Match[str], language: Language) -> bool:
    opener = end.end()
    while paragraph[opener : opener + 1].isspace():
        opener += 1
    if opener == len(paragraph):
        return True
    while paragraph[opener : opener + 1] in _OPENING and opener < len(paragraph):
        opener += 1
    if paragraph[opener : opener + 1].islower():
        return False
    mark = end.group()
    if mark.startswith("!"):
        return _opens(paragraph, opener, language) or not _is_name(paragraph, end.start())
    if not mark.startswith(".") or mark.startswith(".."):
        return True
    word = _word_before(paragraph, end.start())
    if language.elides:
        word = _APOSTROPHE.split(word)[-1]
    lowered = word.lower()
    if len(mark) > 1 and not mark.endswith((")", "]")) and lowered not in language.abbreviations:
        return True
    if len(word) == 1 and word.isupper():
        return _opens(paragraph, opener, language)
    if lowered in language.titles:
        return False
    if lowered in language.abbreviations:
        return _opens(paragraph, opener, language)
    if len(word) == 1 and word.isalpha():
        return _opens(paragraph, opener, language)
    if word.isdecimal() and len(word) <= 2:
        return not language.ordinal_full_stop and _first_word(paragraph, opener) not in language.ordinal_followers
    if language.ordinal_full_stop and word and _ROMAN.fullmatch(word):
        return False
    if _DOTTED_CAPITALS.fullmatch(word):
        return _opens(paragraph, opener, language)
    return True


def _word_before(paragraph: str, end: int) -> str:
    start = end
    while start and paragraph[start - 1] not in _NO_WORD and not paragraph[start - 1].isspace():
        start -= 1
    return paragraph[start:end]


def _opens(paragraph: str, opener: int, language: Language) -> bool:
    """Tell whether a word that opens sentences is at this position, and not an initial as in `A. Milne`."""
    return _first_word(paragraph, opener) in language.sentence_starters and not _INITIAL.match(paragraph, opener)


def _first_word(text: str, start: int) -> str:
    word = _FIRST_WORD.match(text, start)
    return word[0] if word else ""


def _is_name(paragraph: str, end: int) -> bool:
    """Tell whether the exclamation mark belongs to a name, as in `Yahoo! Inc.`: only capitalized words precede it."""
    before = paragraph[:end].split(maxsplit=_LONGEST_NAME)
    return len(before) <= _LONGEST_NAME and not any(word[:1].islower() for word in before)


_WIDE_END = re.compile(r"[。！？｡]++[」』”’）》〉】]*+")
_WIDE_OPENERS, _WIDE_CLOSERS = "（(「『《〈【“‘[", "）)」』》〉】”’]"
# What follows a quotation, or a name that ends in such a mark, within a sentence.
_CONTINUES = re.compile(r"[、，；：（(のとがをはにもで的和与與及]")
_NAME_CONTINUES = re.compile(r"[（(、，]")


def spaceless_ends(paragraph: str) -> list[int]:
    """Return the position after each end of a sentence; after all end marks if a bracket is never closed."""
    marks = list(_WIDE_END.finditer(paragraph))
    outside, depth, position = [], 0, 0
    for end in marks:
        for character in paragraph[position : end.end()]:
            depth = max(0, depth + (character in _WIDE_OPENERS) - (character in _WIDE_CLOSERS))
        position = end.end()
        if depth == 0 and not _continues(paragraph, end):
            outside.append(end.end())
    return outside or ([end.end() for end in marks] if depth else [])


def _continues(paragraph: str, end: re.Match[str]) -> bool:
    rule = _NAME_CONTINUES if end[0] == "。" else _CONTINUES
    return rule.match(paragraph, end.end()) is not None
