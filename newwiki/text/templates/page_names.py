"""What shows the page's own name, a country's, or a character's."""

import unicodedata

from newwiki.text.language import Language
from newwiki.text.templates.renderer import TemplateArguments, renderer

_MARKUP = str.maketrans({character: f"&#{ord(character)};" for character in "&{}[]|=<>*#:;'_"})


@renderer
def page_title(a: TemplateArguments, _: Language) -> str:
    """`{{PAGENAME}}` is the title, and `{{PAGENAME:Other page}}` that title: the main namespace has no subpages."""
    return (a[1] or a.title).translate(_MARKUP)


@renderer
def country(a: TemplateArguments, language: Language) -> str:
    """`{{USA}}` is United States."""
    return language.countries[a.name.upper()]


@renderer
def flag(a: TemplateArguments, language: Language) -> str:
    """`{{flag|USA}}` is United States, and `{{flag|Japan|1870}}` Japan."""
    return a["name"] or language.countries.get(a[1], a[1])


@renderer
def flag_and_person(a: TemplateArguments, _: Language) -> str:
    """`{{flagathlete|[[Jane Doe]]|USA}}` is Jane Doe (USA)."""
    return f"{a[1]} ({a[2]})" if a[1] and a[2] else a[1]


@renderer
def code_point(a: TemplateArguments, _: Language) -> str:
    """`{{unichar|20AC}}` is U+20AC € EURO SIGN."""
    try:
        number = int(a[1], 16)
        character = chr(number)
    except (ValueError, OverflowError):
        return ""
    name = unicodedata.name(character, "") or a[2].upper()
    shown = character if character.isprintable() and not character.isspace() else ""
    return " ".join(part for part in (f"U+{number:04X}", shown.translate(_MARKUP), name) if part)
