"""The words that our extraction loses or invents, beside what MediaWiki shows, each with the rule that explains it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import chain

import mwparserfromhell

from newwiki.text.language import Language
from newwiki.text.prose import extract_prose

from .rendering import GAP, HATNOTE, TEXT, Word, rendered_words, words

UNEXPLAINED = "unexplained"
_GRAM = 4
_LONGEST_CLAUSE = 60  # words that a template may take with it, with the clause around its number
_LONGEST_LEFTOVER = 40  # words that a citation has, or a file's name
_COMPARED = (TEXT, GAP, HATNOTE)
_LEFTOVER = frozenset(["ref", "thumb", "references"])  # what MediaWiki shows of markup that is broken
_OTHER_TAGS = re.compile(
    r"<(math|chem|ce|score|hiero|timeline|syntaxhighlight|source|graph|mapframe|maplink)\b[^<>]*(?:/>|>.*?</\1\s*>)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Difference:
    """Words that one side has, and why: `lost` are MediaWiki's, `invented` ours, `gaps` the templates that it lacks."""

    rule: str
    lost: list[str]
    invented: list[str]
    gaps: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Comparison:
    """One page: its differences, our numbers that nothing accounts for, and how many of the word 4-grams of MediaWiki's
    paragraphs (of those that no template made) are found in ours and by `strip_code`."""

    title: str
    shown: int
    differences: list[Difference]
    wrong_numbers: list[str]
    grams: int
    found: int
    found_by_strip_code: int


def for_the_wiki(wikitext: str) -> str:
    """The wikitext with the tags of extensions that the test's wiki lacks as templates, which it lacks too."""
    return _OTHER_TAGS.sub(lambda tag: f"{{{{Tag {tag[1].lower()}}}}}", wikitext)


def compare(title: str, wikitext: str, html: str, language: Language) -> Comparison:
    """The page as MediaWiki shows it (`html`, of `for_the_wiki(wikitext)`) beside our prose of it."""
    shown = rendered_words(html, language)
    prose = extract_prose(wikitext, language)
    differences = [
        *_left_out(shown),
        *(_explained(lost, invented, beside, shown) for lost, invented, beside in _runs(shown, prose)),
    ]
    theirs = list(_grams_of_paragraphs(shown))
    ours, stripped = set(_grams(words(prose))), set(_grams(words(mwparserfromhell.parse(wikitext).strip_code())))
    return Comparison(
        title,
        shown=sum(word.kind == TEXT for word in shown),
        differences=differences,
        wrong_numbers=wrong_numbers(differences, wikitext),
        grams=len(theirs),
        found=sum(gram in ours for gram in theirs),
        found_by_strip_code=sum(gram in stripped for gram in theirs),
    )


def _left_out(shown: Sequence[Word]) -> Iterator[Difference]:
    """What is no running text: tables, lists, captions, references …"""
    for kind in sorted({word.kind for word in shown} - {*_COMPARED}):
        yield Difference(kind, [word.text for word in shown if word.kind == kind], [])


def _grams_of_paragraphs(shown: Sequence[Word]) -> Iterator[tuple[str, ...]]:
    paragraphs: dict[int, list[Word]] = {}
    for word in shown:
        if word.kind in (TEXT, GAP):
            paragraphs.setdefault(word.paragraph, []).append(word)
    for paragraph in paragraphs.values():
        if all(word.kind == TEXT for word in paragraph):
            yield from _grams([word.text for word in paragraph])


def _grams(text: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(text[place:] for place in range(_GRAM)), strict=False)


Run = tuple[list[Word], list[str], list[str]]


def _runs(shown: Sequence[Word], prose: str) -> Iterator[Run]:
    """MediaWiki's words and ours where they differ, and the templates that it lacks there or beside."""
    theirs: dict[int, list[Word]] = {}
    for word in shown:
        if word.kind in _COMPARED:
            theirs.setdefault(word.paragraph, []).append(word)
    paragraphs, ours = list(theirs.values()), [words(paragraph) for paragraph in prose.split("\n\n")]
    for operation, a1, a2, b1, b2 in _opcodes([tuple(map(_key, each)) for each in paragraphs], [*map(tuple, ours)]):
        if operation != "equal":
            yield from _word_runs([*chain(*paragraphs[a1:a2])], [*chain(*ours[b1:b2])])


def _word_runs(theirs: list[Word], ours: list[str]) -> Iterator[Run]:
    for operation, a1, a2, b1, b2 in _opcodes([_key(word) for word in theirs], ours):
        if operation != "equal" and (b1 < b2 or any(word.kind != GAP for word in theirs[a1:a2])):
            beside = [word.text for word in theirs[max(0, a1 - 1) : a2 + 1] if word.kind == GAP]
            yield [word for word in theirs[a1:a2] if word.kind != GAP], ours[b1:b2], beside


def _opcodes(theirs: Sequence[object], ours: Sequence[object]) -> Iterator[tuple[str, int, int, int, int]]:
    yield from SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes()


def _key(word: Word) -> str:
    return f"{{{{{word.text}" if word.kind == GAP else word.text


def _explained(lost: list[Word], invented: list[str], gaps: list[str], shown: Sequence[Word]) -> Difference:
    kinds = {word.kind for word in lost}
    missing = [word.text for word in lost]
    rule = UNEXPLAINED
    if missing and not invented and len(kinds) == 1 and kinds != {TEXT}:
        rule = kinds.pop()
    elif "".join(missing) == "".join(invented) and _numbers(missing) == _numbers(invented):
        rule = "spelling"
    elif gaps and len(missing) <= _LONGEST_CLAUSE:
        rule = "template"
    elif len(invented) <= 1 and _LEFTOVER.intersection(missing) and len(missing) <= _LONGEST_LEFTOVER:
        rule = "broken markup"
    elif not missing and (of_list := _elsewhere(invented, shown)):
        rule = of_list
    return Difference(rule, missing, invented, gaps)


def _elsewhere(invented: list[str], shown: Sequence[Word]) -> str:
    """What the words stand in that we took for running text; nothing where MediaWiki does not show them."""
    for kind in sorted({word.kind for word in shown} - {*_COMPARED}):
        if f" {' '.join(invented)} " in f" {' '.join(word.text for word in shown if word.kind == kind)} ":
            return kind
    return ""


def wrong_numbers(differences: Sequence[Difference], wikitext: str) -> list[str]:
    """The numbers of ours that MediaWiki does not show there, and that are no argument of a template that it lacks."""
    calls = [
        (_name(call.name), str(call)) for call in mwparserfromhell.parse(wikitext).filter_templates(recursive=False)
    ]
    wrong: list[str] = []
    for each in differences:
        numbers = _numbers(each.invented)
        if numbers and each.rule != "spelling":
            names = {_name(gap) for gap in each.gaps}
            given = _arguments(" ".join(call for name, call in calls if name in names))
            wrong += [number for number in numbers if number.replace(",", "") not in given]
    return wrong


def _numbers(text: Sequence[str]) -> list[str]:
    return [word for word in text if any(character.isdigit() for character in word)]


def _name(text: object) -> str:
    name = str(text).strip().replace("_", " ")
    return name[:1].upper() + name[1:]


def _arguments(calls: str) -> set[str]:
    """The numbers that templates may show: their arguments, fractions and powers of ten of them, and ages."""
    plain = calls.replace("|", " | ").replace("=", " = ")
    found = {number.replace(",", "") for number in words(plain)} | set(re.findall(r"\d+", plain))
    found |= {number.lstrip("0") for number in found}
    digits = {number for number in found if number.isdecimal()}
    powers = {f"10^{sign}{number}" for number in digits if len(number) < 4 for sign in ("", "-")}
    fractions = {f"{above}⁄{below}" for above, below in re.findall(r"(\d+)\s*[/|⁄]\s*(\d+)", calls)}
    years = [int(number) for number in digits if len(number) == 4]
    ages = {str(late - early - less) for late in years for early in years for less in (0, 1) if late > early}
    return found | powers | fractions | ages
