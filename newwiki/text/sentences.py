"""Find the ends of sentences, with their positions, in linear time: the one rule that everything here splits by.

The language's data file supplies abbreviations, titles, words that open sentences, and ordinals. In doubtful cases the
sentence continues. The rules cover the kinds of the Golden Rules of Pragmatic Segmenter (Kevin S. Dias, MIT license,
https://github.com/diasks2/pragmatic_segmenter), which pySBD tests too, except that a line break ends a sentence.
"""

import functools
import re
from collections.abc import Iterator

from newwiki.errors import TerminalError
from newwiki.text.brackets import BRACKETS, QUOTES, Brackets
from newwiki.text.language import Language, load_language
from newwiki.text.words import SPACELESS

# Raise it whenever a text may be split differently.
SENTENCES_VERSION = "2"

DEFAULT_LANGUAGE = "en"
"""The language whose rules split texts of an unknown language."""

_MARKS = ".!?…؟।۔"
_WIDE_MARKS = "。！？｡．"
_END = re.compile(
    rf"(?<![{_MARKS}])(?:\.(?:[ \u00a0]\.){{2,}}|[{_MARKS}]++)(?:[\"'”’»)\]“‘«]|\s»(?!\w))*+(?=\s|$)"
    rf"|[{_WIDE_MARKS}]++[」』”’）》〉】\"]*+"
)
_LETTER = re.compile(r"[^\W_]")
_BEFORE_WORD = re.compile(r"\s*+[\"'“‘«(\[„»¿¡]*+\s*+")
_FIRST_WORD = re.compile(r"[\w’']*+")
_WORD_BREAK = re.compile(r"[(\[\"“‘«„–—/]")
_NO_BEGINNING = frozenset(",;:&/+=%)]}”’–—|~")
_INITIAL = re.compile(r"[^\W\d_]\.")
_DOTTED_LETTERS = re.compile(r"(?:[^\W\d_]\.)++[^\W\d_]?")
_ROMAN = re.compile(r"(?=[IVXLC])(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_APOSTROPHE = re.compile("['’]")
_LONGEST_WORDS = 60  # characters before an end that are looked at
_LONGEST_NAME = 4  # words
_LONGEST_TITLE = 250  # characters, of a page on any wiki
_LONGEST_LABEL = 3  # characters
_BULLETS = "•⁃‣▪◦"
_MARKER = re.compile(rf"\s*(?:([{_BULLETS}])\s*)?(?:(\d{{1,3}}|[^\W\d_])(\.\)|[.)])(?=\s))?")
# What follows a quotation, or a name that ends in such a mark, within a sentence.
_CONTINUES = re.compile(r"[、，；：（(のとがをはにもで的和与與及]")
_NAME_CONTINUES = re.compile(r"[（(、，]")


def rules_for(code: str | None) -> Language:
    """Return the language whose rules split a text in the language with this code: that language if it has a data file,
    regardless of script and region (`pt-br`), else `DEFAULT_LANGUAGE`, as for an unknown language (None)."""
    return _rules(code or DEFAULT_LANGUAGE)


@functools.cache
def _rules(code: str) -> Language:
    try:
        return load_language(code.partition("-")[0])
    except TerminalError:
        return load_language(DEFAULT_LANGUAGE)


def sentence_spans(text: str, language: Language) -> Iterator[tuple[int, int, bool]]:
    """Yield where each sentence begins and ends in the text, in characters without the white space around it, and
    whether it has an end: the last one of a line may break off.

    A sentence ends at `. ! ? … ؟ । ۔` (with closing quotation marks and brackets) before white space; at
    `。 ！ ？ ｡ ．`; before the next item of a list; and at the end of its line. It does not end within brackets, after
    abbreviations, initials and ordinals, and where a lower-case letter follows. A span without letters and digits is
    not a sentence.
    """
    line_start = 0
    for line in text.splitlines(keepends=True):
        start = 0
        for end in sentence_ends(line, language):
            yield _trimmed(line, start, end, line_start, ended=True)
            start = end
        if _LETTER.search(line, start):
            yield _trimmed(line, start, len(line), line_start, ended=False)
        line_start += len(line)


def _trimmed(line: str, start: int, end: int, offset: int, *, ended: bool) -> tuple[int, int, bool]:
    sentence = line[start:end]
    stop = start + len(sentence.rstrip())
    return offset + end - len(sentence.lstrip()), offset + stop, ended


def sentence_ends(paragraph: str, language: Language, *, opens_article: bool = False) -> Iterator[int]:
    """Yield the position after each sentence's end in a paragraph, in which line breaks are white space.

    `opens_article` is for the paragraph whose first sentence names the article's subject, and prefers a sentence that
    is too long to one that breaks off: a mark after a few capitalized words at its beginning belongs to a name
    (`Yahoo! Inc. was`), and in a language without spaces only the marks of its script end a sentence.
    """
    brackets = Brackets(paragraph, BRACKETS)
    wide_brackets = brackets if paragraph.isascii() else Brackets(paragraph, BRACKETS | QUOTES)
    western = not (opens_article and language.spaceless)
    start = 0
    letter = _next_letter(paragraph, 0)
    items = _Items(paragraph, 0, language, brackets)
    for mark in _END.finditer(paragraph):
        while item := items.next_before(mark.end()):
            yield item
            start, letter = item, _next_letter(paragraph, item)
        if letter >= mark.start():
            continue
        if mark[0][0] in _WIDE_MARKS:
            end = mark.end() if _wide_ends(paragraph, letter, mark, wide_brackets) else 0
        elif western and not (language.spaceless and _is_in_wide_text(paragraph, mark, wide_brackets)):
            rules = rules_for(None) if language.spaceless else language
            end = _western_end(paragraph, start, letter, mark, brackets, rules, opens_article)
        else:
            continue
        if end:
            yield end
            start, letter, items = end, _next_letter(paragraph, end), _Items(paragraph, end, language, brackets)
    while item := items.next_before(len(paragraph)):
        yield item


def _next_letter(text: str, start: int) -> int:
    found = _LETTER.search(text, start)
    return found.start() if found else len(text)


def _wide_ends(text: str, letter: int, mark: re.Match[str], brackets: Brackets) -> bool:
    pair = brackets.around(mark.start())
    if pair and (pair[1] >= mark.end() or (pair[0] > letter and text[pair[0]] in "（(")):
        return False
    after = text[mark.end() : mark.end() + 1]
    if after and (after in _WIDE_MARKS or (mark[0] == "．" and after.isalnum() and _is_narrow(after))):
        return False
    rule = _NAME_CONTINUES if mark[0] in "。．" else _CONTINUES
    return rule.match(text, mark.end()) is None


def _is_narrow(character: str) -> bool:
    return re.match(f"[{SPACELESS}]", character) is None


def _is_in_wide_text(text: str, mark: re.Match[str], brackets: Brackets) -> bool:
    """Tell whether the mark is next to a script without spaces, or in its brackets."""
    place = _word_after(text, mark.end())
    around = text[mark.start() - 1] + text[place : place + 1]
    return brackets.around(mark.start()) is not None or not all(map(_is_narrow, around))


def _western_end(
    text: str, start: int, letter: int, mark: re.Match[str], brackets: Brackets, language: Language, opens: bool
) -> int:
    """Return the position after the sentence's end at a mark before white space; 0 if the sentence continues."""
    place = mark.start()
    pair = brackets.around(place)
    if pair and pair[1] >= mark.end():
        return 0
    word_at = _word_after(text, mark.end())
    if word_at == len(text):
        return mark.end()
    if text[word_at] in _NO_BEGINNING or (text[word_at].islower() and not _is_camel(text, word_at)):
        return 0
    if place - letter <= _LONGEST_LABEL and (marker := _MARKER.match(text, start)) and marker.end() >= mark.end():
        return 0
    if pair and pair[0] > letter and not _opens(text, word_at, language):
        return 0
    signs = mark[0]
    if signs[0] in "!?":
        named = len(signs) == 1 and _is_name(text, start, place, word_at, language, opens)
        return 0 if named else mark.end()
    spaced = signs[2:3] == "." and signs[1].isspace()
    if spaced and signs[-1] == "." and not text[place - 1].isspace():
        return place + 1  # the other stops omit the beginning of the next sentence
    if spaced or signs.startswith(("..", "…")):
        omission = text[place - 1].isspace() and signs in ("...", "…", ". . .")
        return 0 if omission and not _opens(text, word_at, language) else mark.end()
    return mark.end() if signs[0] != "." or _stop_ends(text, start, mark, word_at, language) else 0


def _word_after(text: str, place: int) -> int:
    """Return the position after white space and opening quotation marks and brackets."""
    before = _BEFORE_WORD.match(text, place)
    return before.end() if before else place


def _is_camel(text: str, place: int) -> bool:
    """Tell whether the word has a capital after its first letter, as `iPhone`, which opens sentences too."""
    return any(character.isupper() for character in _first_word(text, place))


def _is_name(text: str, start: int, place: int, word_at: int, language: Language, opens_article: bool) -> bool:
    """Tell whether `!` or `?` belongs to a name: `Oklahoma! (1943)`, `for Yahoo! Japan`, `in Who Is It? Live`."""
    if text[word_at - 1] == "(" and text[word_at].isdecimal():
        return True
    if text[word_at - 1] in "¿¡" or _opens(text, word_at, language):
        return False
    if opens_article and start == 0 and place <= _LONGEST_TITLE:
        before = text[:place].split(maxsplit=_LONGEST_NAME)
        if len(before) <= _LONGEST_NAME and not any(word[:1].islower() or "." in word for word in before):
            return True
    words = text[max(start, place - _LONGEST_WORDS) : place].split()
    count = next((count for count, word in enumerate(reversed(words)) if not word[0].isupper()), len(words))
    if count == len(words) or words[-count - 1][-1] == ".":  # it opens the sentence, or has a title
        return False
    return bool(count) if text[place] == "!" else count > 1 and words[-count] in language.sentence_starters


def _stop_ends(text: str, start: int, mark: re.Match[str], word_at: int, language: Language) -> bool:
    """Tell whether a full stop ends the sentence, by the word before it and the word after it."""
    place = mark.start()
    words = text[max(start, place - _LONGEST_WORDS) : place].rsplit(maxsplit=2)
    if not words or text[place - 1].isspace():
        return True
    word = _WORD_BREAK.split(words[-1])[-1].lstrip("'-")
    if language.elides:
        word = _APOSTROPHE.split(word)[-1]
    lowered = word.lower()
    names = (f"{words[-2].lower()} {lowered}", lowered) if len(words) > 1 else (lowered,)
    known = next((name for name in names if name in language.abbreviations or name in language.titles), None)
    if len(mark[0]) > 1 and mark[0][-1] not in ")]" and known not in language.abbreviations:
        return True
    if lowered in language.number_abbreviations and (word.islower() or _is_number(text, word_at)):
        return not _is_number(text, word_at)
    if known in language.titles and not (len(word) == 1 and word.isupper()):
        return False
    if word.isdecimal() and len(word) <= 2:
        if language.ordinal_full_stop:
            return _opens(text, word_at, language)
        return _first_word(text, word_at) not in language.ordinal_followers
    doubtful = known or (len(word) == 1 and word.isalpha()) or _DOTTED_LETTERS.fullmatch(word)
    if doubtful or (language.ordinal_full_stop and word and _ROMAN.fullmatch(word)):
        return _opens(text, word_at, language)
    return True


def _is_number(text: str, place: int) -> bool:
    word = _first_word(text, place)
    return word[:1].isdecimal() or (len(word) > 1 and _ROMAN.fullmatch(word) is not None)


def _opens(text: str, place: int, language: Language) -> bool:
    """Tell whether a word that opens sentences is at this position, and not an initial as in `A. Milne`."""
    return _first_word(text, place) in language.sentence_starters and not _INITIAL.match(text, place)


def _first_word(text: str, start: int) -> str:
    word = _FIRST_WORD.match(text, start)
    return word[0] if word else ""


class _Items:
    """The items of a list within a sentence that begins with an item's mark, as in `1) first 2) second`."""

    def __init__(self, text: str, start: int, language: Language, brackets: Brackets) -> None:
        self._text, self._language, self._brackets = text, language, brackets
        self._begin(start)

    def _begin(self, start: int) -> None:
        """Set the mark of the item after the one at `start`; none if no item is there."""
        self._next = ""
        self._letter = _next_letter(self._text, start)
        marker = _MARKER.match(self._text, start)
        if not marker or not marker[0].strip():
            return
        bullet, label, style = marker.groups()
        if bullet:
            self._next = bullet
        elif style != "." or not (label.isupper() or (label.isdecimal() and self._language.ordinal_full_stop)):
            self._next = f"{int(label) + 1 if label.isdecimal() else chr(ord(label) + 1)}{style}"
        self._searched = marker.end()

    def next_before(self, end: int) -> int:
        """Return where the next item begins, if its mark is before `end`; else 0."""
        if not self._next:
            return 0
        place = self._searched
        while (place := self._text.find(self._next, place, end)) != -1:
            if self._is_item(place):
                self._begin(place)
                return place
            place += 1
        self._searched = max(self._searched, end - len(self._next) + 1)
        return 0

    def _is_item(self, place: int) -> bool:
        after = place + len(self._next)
        apart = self._text[place - 1].isspace() and (self._next in _BULLETS or self._text[after : after + 1].isspace())
        if not apart or place <= self._letter or self._brackets.around(place):
            return False
        return _first_word(self._text, after + 1) not in self._language.ordinal_followers
