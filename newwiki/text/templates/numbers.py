"""Templates for measures, money, fractions and other numbers."""

import re

from newwiki.text.language import Language
from newwiki.text.templates.renderer import Arguments, renderer

_NUMBER = re.compile(r"[-−+]?[\d.,]*\d(?:[+ ]?\d*//?\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)
_JOINS = {
    "-": "–", "–": "–", "to": " to ", "to-": " to ", "to(-)": " to ", "-to-": " to ", "and": " and ",
    "and(-)": " and ", "by": " by ", "x": " × ", "×": " × ", "xx": " × ", "*": " × ", "or": " or ", "+/-": " ± ",
    "±": " ± ", "+": " + ", "/": "/", ",": ", ", ", and": ", and ", ", or": ", or ", "by(-)": " by ",
}  # fmt: skip
_UNITS = {
    "c": "°C", "f": "°F", "k": "K", "sqmi": "sq mi", "sqft": "sq ft", "sqyd": "sq yd", "sqin": "sq in", "sqkm": "km²",
    "sqm": "m²", "m2": "m²", "km2": "km²", "cm2": "cm²", "mm2": "mm²", "ha": "ha", "acre": "acres", "foot": "ft",
    "feet": "ft", "inch": "in", "mile": "mi", "miles": "mi", "yard": "yd", "cuft": "cu ft", "cuyd": "cu yd",
    "cuin": "cu in", "cumi": "cu mi", "m3": "m³", "km3": "km³", "cm3": "cm³", "cc": "cc", "kph": "km/h", "kn": "kn",
    "usgal": "US gal", "impgal": "imp gal", "u.s.gal": "US gal", "metre": "m", "meter": "m", "kilometre": "km",
    "kilometer": "km", "pound": "lb", "lbs": "lb", "long ton": "long tons", "lt": "long tons", "st": "st",
    "short ton": "short tons", "t": "t", "tonne": "t", "ltn": "long tons", "nmi": "nmi", "cwt": "cwt", "bhp": "bhp",
    "ftlb": "ft·lb", "lbft": "lb·ft", "nm": "N·m", "kw": "kW", "mw": "MW", "hp": "hp", "cuft/s": "cu ft/s",
    "m3/s": "m³/s", "/sqmi": "/sq mi", "pd/sqmi": "/sq mi", "/km2": "/km²", "pd/km2": "/km²", "oz": "oz",
}  # fmt: skip


@renderer
def convert(a: Arguments, _: Language) -> str:
    """`{{convert|5|km|mi}}` is 5 km; ranges, dimensions and two units are as given. The converted value is left out."""
    given, shown, position = a.listed, "", 0
    while position + 1 < len(given) and _NUMBER.fullmatch(given[position]):
        value = _number(given[position])
        while position + 2 < len(given) and given[position + 1].lower() in _JOINS:
            value += _JOINS[given[position + 1].lower()] + _number(given[position + 2])
            position += 2
        unit = given[position + 1] if position + 1 < len(given) else ""
        if _NUMBER.fullmatch(unit):
            break
        unit = _UNITS.get(unit.lower(), unit)
        hyphened = "-" if a["adj"] in ("on", "mid") and unit[:1].isalpha() else "" if unit[:1] in "/°" else " "
        shown = f"{shown} {value}{hyphened}{unit}".strip()
        position += 2
    return shown or " ".join(given[:2])


def _number(text: str) -> str:
    text = re.sub(r"(\d)[+ ](\d+)//?(\d+)", r"\1 \2⁄\3", text)
    text = re.sub(r"(\d)//?(\d)", r"\1⁄\2", text)
    text = re.sub(r"^-(?=\d)", "−", text)
    return re.sub(r"^−?\d{4,15}(?=\.|$)", lambda whole: f"{int(whole[0].replace('−', '-')):,}".replace("-", "−"), text)


@renderer
def measured(a: Arguments, language: Language) -> str:
    """A number with its unit: `{{unité|5|km}}`, `{{val|5|u=km}}`."""
    unit = a["u"] or a["ul"] or a[2]
    return " ".join(part for part in (a[1], unit) if part)


@renderer
def metres(a: Arguments, _: Language) -> str:
    return f"{a[1]} m" if a[1] else ""


@renderer
def height(a: Arguments, _: Language) -> str:
    metric = a["m"] or a["meter"] or a["metre"]
    feet, inches = a["ft"] or a["feet"] or a["foot"], a["in"] or a["inch"] or a["inches"]
    if metric:
        return f"{metric} m"
    if a["cm"]:
        return f"{a['cm']} cm"
    return " ".join(part for part in (f"{feet} ft" if feet else "", f"{inches} in" if inches else "") if part)


@renderer
def unit_in_name(a: Arguments, _: Language) -> str:
    """`{{km to mi|5}}` is 5 km."""
    unit = a.name.split(" to ")[0]
    return f"{a[1]} {_UNITS.get(unit, unit)}" if a[1] else ""


@renderer
def money(a: Arguments, language: Language) -> str:
    """`{{INR|500}}` is ₹500; without an amount it is the sign."""
    return language.currencies[a.name] + a[1]


@renderer
def money_of(a: Arguments, language: Language) -> str:
    """`{{currency|500|INR}}` is ₹500."""
    sign = language.currencies.get(a[2].lower(), f"{a[2]} ".lstrip())
    return f"{sign}{a[1]}" if a[1] else ""


@renderer
def fraction(a: Arguments, _: Language) -> str:
    """`{{frac|3|1|2}}` is 3 1⁄2."""
    match a.listed:
        case [below]:
            return f"1⁄{below}"
        case [above, below]:
            return f"{above}⁄{below}"
        case [whole, above, below, *_]:
            return f"{whole} {above}⁄{below}"
        case _:
            return "⁄"


@renderer
def ordinal(a: Arguments, _: Language) -> str:
    number = a[1]
    if not number.isdecimal():
        return number
    ending = "th" if number[-2:] in ("11", "12", "13") else {"1": "st", "2": "nd", "3": "rd"}.get(number[-1], "th")
    return number + ending


@renderer
def grouped(a: Arguments, _: Language) -> str:
    """`{{formatnum:12345}}` is 12,345."""
    whole, point, decimals = a[1].partition(".")
    return f"{int(whole):,}{point}{decimals}" if whole.isascii() and whole.isdecimal() and len(whole) < 30 else a[1]


@renderer
def numbered(a: Arguments, language: Language) -> str:
    return f"{language.number_word} {a[1]}" if a[1] else language.number_word


@renderer
def power_of_ten(a: Arguments, _: Language) -> str:
    return f"×10^{a[1]}" if a[1] else ""


@renderer
def musical(a: Arguments, _: Language) -> str:
    return {"flat": "♭", "b": "♭", "sharp": "♯", "#": "♯", "natural": "♮"}.get(a[1].lower(), "")


@renderer
def century(a: Arguments, _: Language) -> str:
    """`{{s|XIX}}` is XIXe siècle, `{{sp|XIX|au|XX}}` is XIXe au XXe siècle, `{{s-|XIX}}` is XIXe."""
    numbers = [f"{part}{'er' if part == 'I' else 'e'}" if part.isupper() else part for part in a.listed if part]
    if not numbers:
        return ""
    return " ".join(numbers) + ("" if a.name.endswith("-") else " siècle")


@renderer
def time_of_day(a: Arguments, _: Language) -> str:
    return " h ".join(part for part in a.listed[:2] if part) + (" h" if len(a.listed) == 1 else "")
