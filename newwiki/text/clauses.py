"""Remove the clause around a number that cannot be determined (`UNSAID`), so no sentence is left without its number.

The innermost bracket around the number goes. Outside of brackets, the part between commas, semicolons, dashes or colons
goes, provided that a sentence remains: one with a verb elsewhere, while the clause has no verb or begins with a word
such as "and" or "which". Otherwise the whole sentence goes.
"""

import re
from collections.abc import Iterator

from newwiki.text.first_sentence import first_sentence
from newwiki.text.language import Language
from newwiki.text.tags import HOLE
from newwiki.text.templates import UNSAID

_HOLES = rf"{HOLE}(?:\s?{HOLE})*"
_SIGNS = "$£€¥₹₩₽₺₪₫฿₦₱"
_OF_MONEY = re.compile(rf"(?:(?<=[{_SIGNS}])|(?<=[{_SIGNS}]\s)){_HOLES}")
_OF_MEASURE = re.compile(rf"(?<=[\s(\[]){_HOLES}(?=\s?(?:([%‰°])|([^\W_]+(?:/[a-z])?)))")
_AT_END = re.compile(rf"(?<=\w)(\s){_HOLES}(?=\s?[.,;:)])")
_AFTER_END = re.compile(rf"([.!?…][\"'”’»)\]]*){HOLE}+(?=\s|$)")
_BRACKET = re.compile(r"([()\[\]])")
_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_CLAUSE_MARK = re.compile(rf"[,;:](?=[\s{HOLE}{UNSAID}])|\s[–—-](?=\s)|—")
_END_MARK = re.compile(r"[.!?…]+[\"'”’»)\]]*\s*$")
_WORD = re.compile(r"[^\W_]+(?:['’.\-][^\W_]+)*")
_LONGEST_WORD = 20
_LONGEST = 20_000  # characters; paragraphs are shorter, and a longer one is removed as a whole


def without_unsaid(text: str, language: Language) -> str:
    """Remove the clauses whose number is missing from a paragraph."""
    if HOLE in text:
        text = _with_lost_numbers(text, language)
    if UNSAID not in text:
        return text
    text = _without_brackets(_AFTER_END.sub(r"\1", text))
    if UNSAID not in text:
        return text
    return "".join(_without_clauses(sentence, language) for sentence in _sentences(text, language))


def _with_lost_numbers(text: str, language: Language) -> str:
    """Put `UNSAID` where the neighboring words show that an amount or a measure vanished."""

    def measure(hole: re.Match[str]) -> str:
        return UNSAID if hole[1] or (hole[2] or "").lower() in language.number_followers else hole[0]

    def at_end(hole: re.Match[str]) -> str:
        words = hole.string[max(0, hole.start() - _LONGEST_WORD) : hole.start()].split()
        return f"{hole[1]}{UNSAID}" if words and words[-1].lower() in language.number_leaders else hole[0]

    text = _OF_MEASURE.sub(measure, _OF_MONEY.sub(UNSAID, text))
    return _AT_END.sub(at_end, text)


def _without_brackets(text: str) -> str:
    """Remove the innermost brackets around each missing number."""
    kept: list[str] = []
    opened: list[tuple[str, int, int]] = []  # the bracket, its position in `kept`, and how many were missing before it
    missing = 0
    for piece in _BRACKET.split(text):
        kept.append(piece)
        missing += piece.count(UNSAID)
        if piece in ("(", "["):
            opened.append((piece, len(kept) - 1, missing))
        elif piece in (")", "]") and opened and opened[-1][0] == {")": "(", "]": "["}[piece]:
            _, start, before = opened.pop()
            if missing > before:
                kept[start:] = [HOLE]
                missing = before
    return "".join(kept)


def _sentences(text: str, language: Language) -> Iterator[str]:
    if len(text) > _LONGEST:
        yield text
        return
    while text:
        sentence = first_sentence(text, language) or text
        yield sentence
        text = text[len(sentence) :]


def _without_clauses(sentence: str, language: Language) -> str:
    while UNSAID in sentence:
        if not (shorter := _without_first(sentence, language)):
            return ""
        sentence = shorter
    return sentence


def _without_first(sentence: str, language: Language) -> str:
    """Remove the first clause that lacks its number; returns nothing if no sentence would remain."""
    marks, clauses = _clauses(sentence)
    place = next(number for number, clause in enumerate(clauses) if UNSAID in clause)
    if place == 0:
        return ""
    mark, clause, following = marks[place].strip(), clauses[place], clauses[place + 1 :]
    opener = next(iter(_WORD.findall(clause)), "").lower()
    if _has_verb(clause, language) and opener not in language.clause_openers and mark in (",", ":"):
        return ""
    if not (_has_verb(clauses[0], language) or any(_has_verb(each, language) for each in following)):
        return ""
    if not following:
        end = _END_MARK.search(sentence)
        return _joined(marks[:place], clauses[:place]).rstrip() + (end[0] if end else "")
    next_mark = marks[place + 1]
    first_word = next(iter(_WORD.findall(following[0])), "")
    goes_on = first_word in language.verbs and next_mark.strip() == mark == ","
    if goes_on or (next_mark.strip() == mark and mark not in (",", ";", ":")):
        next_mark = ""
    return _joined([*marks[:place], next_mark, *marks[place + 2 :]], [*clauses[:place], *following])


def _clauses(sentence: str) -> tuple[list[str], list[str]]:
    """Return the clauses, and the mark before each of them; the first has none."""
    masked = _IN_BRACKETS.sub(lambda bracket: "x" * len(bracket[0]), sentence)
    marks, clauses, position = [""], [], 0
    for mark in _CLAUSE_MARK.finditer(masked):
        clauses.append(sentence[position : mark.start()])
        marks.append(sentence[mark.start() : mark.end()])
        position = mark.end()
    return marks, [*clauses, sentence[position:]]


def _joined(marks: list[str], clauses: list[str]) -> str:
    return "".join(part for pair in zip(marks, clauses, strict=True) for part in pair)


def _has_verb(clause: str, language: Language) -> bool:
    words = (word.lower().replace("’", "'") for word in _WORD.findall(clause))
    return any(map(language.is_verb, words))
