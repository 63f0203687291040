from collections.abc import Callable

import pytest

from newwiki.text.language import load_language
from newwiki.text.prose import extract_prose

Prose = Callable[[str], str]


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("{{convert|6|ft|2|in|m}}", "6 ft 2 in"),
        ("{{convert|5|to|10|km|mi|abbr=on}}", "5 to 10 km"),
        ("{{convert|3|x|4|x|5|m}}", "3 × 4 × 5 m"),
        ("a {{convert|5|km|adj=on}} walk", "a 5-km walk"),
        ("{{convert|242500|km2|sqmi|0}}", "242,500 km²"),
        ("{{convert|-5|C}}", "−5°C"),
        ("{{convert|5+1/2|in}}", "5 1⁄2 in"),
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
        ("de", "Eins.\n== Weblinks ==\n* x\n== Einzelnachweise ==\n<references />", "Eins."),
    ],
)  # fmt: skip
def test_french_and_german_pages_have_their_own_templates_and_namespaces(code: str, wikitext: str, text: str) -> None:
    assert extract_prose(wikitext, load_language(code)) == text


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("It calls main() (c) 2020 :) and a;) too", "It calls main() (c) 2020 :) and a;) too"),
        ("Oui ; non : si ! Là ?", "Oui ; non : si ! Là ?"),
        ("a ({{x}} ({{x}})) b", "a b"),
        ("a ({{x}} – 1900) b", "a (– 1900) b"),
        ("work out. . . and thereby", "work out. . . and thereby"),
        ("“{{x}}” is", "is"),
    ],
)
def test_only_what_vanished_markup_left_open_is_closed(wikitext: str, text: str) -> None:
    assert extract_prose(wikitext, load_language("fr")) == text
