"""An argument that nobody reads makes the template unsaid, and each form of the data files has a golden text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.text.language import load_language
from newwiki.text.prose import extract_prose
from newwiki.text.templates import UNSAID, TemplateArguments, find_renderer, render
from newwiki.text.templates.forms import FILTERS, read_form

CODES = ["de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt", "ru", "zh"]
CALL = re.compile(r"\{\{([^{}|]+)\|?([^{}]*)\}\}")
VALUES = st.sampled_from(["", "1", "5", "12", "XIX", "e", "a", "s", "km", "1900", "mayo", "en", "on", "y", "12 745,5"])

# What each Wikipedia shows for the forms of the data files.
FORMS = {
    "de": {
        "{{Höhe|2962|DE-NHN|link=true}}": "2962 m ü. NHN",
        "{{Höhe|412|DE-NN}}": "412 m ü. NN",
        "{{Höhe|412,5|DE-HN}}": "412,5 m ü. HN",
        "{{Höhe|3798|AT}}": "3798 m ü. A.",
        "{{Höhe|4478|CH}}": "4478 m ü. M.",
        "{{Höhe|12000|IT}}": "12000 m s.l.m.",
    },
    "en": {
        "{{ruby|漢字|かんじ}}": "漢字(かんじ)",
    },
    "es": {
        "{{siglo|XIX}}": "XIX",
        "{{siglo|V|a}}": "V a. C.",
        "{{siglo|I|d}}": "I d. C.",
        "{{siglo|XIX||s}}": "siglo XIX",
        "{{Siglo|XIX|3=S}}": "Siglo XIX",
        "{{siglo|III|a|s|1}}": "siglo III a. C.",
        "{{siglo|III|a|S}}": "Siglo III a. C.",
        "{{siglo|III|d|s}}": "siglo III d. C.",
        "{{siglo|III|d|S}}": "Siglo III d. C.",
        "50{{AC}}": "50 a. C.",
        "{{AC|50|1}}": "50 a. C.",
        "50{{DC}}": "50 d. C.",
        "{{DC|50}}": "50 d. C.",
    },
    "fr": {
        "{{s|XIX|e}}": "XIXe siècle",
        "{{s|I}}": "Ier siècle",
        "{{s-|XIX|e|}}": "XIXe siècle",
        "{{-s|V|e}}": "Ve siècle av. J.-C.",
        "{{-s-|III}}": "IIIe siècle av. J.-C.",
        "{{mill|II|e}}": "IIe millénaire",
        "{{mill|I}}": "Ier millénaire",
        "{{-mill|II|e}}": "IIe millénaire av. J.-C.",
        "{{-mill|III}}": "IIIe millénaire av. J.-C.",
        "{{s mini|XIX}}": "XIXe",
        "{{s mini|I|er}}": "Ier",
        "{{s2|III|e|IX|e}}": "IIIe et IXe siècles",
        "{{s2-|I||II|}}": "Ier et IIe siècles",
        "{{-s2|III|e|I|er}}": "IIIe et Ier siècles av. J.-C.",
        "{{-s2-|III||II}}": "IIIe et IIe siècles av. J.-C.",
        "{{sp|XIII|e|-|XVI|e}}": "XIIIe – XVIe siècle",
        "{{sp|I|er|au|III|e}}": "Ier au IIIe siècle",
        "{{sp|XIX|-|XX}}": "XIXe – XXe siècle",
        "{{sp|XIX|au|XX}}": "XIXe au XXe siècle",
        "{{sp|XIII|e|-|XVI|e|s}}": "XIIIe – XVIe siècles",
        "{{sp|XVII|e|et|XVIII|e|s}}": "XVIIe et XVIIIe siècles",
        "{{sp|XIX|-|XX|s}}": "XIXe – XXe siècles",
        "{{sp-|XVIII|et|XIX|s}}": "XVIIIe et XIXe siècles",
        "{{-sp|V|e|-|III|e}}": "Ve – IIIe siècle av. J.-C.",
        "{{-sp|V|e|au|III|e}}": "Ve au IIIe siècle av. J.-C.",
        "{{-sp|V|-|III}}": "Ve – IIIe siècle av. J.-C.",
        "{{-sp-|V|au|I}}": "Ve au Ier siècle av. J.-C.",
        "{{-sp|V|e|-|III|e|s}}": "Ve – IIIe siècles av. J.-C.",
        "{{-sp|V|e|et|IV|e|s}}": "Ve et IVe siècles av. J.-C.",
        "{{-sp|V|-|III|s}}": "Ve – IIIe siècles av. J.-C.",
        "{{-sp|V|et|IV|s}}": "Ve et IVe siècles av. J.-C.",
        "{{1er}}": "1er",
        "{{1er|mai}}": "1er mai",
        "{{7e|arrondissement}}": "7e arrondissement",
        "{{tmp|12345,5|°C}}": "12 345,5 °C",
    },
    "pt": {
        "{{fmtn|2000}}": "2 000",
        "{{séc|XIX}}": "século XIX",
        "{{-séc|III}}": "século III a.C.",
        "50 {{AC}}": "50 a.C.",
        "{{AC|50}}": "50 a.C.",
        "50 {{DC}}": "50 d.C.",
        "{{DC|50|x}}": "50 d.C.",
        "{{dni|05|5|1900|si|lang=br}}": "5 de maio de 1900",
    },
    "ru": {
        "{{num|12345}}": "12 345",
    },
}  # fmt: skip

# Arguments that decide what other templates show.
OTHERS = [
    ("en", "{{birth date|1993|2|24|mf=yes}}, {{date|2001-05-04}}, {{date|2001-05-04|mdy}}",
     "February 24, 1993, May 4, 2001, May 4, 2001"),
    ("en", "{{nihongo|Tokyo|東京|Tōkyō|extra}}, {{nihongo|Tokyo|東京|lead=yes}}",
     "Tokyo (東京, Tōkyō, extra), Tokyo (Japanese: 東京)"),
    ("en", "{{zh|t=東|j=dung1|links=no}}", "traditional Chinese: 東; Jyutping: dung1"),
    ("en", "{{langx|ja|東|Tō|East}}, {{lang-ja|東|Tō|East}}, {{langx|fr|Le|italic=no}}",
     "Japanese: 東, Tō, lit. 'East', Japanese: 東, Tō, lit. 'East', French: Le"),
    ("en", "{{font color|white|blue|text}}, {{lang|fr|texte|italic=no}}, {{abbr|Dr.|Doctor|class=x}}",
     "text, texte, Dr."),
    ("en", "{{as of|2020|3|5|df=US}}, {{birth date|1868|4|21|df=no}}", "As of March 5, 2020, April 21, 1868"),
    ("en", "{{zh|s=东|t=東|first=t}}, {{math|''x''|big=1}}", "traditional Chinese: 東; simplified Chinese: 东, x"),
    ("en", "{{sclass|Nimitz|aircraft carrier|2}}, {{slink|A|B|nopage=y}}, {{dts|2010|May|1|format=dmy}}",
     "Nimitz-class aircraft carrier, § B, 1 May 2010"),
    ("en", "3{{frac|1|2}} and {{convert|3{{frac|1|2}}|mi}}", "3 1⁄2 and 3 1⁄2 miles"),
    ("en", "one{{snd|x}}{{spaces|5}}two", "one – two"),
    ("fr", "{{date|1er|janvier|1900|en musique}}, {{date||mai|1900}}, {{date|01|01|1900}}",
     "1er janvier 1900, mai 1900, 1er janvier 1900"),
    ("fr", "{{heure|20}}, {{heure|20|30}}, {{heure|20|30|15}}", "20 h, 20 h 30, 20 h 30 min 15 s"),
    ("fr", "{{Me}} Dupont, {{Me|Dupont}}, {{Mme|Lefèvre}}, {{1er janvier}} 1900",
     "Me Dupont, Me Dupont, Mme Lefèvre, 1er janvier 1900"),
    ("fr", "{{nombre|1234|habitants}}, {{unité|-5|°C}}, {{unité|12345 km}}", "1 234 habitants, −5 °C, 12 345 km"),
    ("fr", "{{citation étrangère|langue=en|Hello}}", "« Hello »"),
    ("fr", "{{date|1 mai 1900}}, {{rom-maj|XIV|14}}", "1er mai 1900, XIV"),
    ("it", "{{M|12 745,594|ul=km}}, {{M|23.1|u=°C}}, {{M|5|0,1|u=m|e=3}}, {{M|3|0,5|ul=m³|up=s}}, {{M|350||km}}",
     "12 745,594 km, 23,1 °C, (5±0,1)×10^3 m, 3±0,5 m³/s, 350 km"),
    ("it", "{{M|6,02|e=23}}, {{M|5|km}}, {{M|1100}}, {{M|5|p=~}}", "6,02×10^23, 5 km, 1 100, ~5"),
    ("it", "{{Bio|Nome=A|Cognome=B|Sesso=F|LuogoNascita=Bari|LuogoNascitaLink=Bari (città)|Attività=poeta|"
     "Nazionalità=italiana|Epoca=1900|Immagine=a.jpg}}", "A B (Bari) è una poeta italiana."),
    ("es", "{{fecha|12|10|1874}}, {{unidad|2000|km}}, {{unidad|12345,5|m²}}",
     "12 de octubre de 1874, 2000 km, 12 345,5 m²"),
    ("zh", "林清{{bd|1884年|5月3日|1961年|10月12日|Lin}}，{{僻字|暻|日+景}}",
     "林清（1884年5月3日—1961年10月12日），暻"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "wikitext", "text"),
    [(code, wikitext, text) for code, goldens in FORMS.items() for wikitext, text in goldens.items()] + OTHERS,
)
def test_each_form_reads_as_the_wiki_shows_it(code: str, wikitext: str, text: str) -> None:
    assert extract_prose(wikitext, load_language(code)) == text


@pytest.mark.parametrize("code", CODES)
def test_each_form_of_a_data_file_has_a_golden_text(code: str) -> None:
    language = load_language(code)
    lacking = {(id(forms), arguments) for forms in language.forms.values() for arguments in forms}
    for name, arguments in (CALL.search(golden).groups() for golden in FORMS.get(code, {})):  # type: ignore[union-attr]
        forms = language.forms[name.lower()]
        call = TemplateArguments(arguments.split("|") if arguments else []).given()
        lacking.discard((id(forms), next(form for form, shown in forms.items() if read_form(form, shown).fits(call))))
    assert lacking == set()


@pytest.mark.parametrize("code", CODES)
def test_a_form_shows_only_arguments_that_it_needs(code: str) -> None:
    for forms in load_language(code).forms.values():
        for arguments, shown in forms.items():
            form = read_form(arguments, shown)
            for key, filter_ in re.findall(r"\{(\w+)(?: (\w+))?\}", shown):
                assert key in form.needed | {"name"}
                assert (filter_ or "text") in FILTERS
            assert "{" not in re.sub(r"\{\w+(?: \w+)?\}", "", shown)


@pytest.mark.parametrize(
    ("code", "template"),
    [
        ("fr", "{{s|XIX|e|au|XX|e}}"), ("fr", "{{s2|XIX|XX}}"), ("fr", "{{sp|XIX|e|au}}"), ("fr", "{{Mme|A|B}}"),
        ("fr", "{{unité|5|à=6|km}}"), ("fr", "{{unité|5|±=0,1|km}}"), ("fr", "{{unité|5|+=0,1|km}}"),
        ("fr", "{{date|1|mai|1900|âge=oui}}"), ("fr", "{{date|1|mai|-200}}"), ("fr", "{{date|14/07/1789}}"),
        ("fr", "{{km|5}}"), ("fr", "{{monnaie|5|eur}}"), ("fr", "{{€|5}}"),
        ("es", "{{siglo|V|x|s}}"), ("es", "{{siglo|V|a|s|1|2}}"), ("es", "{{fecha|1|5|1900|edad}}"),
        ("es", "{{convert|5|to|10|km}}"), ("es", "{{convert|5,5|km}}"),
        ("it", "{{M|5|0,1|3|m}}"), ("it", "{{M|molti|ul=km}}"), ("it", "{{M|5|ul=km|fmt=x}}"),
        ("pt", "{{séc|XIX|x}}"), ("pt", "{{dni|5|5|1900}}"), ("pl", "{{p.n.e.|5}}"), ("nl", "{{v.Chr.|5}}"),
        ("ru", "{{год|1900}}"), ("ru", "{{num|много}}"), ("ja", "{{和暦|1990}}"), ("ja", "{{円|5}}"),
        ("de", "{{Höhe|2962}}"), ("de", "{{Höhe|2962|NO}}"), ("de", "{{Höhe|2962|AT|5}}"),
        ("en", "{{ordinal|22|x}}"), ("en", "{{sclass|Iowa|battleship|1}}"), ("en", "{{HMS|Ark Royal|91|1}}"),
        ("en", "{{reign|1200|1210|era=BC}}"), ("en", "{{start date|1993|2|24|8|30}}"),
        ("en", "{{film date|2010|5|1|Cannes|2010|6|1}}"), ("en", "{{spellnum|42|ord=on}}"), ("en", "{{BC|5}}"),
        ("en", "{{nowrap|5 km|6 km}}"), ("en", "{{val|5|fmt=x}}"), ("en", "{{formatnum:2000|x}}"),
    ],
)  # fmt: skip
def test_a_call_that_is_not_understood_takes_its_clause_with_it(code: str, template: str) -> None:
    language = load_language(code)
    assert extract_prose(f"{template}", language) == ""
    name, arguments = template[2:-2].partition("|")[::2]
    assert UNSAID in render(name, TemplateArguments(arguments.split("|") if arguments else []), language)


@given(
    code=st.sampled_from(CODES),
    choice=st.integers(0, 10**6),
    positional=st.lists(VALUES, max_size=4),
    extra=st.sampled_from(["zq=Qqq", "zq 2=Qqq", "17=Qqq", "Zq=Qqq"]),
)
def test_an_argument_that_nobody_knows_changes_nothing_or_leaves_the_template_unsaid(
    code: str, choice: int, positional: list[str], extra: str
) -> None:
    language = load_language(code)
    names = sorted({*language.templates, *language.countries, "lang-fr"})
    name = names[choice % len(names)]
    without = render(name, TemplateArguments(positional), language)
    with_extra = render(name, TemplateArguments([*positional, extra]), language)
    assert with_extra in (without, UNSAID)
    assert "qqq" not in with_extra.lower()


@pytest.mark.parametrize("code", CODES)
def test_no_template_of_a_language_shows_an_argument_that_nobody_knows(code: str) -> None:
    language = load_language(code)
    for name in language.templates:
        for positional in ([], ["5"], ["5", "km"], ["XIX", "e"], ["1900", "1", "1"]):
            without = render(name, TemplateArguments(positional), language)
            for extra in ("zq=Qqq", "17=Qqq"):
                assert render(name, TemplateArguments([*positional, extra]), language) in (without, UNSAID), name


def test_arguments_of_style_are_never_missed() -> None:
    for extra in ("class=x", "style=x", "nolink=1", "sortable=yes", "link=no", "zq=", "zq=  "):
        for wikitext in ("{{siglo|XIX||s|%s}}", "{{nowrap|siglo XIX|%s}}"):
            assert extract_prose(wikitext % extra, load_language("es")) == "siglo XIX"


def test_every_renderer_that_a_data_file_names_knows_what_it_read() -> None:
    for code in CODES:
        for renderer in set(load_language(code).templates.values()):
            assert hasattr(find_renderer(renderer), "__wrapped__"), renderer


# What MediaWiki 1.39 shows: Language::formatNum, parseFormattedNumber (R) and formatNumNoSeparators (NOSEP).
NUMBERS = ["2000", "12345", "1234567.891", "1234.5", "-2000", "0.5", ".5", "007", "12,345", "123456.70"]
FORMATTED = {
    "en ja zh": "2,000 12,345 1,234,567.891 1,234.5 −2,000 0.5 .5 007 12,345 123,456.70",
    "de nl": "2.000 12.345 1.234.567,891 1.234,5 −2.000 0,5 ,5 007 12,345 123.456,70",
    "fr it pt": "2_000 12_345 1_234_567,891 1_234,5 −2_000 0,5 ,5 007 12,345 123_456,70",
    "es pl ru": "2000 12_345 1_234_567,891 1234,5 −2000 0,5 ,5 007 12,345 123_456,70",
}
RAW = {"en": ("1,234", "1234"), "de": ("1.234,5", "1234.5"), "fr": ("1&nbsp;234,5", "1234.5"), "es": ("1 234", "1 234")}


@pytest.mark.parametrize(("codes", "shown"), FORMATTED.items())
def test_formatnum_writes_numbers_as_mediawiki_does_in_each_language(codes: str, shown: str) -> None:
    for code in codes.split():
        language = load_language(code)
        for number, text in zip(NUMBERS, shown.replace("_", "~").split(), strict=True):
            assert extract_prose(f"{{{{formatnum:{number}}}}}", language) == text.replace("~", " "), (code, number)
            plain = number.replace("-", "−")
            assert extract_prose(f"{{{{formatnum:{number}|NOSEP}}}}", language) == plain, (code, number)


@pytest.mark.parametrize(("code", "numbers"), RAW.items())
def test_formatnum_with_r_reads_the_number_of_the_language(code: str, numbers: tuple[str, str]) -> None:
    assert extract_prose(f"{{{{formatnum:{numbers[0]}|R}}}}", load_language(code)) == numbers[1]
