"""Read the dates and numbers of a text by value, in each language of `values.toml`, without a model."""

import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from newwiki.text.language import load_language

# Part of the fingerprint of every score that depends on values: raise it whenever the values of a text change.
VALUES_VERSION = "1"

Number = tuple[Fraction, str]  # the amount, and its unit or currency, which is empty for a bare number
_MOST_DIGITS = 30  # longer runs of digits are no numbers
_SPACE = "[ \u00a0\u202f\u2009]"
_WIDE = {0xFF10 + digit: str(digit) for digit in range(10)} | {0xFF0C: ",", 0xFF0E: "."}
_FIRST_YEAR, _LAST_YEAR = 1000, 2100
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True)
class Values:
    """The distinct dates and numbers of a text.

    Dates are `2013-06-03`, or with what is known: `2013-06`, `2013`, `--06-03`, and `2010s` for a decade.
    """

    dates: frozenset[str]
    numbers: frozenset[Number]


@lru_cache(maxsize=64)  # the completions of one article follow each other
def values_of(text: str, language: str) -> Values:
    """Return the dates and numbers of a text in the language with this code, one of `languages()`.

    - A date may be written with the name of its month, in the language's order or as `2013-06-03`; with full stops or
      slashes only outside of English, whose slashes are ambiguous. Four digits from 1000 to 2100 without a unit are a
      year, in Chinese and Japanese with 年. A range such as 3–5 June 2013 or 1914–18 is its two ends.
    - A number may be written in digits, in words up to a hundred and with scales (5.2 million, twelve thousand), with a
      unit, currency or percent sign. The words for one are numbers only before a scale.
    - The parts of times, scores with colons, versions, ordinals and names such as A380 are no numbers; neither are
      compounds written as one word, such as zweitausend, nor Chinese numerals.
    """
    return _reader(language).read(text)


@cache
def languages() -> frozenset[str]:
    """The codes of the languages whose dates and numbers can be read."""
    return frozenset(_tables()) - {"symbols"}


def tables_sha256() -> str:
    """Return the hash of `values.toml`."""
    return hashlib.sha256(_file().read_bytes()).hexdigest()


def _file() -> Traversable:
    return files(__package__) / "values.toml"


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads(_file().read_text("utf-8"))


@cache
def _reader(language: str) -> "_Reader":
    return _Reader(language)


class _Reader:
    """The patterns of one language: of dates, and of the numbers in the rest of the text."""

    def __init__(self, code: str) -> None:
        table, language = _tables()[code], load_language(code)
        self._months = {name.lower(): place for place, name in enumerate(language.months, start=1)}
        self._months |= {name.lower(): int(place) for place, names in table.get("months", {}).items() for name in names}
        self._scales: Mapping[str, int] = table["scales"]
        self._words: Mapping[str, int] = table.get("words", {})
        self._ones = frozenset(table.get("one", ()))
        self._decimal: str = language.decimal_mark
        self._symbols = {notation: unit for unit, notations in _tables()["symbols"].items() for notation in notations}
        self._units = {word: unit for unit, words in table["units"].items() for word in words}
        self._currencies = tuple(symbol for symbol in self._symbols if symbol.isupper() or not symbol[0].isalpha())
        # In a script without spaces, a number touches the words around it.
        letter = "[0-9A-Za-z]" if language.spaceless else _LETTER
        before, after = (_BEFORE_SPACELESS, "") if language.spaceless else (_BEFORE, rf"(?!{letter})")
        patterns = (
            [_ISO, *_SPACELESS_DATES] if language.spaceless else [_ISO, *self._spaced_dates(language.months, table)]
        )
        self._pattern = re.compile(rf"{before}(?:{'|'.join(patterns)}){after}(?![.,:/⁄]?[0-9])")
        self._number = re.compile(self._number_pattern(table, letter), re.IGNORECASE)
        words = _either([*self._scales, *self._words, *self._ones])
        whole = words if language.spaceless else rf"(?<!\w){_bounded(words, letter)}"
        self._part = re.compile(rf"[0-9](?:{_SEPARATORS}?[0-9])*|{whole}")

    def _spaced_dates(self, months: Iterable[str], table: Mapping[str, Any]) -> list[str]:
        every = [*months, *(name for others in table.get("months", {}).values() for name in others)]
        names = _either({form for name in every for form in (name, name[:1].upper() + name[1:])})
        dotted = [_DOTTED] if self._decimal == "," else []
        return [*_named_dates(names, table), *dotted, _DECADE, _YEARS]

    def _number_pattern(self, table: Mapping[str, Any], letter: str) -> str:
        groups = rf"[0-9]{{1,3}}(?:{_GROUPED[self._decimal]}[0-9]{{3}})+(?![0-9])"
        indian = "|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}(?![0-9])" if self._decimal == "." else ""
        digits = rf"(?:{groups}{indian}|[0-9]+)(?:{re.escape(self._decimal)}[0-9]+)?"
        and_ = _either(table.get("and", ()))
        gap = rf"(?:{_SPACE}|-)(?:(?:{and_}){_SPACE})?" if and_ else f"(?:{_SPACE}|-)"
        single = _either([*self._scales, *self._words, *self._ones])
        # A scale alone is a number in some languages only; a word for one is none without a scale after it.
        begin = _either([*self._words, *table.get("bare", ())])
        scale = _either(self._scales)
        ones = rf"(?:{_either(self._ones)}){_SPACE}(?={_bounded(scale, letter)})" if self._ones else "(?!)"
        part = rf"{_SPACE}?(?:{scale})[0-9]*" if letter != _LETTER else rf"{gap}{_bounded(single, letter)}"
        after = _either(table.get("before_units", ()))
        unit = f"(?-i:{_either(self._symbols)})|{_either(self._units)}"
        currency = f"(?-i:{_either(self._currencies)})"
        head = rf"{digits}|{ones}{_bounded(scale, letter)}|{_bounded(begin, letter)}" if begin else digits
        return (
            rf"{_BEFORE if letter == _LETTER else _BEFORE_SPACELESS}(?:(?<![^\s(])(?P<sign>[-−]))?"
            rf"(?:(?P<currency>{currency}){_SPACE}?)?(?P<amount>(?:{head})(?:{part})*)"
            rf"(?:[ \u00a0\u202f\u2009-]?(?:{after or '(?!)'})?(?P<unit>{unit})(?!{letter}|-))?"
            rf"(?!{letter})(?![.,:/⁄]?[0-9])"
        )

    def read(self, text: str) -> Values:
        text = text.translate(_WIDE)
        dates: set[str] = set()
        rest, position = [], 0
        for match in self._pattern.finditer(text):
            if found := list(self._dates_in(match)):
                dates.update(found)
                rest.append(text[position : match.start()])
                position = match.end()
        numbers: set[Number] = set()
        for match in self._number.finditer(" | ".join([*rest, text[position:]])):
            numbers.update(self._numbers_in(match))
        return Values(frozenset(dates), frozenset(numbers))

    def _dates_in(self, match: re.Match[str]) -> Iterator[str]:
        """Return the dates of a match, none if it is not a date after all, such as a year with a unit."""
        parts = {name.rstrip("_0123456789"): value for name, value in match.groupdict().items() if value}
        if "decade" in parts:
            yield f"{parts['decade']}s"
        elif "years" in parts:
            yield from self._years(match, parts)
        else:
            year = parts.get("year", "")
            month = self._months.get(parts["name"].lower(), 0) if "name" in parts else int(parts.get("month", 0))
            days = [int(day) for day in (parts.get("from"), parts.get("day")) if day]
            if month > 12 or any(not 1 <= day <= _DAYS[month - 1] for day in days):
                return
            if days:
                yield from (f"{year or '-'}-{month:02}-{day:02}" for day in days)
            elif year:
                yield f"{year}-{month:02}" if month else year

    def _years(self, match: re.Match[str], parts: Mapping[str, str]) -> Iterator[str]:
        first, last = parts["years"], parts.get("until", "")
        last = first[: 4 - len(last)] + last if last else first
        amount = self._number.match(match.string, match.start())
        counted = amount is not None and amount.end() > match.end()
        before = match.string[max(0, match.start() - 4) : match.start()].rstrip()
        priced = before.endswith(self._currencies)
        if not counted and not priced and _FIRST_YEAR <= int(first) <= int(last) <= _LAST_YEAR:
            yield from dict.fromkeys((first, last))

    def _numbers_in(self, match: re.Match[str]) -> Iterator[Number]:
        unit = match["currency"] or match["unit"] or ""
        known = self._symbols.get(unit) or self._units.get(unit.lower(), "")
        sign = -1 if match["sign"] else 1
        if match["currency"] and match["unit"] == "m":  # $5m is money, not a length
            sign *= 10**6
        amounts = list(self._amounts(match["amount"]))
        # Only the last amount of several in a row has the unit.
        yield from ((sign * amount, known if place == len(amounts) else "") for place, amount in enumerate(amounts, 1))

    def _amounts(self, written: str) -> Iterator[Fraction]:
        """Add up digits, words and scales: `two hundred thousand`, `5 mil millones`, `5万2000`.

        A part that cannot continue a number begins another one, as in `two three`.
        """
        total, current, last_scale, smallest = Fraction(0), Fraction(0), 0, 0
        for part in self._parts(written):
            scale = self._scales.get(part)
            if scale is not None:
                whole = total + current if scale > last_scale and total else current
                total = (0 if scale > last_scale and total else total) + (whole or 1) * 10**scale
                current, last_scale, smallest = Fraction(0), scale, 10**scale
                continue
            digits = part[0].isdigit()
            if digits and sum(map(str.isdigit, part)) > _MOST_DIGITS:
                return
            value = self._plain(part) if digits else Fraction(1 if part in self._ones else self._words[part])
            if smallest and value >= smallest:
                yield total + current
                total, current, last_scale = Fraction(0), Fraction(0), 0
            current += value
            smallest = 10 if value >= 20 and value % 10 == 0 and not digits else 1
        yield total + current

    def _parts(self, written: str) -> list[str]:
        """Split into lower-case words and digits; words with hyphens that are one word of the table stay whole."""
        return self._part.findall(written.lower())

    def _plain(self, digits: str) -> Fraction:
        whole, mark, decimals = digits.rpartition(self._decimal)
        if not mark:
            whole, decimals = digits, ""
        return Fraction(re.sub("[^0-9]", "", whole) + ("." + decimals if decimals else ""))


_LETTER = r"\w"
_BEFORE = rf"(?<![{_LETTER}.,:/⁄])(?<![A-Z]-)"
_BEFORE_SPACELESS = "(?<![0-9A-Za-z])(?<![0-9A-Za-z][.,:/⁄])"
_SEPARATORS = "[.,'’ \u00a0\u202f\u2009]"
_GROUPED = {".": "[,'’\u00a0\u202f\u2009]", ",": "[.'’ \u00a0\u202f\u2009]"}  # by decimal mark
_ISO = "(?P<year>[0-9]{4})-(?P<month>0[1-9]|1[0-2])-(?P<day>[0-3][0-9])"
_DOTTED = "(?P<day_2>[0-3]?[0-9])[./](?P<month_2>0?[1-9]|1[0-2])[./](?P<year_2>[12][0-9]{3})"
_DECADE = "(?P<decade>[12][0-9]{2}0)(?:['’]?s|er)"
_YEARS = "(?P<years>[12][0-9]{3})(?:[-–/](?P<until>[12][0-9]{3}|[0-9]{2}))?"
_SPACELESS_DATES = (
    "(?P<years_8>[12][0-9]{3})年?[-–〜~](?P<until_8>[12][0-9]{3}|[0-9]{2})年",
    "(?P<year_3>[12][0-9]{3})年(?:(?P<month_3>[0-9]{1,2})月(?:(?P<day_3>[0-9]{1,2})日)?)?",
    "(?P<month_4>[0-9]{1,2})月(?P<day_4>[0-9]{1,2})日",
)


def _named_dates(names: str, table: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the patterns of dates with the name of a month: 3–5 June 2013, June 3, 2013, June 2013."""
    marks = f"(?:{_either(table.get('day_marks', ()))})?" if table.get("day_marks") else ""
    join = rf"{_SPACE}(?:(?:{_either(table.get('joiners', ()))}){_SPACE})?" if table.get("joiners") else _SPACE
    year = "(?P<year_{}>[12][0-9]{{3}})(?![0-9])"
    to = rf"{_SPACE}?[-–]{_SPACE}?"
    return (
        rf"(?:(?P<from_5>[0-3]?[0-9]){marks}{to})?(?P<day_5>[0-3]?[0-9]){marks}{join}(?P<name_5>{names})"
        rf"(?:,?{join}{year.format(5)})?",
        rf"(?P<name_6>{names}){_SPACE}(?:(?P<from_6>[0-3]?[0-9]){marks}{to})?(?P<day_6>[0-3]?[0-9]){marks}(?![0-9])"
        rf"(?:,?{_SPACE}{year.format(6)})?",
        rf"(?P<name_7>{names}),?{join}{year.format(7)}",
    )


def _either(words: Iterable[str]) -> str:
    """Return a pattern of these words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


def _bounded(words: str, letter: str) -> str:
    return rf"(?:{words})(?!{letter})"
