"""Render dates and ages. An age that depends on the day of reading is `UNSAID`, because a snapshot has no such day."""

import re
from datetime import date

from newwiki.text.language import Language
from newwiki.text.templates.renderer import UNSAID, TemplateArguments, renderer

_ISO = re.compile(r"\d{4}-\d{1,2}(?:-\d{1,2})?")


@renderer
def date_(a: TemplateArguments, language: Language) -> str:
    """Render `{{birth date|1868|4|21|df=y}}` as 21 April 1868, without `df` as April 21, 1868; also `1868-04-21`."""
    given = a[1].split("-") if _ISO.fullmatch(a[1]) else a.listed[:3]
    return _written(given, a, language) or a[1]


@renderer
def death_and_age(a: TemplateArguments, language: Language) -> str:
    """Render `{{death date and age|1941|1|9|1868|4|21}}` as January 9, 1941 (aged 72)."""
    shown = _written(a.listed[:3], a, language)
    days = [_day(a.listed[:3]), _day(a.listed[3:6])]
    return f"{shown} (aged {_years(days[1], days[0])})" if shown and days[0] and days[1] else shown


@renderer
def age(a: TemplateArguments, _: Language) -> str:
    """Return the years between two dates; `UNSAID` if the second is the day of reading."""
    born, then = _day(a.listed[:3]), _day(a.listed[3:6])
    return str(_years(born, then)) if born and then else UNSAID


@renderer
def written_date(a: TemplateArguments, _: Language) -> str:
    """Render `{{date|1|janvier|1900}}` as 1er janvier 1900."""
    day, *rest = a.listed[:3] or [""]
    return " ".join(part for part in ("1er" if day == "1" else day, *rest) if part)


@renderer
def day_month_year(a: TemplateArguments, language: Language) -> str:
    """Render `{{dtlink|5|5|1900}}` as 5 de maio de 1900."""
    day, month, year = [*a.listed, "", "", ""][:3]
    joint = f" {language.date_preposition} " if language.date_preposition else " "
    return joint.join(part for part in (day.lstrip("0"), _month(month, language), year) if part)


@renderer
def old_style_date(a: TemplateArguments, _: Language) -> str:
    """Render Russian `{{OldStyleDate|18|июня|1812|6}}` as 6 (18) июня 1812, `{{OldStyleDate|6|июня|1799|26|мая}}` as
    26 мая (6 июня) 1799; a sixth argument is the old-style year."""
    day, month, year = [*a.listed, "", "", ""][:3]
    if not a[4]:
        shown = [day, month, year]
    elif a[6]:
        shown = [a[4], a[5], a[6], f"({' '.join(part for part in (day, month, year) if part)})"]
    elif a[5] or not a[4].isdecimal():
        shown = [a[4], a[5], f"({' '.join(part for part in (day, month) if part)})", year]
    else:
        shown = [f"{a[4]} ({day})", month, year]
    return " ".join(part for part in shown if part)


@renderer
def as_of(a: TemplateArguments, language: Language) -> str:
    """Render `{{as of|2020|3}}` as As of March 2020; supports `since=y`, `lc=y` and `alt=`."""
    if a["alt"]:
        return a["alt"]
    year, month, day = [*a.listed, "", "", ""][:3]
    since = "Since" if a["since"] else "As of"
    parts = [since.lower() if a["lc"] else since, day, _month(month, language), year]
    return " ".join(part for part in parts[a["bare"] in ("y", "yes") :] if part)


@renderer
def circa(a: TemplateArguments, language: Language) -> str:
    return _spans("c.", a) or "c."


@renderer
def floruit(a: TemplateArguments, language: Language) -> str:
    return _spans("fl.", a) or "fl."


@renderer
def reign(a: TemplateArguments, language: Language) -> str:
    return _spans("r.", a) or "r."


def _spans(word: str, a: TemplateArguments) -> str:
    years = [part for part in a.listed[:2] if part]
    if word == "c.":
        return " – ".join(f"c. {year}" for year in years)
    return f"{word} {'–'.join(years)}" if years else ""


def _written(parts: list[str], a: TemplateArguments, language: Language) -> str:
    year, month, day = [*parts, "", "", ""][:3]
    if not year.isdecimal():
        return ""
    name = _month(month, language)
    day = day.lstrip("0")
    if name and day and not a["df"] and language.month_first:
        return f"{name} {day}, {year}"
    return " ".join(part for part in (day, name, year) if part)


def _month(text: str, language: Language) -> str:
    return language.months[int(text) - 1] if text.isdecimal() and 1 <= int(text) <= 12 else text


def _day(parts: list[str]) -> date | None:
    try:
        year, month, day = (int(part) for part in parts)
        return date(year, month, day)
    except ValueError:  # not three numbers, or not an existing day
        return None


def _years(born: date, then: date) -> int:
    return then.year - born.year - ((then.month, then.day) < (born.month, born.day))
