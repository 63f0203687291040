"""Decide where a sentence is broken because the text of a template is missing.

A place is broken where the words beside it need what is missing: a number word or a unit after it (`number_followers`),
or a word before it that something must follow (`hole_leaders`, `number_leaders`) with an end after it: a mark, a verb
or one of `hole_stoppers`. A sentence is broken too if its first word or the object of its last verb is missing.
Anywhere else a sentence reads on without the template, as it does without a footnote.
"""

import functools
import re

from newwiki.text.language import Language
from newwiki.text.tags import HOLE, LOST
from newwiki.text.templates import UNSAID

_HOLES = rf"{HOLE}(?:\s?{HOLE})*"
_SIGNS = "$£€¥₹₩₽₺₪₫฿₦₱"
_OF_MONEY = re.compile(rf"(?:(?<=[{_SIGNS}])|(?<=[{_SIGNS}]\s)){_HOLES}")
_OF_MEASURE = re.compile(rf"(?<=[\s(\[]){_HOLES}(?=\s?(?:([%‰°])|([^\W_]+(?:/[a-z])?)))")
_AT_END = re.compile(rf"(?<=\w)(\s){_HOLES}(?=\s?[.,;:)])")
_LONGEST_WORD = 20

_RUN = re.compile(rf"[{HOLE}{LOST}](?:\s?[{HOLE}{LOST}])*+")
_QUOTED = re.compile(rf"(?:“{LOST}”|\"{LOST}\"|„{LOST}“|«\s?{LOST}\s?»|「{LOST}」|『{LOST}』|《{LOST}》)")
_REACH = 40  # characters examined on either side
_OPENERS = '([（“„«"「『《'
_END = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")
_ENDS = frozenset(".,;:!?…)]([»”–—%‰°/=+，。；：、！？）（」』》")
_LAST_WORD = re.compile(r"[^\W\d_]+[.'’]?$")
_FIRST_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+|/[a-z]\b|[²³])?")
_SUFFIX = re.compile(r"['’]s\b|-[^\W\d_]|[^\W\d_A-Z]{1,2}\b")


def with_broken_places(text: str, language: Language) -> str:
    """Return a paragraph with `UNSAID` where it is broken, and `HOLE` in place of each other `LOST`."""
    if LOST in text:
        text = _QUOTED.sub(LOST, text)
        text = _RUN.sub(lambda run: _run(run, language), text)

    def measure(hole: re.Match[str]) -> str:
        return UNSAID if hole[1] or (hole[2] or "").lower() in language.number_followers else hole[0]

    def at_end(hole: re.Match[str]) -> str:
        words = hole.string[max(0, hole.start() - _LONGEST_WORD) : hole.start()].split()
        return f"{hole[1]}{UNSAID}" if words and words[-1].lower() in language.number_leaders else hole[0]

    text = _OF_MEASURE.sub(measure, _OF_MONEY.sub(UNSAID, text))
    return _AT_END.sub(at_end, text)


def ends_in_leader(text: str, language: Language) -> bool:
    """Tell whether the text ends in a word that something must follow."""
    tail = text[-_REACH:].rstrip(f" {HOLE}")
    word = _LAST_WORD.search(tail)
    return word is not None and _is_leader(word[0], language)


def _run(run: re.Match[str], language: Language) -> str:
    if LOST not in run[0]:
        return run[0]
    before = run.string[max(0, run.start() - _REACH) : run.start()]
    after = run.string[run.end() : run.end() + _REACH]
    is_broken = _is_broken_wide if language.spaceless else _is_broken
    if is_broken(before, after, language):
        return UNSAID
    return run[0].replace(LOST, HOLE)


def _is_broken(before: str, after: str, language: Language) -> bool:
    tail, head = before.rstrip(), after.lstrip()
    last, is_glued = tail[-1:], tail == before != ""
    if is_glued and last not in _OPENERS and last not in "'’-‐–—/":
        return last in _SIGNS
    word = _FIRST_WORD.match(head)
    first = word[0] if word else ""
    if first.lower() in language.number_followers or head[:1] in tuple("%‰°"):
        return True
    if head == after and _SUFFIX.match(head):
        return True
    if last and (last in _SIGNS or (is_glued and last in "-‐")):
        return True
    is_stop = first in language.hole_stoppers
    if not tail or (_END.search(tail) and not is_glued):
        return is_stop or not head or head[0] in ".,;:(!?" or (first.islower() and language.is_verb(first))
    if last in ",;:–—":
        return first in language.verbs or (last == ":" and (not head or head[0] in ".;,"))
    if is_glued and last in _OPENERS:
        return False
    word = _LAST_WORD.search(tail)
    leader = word[0] if word else ""
    if not leader or not _is_leader(leader, language):
        return language.is_verb(leader.lower()) and (not head or head[0] in ".;!?)")
    if not head or head[0] in _ENDS:
        return True
    return is_stop or (first in language.verbs and leader.lower() not in language.verbs)


def _is_leader(word: str, language: Language) -> bool:
    """Tell whether something must follow the word: `of`, French `d'`."""
    name = word.lower().rstrip(".'’")
    return name in language.hole_leaders or name in language.number_leaders


def _is_broken_wide(before: str, after: str, language: Language) -> bool:
    """Tell whether a sentence without spaces between its words is broken."""
    tail, head = before.rstrip(), after.lstrip()
    starts = not tail or tail[-1] in "，。；：、！？,.;:!?（(」』》)）"
    leads = starts or tail.endswith(_longest_first(language.hole_leaders | language.number_leaders))
    ends = not head or head[0] in _ENDS
    if head[:1] in tuple("%‰°"):
        return True
    if follower := _beginning(head, language.number_followers):
        rest = head[len(follower) :]
        is_word = not rest or rest[0] in _ENDS or _beginning(rest, language.hole_stoppers) != ""
        return leads or is_word or tail[-1].isdecimal()
    if not leads:
        return False
    if _beginning(head, language.hole_stoppers):
        return True
    if not ends or not starts or not tail:
        return ends
    return tail[-1] in "。！？" or (tail[-1] in "：:" and head[:1] not in ("）", ")"))


def _beginning(text: str, words: frozenset[str]) -> str:
    return next((word for word in _longest_first(words) if text.startswith(word)), "")


@functools.cache
def _longest_first(words: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(words, key=lambda word: (-len(word), word)))
