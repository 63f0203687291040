"""Render names: the page's own, a country's, a character's, or that of a site."""

import re
import unicodedata

from newwiki.text.language import Language
from newwiki.text.tags import HOLE
from newwiki.text.templates.renderer import NAMED, UNSAID, TemplateArguments, renderer

_MARKUP = str.maketrans({character: f"&#{ord(character)};" for character in "&{}[]|=<>*#:;'_"})

_SCHEME = re.compile(r"(?:https?:)?//", re.IGNORECASE)


@renderer()
def page_title(a: TemplateArguments, _: Language) -> str:
    """Render `{{PAGENAME}}` as the title, `{{PAGENAME:Other page}}` as that title; articles have no subpages."""
    return (a[1] or a.title).translate(_MARKUP)


@renderer(ignores="1 size")
def country(a: TemplateArguments, language: Language) -> str:
    """Render `{{USA}}` as United States."""
    return language.countries[a.name.upper()]


@renderer(ignores="2 variant size width")
def flag(a: TemplateArguments, language: Language) -> str:
    """Render `{{flag|USA}}` as United States, `{{flag|Japan|1870}}` as Japan."""
    named, code = a["name"], a[1]
    return named or language.countries.get(code, code)


@renderer(ignores="3 variant size")
def flag_and_person(a: TemplateArguments, _: Language) -> str:
    """Render `{{flagathlete|[[Jane Doe]]|USA}}` as Jane Doe (USA)."""
    return f"{a[1]} ({a[2]})" if a[1] and a[2] else a[1]


@renderer(ignores=f"2 {NAMED}")
def code_point(a: TemplateArguments, _: Language) -> str:
    """Render `{{unichar|20AC}}` as U+20AC € EURO SIGN."""
    try:
        number = int(a[1], 16)
        character = chr(number)
    except (ValueError, OverflowError):
        return ""
    name = unicodedata.name(character, "") or a[2].upper()
    shown = character if character.isprintable() and not character.isspace() else ""
    return " ".join(part for part in (f"U+{number:04X}", shown.translate(_MARKUP), name) if part)


@renderer()
def web_address(a: TemplateArguments, _: Language) -> str:
    """Render `{{URL|https://wiki.example/|Wiki}}` as Wiki, and without a second argument as wiki.example."""
    address = _SCHEME.sub("", a[1], count=1).removesuffix("/")
    shown = a[2] or address
    return UNSAID if HOLE in shown or not shown else shown
