"""Render words in other languages and scripts."""

from newwiki.text.language import Language
from newwiki.text.templates.renderer import ALL, NAMED, TemplateArguments, renderer


@renderer(ignores=NAMED)
def language_and_text(a: TemplateArguments, language: Language) -> str:
    """Render `{{langx|fr|Le Monde}}` as French: Le Monde."""
    return _labelled(a[1], 2, a, language)


@renderer(ignores=NAMED)
def language_in_name(a: TemplateArguments, language: Language) -> str:
    """Render `{{lang-fr|Le Monde}}` as French: Le Monde; `{{frS|Le Monde}}` as französisch Le Monde."""
    code = a.name.removeprefix("lang-") if a.name.startswith("lang-") else a.name.removesuffix("s")
    return _labelled(code, 1, a, language)


@renderer()
def abbreviated_language(a: TemplateArguments, _: Language) -> str:
    """Render Polish `{{łac.|Nicolaus}}` as łac. Nicolaus."""
    return f"{a.name} {a[1]}" if a[1] else a.name


@renderer(ignores=NAMED)
def foreign_name(a: TemplateArguments, language: Language) -> str:
    """Render `{{nihongo|Tokyo|東京|Tōkyō}}` as Tokyo (東京, Tōkyō)."""
    native, romanised = a[2], a[3]
    if a["lead"] and language.language_names.get("ja"):
        native = f"{language.language_names['ja']}{language.language_separator}{native}" if native else ""
        romanised = f"Hepburn: {romanised}" if romanised else ""
    inside = ", ".join(part for part in (native, romanised, a.first_of(4, "extra")) if part)
    shown = f"{a[1]} ({inside})" if a[1] and inside else a[1] or inside
    return " ".join(part for part in (shown, a.first_of(5, "extra2")) if part)


@renderer()
def reading(a: TemplateArguments, _: Language) -> str:
    """Render `{{読み仮名|東京|とうきょう|Tokyo}}` as 東京（とうきょう、Tokyo）."""
    inside = "、".join(part for part in a.listed[1:] if part)
    return f"{a[1]}（{inside}）" if inside else a[1]


@renderer()
def ruby(a: TemplateArguments, _: Language) -> str:
    """Render `{{ルビ|東京|とうきょう}}` as 東京（とうきょう）, as browsers without ruby text do."""
    return f"{a[1]}（{a[2]}）" if a[1] and a[2] else a[1]


@renderer()
def japanese_name(a: TemplateArguments, _: Language) -> str:
    """Render `{{nihongo|东京|東京|Tōkyō}}` as 东京（東京，Tōkyō）."""
    inside = "，".join(part for part in (a[2], a[3], a.first_of(4, "extra")) if part)
    return f"{a[1]}（{inside}）" if a[1] and inside else a[1] or inside


@renderer(ignores=f"1 2 {NAMED}")
def linked_elsewhere(a: TemplateArguments, _: Language) -> str:
    """Render Chinese `{{tsl|en|Lumen (river)|卢门河|这条河}}` as 这条河, or without that argument as 卢门河."""
    return a.first_of(4, 3)


@renderer(ignores=f"2 {NAMED}")
def local_link(a: TemplateArguments, _: Language) -> str:
    """Render Chinese `{{le|卢门河|Lumen (river)|这条河}}` as 这条河, or without that argument as 卢门河."""
    return a.first_of("d", 3, 1)


@renderer(ignores=ALL)
def labelled_link(a: TemplateArguments, _: Language) -> str:
    """Render `{{仮リンク|ルーメン川|en|Lumen (river)|label=この川}}` as この川, or without label as ルーメン川."""
    return a.first_of("label", 1)


@renderer(ignores=f"3 4 {NAMED}")
def shown_or_named(a: TemplateArguments, _: Language) -> str:
    """Render Russian `{{нп5|Люмен (река)|Люмен|en|Lumen}}` as Люмен, or as Люмен (река) if the second is empty."""
    return a.first_of(2, 1)


@renderer()
def chinese(a: TemplateArguments, language: Language) -> str:
    labels = {
        "c": "Chinese", "s": "simplified Chinese", "t": "traditional Chinese", "p": "pinyin", "w": "Wade–Giles",
        "j": "Jyutping", "cy": "Cantonese Yale", "poj": "Pe̍h-ōe-jī", "l": "lit.",
    }  # fmt: skip
    if "t" in a["first"].split(","):
        labels = {key: labels[key] for key in ("c", "t", *labels)}
    shown = [
        (f"{label} '{a[key]}'" if key == "l" else a[key] if a["labels"] == "no" else f"{label}: {a[key]}")
        for key, label in labels.items()
        if a[key]
    ]
    return a[1] if not shown else "; ".join(shown)


@renderer(ignores="lk context")
def korean(a: TemplateArguments, language: Language) -> str:
    labelled = a["labels"] != "no"
    name = f"{language.language_names['ko']}: " if labelled else ""
    hangul = a.first_of("hangul", 1)
    romanised = [f"{system.upper()}: {a[system]}" if labelled else a[system] for system in ("rr", "mr") if a[system]]
    inside = "; ".join(part for part in (a["hanja"], *romanised) if part)
    return f"{name}{hangul}" + (f"; {inside}" if inside else "") if hangul else inside


@renderer(ignores=ALL)
def link_elsewhere(a: TemplateArguments, _: Language) -> str:
    """Render a link to an article of another Wikipedia as its text."""
    return a.first_of("lt", "text", "texte", 1, "fr")


@renderer(ignores=NAMED)
def literal(a: TemplateArguments, _: Language) -> str:
    meanings = " or ".join(f"'{part}'" for part in a.listed if part)
    return f"lit. {meanings}" if meanings else ""


@renderer()
def gloss(a: TemplateArguments, _: Language) -> str:
    return f"'{a[1]}'" if a[1] else ""


def _labelled(code: str, place: int, a: TemplateArguments, language: Language) -> str:
    """Write the label, the text at that place, and its romanization and meaning, which follow it."""
    text = a[place]
    if not text:
        return ""
    label = a["label"]
    name = "" if label == "none" else label or language.name_of(code)
    shown = f"{name}{language.language_separator}{text}" if name else text
    romanised, meaning = a.first_of("translit", place + 1), a.first_of("lit", "translation", place + 2)
    more = [romanised if romanised != text else "", f"lit. '{meaning}'" if meaning else ""]
    return ", ".join([shown, *(part for part in more if part)])
