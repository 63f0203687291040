"""Render the templates whose forms a language's data file spells out.

A form names each argument of a call and what a reader then sees: `"1 3=s" = "siglo {1}"` is `{{siglo|XIX||s}}`.
`{name}` is the name of the template. A call that no form names in full is `UNSAID`.
"""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass

from newwiki.text.language import Language
from newwiki.text.tags import HOLE
from newwiki.text.templates.dates import month_name
from newwiki.text.templates.numbers import read_local_number
from newwiki.text.templates.renderer import UNSAID, TemplateArguments, renderer

_PLACE = re.compile(r"\{(\w+)(?: (\w+))?\}")


@dataclass(frozen=True)
class Form:
    """The arguments that a call must have, some with a fixed value, those that it may have, and the text shown."""

    fixed: tuple[tuple[str, frozenset[str]], ...]
    needed: frozenset[str]
    allowed: frozenset[str]
    shown: str

    def fits(self, given: dict[str, str]) -> bool:
        """Tell whether the form names all of these arguments."""
        return (
            self.needed <= given.keys() <= self.allowed
            and all(given[key] in values for key, values in self.fixed)
            and not any(HOLE in value or UNSAID in value for value in given.values())
        )


def read_form(arguments: str, shown: str) -> Form:
    """Read a form: `1` is an argument, `3=s,S` one with one of these values, `4?` one that a reader does not see."""
    words = [word.partition("=") for word in arguments.split()]
    needed = frozenset(key for key, _, _ in words if not key.endswith("?"))
    return Form(
        fixed=tuple((key, frozenset(values.split(","))) for key, equals, values in words if equals),
        needed=needed,
        allowed=frozenset(key.removesuffix("?") for key, _, _ in words),
        shown=shown,
    )


@renderer()
def form(a: TemplateArguments, language: Language) -> str:
    """Show the text of the form that names the call's arguments."""
    given = a.given()
    for arguments, shown in language.forms[a.name].items():
        if (candidate := _cached(arguments, shown)).fits(given):
            return _filled(candidate.shown, given | {"name": a.name}, language)
    return UNSAID


_cached = functools.lru_cache(maxsize=None)(read_form)


def _filled(shown: str, given: dict[str, str], language: Language) -> str:
    def value(place: re.Match[str]) -> str:
        return FILTERS[place[2] or "text"](given[place[1]], language)

    text = _PLACE.sub(value, shown)
    return UNSAID if UNSAID in text else text


def _number(text: str, language: Language) -> str:
    number = read_local_number(text, language)
    return number.text if number else UNSAID


def _digits(text: str, language: Language) -> str:
    number = read_local_number(text, language, "off")
    return number.text if number else UNSAID


def _ordinal(text: str, _: Language) -> str:
    return f"{text}er" if text in ("I", "1") else f"{text}e"


def _day(text: str, _: Language) -> str:
    return text.lstrip("0") if text.isdecimal() else text


# How a form shows an argument: `{1 number}`.
FILTERS: dict[str, Callable[[str, Language], str]] = {
    "text": lambda text, _: text,
    "number": _number,  # with the language's separators
    "digits": _digits,  # without separators of thousands
    "ordinal": _ordinal,  # French: Ier, IIe
    "day": _day,  # 5 for 05
    "month": month_name,  # mayo for 5
}
