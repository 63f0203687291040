"""Templates for money: the amount that the author gave. What it is worth elsewhere, or today, is left out."""

import re

from newwiki.text.language import Language
from newwiki.text.tags import HOLE
from newwiki.text.templates.numbers import read_number
from newwiki.text.templates.renderer import UNSAID, TemplateArguments, renderer

_SCALES = {
    "": "", "k": "thousand", "l": "lakh", "c": "crore", "lc": "lakh crore", "m": "million", "b": "billion",
    "t": "trillion", "million": "million", "billion": "billion", "crore": "crore", "lakh": "lakh",
}  # fmt: skip
_YEAR = re.compile(r"\d{4}")


@renderer
def money(a: TemplateArguments, language: Language) -> str:
    """`{{INR|50|c}}` is ₹50 crore, `{{US$|500|1990}}` US$500; without an amount it is the sign."""
    sign, scale = language.currencies[a.name], "" if _YEAR.fullmatch(a[2]) else a[2].lower()
    if scale not in _SCALES or any(mark in a[1] for mark in HOLE + UNSAID):
        return UNSAID
    if a["long"] == "no":
        sign = re.sub(r"[A-Za-z]", "", sign) or sign
    return f"{sign}{a[1]} {_SCALES[scale]}".rstrip() if a[1] else sign


@renderer
def money_of(a: TemplateArguments, language: Language) -> str:
    """`{{currency|5000|INR}}` is ₹5,000; a code that the language's table lacks says nothing."""
    sign, number = language.currencies.get((a[2] or "usd").lower()), read_number(a[1], language)
    if sign is None or number is None:
        return UNSAID
    return f"{sign}{a[1] if a['passthrough'] == 'yes' else number.text}"
