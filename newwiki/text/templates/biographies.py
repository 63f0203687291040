"""Render the templates that write the head of an article on a person."""

from newwiki.text.language import Language
from newwiki.text.templates.renderer import TemplateArguments, renderer

# What {{Bio}} takes for categories, the sort key and the picture.
_UNSEEN = (
    "Sesso ForzaOrdinamento Immagine DimImmagine Didascalia Didascalia2 Categorie Epoca Epoca2 LuogoNascitaLink "
    "LuogoMorteLink NoteNascita NoteMorte Punto"
)
_VOWELS = tuple("aeiouàèéìòùAEIOUÀÈÉÌÒÙ")


@renderer(ignores=_UNSEEN)
def biography(a: TemplateArguments, _: Language) -> str:
    """Write the first sentence as Italian `{{Bio}}` does: Nome Cognome (Roma, 1 maggio 1900 – Bari, 2 giugno 1980) è
    stato uno scrittore italiano."""
    name = " ".join(part for part in (a["Titolo"], a["Nome"], a["Cognome"]) if part)
    if not name or a["Incipit"] == "no":
        a.given()  # the wiki shows none of them
        return ""
    after = f"{a['PostCognomeVirgola'] and ', ' + a['PostCognomeVirgola']}{a['PostCognome'] and ' ' + a['PostCognome']}"
    life = " – ".join(part for part in (_event(a, "Nascita"), _event(a, "Morte")) if part)
    life = ", ".join(part for part in (a["PreData"], life) if part)
    shown = f"'''{name}'''{after}" + (f" ({life})" if life else "")
    what = a["FineIncipit"]
    if what:
        a.given()  # it stands for what the others would say
    else:
        works = [_with_article(a, a["Attività"]), *(a[f"Attività{number}"] for number in (2, 3))]
        professions = _listed([work for work in works if work]) + _more(a["AttivitàAltre"])
        citizen = a["NazionalitàNaturalizzato"]
        nationality = a["Nazionalità"] + (f" naturalizzat{_ending(a)} {citizen}" if citizen else "")
        verb = "è" if not _is_dead(a) else f"è stat{_ending(a)}"
        what = " ".join(part for part in (verb, professions, nationality) if part) if professions else ""
    return (f"{shown} {what}{_more(a['PostNazionalità'])}." if what else shown).replace("..", ".")


def _event(a: TemplateArguments, which: str) -> str:
    place = a.first_of(f"Luogo{which}Alt", f"Luogo{which}")
    day = " ".join(part for part in (a[f"GiornoMese{which}"], a[f"Anno{which}"]) if part)
    return ", ".join(part for part in (place, day) if part and part != "?")


def _is_dead(a: TemplateArguments) -> bool:
    return bool(a.first_of("AnnoMorte", "GiornoMeseMorte", "LuogoMorte"))


def _ending(a: TemplateArguments) -> str:
    return "a" if a["Sesso"].upper() == "F" else "o"


def _with_article(a: TemplateArguments, work: str) -> str:
    if not work:
        return ""
    if _ending(a) == "a":
        return f"un'{work}" if work.startswith(_VOWELS) else f"una {work}"
    hard = work.startswith(("z", "gn", "ps", "pn", "x", "y")) or (work[:1] == "s" and not work[1:2].startswith(_VOWELS))
    return f"uno {work}" if hard else f"un {work}"


def _listed(works: list[str]) -> str:
    return " e ".join(part for part in (", ".join(works[:-1]), works[-1]) if part) if works else ""


def _more(text: str) -> str:
    text = text.rstrip(".")
    return text if not text or text[0] in ",;:" else f" {text}"


@renderer(ignores="5 6 catIdx")
def life_years(a: TemplateArguments, _: Language) -> str:
    """Chinese `{{bd|1900年|1月1日|1980年|3月3日}}` is （1900年1月1日—1980年3月3日）."""
    born, died = a[1] + a[2], a[3] + a[4]
    if not born and not died:
        return ""
    return f"（{born or '？'}—{died}）"
