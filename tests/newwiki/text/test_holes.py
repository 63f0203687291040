"""A template whose text cannot be known is counted, and takes its clause with it where the sentence would be broken."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newwiki.text.holes import Holes, shown_name
from newwiki.text.language import Language, load_language
from newwiki.text.prose import extract, extract_prose
from newwiki.text.tags import digits

CODES = ("en", "de", "es", "fr", "it", "ja", "nl", "pl", "pt", "ru", "zh")
X = "{{Xyzzy|a|b}}"
# Sentences that are broken without the text at X, by language.
BROKEN = {
    "en": [
        "The castle was owned by X until 1806.",
        "It has a population of X.",
        "The town has X inhabitants.",
        "In X, the castle was sold.",
        "In X the castle was sold.",
        "The labels were X in that year.",
        "X was built in 1900.",
        "The hill at X is high.",
        "It lies between X and X.",
        "The river is X long.",
        "He was born in X (1900) and left.",
        "The battle of X took place in May.",
        "The X-based company grew.",
        "X's house is red.",
        "It was called: X.",
        "It rose to X% in May.",
        "He is the son of X, a king.",
        "It was sold for $X to him.",
        "From X to X it stood.",
        "It is X.",
        "He met X.",
        "It stood in the Xth century.",
        "He said that “X” is old.",
        "There are X members in it.",
        "He was called “X” in May.",
    ],
    "de": [
        "Der Ort hat X Einwohner.",
        "Der Ort mit X Einwohnern ist alt.",
        "Der Ort liegt in X und ist alt.",
        "Die Burg gehörte X bis 1806.",
        "X ist eine Stadt.",
        "Der Berg ist X hoch.",
        "Die Fläche beträgt X.",
        "Er wurde am X in Bonn geboren.",
        "Im Jahr X wurde er König.",
        "Er war Sohn des X und der Anna.",
    ],
    "fr": [
        "La commune compte X habitants.",
        "Le château appartenait à X jusqu'en 1806.",
        "Le château d'X est beau.",
        "La ville de X est belle.",
        "X est une ville.",
        "En X, il est mort.",
        "La tour mesure X de haut.",
    ],
    "es": [
        "El pueblo tiene X habitantes.",
        "El castillo perteneció a X hasta 1806.",
        "X es una ciudad.",
        "Nació en X y murió en Madrid.",
        "La torre mide X de alto.",
        "En X, murió.",
    ],
    "it": [
        "Il comune conta X abitanti.",
        "Il castello appartenne a X fino al 1806.",
        "X è una città.",
        "Nacque a X e morì a Roma.",
        "Il castello dell'X è bello.",
        "La torre è alta X metri.",
    ],
    "pt": [
        "O município tem X habitantes.",
        "O castelo pertenceu a X até 1806.",
        "X é uma cidade.",
        "Nasceu em X e morreu em Lisboa.",
        "A torre tem X metros.",
    ],
    "nl": [
        "De gemeente telt X inwoners.",
        "Het kasteel was tot 1806 eigendom van X.",
        "X is een stad.",
        "Het werd door X in 1806 verkocht.",
        "De oppervlakte bedraagt X.",
    ],
    "pl": [
        "Miasto liczy X mieszkańców.",
        "Zamek należał do X do 1806 roku.",
        "X jest miastem.",
        "Urodził się w X i zmarł w Krakowie.",
        "Powierzchnia wynosi X.",
    ],
    "ru": [
        "Город насчитывает X жителей.",
        "Замок принадлежал X до 1806 года.",
        "X является городом.",
        "Родился в X и умер в Москве.",
        "Население — X человек.",
    ],
    "zh": [
        "该镇有X人。",
        "人口X人。",
        "该城堡由X至1806年拥有。",
        "X是一座城市。",
        "他生于X，死于北京。",
        "城市位于X的北部。",
    ],
    "ja": [
        "町の人口はX人である。",
        "城は1806年までXが所有した。",
        "Xは都市である。",
        "彼はXで生まれた。",
        "城はXにある。",
    ],
}
# Sentences with their text where something is missing at X and nothing is broken, or only a part is.
WHOLE = {
    "en": {
        "He left.X He came.": "He left. He came.",
        "He left. X He came.": "He left. He came.",
        "He livedX in Rome.": "He lived in Rome.",
        "The X church is red.": "The church is red.",
        "In X 1900 it was sold.": "In 1900 it was sold.",
        "The town (X) is old.": "The town is old.",
        "The town (as of X) is old.": "The town is old.",
        "Foo,X bar and baz.X": "Foo, bar and baz.",
        "The town, which has X inhabitants, is old.": "The town is old.",
        "It is old (1900; X), and red.": "It is old (1900), and red.",
        "XHe left.": "He left.",
    },
    "de": {
        "Die Stadt (Stand X) ist groß.": "Die Stadt ist groß.",
        "Die X Kirche ist alt.": "Die Kirche ist alt.",
        "Er ging.X Er kam.": "Er ging. Er kam.",
        "Er, der König,X ging.": "Er, der König, ging.",
    },
    "fr": {"La ville (au X) est belle.": "La ville est belle.", "L'église X est belle.": "L'église est belle."},
    "es": {"Se fue.X Volvió.": "Se fue. Volvió.", "La iglesia X es bella.": "La iglesia es bella."},
    "it": {"Partì.X Tornò.": "Partì. Tornò.", "La chiesa X è bella.": "La chiesa è bella."},
    "pt": {"Partiu.X Voltou.": "Partiu. Voltou.", "A igreja X é bela.": "A igreja é bela."},
    "nl": {"Hij ging.X Hij kwam.": "Hij ging. Hij kwam.", "De X kerk is mooi.": "De kerk is mooi."},
    "pl": {"Odszedł.X Wrócił.": "Odszedł. Wrócił.", "Kościół X jest piękny.": "Kościół jest piękny."},
    "ru": {"Он ушёл.X Он вернулся.": "Он ушёл. Он вернулся.", "Церковь X красива.": "Церковь красива."},
    "zh": {
        "他走了。X他回来了。": "他走了。他回来了。",
        "该镇（X）很大。": "该镇很大。",
        "该镇（人口X人）很大。": "该镇很大。",
    },
    "ja": {"彼は去った。X彼は戻った。": "彼は去った。彼は戻った。", "町（人口X人）は大きい。": "町は大きい。"},
}
TEMPLATES = st.tuples(
    st.text(st.sampled_from("abcxyzß漢ю9 -/."), max_size=12),
    st.lists(st.sampled_from(["", "a", "1806", "b=2", "[[Link|c]]", "{{cn}}", "''d''", "שלום", "🙂"]), max_size=4),
).map(lambda parts: "{{" + "|".join([f"Xyzzy{parts[0]}", *parts[1]]) + "}}")


@pytest.mark.parametrize(("code", "frame"), [(code, frame) for code in CODES for frame in BROKEN[code]])
@settings(max_examples=5)
@given(template=TEMPLATES)
def test_a_sentence_that_needs_the_text_of_a_template_goes(code: str, frame: str, template: str) -> None:
    extracted = extract(frame.replace("X", template), load_language(code))
    assert extracted.prose == ""
    assert sum(extracted.holes.values()) == frame.count("X")


@pytest.mark.parametrize(
    ("code", "frame", "text"), [(code, frame, text) for code in CODES for frame, text in WHOLE[code].items()]
)
@settings(max_examples=5)
@given(template=TEMPLATES)
def test_a_sentence_that_reads_on_without_the_template_stays(code: str, frame: str, text: str, template: str) -> None:
    extracted = extract(frame.replace("X", template), load_language(code))
    assert extracted.prose == text
    assert sum(extracted.holes.values()) == frame.count("X")


@pytest.mark.parametrize("code", CODES)
def test_a_template_that_shows_nothing_takes_no_prose_and_is_no_hole(code: str) -> None:
    language = load_language(code)
    sentence = max(WHOLE[code], key=len).replace("X", "")
    for pattern in language.silent_templates:
        name = pattern.replace("*", "x")
        if language.renderer_of(name) is None:
            extracted = extract(sentence.replace(" ", f"{{{{{name}|a}}}} ", 1) + f"{{{{{name}}}}}", language)
            assert (extracted.prose, extracted.holes) == (extract_prose(sentence, language), {}), name


@pytest.mark.parametrize("code", CODES)
def test_each_word_list_is_in_lower_case_and_once(code: str) -> None:
    language = load_language(code)
    for words in (language.hole_leaders, language.hole_stoppers, language.number_followers):
        assert words
        assert all(word == word.lower().strip() for word in words)


@pytest.mark.parametrize(
    ("wikitext", "holes"),
    [
        ("It is {{Xyzzy_plugh|a}} old. {{xyzzy plugh}} {{Plugh}} is red.", {"Plugh": 1, "Xyzzy plugh": 2}),
        ("It is {{nowrap|{{Xyzzy}} old}}, {{Xyzzy|{{Plugh}}}} red.", {"Xyzzy": 2}),
        (
            "It has {{inflation|US|5}} and {{age|1990}} legs, {{convert|5|bogus}}.",
            {"Age": 1, "Convert": 1, "Inflation": 1},
        ),
        ("It is {{convert|{{Xyzzy}}|km}} long.", {"Convert": 1}),
        ("It is <math>x^2</math> and {{#if:a|b}} old.", {"#if": 1, "<math>": 1}),
        ("The hill {{coord|1|2}} and {{IPA|x}} here.", {}),
        (
            "== About {{Xyzzy}} ==\n* One {{Xyzzy}}\n{|\n| {{Xyzzy}}\n|}\n[[File:A.jpg|{{Xyzzy}}]]<ref>{{Xyzzy}}</ref>",
            {},
        ),
        ("== References ==\nIt is {{Xyzzy}} old.", {}),
        ("{{Xyzzy\n| a = b\n}}It is old.\n\n{{Xyzzy|a}}\n\nIt is.{{Infobox x}}{{cite web|x}}", {}),
        ("<nowiki>{{Xyzzy}}</nowiki> <!-- {{Xyzzy}} --> is {{}} old {{{{{Xyzzy}}}}}.", {}),
    ],
)
def test_the_holes_of_the_running_text_are_counted_by_template(
    english: Language, wikitext: str, holes: dict[str, int]
) -> None:
    assert extract(wikitext, english).holes == holes


def test_coordinates_that_stand_in_the_title_break_no_sentence(english: Language) -> None:
    assert extract_prose("The hill at {{coord|1|2|display=inline}} is high.", english) == ""
    assert extract_prose("The hill at {{coord|1|2|display=title}} is high.", english) == "The hill at is high."


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=5, unique=True))
def test_every_number_has_its_own_mark(numbers: list[int]) -> None:
    assert len({digits(number) for number in numbers}) == len(numbers)


def test_a_page_of_many_templates_counts_each_under_its_name(english: Language) -> None:
    extracted = extract("".join(f"It is {{{{Xyzzy {number}}}}} red. " for number in range(300)), english)
    assert extracted.holes == {f"Xyzzy {number}": 1 for number in range(300)}
    assert extracted.prose == " ".join(["It is red."] * 300)
    assert Holes().counts == {}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (" cite_web ", "Cite web"),
        ("#if:a", "#if"),
        ("#invoke:A|b", "#invoke"),
        ("éa", "Éa"),
        ("a\x02b", "Ab"),
        ("", ""),
    ],
)
def test_a_name_is_that_of_mediawiki(written: str, name: str) -> None:
    assert shown_name(written) == name


@pytest.mark.parametrize(
    "text",
    [
        "by {{x}} " * 10_000,
        "{{x}} {{y}} " * 8_000,
        "({{x}} " * 16_000,
        "“{{x}}” " * 10_000,
        "a, {{x}} is, " * 8_000,
        "".join(f"{{{{x{number}}}}} " for number in range(12_000)),
        "It is {{x}}, or by {{y}}. " * 4_000,
        "<math>x</math> " * 8_000,
        "{{inflation}} and " * 6_000,
        "{{{{{" * 16_000,
        "{{{{{x}}}}}" * 8_000,
        " a\n" * 30_000,
        "<blockquote>" * 8_000,
        "\n* a\nb" * 16_000,
        "[[a|" * 25_000,
        "{{x\n" * 20_000,
        "is {{x}} " * 2_000 + ", and by {{x}} of, " * 900,
    ],
    ids=lambda text: repr(text[:12]),
)
@pytest.mark.parametrize("code", ["en", "zh"])
def test_a_page_of_holes_takes_time_in_proportion_to_its_length(code: str, text: str) -> None:
    start = time.process_time()
    extract(text, load_language(code))
    assert time.process_time() - start < 4 * max(0.2, len(text) / 1e6)
