from collections.abc import Callable

import pytest

from newwiki.text.language import load_language
from newwiki.text.prose import extract_prose

Prose = Callable[[str], str]


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("{{convert|6|ft|2|in|m}}", "6 feet 2 inches"),
        ("{{convert|5|to|10|km|mi|abbr=on}}", "5 to 10 km"),
        ("{{convert|3|x|4|x|5|m}}", "3 by 4 by 5 metres"),
        ("a {{convert|5|km|adj=on}} walk", "a 5-kilometre walk"),
        ("{{convert|242500|km2|sqmi|0}}", "242,500 square kilometres"),
        ("{{convert|-5|C}}", "−5 °C"),
        ("{{convert|5+1/2|in}}", "5 1⁄2 inches"),
        ("{{frac|3|1|2}} and {{frac|1|2}}", "3 1⁄2 and 1⁄2"),
        ("{{INR|500}}, {{US$|5 million}}, {{£}}3", "₹500, US$5 million, £3"),
        ("{{ordinal|23}} {{ordinal|11}} {{formatnum:12345}}", "23rd 11th 12,345"),
        ("{{birth date|1868|4|21}}, {{birth date|1868|4|21|df=y}}", "April 21, 1868, 21 April 1868"),
        ("{{death date and age|1941|1|9|1868|4|21|df=y}}", "9 January 1941 (aged 72)"),
        ("{{age|1990|6|1|2000|5|31}}", "9"),
        ("{{floruit|1200|1250}} {{circa|1900|1910}}", "fl. 1200–1250 c. 1900 – c. 1910"),
        ("{{as of|2020|lc=y}}, {{as of|2019|alt=by 2019}}", "as of 2020, by 2019"),
        ("{{langx|ja|東京|Tōkyō|lit=East}}", "Japanese: 東京, Tōkyō, lit. 'East'"),
        ("{{lang-fr|Le Monde}}", "French: Le Monde"),
        ("{{nihongo|Tokyo|東京|Tōkyō}}", "Tokyo (東京, Tōkyō)"),
        ("{{ill|Foo|de|Bar}}, {{ill|Foo|de|lt=foos}}", "Foo, foos"),
        ("{{sic|teh}} {{sic|teh|hide=y}}", "teh [sic] teh"),
        ("{{HMS|Ark Royal|91}} and {{USS|Enterprise|CV-6|2}}", "HMS Ark Royal (91) and USS Enterprise"),
        ("H{{sub|2}}O, {{chem|C|O|2}}", "H2O, CO2"),
        ("{{lang-rus|Москва|Moskva}} and {{lang-ja|東京}}", "Russian: Москва, Moskva and Japanese: 東京"),
        (
            "{{lang-sr-Cyrl|Дунав}}, {{lang-ger|Rhein}}, {{langx|oci|Ròse}}",
            "Serbian: Дунав, German: Rhein, Occitan: Ròse",
        ),
        ("Lumen ({{lang-qqq|x}}) is", "Lumen is"),
        ("{{translit|ru|Moskva}} {{no wrap|a b}} {{IAST|śiva}} {{mvar|x}}", "Moskva a b śiva x"),
        (
            "{{unichar|20AC|Euro sign}}, {{unichar|zz}}{{unichar|5B}}",
            "U+20AC € EURO SIGN, U+005B [ LEFT SQUARE BRACKET",
        ),
        ("{{CO2}} and {{H2O}}", "CO2 and H2O"),
        (
            "{{duration|m=3|s=5}}, {{duration|h=1|m=2|s=3}}, {{duration|3:45}}, {{dur|3|45}}",
            "3:05, 1:02:03, 3:45, 3:45",
        ),
        ("at {{time|12:30}} ({{time|UTC}}) and so on", "at 12:30 and so on"),
        ("{{pct|1|3|1}}, {{percentage|1,000|4,000}}, a ({{pct|1|0}}) b", "33.3%, 25%, a b"),
        ("{{USA}}, {{flag|GER}}, {{flagcountry|Japan|1870}}, {{fb|FRA}}", "United States, Germany, Japan, France"),
        ("{{flagathlete|[[Ada Berg]]|NOR}}{{flagicon|NOR}} {{usa}}won", "Ada Berg (NOR) won"),
        ("One{{quote|Two three.|Somebody}}four", "One\n\nTwo three.\n\nfour"),
    ],
)
def test_a_template_of_english_reads_as_a_reader_sees_it(prose: Prose, wikitext: str, text: str) -> None:
    assert prose(wikitext) == text


@pytest.mark.parametrize(
    ("code", "wikitext", "text"),
    [
        ("fr", "{{date|1|mars|1900}} au {{s|XIX}} : {{unité|5|km}} !", "1er mars 1900 au XIXe siècle : 5 km !"),
        ("fr", "{{M.|Dupont}} dit {{citation|oui}} à l'''Avventura''", "M. Dupont dit « oui » à l'Avventura"),
        ("fr", "{{lien|Nom|lang=en|texte=le nom}} {{refnec|vrai}}.[[Fichier:a.jpg|vignette|b]]", "le nom vrai."),
        ("de", "Köln ({{enS|Cologne}}; {{IPA|x}}) {{\"|gut}}[[Datei:x.jpg|mini|y]]", "Köln (englisch Cologne) „gut“"),
        ("ru", "{{OldStyleDate|18|июня|1812|6}}, {{OldStyleDate|3|июня|1900}}", "6 (18) июня 1812, 3 июня 1900"),
        ("ru", "{{OldStyleDate|6|июня|1799|26|мая}}, {{OldStyleDate|7|сентября|1812|26 августа}}",
         "26 мая (6 июня) 1799, 26 августа (7 сентября) 1812"),
        ("ru", "{{OldStyleDate|4|января|1915|22|декабря|1914}}", "22 декабря 1914 (4 января 1915)"),
        ("de", "Eins.\n== Weblinks ==\n* x\n== Einzelnachweise ==\n<references />", "Eins."),
    ],
)  # fmt: skip
def test_pages_of_other_languages_have_their_own_templates_and_namespaces(code: str, wikitext: str, text: str) -> None:
    assert extract_prose(wikitext, load_language(code)) == text


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("It calls main() (c) 2020 :) and a;) too", "It calls main() (c) 2020 :) and a;) too"),
        ("Oui ; non : si ! Là ?", "Oui ; non : si ! Là ?"),
        ("a ({{x}} ({{x}})) b", "a b"),
        ("a ({{x}} – 1900) b", "a (– 1900) b"),
        ("work out. . . and thereby", "work out. . . and thereby"),
        ("a “{{x}}” b", "a b"),
    ],
)
def test_only_what_vanished_markup_left_open_is_closed(wikitext: str, text: str) -> None:
    assert extract_prose(wikitext, load_language("fr")) == text
