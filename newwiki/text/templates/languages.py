"""Render words in other languages and scripts."""

from newwiki.text.language import Language
from newwiki.text.templates.renderer import TemplateArguments, renderer


@renderer
def language_and_text(a: TemplateArguments, language: Language) -> str:
    """Render `{{langx|fr|Le Monde}}` as French: Le Monde."""
    return _labelled(a[1], a[2], a, language)


@renderer
def language_in_name(a: TemplateArguments, language: Language) -> str:
    """Render `{{lang-fr|Le Monde}}` as French: Le Monde; `{{frS|Le Monde}}` as französisch Le Monde."""
    code = a.name.removeprefix("lang-") if a.name.startswith("lang-") else a.name.removesuffix("s")
    return _labelled(code, a[1], a, language)


@renderer
def abbreviated_language(a: TemplateArguments, _: Language) -> str:
    """Render Polish `{{łac.|Nicolaus}}` as łac. Nicolaus."""
    return f"{a.name} {a[1]}" if a[1] else a.name


@renderer
def foreign_name(a: TemplateArguments, _: Language) -> str:
    """Render `{{nihongo|Tokyo|東京|Tōkyō}}` as Tokyo (東京, Tōkyō)."""
    inside = ", ".join(part for part in (a[2], a[3], a[4] or a["extra"]) if part)
    return f"{a[1]} ({inside})" if a[1] and inside else a[1] or inside


@renderer
def reading(a: TemplateArguments, _: Language) -> str:
    """Render `{{読み仮名|東京|とうきょう|Tokyo}}` as 東京（とうきょう、Tokyo）."""
    inside = "、".join(part for part in a.listed[1:] if part)
    return f"{a[1]}（{inside}）" if inside else a[1]


@renderer
def ruby(a: TemplateArguments, _: Language) -> str:
    """Render `{{ルビ|東京|とうきょう}}` as 東京（とうきょう）, as browsers without ruby text do."""
    return f"{a[1]}（{a[2]}）" if a[1] and a[2] else a[1]


@renderer
def japanese_name(a: TemplateArguments, _: Language) -> str:
    """Render `{{nihongo|东京|東京|Tōkyō}}` as 东京（東京，Tōkyō）."""
    inside = "，".join(part for part in (a[2], a[3], a[4] or a["extra"]) if part)
    return f"{a[1]}（{inside}）" if a[1] and inside else a[1] or inside


@renderer
def linked_elsewhere(a: TemplateArguments, _: Language) -> str:
    """Render Chinese `{{tsl|en|Lumen (river)|卢门河|这条河}}` as 这条河, or without that argument as 卢门河."""
    return a[4] or a[3]


@renderer
def local_link(a: TemplateArguments, _: Language) -> str:
    """Render Chinese `{{le|卢门河|Lumen (river)|这条河}}` as 这条河, or without that argument as 卢门河."""
    return a["d"] or a[3] or a[1]


@renderer
def labelled_link(a: TemplateArguments, _: Language) -> str:
    """Render `{{仮リンク|ルーメン川|en|Lumen (river)|label=この川}}` as この川, or without label as ルーメン川."""
    return a["label"] or a[1]


@renderer
def shown_or_named(a: TemplateArguments, _: Language) -> str:
    """Render Russian `{{нп5|Люмен (река)|Люмен|en|Lumen}}` as Люмен, or as Люмен (река) if the second is empty."""
    return a[2] or a[1]


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
    """Render a link to an article of another Wikipedia as its text."""
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
