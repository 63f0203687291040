"""Render dates and ages. An age that depends on the day of reading is `UNSAID`, because a snapshot has no such day."""

import re
from datetime import date

from newwiki.text.language import Language
from newwiki.text.templates.renderer import UNSAID, TemplateArguments, renderer

_FIRST_OF_MONTH = re.compile(r"^0?1(?=\s|$)")
_ISO = re.compile(r"\d{4}-\d{1,2}(?:-\d{1,2})?")


@renderer(ignores="mf paren p br")
def date_(a: TemplateArguments, language: Language) -> str:
    """Render `{{birth date|1868|4|21|df=y}}` as 21 April 1868, without `df` as April 21, 1868; also `1868-04-21`."""
    if _ISO.fullmatch(a[1]):
        day_first = _is_set(a["df"]) or a[2] == "dmy"
        if a[2] not in ("", "dmy", "mdy"):
            return UNSAID
        return _written(a[1].split("-"), language, day_first=day_first)
    given, order = a.up_to(3), a["format"]
    if order not in ("", "dmy", "mdy"):
        return UNSAID
    shown = _written(given, language, day_first=_is_set(a["df"]) or order == "dmy")
    return shown or (given[0] if len(given) == 1 else UNSAID if given else "")


@renderer(ignores="mf")
def death_and_age(a: TemplateArguments, language: Language) -> str:
    """Render `{{death date and age|1941|1|9|1868|4|21}}` as January 9, 1941 (aged 72)."""
    given = a.up_to(6)
    shown = _written(given[:3], language, day_first=_is_set(a["df"]))
    days = [_day(given[:3]), _day(given[3:])]
    return f"{shown} (aged {_years(days[1], days[0])})" if shown and days[0] and days[1] else UNSAID


@renderer()
def age(a: TemplateArguments, _: Language) -> str:
    """Return the years between two dates; `UNSAID` if the second is the day of reading."""
    given = a.up_to(6)
    born, then = _day(given[:3]), _day(given[3:])
    return str(_years(born, then)) if born and then else UNSAID


@renderer(ignores="4 qualificatif")
def written_date(a: TemplateArguments, language: Language) -> str:
    """Render `{{date|1|janvier|1900}}` and `{{date|1 janvier 1900}}` as 1er janvier 1900."""
    day, month, year = [*a.up_to(3), "", "", ""][:3]
    if year.startswith("-") or "/" in day or day.startswith("-"):
        return UNSAID
    day = _FIRST_OF_MONTH.sub("1er", day).lstrip("0")
    return " ".join(part for part in (day, month_name(month, language), year) if part)


@renderer(ignores="lang idade")
def day_month_year(a: TemplateArguments, language: Language) -> str:
    """Render `{{dtlink|5|5|1900}}` as 5 de maio de 1900."""
    day, month, year = [*a.up_to(3), "", "", ""][:3]
    joint = f" {language.date_preposition} " if language.date_preposition else " "
    return joint.join(part for part in (day.lstrip("0"), month_name(month, language), year) if part)


@renderer()
def old_style_date(a: TemplateArguments, _: Language) -> str:
    """Render Russian `{{OldStyleDate|18|июня|1812|6}}` as 6 (18) июня 1812, `{{OldStyleDate|6|июня|1799|26|мая}}` as
    26 мая (6 июня) 1799; a sixth argument is the old-style year."""
    day, month, year = a[1], a[2], a[3]
    if not a[4]:
        shown = [day, month, year]
    elif a[6]:
        shown = [a[4], a[5], a[6], f"({' '.join(part for part in (day, month, year) if part)})"]
    elif a[5] or not a[4].isdecimal():
        shown = [a[4], a[5], f"({' '.join(part for part in (day, month) if part)})", year]
    else:
        shown = [f"{a[4]} ({day})", month, year]
    return " ".join(part for part in shown if part)


@renderer(ignores="url")
def as_of(a: TemplateArguments, language: Language) -> str:
    """Render `{{as of|2020|3}}` as As of March 2020; supports `since=y`, `lc=y` and `alt=`."""
    year, month, day = [*a.up_to(3), "", "", ""][:3]
    since = "Since" if a["since"] else "As of"
    name = month_name(month, language)
    date = [name, f"{day},", year] if a["df"].lower() == "us" and day else [day, name, year]
    parts = [since.lower() if a["lc"] else since, *date]
    shown = " ".join(part for part in parts[a["bare"] in ("y", "yes") :] if part)
    return a["alt"] or shown


@renderer(ignores="lk")
def circa(a: TemplateArguments, language: Language) -> str:
    return _spans("c.", a) or "c."


@renderer(ignores="lk")
def floruit(a: TemplateArguments, language: Language) -> str:
    return _spans("fl.", a) or "fl."


@renderer(ignores="lk")
def reign(a: TemplateArguments, language: Language) -> str:
    return _spans("r.", a) or "r."


def _spans(word: str, a: TemplateArguments) -> str:
    years = [part for part in a.up_to(2) if part]
    if word == "c.":
        return " – ".join(f"c. {year}" for year in years)
    return f"{word} {'–'.join(years)}" if years else ""


def _is_set(option: str) -> bool:
    return option.lower() not in ("", "n", "no", "0", "false")


def _written(parts: list[str], language: Language, *, day_first: bool) -> str:
    year, month, day = [*parts, "", "", ""][:3]
    if not year.isdecimal():
        return ""
    name = month_name(month, language)
    day = day.lstrip("0")
    if name and day and not day_first and language.month_first:
        return f"{name} {day}, {year}"
    return " ".join(part for part in (day, name, year) if part)


def month_name(text: str, language: Language) -> str:
    """Return the name of the month with this number; other text as it is."""
    return language.months[int(text) - 1] if text.isdecimal() and 1 <= int(text) <= 12 else text


def _day(parts: list[str]) -> date | None:
    try:
        year, month, day = (int(part) for part in parts)
        return date(year, month, day)
    except ValueError:  # not three numbers, or not an existing day
        return None


def _years(born: date, then: date) -> int:
    return then.year - born.year - ((then.month, then.day) < (born.month, born.day))
