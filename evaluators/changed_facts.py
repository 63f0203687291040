"""Change what a text says and leave its form: exchange its names, change its numbers and dates, negate its verbs.

The texts are rungs of `newwiki experiment metrics` (see `evaluators.perturbations`). Each function returns None where
the text has nothing to change. All draws depend only on the seed, the page id and the text.
"""

import random
import re
from collections.abc import Mapping, Sequence

from newwiki.text.sentences import rules_for, sentence_spans

# Raise it whenever one of these functions gives another text for the same article.
CHANGED_FACTS_VERSION = "2"

_NUMBER = re.compile(r"(?<![A-Za-z\d.,])\d+(?:[.,]\d+)*(?=s\b|(?![A-Za-z\d]))")  # 1990s has a number, B2 and 3rd none
_WORD = re.compile(r"[^\W\d_]+(?:[’'.\-][^\W\d_]+)*")
_LAST_DAY, _FIRST_YEAR, _LAST_YEAR = 31, 1000, 2099
_YEARS_EARLIER = 40  # at most
_DAYS = range(1, 29)  # that every month has


def names_exchanged(text: str, language: str | None, months: Sequence[str], seed: int, page_id: int) -> str | None:
    """Return the text with its names exchanged: every mention of a name becomes another name of the same text, always
    the same one.

    A name is a run of words that begin with a capital letter; the first word of a sentence belongs to none, because
    every sentence begins so (`language` is the code of the text's language), and `months` are none. No tagger is asked,
    so that the text is the same whichever tagger scores it. Where all nouns begin with a capital letter, as in German,
    these are exchanged too. None for a text with fewer than two names, and for scripts without capital letters.
    """
    spans = _names(text, language, frozenset(months))
    names = sorted({text[start:end] for start, end in spans})
    if len(names) < 2:
        return None
    random.Random(f"{seed} {page_id} names").shuffle(names)
    others = dict(zip(names, [*names[1:], names[0]], strict=True))
    return _replaced(text, [(start, end, others[text[start:end]]) for start, end in spans])


def numbers_changed(text: str, months: Sequence[str], seed: int, page_id: int) -> str | None:
    """Return the text with every number and every month changed; the same number always becomes the same other number.

    A year (1000 to 2099) becomes one that is 1 to 40 years earlier, a number from 1 to 31 another number from 1 to 28,
    and any other number one with as many digits and the same marks. `months` are the names of the text's language. None
    for a text with neither.
    """

    def other(match: re.Match[str]) -> str:
        return _other_number(match[0], random.Random(f"{seed} {page_id} {match[0]}"))

    changed = _NUMBER.sub(other, text)
    names = [name for name in months if not name[0].isdigit()]
    if names:
        turn = random.Random(f"{seed} {page_id} months").randrange(1, len(names))
        later = dict(zip(names, [*names[turn:], *names[:turn]], strict=True))
        changed = _words_pattern(names).sub(lambda match: later[match[0]], changed)
    return None if changed == text else changed


def negated(text: str, negations: Mapping[str, str]) -> str | None:
    """Return the text with each verb in `negations` replaced by its negation, such as `was` by `was not`. A verb that
    is negated already stays. None for a text without such a verb."""
    if not negations:
        return None
    already = set(negations.values())
    pattern = _words_pattern([*already, *negations])
    changed = pattern.sub(lambda match: match[0] if match[0] in already else negations[match[0]], text)
    return None if changed == text else changed


def _names(text: str, language: str | None, months: frozenset[str]) -> list[tuple[int, int]]:
    """Return the beginning and end of each name."""
    beginnings = {start for start, _, _ in sentence_spans(text, rules_for(language))}
    runs: list[tuple[int, int]] = []
    opens = True  # at the next word a sentence begins
    last_end = -1
    for word in _WORD.finditer(text):
        start, end = word.span()
        opens = opens or any(last_end <= beginning <= start for beginning in beginnings)
        if not opens and word[0][0].isupper() and word[0] not in months:
            if runs and runs[-1][1] == last_end and text[last_end:start] == " ":
                runs[-1] = (runs[-1][0], end)
            else:
                runs.append((start, end))
        opens, last_end = False, end
    return runs


def _other_number(number: str, draw: random.Random) -> str:
    if number.isdecimal() and number.isascii():
        value = int(number)
        if len(number) == 4 and _FIRST_YEAR <= value <= _LAST_YEAR:
            return str(max(_FIRST_YEAR, value - draw.randint(1, _YEARS_EARLIER)) if value > _FIRST_YEAR else value + 1)
        if 0 < value <= _LAST_DAY and number == str(value):
            return str(draw.choice([day for day in _DAYS if day != value]))
    first = next(place for place, mark in enumerate(number) if mark.isdecimal())
    return "".join(
        _other_digit(mark, draw, keeps_zero_out=place == first) if mark.isdecimal() else mark
        for place, mark in enumerate(number)
    )


def _other_digit(digit: str, draw: random.Random, *, keeps_zero_out: bool) -> str:
    """Return another digit of the same script."""
    zero = ord(digit) - int(digit)
    return chr(zero + draw.choice([value for value in range(keeps_zero_out, 10) if value != int(digit)]))


def _words_pattern(words: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern for these whole words, the longest first."""
    alternatives = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)")


def _replaced(text: str, changes: Sequence[tuple[int, int, str]]) -> str:
    parts, end = [], 0
    for start, stop, instead in changes:
        parts += [text[end:start], instead]
        end = stop
    return "".join([*parts, text[end:]])
