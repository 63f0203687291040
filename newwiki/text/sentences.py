"""Where the first sentence of a paragraph ends, and whether it is one."""

import re

from newwiki.text.language import Language

_END = re.compile(r"[.!?…。！？؟।]+[\"'”’»)\]]*(?=\s|$)|[。！？]")
_LAST_WORD = re.compile(r"[^\s(\[\"“‘«„–—/]+$")
_WORD = re.compile(r"[^\W_]+(?:['’.\-][^\W_]+)*")
_DOTTED_CAPITALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")
_ROMAN = re.compile(r"(?=[IVXLC])(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_SENTENCE_LINE = re.compile(r"[.!?…。！？؟।:;][\"'”’»)\]]*$")
_OPENERS, _CLOSERS = "([", ")]"
_MINIMUM_WORDS = 6
_LONGEST_LINE = 40  # words of a line that may be what is left of a list


def first_sentence(paragraph: str, language: Language) -> str:
    """The first sentence, with its end mark; the whole paragraph where none is found.

    Full stops in brackets, after abbreviations and after initials do not end it.
    """
    for end in _ends(paragraph):
        if _ends_sentence(paragraph, end, language):
            return paragraph[: end.end()]
    return paragraph


def why_no_sentence(sentence: str, language: Language) -> str | None:
    """What keeps it from being a sentence: fewer than six words, or no verb; None where it is one."""
    words = [word.lower().replace("’", "'") for word in _WORD.findall(sentence)]
    if len(words) < _MINIMUM_WORDS:
        return f"the first sentence has {len(words)} of {_MINIMUM_WORDS} words"
    if not any(word in language.verbs or word.endswith(language.verb_endings) for word in words):
        return "the first sentence has no verb"
    return None


def list_share(prose: str) -> float:
    """The share of the words in short paragraphs without an end mark, as lists and tables leave them: 0 … 1."""
    words = in_lists = 0
    for paragraph in prose.split("\n\n"):
        count = len(paragraph.split())
        words += count
        in_lists += count if count <= _LONGEST_LINE and not _SENTENCE_LINE.search(paragraph) else 0
    return in_lists / words if words else 0.0


def _ends(paragraph: str) -> list[re.Match[str]]:
    """End marks outside of brackets; all of them where a bracket is never closed."""
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
    following = paragraph[end.end() :].lstrip()
    if not following:
        return True
    opener = following.lstrip("\"'“‘«([„")
    if opener[:1].islower():
        return False
    mark = end.group()
    if mark.startswith("!"):
        return _opens(opener, language) or not _is_name(paragraph, end)
    if not mark.startswith(".") or mark.startswith(".."):
        return True
    before = _LAST_WORD.search(paragraph[: end.start()])
    word = before.group() if before else ""
    lowered = word.lower()
    if len(mark) > 1 and not mark.endswith((")", "]")) and lowered not in language.abbreviations:
        return True
    if len(word) == 1 and word.isupper():
        return _opens(opener, language)
    if lowered in language.titles:
        return False
    if lowered in language.abbreviations:
        return _opens(opener, language)
    if len(word) == 1 and word.isalpha():
        return _opens(opener, language)
    if word.isdecimal() and len(word) <= 2:
        return not language.ordinal_full_stop and _first_word(opener) not in language.ordinal_followers
    if language.ordinal_full_stop and word and _ROMAN.fullmatch(word):
        return False
    if _DOTTED_CAPITALS.fullmatch(word):
        return _opens(opener, language)
    return True


def _opens(opener: str, language: Language) -> bool:
    """Whether it begins with a word that opens sentences, and not with an initial: `A. Milne`."""
    return _first_word(opener) in language.sentence_starters and not re.match(r"[^\W\d_]\.", opener)


def _first_word(text: str) -> str:
    return re.split(r"[^\w’']", text, maxsplit=1)[0]


def _is_name(paragraph: str, end: re.Match[str]) -> bool:
    """Whether the exclamation mark belongs to a name, as in `Yahoo! Inc.`: only capitalised words stand before it."""
    before = paragraph[: end.start()].split()
    return len(before) < 5 and not any(word[:1].islower() for word in before)
