"""Render templates that only format their text, and templates that stand for a character."""

from newwiki.text.language import Language
from newwiki.text.templates.renderer import TemplateArguments, renderer


@renderer
def first(a: TemplateArguments, _: Language) -> str:
    return a[1]


@renderer
def second(a: TemplateArguments, _: Language) -> str:
    return a[2]


@renderer
def last(a: TemplateArguments, _: Language) -> str:
    return a.listed[-1] if a.listed else ""


@renderer
def joined(a: TemplateArguments, _: Language) -> str:
    return "".join(a.listed)


@renderer
def spaced(a: TemplateArguments, _: Language) -> str:
    return " ".join(a.listed)


@renderer
def character(a: TemplateArguments, language: Language) -> str:
    return language.characters[a.name]


@renderer
def titled(a: TemplateArguments, language: Language) -> str:
    """Render `{{M.|Dupont}}` as M. Dupont."""
    return " ".join(part for part in (language.characters[a.name], a[1]) if part)


@renderer
def upper(a: TemplateArguments, _: Language) -> str:
    return a[1].upper()


@renderer
def lower(a: TemplateArguments, _: Language) -> str:
    return a[1].lower()


@renderer
def sic(a: TemplateArguments, _: Language) -> str:
    if a["hide"] or a["nolink"] == "hide":
        return "".join(a.listed)
    return " ".join(part for part in ("".join(a.listed), "&#91;sic&#93;") if part)


@renderer
def bracketed(a: TemplateArguments, _: Language) -> str:
    return f"&#91;{a[1]}&#93;" if a[1] else ""


@renderer
def quoted(a: TemplateArguments, language: Language) -> str:
    opening, closing = language.quotation_marks
    return f"{opening}{a[1]}{closing}" if a[1] else ""


@renderer
def quotation(a: TemplateArguments, language: Language) -> str:
    """Render a block quotation as a paragraph of its own, without its attribution."""
    text = next((a[key] for key in (*language.quotation_parameters, "1") if a[key]), "")
    return f"\n\n{text}\n\n" if text else ""


@renderer
def section_link(a: TemplateArguments, _: Language) -> str:
    return " ".join(part for part in (a[1], f"§ {a[2]}" if a[2] else "") if part)


@renderer
def sorted_name(a: TemplateArguments, _: Language) -> str:
    return " ".join(part for part in a.listed[:2] if part)


@renderer
def ship(a: TemplateArguments, _: Language) -> str:
    """Render `{{HMS|Ark Royal|91}}` as HMS Ark Royal (91); format 2 omits the number, 6 the prefix as well."""
    return _ship(a.name.upper(), a[1], a[2], a[3])


@renderer
def ship_with_prefix(a: TemplateArguments, _: Language) -> str:
    return _ship(a[1], a[2], a[3], a[4])


@renderer
def ship_class(a: TemplateArguments, _: Language) -> str:
    return " ".join(part for part in (f"{a[1]}-class", a[2]) if part)


def _ship(prefix: str, name: str, number: str, form: str) -> str:
    shown = [prefix if form != "6" else "", name, f"({number})" if number and form not in ("2", "6") else ""]
    return " ".join(part for part in shown if part)
