"""Render `{{convert}}` as the quantity that the author gave; the converted value in brackets is left out."""

from dataclasses import dataclass

from newwiki.text.language import Language
from newwiki.text.templates.numbers import Number, read_number, spelt
from newwiki.text.templates.renderer import UNSAID, TemplateArguments, renderer
from newwiki.text.templates.units import Unit, find_unit, may_follow

_JOINS = {
    "-": "–", "–": "–", "to": " to ", "to-": " to ", "to(-)": " to ", "-to-": " to ", "and": " and ", "&": " & ",
    "and(-)": " and ", "by": " by ", "x": " × ", "×": " × ", "xx": " × ", "*": " × ", "or": " or ", "+/-": " ± ",
    "±": " ± ", "+": " + ", "/": "/", ",": ", ", ", and": ", and ", ", or": ", or ", "by(-)": " by ", "or(-)": " or ",
}  # fmt: skip
_SIGNS = {join: shown for join, shown in _JOINS.items() if not any(map(str.isalpha, shown))}  # in every language
_SHOWS_GIVEN = {"", "or", "b", "br", "br()", "comma", "sqbr", "semicolon", "slash", "/", "x", "flip", "flip2"}
_KEEPS_GIVEN = {"", "on", "off", "mid", "long", "nocat"}
_SYMBOL = {"on", "in"}


@dataclass(frozen=True)
class _Style:
    """How a quantity is written: units by symbol or by name, hyphenated before a noun, American spelling, in words."""

    symbols: bool
    hyphened: bool
    american: bool
    spelling: str


@renderer(ignores="lk sigfig round order frac qid warnings debug tracking")
def convert(a: TemplateArguments, language: Language) -> str:
    """Render `{{convert|5|km|mi}}` as 5 kilometres; ranges, dimensions and two units are as given."""
    style = _Style(
        symbols=not language.names_units or a["abbr"] in _SYMBOL or (a.name == "cvt" and not a["abbr"]),
        hyphened=a["adj"] in ("on", "mid", "long"),
        american=a["sp"].lower() == "us",
        spelling=a["spell"] or ("in" if a.name == "convert/spell" else ""),
    )
    if a["disp"] not in _SHOWS_GIVEN or a["adj"] not in _KEEPS_GIVEN or a["abbr"] == "values":
        return UNSAID
    return quantity(a, language, style)


@renderer(ignores="2 wiki precision")
def unit_in_name(a: TemplateArguments, language: Language) -> str:
    """Render `{{km to mi|5}}` as 5 kilometres."""
    style = _Style(symbols=a["abbr"] in ("on", "yes"), hyphened=a["adj"] == "on", american=False, spelling="")
    return quantity(TemplateArguments([a[1], a.name.split(" to ")[0]]), language, style)


def quantity(a: TemplateArguments, language: Language, style: _Style) -> str:
    """Return the numbers and units at the start of the arguments; `UNSAID` if one of them cannot be read."""
    given, shown, position, before = a.listed, "", 0, ""
    while position + 1 < len(given):
        numbers, joins, position = _range(given, position, a, language)
        code = given[position] if position < len(given) else ""
        unit = find_unit(code)
        if not numbers or unit is None or None in numbers:
            return UNSAID
        written = _written([number for number in numbers if number], joins, unit, style)
        if written is None:
            return UNSAID
        shown += ("-" if style.hyphened and not style.symbols else " ") * bool(shown) + written
        before, position = code, position + 1
        following = given[position + 1] if position + 1 < len(given) else ""
        if not following or not may_follow(before, following) or read_number(given[position], language) is None:
            break
    last = given[-1] if given else ""
    is_text = a["adj"] in ("mid", "long") and not find_unit(last) and read_number(last, language) is None
    middle = (last if last.startswith("-") else f" {last}") if is_text else ""
    return shown + middle if shown else UNSAID


def _range(
    given: list[str], position: int, a: TemplateArguments, language: Language
) -> tuple[list[Number | None], list[str], int]:
    """Return the numbers up to the next unit, their connectors, and the position of that unit."""
    numbers, joins = [read_number(given[position], language, a["comma"])], []
    position += 1
    known = _JOINS if language.names_units else _SIGNS
    while position + 1 < len(given) and given[position].lower() in known:
        joins.append(given[position].lower())
        numbers.append(read_number(given[position + 1], language, a["comma"]))
        position += 2
    return numbers, joins, position


def _written(numbers: list[Number], joins: list[str], unit: Unit, style: _Style) -> str | None:
    symbols = style.symbols or unit.symbol == unit.singular
    texts = [_text(number, style, first=place == 0) for place, number in enumerate(numbers)]
    if None in texts:
        return None
    is_one = abs(numbers[-1].value) == 1 or ("⁄" in numbers[-1].text and abs(numbers[-1].value) < 1)
    singular = style.hyphened if unit.scale else (is_one and not joins) or (style.hyphened and not symbols)
    name = unit.symbol if symbols and unit.symbol != unit.plural else unit.singular if singular else unit.plural
    name = name.replace("metre", "meter").replace("litre", "liter") if style.american and not symbols else name
    scale = f"×10^{unit.scale}" if unit.scale and symbols else f" {unit.scale_word}" if unit.scale else ""
    hyphened = style.hyphened and not symbols
    tail = f"{scale}{'' if name.startswith('/') else ' '}{name}"
    if symbols and "x" in joins:  # each length has its symbol
        return (
            "".join(f"{text}{tail}{_JOINS[join]}" for text, join in zip(texts, joins, strict=False))
            + f"{texts[-1]}{tail}"
        )
    shown = str(texts[0])
    for join, text in zip(joins, texts[1:], strict=True):
        word = " by " if join == "x" else _JOINS[join]
        shown += f"{word.replace(' ', '-') if hyphened and (join.endswith('(-)') or join == 'x') else word}{text}"
    return shown + (tail.replace(" ", "-") if hyphened else tail)


def _text(number: Number, style: _Style, *, first: bool) -> str | None:
    """Return the number, in words if the style asks for them; None if it has no words."""
    if not style.spelling:
        return number.text
    if number.value < 0 or number.value != int(number.value) or "⁄" in number.text:
        return None
    words = spelt(int(number.value), with_and=not style.american)
    return words and (words[:1].upper() + words[1:] if first and style.spelling[:1].isupper() else words)
