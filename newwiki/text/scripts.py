"""Write superscripts and subscripts on the line so that `10<sup>23</sup>` does not become 1023.

An exponent becomes 10^23, or m² after letters if a single character can show it. An index stays on the line, as in H2O,
unless a digit is next to it. Other raised or lowered text (19<sup>th</sup>) is ordinary text.
"""

import re
from html import unescape

from newwiki.text.tags import HOLE_MARKS
from newwiki.text.templates import UNSAID

_PAIR = re.compile(r"<su([pb])(?:\s[^<>]{0,200})?>((?:(?!</?su[pb]\b)[^\n]){0,200})</su\1\s*>", re.IGNORECASE)
_FRACTION = re.compile(r"<sup>\s*(\d+)\s*</sup>\s*(?:/|⁄|&frasl;|&#8260;)\s*<sub>\s*(\d+)\s*</sub>", re.IGNORECASE)
_NEVER_CLOSED = re.compile(r"(?<=\d)<sup(?:\s[^<>]{0,200})?>(?=[-−+]?\d)", re.IGNORECASE)
_DRESS = re.compile(rf"<[^<>]{{0,200}}>|'{{2,}}|[{HOLE_MARKS}\x06]")
_NUMBER = re.compile(r"[-−–+±]?\d+(?:[.,/]\d+)*[-−–+]?|[-−–+]")
_EXPRESSION = re.compile(r"(?=.*[\d+\-−–*/×^])(?!.*[^\W\d_]{3})[\w+\-−–*/×·.,()^ ]{1,24}")
_ROUNDS = 4  # nested superscripts
_REACH = 60  # characters examined before and after
_RAISED = str.maketrans("0123456789+-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")
_LOWERED = str.maketrans("0123456789+-−–", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋")


def on_the_line(text: str) -> str:
    """Write superscripts and subscripts as characters of their line."""
    if "<su" not in text and "<SU" not in text and "<Su" not in text:
        return text
    text = _FRACTION.sub(_fraction, text)
    for _ in range(_ROUNDS):
        text, count = _PAIR.subn(_script, text)
        if not count:
            break
    return _NEVER_CLOSED.sub("^", text)


def _fraction(match: re.Match[str]) -> str:
    behind_number = match.string[max(0, match.start() - 1) : match.start()].isdecimal()
    return f"{' ' * behind_number}{match[1]}⁄{match[2]}"


def _script(match: re.Match[str]) -> str:
    content = _DRESS.sub("", unescape(match[2])).strip()
    if not content or UNSAID in content:
        return match[2]
    before = _DRESS.sub("", match.string[max(0, match.start() - _REACH) : match.start()].replace("&nbsp;", " "))
    behind = match.string[match.end() : match.end() + _REACH]
    after = _DRESS.sub("", behind)[:1]
    if match[1] in "bB":
        beside_digit = before[-1:].isdecimal() or after.isdecimal()
        return content.translate(_LOWERED) if _NUMBER.fullmatch(content) and beside_digit else match[2]
    if not _NUMBER.fullmatch(content):
        return _power(match[2], content, before)
    stands_alone = not before[-1:].isalnum() and before[-1:] not in tuple(")]}’'²³")
    if stands_alone and before.rstrip()[-1:].isdecimal() and not after.isalnum():
        stands_alone = False
    if stands_alone:
        return content.translate(_RAISED) if after.isdecimal() or behind[:4].lower() == "<sub" else content
    if after.isdecimal() or (before[-1:].isalpha() and len(content) == 1 and content.isdecimal()):
        return content.translate(_RAISED)
    return f"^{content}"


def _power(inner: str, content: str, before: str) -> str:
    """Write an exponent that is not a number as 2^n or 2^(n−1); other words are text."""
    if not (before[-1:].isalnum() or before[-1:] in (")", "]")):
        return inner
    if len(content) == 1 and content.isalpha():
        is_variable = before[-1:].isdecimal() and ("''" in inner or "<" in inner or content in "nkmxyijpqrtz")
        return f"^{content}" if is_variable else inner
    return f"^({content})" if _EXPRESSION.fullmatch(content) else inner
