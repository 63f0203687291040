"""Templates for durations and shares."""

import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from newwiki.text.language import Language
from newwiki.text.templates.renderer import UNSAID, TemplateArguments, renderer

_CLOCK = re.compile(r"\d{1,3}(?::\d\d){1,2}(?: ?[ap]\.?m\.?)?", re.IGNORECASE)
_LENGTH = re.compile(r"\d[\d:.,]*")
_MOST_DECIMALS = 12


@renderer
def duration(a: TemplateArguments, _: Language) -> str:
    """`{{duration|h=1|m=2|s=3}}` is 1:02:03, `{{duration|m=3|s=45}}` is 3:45; so are `1:02:03` and `3|45`."""
    given = [a["h"], a["m"], a["s"]] if a["h"] or a["m"] or a["s"] else a.listed
    if len(given) == 1:
        return given[0] if _LENGTH.fullmatch(given[0]) else UNSAID
    parts = given if given[:1] != [""] else given[1:]
    if not all(part == "" or part.isdecimal() for part in parts):
        return UNSAID
    return ":".join([part or "0" if place == 0 else part.zfill(2) for place, part in enumerate(parts)])


@renderer
def clock(a: TemplateArguments, _: Language) -> str:
    """`{{time|3:45}}` is 3:45; with a zone it is the moment of reading, which a snapshot has not."""
    return a[1] if _CLOCK.fullmatch(a[1]) else UNSAID


@renderer
def percentage(a: TemplateArguments, _: Language) -> str:
    """`{{pct|1|3|1}}` is 33.3%: the share of the second number, with as many decimals as the third says."""
    try:
        share = Decimal(a[1].replace(",", "")) * 100 / Decimal(a[2].replace(",", ""))
        decimals = min(int(a[3] or 0), _MOST_DECIMALS)
        return f"{share.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}%"
    except (InvalidOperation, ZeroDivisionError, ValueError):
        return UNSAID
