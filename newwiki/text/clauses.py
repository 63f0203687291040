"""Remove the clause around a text that cannot be determined (`UNSAID`), so no sentence is left without its number.

The innermost bracket around the number goes. Outside of brackets, the part between commas, semicolons, dashes or colons
goes, provided that a sentence remains: one with a verb elsewhere, while the clause has no verb or begins with a word
such as "and" or "which". Otherwise the whole sentence goes.
"""

import re
from collections.abc import Iterator

from newwiki.text.first_sentence import first_sentence
from newwiki.text.language import Language
from newwiki.text.missing import ends_in_leader, with_broken_places
from newwiki.text.tags import HOLE, LOST
from newwiki.text.templates import UNSAID

_AFTER_END = re.compile(rf"([.!?…][\"'”’»)\]]*){HOLE}+(?=\s|$)")
_CLOSERS = {")": "(", "]": "[", "）": "（"}
_BRACKET = re.compile(r"([()\[\]（）])")
_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_CLAUSE_MARK = re.compile(rf"[,;:](?=[\s{HOLE}{UNSAID}])|\s[–—-](?=\s)|—")
_END_MARK = re.compile(r"[.!?…]+[\"'”’»)\]]*\s*$")
_WORD = re.compile(r"[^\W_]+(?:['’.\-][^\W_]+)*")
_MOST = 20  # missing texts in a sentence that is still repaired
_LONGEST = 20_000  # characters; paragraphs are shorter, and a longer one is removed as a whole


def without_unsaid(text: str, language: Language) -> str:
    """Remove the clauses whose number is missing from a paragraph."""
    if HOLE in text or LOST in text:
        text = with_broken_places(text, language)
    if UNSAID not in text:
        return text
    text = _without_brackets(_AFTER_END.sub(r"\1", text))
    if UNSAID not in text:
        return text
    return "".join(_without_clauses(sentence, language) for sentence in _sentences(text, language))


def _without_brackets(text: str) -> str:
    """Remove the innermost brackets around each missing number."""
    kept: list[str] = []
    opened: list[tuple[str, int, int]] = []  # the bracket, its position in `kept`, and how many were missing before it
    missing = 0
    for piece in _BRACKET.split(text):
        kept.append(piece)
        missing += piece.count(UNSAID)
        if piece in _CLOSERS.values():
            opened.append((piece, len(kept) - 1, missing))
        elif piece in _CLOSERS and opened and opened[-1][0] == _CLOSERS[piece]:
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
    if sentence.count(UNSAID) > _MOST:
        return ""
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
    if not following and ends_in_leader(clauses[place - 1], language):
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
