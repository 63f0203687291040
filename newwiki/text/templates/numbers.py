"""Read numbers, and render bare ones: fractions, ordinals, powers of ten.

An argument that MediaWiki would not show as a number gives `UNSAID`, never a part of the argument.
"""

import re
from dataclasses import dataclass
from html import unescape

from newwiki.text.language import Language
from newwiki.text.templates.renderer import ALL, UNSAID, TemplateArguments, renderer

_NUMBER = re.compile(r"([-−+]?)(\d[\d,]*)?(\.\d+)?(?:[eE]([-−+]?\d{1,3}))?")
_FRACTION = re.compile(r"([-−+]?)(?:(\d[\d,]*)[-+ −])?(\d+)(?://?|⁄)(\d+)")
_RENDERED_FRACTION = re.compile(r"(\d?)<sup>(\d+)</sup>⁄<sub>(\d+)</sub>")
_EXPONENT = re.compile(r"[-−+]?(?:\d{1,6}|[A-Za-z])")
# What `formatnum` takes, the numbers in it, and its options: `R` and `NOSEP` with their names in other languages.
_FORMATTED = re.compile(r"[-−+]?(?=[^-−+]*\d)[\d., \u00a0]+")
_PIECE = re.compile(r"(-(?=[\d.]))?(\d+|(?=\.\d))(\.\d*)?")
_RAW = frozenset(["R", "BRUT", "B", "SF", "V", "Н", "生"])
_WITHOUT_SEPARATORS = frozenset(["NOSEP", "SANSSEP", "GEENSCHEIDINGSTEKEN"])
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
    if "<" in text:
        text = _RENDERED_FRACTION.sub(_plain_fraction, text)
    if "," in text and language.decimal_mark == ",":  # thousands or decimals: the templates differ
        return None
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


def _plain_fraction(match: re.Match[str]) -> str:
    return f"{match[1]}{' ' * bool(match[1])}{match[2]}⁄{match[3]}"


def read_local_number(argument: str, language: Language, groups: str = "") -> Number | None:
    """Read a number as the language writes it, such as `12 345,6`; None for anything else."""
    text = re.sub(r"\s", "", unescape(argument))
    return read_number(text.replace(",", ".") if language.decimal_mark == "," else text, language, groups)


def times_ten_to(power: str | None) -> str:
    """Return `×10^23`; nothing without a power."""
    return f"×10^{_signed(power[:1], power[1:]) if power[:1] in '-−+' else power}" if power else ""


def _signed(sign: str, text: str) -> str:
    return {"-": "−", "−": "−", "+": "+"}.get(sign, "") + text


def _grouped(digits: str | None, language: Language, groups: str = "") -> str:
    digits = (digits or "").replace(",", "")
    if groups == "off" or (groups == "5" and len(digits) < 5):
        return digits
    if len(digits) < 3 + language.minimum_grouping_digits:
        return digits
    separator = " " if groups.startswith("gaps") else language.thousands_separator
    first = len(digits) % 3
    return separator.join(part for part in (digits[:first], *re.findall("...", digits[first:])) if part)


@renderer(ignores=ALL)
def unsaid(a: TemplateArguments, _: Language) -> str:
    """Return `UNSAID`, for a template whose number depends on the day of reading or on other pages."""
    return UNSAID


@renderer(ignores=ALL)
def hidden(a: TemplateArguments, _: Language) -> str:
    """Return nothing, for a sort key that is never shown."""
    return ""


@renderer()
def fraction(a: TemplateArguments, language: Language) -> str:
    """Render `{{frac|3|1|2}}` as 3 1⁄2, `{{frac|4}}` and `{{frac|1/4}}` as 1⁄4."""
    given = [part for part in a.listed if part]
    if len(given) == 1 and "/" in given[0]:
        number = read_number(given[0], language)
        return number.text if number else UNSAID
    whole, above, below = [*["", "1", ""][: 3 - len(given)], *given][:3] if given else ["", "", ""]
    if len(given) > 3 or not all(_SIMPLE.fullmatch(part) or _SUM.fullmatch(part) for part in given):
        return UNSAID
    if not whole and above.isdecimal() and below.isdecimal():
        return f"<sup>{above}</sup>⁄<sub>{below}</sub>"  # a number may stand before it (newwiki/text/scripts.py)
    return f"{_term(whole)} {_term(above)}⁄{_term(below)}".lstrip()


def _term(text: str) -> str:
    return text if _SIMPLE.fullmatch(text) else f"({text})"


@renderer(ignores="sup")
def ordinal(a: TemplateArguments, _: Language) -> str:
    """Render `{{ordinal|22}}` as 22nd, `{{ordinal|22|d}}` as 22d."""
    number = a[1].replace(",", "")
    if not (number.isascii() and number.isdecimal()) or a[2] not in ("", "d"):
        return UNSAID
    endings = {"1": "st", "2": "d" if a[2] == "d" else "nd", "3": "d" if a[2] == "d" else "rd"}
    return a[1] + ("th" if number[-2:] in ("11", "12", "13") else endings.get(number[-1], "th"))


@renderer()
def formatnum(a: TemplateArguments, language: Language) -> str:
    """Render `{{formatnum:12345.6}}` as the wiki's language writes numbers: 12,345.6 or 12 345,6.

    `NOSEP` leaves the number as it is. `R` turns a number of that language back into 12345.6. Like MediaWiki's
    (Language::formatNum and parseFormattedNumber of MediaWiki 1.39), except that text which is no number is `UNSAID`.
    """
    text, option = unescape(a[1]).strip(), a[2]
    if not _FORMATTED.fullmatch(text):
        return UNSAID
    if option in _RAW:
        return _without_separators(text.replace("−", "-"), language)
    if option.upper() in _WITHOUT_SEPARATORS:
        return text.replace("-", "−")
    return UNSAID if option else _PIECE.sub(lambda piece: _formatted(piece, language), text).replace("-", "−")


def _formatted(piece: re.Match[str], language: Language) -> str:
    sign, whole, decimals = piece.groups("")
    return f"{sign}{_grouped(whole, language)}{decimals.replace('.', language.decimal_mark)}"


def _without_separators(text: str, language: Language) -> str:
    separator = language.thousands_separator.replace(" ", "\u00a0")  # MediaWiki writes it so
    return text.replace(separator, "").replace(language.decimal_mark, ".").replace(",", "")


@renderer()
def grouped(a: TemplateArguments, language: Language) -> str:
    """Render `{{commas|12345}}` as 12,345."""
    number = read_number(a[1], language)
    return f"{a['prefix']}{number.text}{a['suffix']}" if number else UNSAID


@renderer()
def numbered(a: TemplateArguments, language: Language) -> str:
    return f"{language.number_word} {a[1]}" if a[1] else language.number_word


@renderer()
def power_of_ten(a: TemplateArguments, _: Language) -> str:
    """Render `{{e|-23}}` as ×10^−23."""
    return times_ten_to(a[1]) if _EXPONENT.fullmatch(a[1]) else UNSAID


@renderer()
def ten_to(a: TemplateArguments, _: Language) -> str:
    """Render `{{10^|23}}` as 10^23."""
    return times_ten_to(a[1]).removeprefix("×") if _EXPONENT.fullmatch(a[1]) else UNSAID


@renderer()
def in_words(a: TemplateArguments, _: Language) -> str:
    """Render `{{spellnum|42}}` as forty-two."""
    number = a[1].replace(",", "")
    words = spelt(int(number), with_and=a["us"] == "") if number.isascii() and number.isdecimal() else None
    return words or UNSAID


@renderer()
def raised(a: TemplateArguments, _: Language) -> str:
    return f"<sup>{a[1]}</sup>" if a[1] else ""


@renderer()
def lowered(a: TemplateArguments, _: Language) -> str:
    return f"<sub>{a[1]}</sub>" if a[1] else ""


@renderer()
def musical(a: TemplateArguments, _: Language) -> str:
    return {"flat": "♭", "b": "♭", "sharp": "♯", "#": "♯", "natural": "♮"}.get(a[1].lower(), "")


@renderer()
def time_of_day(a: TemplateArguments, _: Language) -> str:
    """Render `{{heure|20}}` as 20 h, `{{heure|20|30}}` as 20 h 30, `{{heure|20|30|15}}` as 20 h 30 min 15 s."""
    hours, minutes, seconds = a[1], a[2], a[3]
    if not hours or (seconds and not minutes):
        return UNSAID
    return f"{hours} h" + (f" {minutes}" if minutes else "") + (f" min {seconds} s" if seconds else "")


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
