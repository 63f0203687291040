"""Templates for words of other languages and scripts."""

from newwiki.text.language import Language
from newwiki.text.templates.renderer import TemplateArguments, renderer


@renderer
def language_and_text(a: TemplateArguments, language: Language) -> str:
    """`{{langx|fr|Le Monde}}` is French: Le Monde."""
    return _labelled(a[1], a[2], a, language)


@renderer
def language_in_name(a: TemplateArguments, language: Language) -> str:
    """`{{lang-fr|Le Monde}}` is French: Le Monde; `{{frS|Le Monde}}` is französisch Le Monde."""
    code = a.name.removeprefix("lang-") if a.name.startswith("lang-") else a.name.removesuffix("s")
    return _labelled(code, a[1], a, language)


@renderer
def foreign_name(a: TemplateArguments, _: Language) -> str:
    """`{{nihongo|Tokyo|東京|Tōkyō}}` is Tokyo (東京, Tōkyō)."""
    inside = ", ".join(part for part in (a[2], a[3], a[4] or a["extra"]) if part)
    return f"{a[1]} ({inside})" if a[1] and inside else a[1] or inside


@renderer
def chinese(a: TemplateArguments, language: Language) -> str:
    labels = {"c": "Chinese", "s": "simplified Chinese", "t": "traditional Chinese", "p": "pinyin", "l": "lit."}
    shown = [
        (f"{label} '{a[key]}'" if key == "l" else a[key] if a["labels"] == "no" else f"{label}: {a[key]}")
        for key, label in labels.items()
        if a[key]
    ]
    return "; ".join(shown) or a[1]


@renderer
def korean(a: TemplateArguments, language: Language) -> str:
    name = language.language_names["ko"]
    hangul = a["hangul"] or a[1]
    inside = "; ".join(part for part in (a["hanja"], f"RR: {a['rr']}" if a["rr"] else "") if part)
    return f"{name}: {hangul}" + (f"; {inside}" if inside else "") if hangul else inside


@renderer
def link_elsewhere(a: TemplateArguments, _: Language) -> str:
    """A link to an article that another language's Wikipedia has: its text here."""
    return a["lt"] or a["text"] or a["texte"] or a[1] or a["fr"]


@renderer
def literal(a: TemplateArguments, _: Language) -> str:
    meanings = " or ".join(f"'{part}'" for part in a.listed if part)
    return f"lit. {meanings}" if meanings else ""


@renderer
def gloss(a: TemplateArguments, _: Language) -> str:
    return f"'{a[1]}'" if a[1] else ""


def _labelled(code: str, text: str, a: TemplateArguments, language: Language) -> str:
    if not text:
        return ""
    name = "" if a["label"] == "none" else a["label"] or language.name_of(code)
    shown = f"{name}{language.language_separator}{text}" if name else text
    meaning = a["lit"] or a["translation"]
    romanised = a["translit"] or (a[3] if a.name == "langx" else a[2])
    more = [romanised if romanised != text else "", f"lit. '{meaning}'" if meaning else ""]
    return ", ".join([shown, *(part for part in more if part)])
