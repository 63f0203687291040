"""Render numbers with a unit: `{{val}}`, `{{gaps}}`, `{{unité}}`, `{{height}}`."""

import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from newwiki.text.language import Language
from newwiki.text.tags import HOLE
from newwiki.text.templates.numbers import read_local_number, read_number, times_ten_to
from newwiki.text.templates.renderer import UNSAID, TemplateArguments, renderer

_RANGES = {
    "-": "–",
    "–": "–",
    "to": " to ",
    "by": " by ",
    "x": " × ",
    "×": " × ",
    "or": " or ",
    "and": " and ",
    "/": "/",
}
_WITH_BRACKET = re.compile(r"(.+?)(\(\d+\))?(?:[eE]([-−+]?\d+))?")
_WITH_UNIT = re.compile(r"([-−+]?\d(?:[\d.,]|\s(?=\d))*+)\s++([^\W\d_][^\s\d]*)")
_DIGITS = re.compile(r"[-−+]?(?=.*\d)[\d.,…]+(?:\(\d+\))?")
_ERROR = re.compile(r"\(\d+\)")
_POWER = re.compile(r"[-−+]?\d{1,6}")
_SYMBOLS = re.compile(r"(?:[^\W\d_]+|[°%‰])(?:-?\d)?(?:[./·⋅* ](?:[^\W\d_]+|[°%‰])(?:-?\d)?)*")
_FACTOR = re.compile(r"([^\W\d_])(-?\d)")
_UNITS = {
    "degC": "°C", "degF": "°F", "deg": "°", "ohm": "Ω", "Ohm": "Ω", "angstrom": "Å", "um": "μm", "us": "μs",
    "sqmi": "sq mi", "sqft": "sq ft", "cuft": "cu ft", "Msun": "M☉", "solar mass": "M☉", "arcmin": "′", "arcsec": "″",
}  # fmt: skip
_GLUED = ("%", "‰", "°", "′", "″")


@renderer(ignores="debug")
def val(a: TemplateArguments, language: Language) -> str:
    """Render `{{val|6.02|e=23|u=kg}}` as 6.02×10^23 kg, with errors, ranges, prefix and suffix as in Template:Val."""
    groups = "" if a["fmt"] == "commas" else "off"
    unit = _unit(a.first_of("u", "ul"), a.first_of("up", "upl"))
    if (a["e"] and not _POWER.fullmatch(a["e"])) or unit is None or a["fmt"] not in ("", "commas", "gaps", "none"):
        return UNSAID
    power = times_ten_to(a["e"])
    given = [part for part in a.listed if part]
    written = _values(given, language, groups) if given else power.removeprefix("×")
    if not written or (power and len(given) > 1 and given[1] in _RANGES):
        return UNSAID
    if given and power:
        written = f"({written}){power}" if len(given) > 1 and not _ERROR.fullmatch(given[1]) else written + power
    return f"{a['p']}{written}{a['s']}{unit}"


def _values(given: list[str], language: Language, groups: str) -> str:
    """Return the number with its error, or a range; nothing if it cannot be read."""
    parts = _WITH_BRACKET.fullmatch(given[0])
    first = read_number(parts[1], language, groups) if parts else None
    if first is None or parts is None:
        return ""
    shown = first.text + (parts[2] or "") + times_ten_to(parts[3])
    rest = given[1:]
    if not rest:
        return shown
    if rest[0] in _RANGES:
        ends = [read_number(part, language, groups) for part in rest[1::2]]
        if len(rest) % 2 or None in ends or any(join not in _RANGES for join in rest[::2]):
            return ""
        return shown + "".join(_RANGES[join] + end.text for join, end in zip(rest[::2], ends, strict=True) if end)
    if len(rest) == 1 and _ERROR.fullmatch(rest[0]):
        return shown + rest[0]
    errors = [read_number(part.lstrip("+-−"), language, groups) for part in rest]
    match errors:
        case [error] if error:
            return f"{shown}±{error.text}"
        case [above, below] if above and below:
            return f"{shown} +{above.text} −{below.text}"
    return ""


def _unit(code: str, per: str) -> str | None:
    """Return the unit after a space, with `/` before the second; None if it holds a value that is unknown."""
    if HOLE in code + per or UNSAID in code + per:
        return None
    shown = "/".join(_symbol(part) for part in (code, per) if part)
    return shown if not shown or shown in _GLUED else f" {shown}"


def _symbol(code: str) -> str:
    """Render `m/s2` as m/s²; other text that is not an expression of symbols stays unchanged, as in Template:Val."""
    if code in _UNITS:
        return _UNITS[code]
    if not _SYMBOLS.fullmatch(code):
        return code
    powers = _FACTOR.sub(lambda factor: factor[1] + _power(factor[2]), code)
    return re.sub(r"[.*·]", "⋅", powers)


def _power(digits: str) -> str:
    return {"2": "²", "3": "³"}.get(digits, f"^{digits.replace('-', '−')}")


@renderer()
def gaps(a: TemplateArguments, language: Language) -> str:
    """Render `{{gaps|6.022|14|e=23|u=m}}` as 6.02214×10^23 m: the gaps are not characters."""
    unit = _unit(a.first_of("u", "ul"), "")
    digits = "".join(a.listed).replace("...", "…")
    bad = unit is None or not _DIGITS.fullmatch(digits) or (a["e"] and not _POWER.fullmatch(a["e"]))
    return UNSAID if bad else f"{a['lhs']}{digits}{times_ten_to(a['e'])}{unit}"


@renderer()
def measured(a: TemplateArguments, language: Language) -> str:
    """Render `{{unité|12345,6|km|2}}` as 12 345,6 km², `{{unité|5|m|s|-1}}` as 5 m⋅s^−1, `{{unité|5 km}}` as 5 km."""
    first, *units = [*a.listed, ""]
    if not any(units) and (parts := _WITH_UNIT.fullmatch(first)):
        first, units = parts[1], [parts[2]]
    number = read_local_number(first, language)
    if (
        number is None
        or (a["e"] and not _POWER.fullmatch(a["e"]))
        or any(mark in unit for unit in units for mark in (HOLE, UNSAID, "="))
    ):
        return UNSAID
    factors: list[str] = []
    for unit in filter(None, units):
        if _POWER.fullmatch(unit):
            if not factors:
                return UNSAID
            factors[-1] += _power(unit)
        else:
            factors.append(unit)
    return f"{number.text}{times_ten_to(a['e'])} {'⋅'.join(factors)}".strip()


@renderer()
def value(a: TemplateArguments, language: Language) -> str:
    """Render Italian `{{M|12 745,594|ul=km}}` as 12 745,594 km, `{{M|5|0,1|u=m|e=3}}` as (5±0,1)×10^3 m."""
    number, unit = read_local_number(a[1], language), _unit(a.first_of("u", "ul"), a.first_of("up", "upl"))
    error = read_local_number(a[2], language) if a[2] else None
    if a[3] or (a[2] and not error and not unit):
        given = a[3] or a[2]
        unit = None if unit or (a[3] and a[2] and not error) else _unit(given, "")
    elif a[2] and not error:
        unit = None
    if number is None or unit is None or (a["e"] and not _POWER.fullmatch(a["e"])):
        return UNSAID
    shown = f"{number.text}±{error.text}" if error else number.text
    power = times_ten_to(a["e"])
    return f"{a['p']}{f'({shown}){power}' if error and power else shown + power}{a['s']}{unit}"


@renderer(ignores="precision abbr frac sp")
def height(a: TemplateArguments, language: Language) -> str:
    """Render `{{height|ft=5|in=3}}` as 5 ft 3 in; the converted value is left out."""
    units = {"m": ("m", "meter", "metre"), "cm": ("cm",), "ft": ("ft", "feet", "foot"), "in": ("in", "inch", "inches")}
    given = [(a.first_of(*keys), unit) for unit, keys in units.items()]
    numbers = [(read_number(text, language), unit) for text, unit in given if text]
    if not numbers or any(number is None for number, _ in numbers):
        return UNSAID
    return " ".join(f"{number.text} {unit}" for number, unit in numbers if number)


_SCALES = {
    "": "", "k": "thousand", "l": "lakh", "c": "crore", "lc": "lakh crore", "m": "million", "b": "billion",
    "t": "trillion", "million": "million", "billion": "billion", "crore": "crore", "lakh": "lakh",
}  # fmt: skip
_YEAR = re.compile(r"\d{4}")


@renderer(ignores="round about r a")
def money(a: TemplateArguments, language: Language) -> str:
    """Render `{{INR|50|c}}` as ₹50 crore, `{{US$|500|1990}}` as US$500; without an amount, the sign."""
    sign, long = language.currencies[a.name], a["long"]
    scale = "" if _YEAR.fullmatch(a[2]) else a[2].lower()
    if scale not in _SCALES or any(mark in a[1] for mark in HOLE + UNSAID) or (a[1] and not language.currency_first):
        return UNSAID
    if long == "no":
        sign = re.sub(r"[A-Za-z]", "", sign) or sign
    return f"{sign}{a[1]} {_SCALES[scale]}".rstrip() if a[1] else sign


@renderer(ignores="linked first")
def money_of(a: TemplateArguments, language: Language) -> str:
    """Render `{{currency|5000|INR}}` as ₹5,000; `UNSAID` for a code that the language's table lacks."""
    sign, number = language.currencies.get((a[2] or "usd").lower()), read_number(a[1], language)
    passed = a["passthrough"] == "yes"
    if sign is None or number is None or not language.currency_first:
        return UNSAID
    return f"{sign}{a[1] if passed else number.text}"


_CLOCK = re.compile(r"\d{1,3}(?::\d\d){1,2}(?: ?[ap]\.?m\.?)?", re.IGNORECASE)
_LENGTH = re.compile(r"\d[\d:.,]*")
_MOST_DECIMALS = 12


@renderer()
def duration(a: TemplateArguments, _: Language) -> str:
    """Render `{{duration|h=1|m=2|s=3}}` as 1:02:03, `{{duration|m=3|s=45}}` as 3:45; also `1:02:03` and `3|45`."""
    units = [a["h"], a["m"], a["s"]]
    given = units if any(units) else a.listed
    if len(given) == 1:
        return given[0] if _LENGTH.fullmatch(given[0]) else UNSAID
    parts = given if given[:1] != [""] else given[1:]
    if not all(part == "" or part.isdecimal() for part in parts):
        return UNSAID
    return ":".join([part or "0" if place == 0 else part.zfill(2) for place, part in enumerate(parts)])


@renderer()
def clock(a: TemplateArguments, _: Language) -> str:
    """Render `{{time|3:45}}` as 3:45; with a time zone it shows the moment of reading, which a snapshot lacks."""
    return a[1] if _CLOCK.fullmatch(a[1]) else UNSAID


@renderer()
def percentage(a: TemplateArguments, _: Language) -> str:
    """Render `{{pct|1|3|1}}` as 33.3%: the share of the second number, with the third as number of decimals."""
    try:
        share = Decimal(a[1].replace(",", "")) * 100 / Decimal(a[2].replace(",", ""))
        decimals = min(int(a[3] or 0), _MOST_DECIMALS)
        return f"{share.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}%"
    except (InvalidOperation, ZeroDivisionError, ValueError):
        return UNSAID
