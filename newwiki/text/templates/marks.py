"""Render templates that only format their text, and templates that stand for a character."""

import html

from newwiki.text.language import Language
from newwiki.text.templates.renderer import ALL, NAMED, UNSAID, TemplateArguments, renderer


@renderer()
def first(a: TemplateArguments, _: Language) -> str:
    """Show the one text that the template formats."""
    return a[1]


@renderer(ignores=ALL)
def annotated(a: TemplateArguments, _: Language) -> str:
    """Render `{{abbr|Dr.|Doctor}}` as Dr.: the other arguments are a note, a sort key or a style, never shown."""
    return a[1]


@renderer(ignores=f"1 {NAMED}")
def second(a: TemplateArguments, _: Language) -> str:
    return a[2]


@renderer(ignores=NAMED)
def last(a: TemplateArguments, _: Language) -> str:
    return a.listed[-1] if a.listed else ""


@renderer(ignores=NAMED)
def joined(a: TemplateArguments, _: Language) -> str:
    return "".join(a.listed)


@renderer(ignores=NAMED)
def spaced(a: TemplateArguments, _: Language) -> str:
    return " ".join(a.listed)


@renderer()
def character(a: TemplateArguments, language: Language) -> str:
    """Show a character or a fixed word. The arguments of a space or a mark only give its width or its style."""
    shown = language.characters[a.name]
    if not any(sign.isalnum() for sign in html.unescape(shown)) or shown.startswith("<br"):
        a.given()
    return shown


@renderer()
def titled(a: TemplateArguments, language: Language) -> str:
    """Render `{{M.|Dupont}}` as M. Dupont."""
    return " ".join(part for part in (language.characters[a.name], a[1]) if part)


@renderer(ignores=ALL)
def upper(a: TemplateArguments, _: Language) -> str:
    return a[1].upper()


@renderer(ignores=ALL)
def lower(a: TemplateArguments, _: Language) -> str:
    return a[1].lower()


@renderer(ignores=NAMED)
def sic(a: TemplateArguments, _: Language) -> str:
    if a["hide"] or a["nolink"] == "hide":
        return "".join(a.listed)
    return " ".join(part for part in ("".join(a.listed), "&#91;sic&#93;") if part)


@renderer(ignores=NAMED)
def bracketed(a: TemplateArguments, _: Language) -> str:
    return f"&#91;{a[1]}&#93;" if a[1] else ""


@renderer(ignores=NAMED)
def quoted(a: TemplateArguments, language: Language) -> str:
    opening, closing = language.quotation_marks
    return f"{opening}{a[1]}{closing}" if a[1] else ""


@renderer(ignores=ALL)
def quotation(a: TemplateArguments, language: Language) -> str:
    """Render a block quotation as a paragraph of its own, without its attribution."""
    text = next((a[key] for key in (*language.quotation_parameters, "1") if a[key]), "")
    return f"\n\n{text}\n\n" if text else ""


@renderer()
def section_link(a: TemplateArguments, _: Language) -> str:
    page, section = a[1], a[2]
    shown = (page if not (a["nopage"] and section) else "", f"§ {section}" if section else "")
    return " ".join(filter(None, shown))


@renderer(ignores="3 4 dab nolink sort")
def sorted_name(a: TemplateArguments, _: Language) -> str:
    return " ".join(part for part in a.up_to(2) if part)


@renderer(ignores="wl up")
def ship(a: TemplateArguments, _: Language) -> str:
    """Render `{{HMS|Ark Royal|91}}` as HMS Ark Royal (91); format 2 omits the number, 6 the prefix as well."""
    return _ship(a.name.upper(), a[1], a[2], a[3])


@renderer(ignores="wl up")
def ship_with_prefix(a: TemplateArguments, _: Language) -> str:
    return _ship(a[1], a[2], a[3], a[4])


@renderer(ignores="wl")
def ship_class(a: TemplateArguments, _: Language) -> str:
    if a[3] not in ("", "2", "3", "4"):  # these decide what is a link
        return UNSAID
    return " ".join(part for part in (f"{a[1]}-class", a[2]) if part)


def _ship(prefix: str, name: str, number: str, form: str) -> str:
    if form not in ("", "2", "6"):
        return UNSAID
    shown = [prefix if form != "6" else "", name, f"({number})" if number and form not in ("2", "6") else ""]
    return " ".join(part for part in shown if part)
