"""Read numbers, and render bare ones: fractions, ordinals, powers of ten.

An argument that MediaWiki would not show as a number gives `UNSAID`, never a part of the argument.
"""

import re
from dataclasses import dataclass
from html import unescape

from newwiki.text.language import Language
from newwiki.text.templates.renderer import UNSAID, TemplateArguments, renderer

_NUMBER = re.compile(r"([-−+]?)(\d[\d,]*)?(\.\d+)?(?:[eE]([-−+]?\d{1,3}))?")
_FRACTION = re.compile(r"([-−+]?)(?:(\d[\d,]*)[-+ −])?(\d+)(?://?|⁄)(\d+)")
_EXPONENT = re.compile(r"[-−+]?(?:\d{1,6}|[A-Za-z])")
_SIMPLE = re.compile(r"[\d.,]*|\d*'*[^\W\d_]{1,2}['′]*")
_SUM = re.compile(r"(?!.*[^\W\d_](?:\d|[^\W\d_]{2}))[\w+\-−*^ .,'′()]+")


@dataclass(frozen=True)
class Number:
    """A number as written in the prose, and its value."""

    text: str
    value: float


def read_number(argument: str, language: Language, groups: str = "") -> Number | None:
    """Read a number such as `-1,234.5`, `1+1/2` or `6.02e23`; None for anything else.

    `groups` is the `comma` of Module:Convert: `off` for no separators, `5` for five digits and more, `gaps` for thin
    spaces.
    """
    text = unescape(argument).replace("\u00a0", " ").strip()
    if parts := _FRACTION.fullmatch(text):
        sign, whole, above, below = parts.groups()
        value = float((whole or "0").replace(",", "")) + (int(above) / int(below) if int(below) else 0.0)
        shown = " ".join(part for part in (_grouped(whole, language, groups), f"{above}⁄{below}") if part)
        return Number(_signed(sign, shown), -value if sign in "-−" and sign else value)
    parts = _NUMBER.fullmatch(text)
    if parts is None or not (parts[2] or parts[3]):
        return None
    sign, whole, decimals, power = parts.groups()
    value = float(f"{(whole or '0').replace(',', '')}{decimals or ''}e{(power or '0').replace('−', '-')}")
    shown = _grouped(whole or "0", language, groups) + (decimals or "").replace(".", language.decimal_mark)
    return Number(_signed(sign, shown + times_ten_to(power)), -value if sign in "-−" and sign else value)


def times_ten_to(power: str | None) -> str:
    """Return `×10^23`; nothing without a power."""
    return f"×10^{_signed(power[:1], power[1:]) if power[:1] in '-−+' else power}" if power else ""


def _signed(sign: str, text: str) -> str:
    return {"-": "−", "−": "−", "+": "+"}.get(sign, "") + text


def _grouped(digits: str | None, language: Language, groups: str = "") -> str:
    digits = (digits or "").replace(",", "")
    if groups == "off" or (groups == "5" and len(digits) < 5) or len(digits) < 4:
        return digits
    separator = " " if groups.startswith("gaps") else language.thousands_separator
    first = len(digits) % 3
    return separator.join(part for part in (digits[:first], *re.findall("...", digits[first:])) if part)


@renderer
def unsaid(a: TemplateArguments, _: Language) -> str:
    """Return `UNSAID`, for a template whose number depends on the day of reading or on other pages."""
    return UNSAID


@renderer
def hidden(a: TemplateArguments, _: Language) -> str:
    """Return nothing, for a sort key that is never shown."""
    return ""


@renderer
def fraction(a: TemplateArguments, language: Language) -> str:
    """Render `{{frac|3|1|2}}` as 3 1⁄2, `{{frac|4}}` and `{{frac|1/4}}` as 1⁄4."""
    given = [part for part in a.listed if part]
    if len(given) == 1 and "/" in given[0]:
        number = read_number(given[0], language)
        return number.text if number else UNSAID
    whole, above, below = [*["", "1", ""][: 3 - len(given)], *given][:3] if given else ["", "", ""]
    if len(given) > 3 or not all(_SIMPLE.fullmatch(part) or _SUM.fullmatch(part) for part in given):
        return UNSAID
    return f"{_term(whole)} {_term(above)}⁄{_term(below)}".lstrip()


def _term(text: str) -> str:
    return text if _SIMPLE.fullmatch(text) else f"({text})"


@renderer
def ordinal(a: TemplateArguments, _: Language) -> str:
    """Render `{{ordinal|22}}` as 22nd, `{{ordinal|22|d}}` as 22d."""
    number = a[1].replace(",", "")
    if not (number.isascii() and number.isdecimal()):
        return UNSAID
    endings = {"1": "st", "2": "d" if a[2] == "d" else "nd", "3": "d" if a[2] == "d" else "rd"}
    return a[1] + ("th" if number[-2:] in ("11", "12", "13") else endings.get(number[-1], "th"))


@renderer
def grouped(a: TemplateArguments, language: Language) -> str:
    """Render `{{formatnum:12345}}` as 12,345; `R` removes separators, `NOSEP` sets none."""
    number = read_number(a[1], language, "off" if a[2] in ("R", "NOSEP") else "")
    return f"{a['prefix']}{number.text}{a['suffix']}" if number else UNSAID


@renderer
def numbered(a: TemplateArguments, language: Language) -> str:
    return f"{language.number_word} {a[1]}" if a[1] else language.number_word


@renderer
def power_of_ten(a: TemplateArguments, _: Language) -> str:
    """Render `{{e|-23}}` as ×10^−23."""
    return times_ten_to(a[1]) if _EXPONENT.fullmatch(a[1]) else UNSAID


@renderer
def ten_to(a: TemplateArguments, _: Language) -> str:
    """Render `{{10^|23}}` as 10^23."""
    return times_ten_to(a[1]).removeprefix("×") if _EXPONENT.fullmatch(a[1]) else UNSAID


@renderer
def in_words(a: TemplateArguments, _: Language) -> str:
    """Render `{{spellnum|42}}` as forty-two."""
    number = a[1].replace(",", "")
    words = spelt(int(number), with_and=a["us"] == "") if number.isascii() and number.isdecimal() else None
    return words or UNSAID


@renderer
def raised(a: TemplateArguments, _: Language) -> str:
    return f"<sup>{a[1]}</sup>" if a[1] else ""


@renderer
def lowered(a: TemplateArguments, _: Language) -> str:
    return f"<sub>{a[1]}</sub>" if a[1] else ""


@renderer
def musical(a: TemplateArguments, _: Language) -> str:
    return {"flat": "♭", "b": "♭", "sharp": "♯", "#": "♯", "natural": "♮"}.get(a[1].lower(), "")


@renderer
def century(a: TemplateArguments, _: Language) -> str:
    """Render `{{s|XIX}}` as XIXe siècle, `{{sp|XIX|au|XX}}` as XIXe au XXe siècle, `{{s-|XIX}}` as XIXe."""
    numbers = [f"{part}{'er' if part == 'I' else 'e'}" if part.isupper() else part for part in a.listed if part]
    if not numbers:
        return ""
    return " ".join(numbers) + ("" if a.name.endswith("-") else " siècle")


@renderer
def time_of_day(a: TemplateArguments, _: Language) -> str:
    return " h ".join(part for part in a.listed[:2] if part) + (" h" if len(a.listed) == 1 else "")


_SMALL = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_GROUPS = ["", " thousand", " million", " billion", " trillion"]


def spelt(number: int, *, with_and: bool = True) -> str | None:
    """Write `105` as one hundred and five, without `with_and` as one hundred five; None from 10^15 on."""
    if number >= 1000 ** len(_GROUPS):
        return None
    if number == 0:
        return _SMALL[0]
    words: list[str] = []
    for exponent in range(len(_GROUPS) - 1, -1, -1):
        if group := number // 1000**exponent % 1000:
            joined = "and " if with_and and words and exponent == 0 and group < 100 else ""
            words.append(f"{joined}{_hundreds(group, with_and=with_and)}{_GROUPS[exponent]}")
    return " ".join(words)


def _hundreds(number: int, *, with_and: bool) -> str:
    hundreds, rest = divmod(number, 100)
    below = _SMALL[rest] if rest < 20 else _TENS[rest // 10 - 2] + (f"-{_SMALL[rest % 10]}" if rest % 10 else "")
    if not hundreds:
        return below
    return f"{_SMALL[hundreds]} hundred" + (f"{' and' if with_and else ''} {below}" if rest else "")
