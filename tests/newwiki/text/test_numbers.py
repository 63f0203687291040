"""A number is rendered as MediaWiki would, or its whole clause goes."""

import re
import tomllib
from collections.abc import Callable
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.text.language import Language, load_language
from newwiki.text.prose import extract_prose
from newwiki.text.templates import UNSAID, TemplateArguments, find_renderer, render
from newwiki.text.templates.numbers import spelt
from newwiki.text.templates.units import find_unit

Prose = Callable[[str], str]
ENGLISH = load_language("en")
UNITS = tomllib.loads((files("newwiki.text.templates") / "units.toml").read_text("utf-8"))
NUMERIC = [
    "convert", "cvt", "val", "gaps", "frac", "sfrac", "ordinal", "formatnum", "nts", "e", "10^", "currency", "height",
    "km to mi", "spellnum", "age", "duration", "time", "pct", "inflation", "#expr:5+5",
]  # fmt: skip

# What enwiki shows, by the documentation of its templates; of it the converted quantity in brackets is left out.
DOCUMENTED = {
    "{{val|6.02|e=23}}": "6.02×10^23",
    "{{val|1.6|0.1|e=-19|u=C}}": "(1.6±0.1)×10^−19 C",
    "{{val|1.2345|(67)|u=kg}}": "1.2345(67) kg",
    "{{val|1.5|+0.2|-0.1}}": "1.5 +0.2 −0.1",
    "{{val|-5|ul=m/s2}}": "−5 m/s²",
    "{{val|5|u=m|up=s}}": "5 m/s",
    "{{val|10|-|20|u=%}}": "10–20%",
    "{{val|25|u=degC}}": "25 °C",
    "{{val|p=~|5|s=x}}": "~5x",
    "{{val|12345|fmt=commas}}": "12,345",
    "{{val|e=5}}": "10^5",
    "{{val|6.02e23}}": "6.02×10^23",
    "{{convert|57480|ST|LT}}": "57,480 short tons (51,320 long tons)",
    "{{convert|10|st|kg}}": "10 stone (64 kg)",
    "{{convert|160|e6acre}}": "160 million acres (650,000 km²)",
    "{{convert|160|e6acre|abbr=on}}": "160×10^6 acres (650,000 km²)",
    "{{convert|6800|acre|adj=on}}": "6,800-acre (2,800 ha)",
    "{{convert|5|km|mi}}": "5 kilometres (3.1 mi)",
    "{{convert|5|km|mi|abbr=on}}": "5 km (3.1 mi)",
    "{{cvt|5|km|mi}}": "5 km (3.1 mi)",
    "{{convert|5|km|mi|sp=us}}": "5 kilometers (3.1 mi)",
    "{{convert|1|mi|km}}": "1 mile (1.6 km)",
    "{{convert|1/2|mi|km}}": "1⁄2 mile (0.80 km)",
    "{{convert|1+1/2|in|mm}}": "1 1⁄2 inches (38 mm)",
    "{{convert|6|ft|2|in|m}}": "6 feet 2 inches (1.88 m)",
    "{{convert|6|ft|2|in|m|adj=on}}": "6-foot-2-inch (1.88 m)",
    "{{convert|7|to|8|km|mi}}": "7 to 8 kilometres (4.3 to 5.0 mi)",
    "{{convert|7|-|8|km|mi|abbr=on}}": "7–8 km (4.3–5.0 mi)",
    "{{convert|10|+/-|2|kN|lbf}}": "10 ± 2 kilonewtons (2,250 ± 450 lbf)",
    "{{convert|3|x|4|m|ft}}": "3 by 4 metres (9.8 ft × 13.1 ft)",
    "{{convert|3|x|4|m|ft|abbr=on}}": "3 m × 4 m (9.8 ft × 13.1 ft)",
    "{{convert|3|by|4|m|ft}}": "3 by 4 metres (9.8 by 13.1 ft)",
    "{{convert|-5|C|F}}": "−5 °C (23 °F)",
    "{{convert|20|kn|km/h}}": "20 knots (37 km/h)",
    "{{convert|20|mW}} {{convert|20|MW}}": "20 milliwatts 20 megawatts",
    "{{convert|500|PD/sqmi}}": "500 inhabitants per square mile (190/km²)",
    "{{convert|60|mph|km/h|adj=on}}": "60-mile-per-hour (97 km/h)",
    "{{convert|10|ft|m|adj=mid|-long}}": "10-foot-long (3.0 m)",
    "{{convert|5|mi|km|spell=in}}": "five miles (8.0 km)",
    "{{convert|150|mi|km|spell=In|sp=us}}": "One hundred fifty miles (240 km)",
    "{{convert|1000|m|ft|comma=off}}": "1000 metres (3281 ft)",
    "{{fraction|1/4}} {{frac|4}} {{frac|1|4}} {{frac|3|1|4}} {{frac|1/4}}": "1⁄4 1⁄4 1⁄4 3 1⁄4 1⁄4",
    "6{{e|23}} 6{{x10^|23}} {{10^|23}} 6{{e|-9}}": "6×10^23 6×10^23 10^23 6×10^−9",
    "{{formatnum:1234567.891}} {{formatnum:1,234|R}} {{formatnum:1234|NOSEP}}": "1,234,567.891 1234 1234",
    "{{gaps|6.022|14|e=23|u=m}}": "6.02214×10^23 m",
    "{{INR|50|c}} {{INRConvert|5|lc}} {{₹|5}}": "₹50 crore ₹5 lakh crore ₹5",
    "{{US$|500|1990}} {{US$|5 million|long=no}} {{£}}5": "US$500 $5 million £5",
    "{{currency|5000|INR}} {{currency|5000}}": "₹5,000 US$5,000",
    "{{ordinal|22}} {{ordinal|112}} {{ordinal|22|d}}": "22nd 112th 22d",
    "{{spellnum|1234}} {{spellnum|21}}": "one thousand two hundred and thirty-four twenty-one",
    "{{height|ft=5|in=3}} {{height|m=1.77}}": "5 ft 3 in 1.77 m",
    "{{date|2001-05-04|dmy|df=y}}": "4 May 2001",
    "{{nts|12345}}{{ntsh|99}}": "12,345",
    "<math>6.02 \\times 10^{23}</math> and <math>\\frac{1}{4}</math>": "6.02×10^23 and 1⁄4",
}


@pytest.mark.parametrize(("wikitext", "shown"), DOCUMENTED.items())
def test_a_template_shows_the_number_that_enwiki_shows(prose: Prose, wikitext: str, shown: str) -> None:
    without_conversion = re.sub(r"(?<=\w) \([^()]*\)$", "", shown) if "{{c" in wikitext[:4] else shown
    assert prose(wikitext) == without_conversion


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("10<sup>23</sup>, 10<sup>−3</sup>, 10 <sup>6</sup>", "10^23, 10^−3, 10 ^6"),
        ("5 km<sup>2</sup>, m<sup>3</sup>, s<sup>-1</sup>", "5 km², m³, s^-1"),
        ("2<sup>''n''</sup>, 2<sup>''n''−1</sup>, 10<sup>10<sup>3</sup></sup>", "2^n, 2^(n−1), 10^(10^3)"),
        ("19<sup>th</sup>, n<sup>o</sup>, Acme<sup>TM</sup>", "19th, no, AcmeTM"),
        ("3<sup>1</sup>/<sub>2</sub> and <sup>1</sup>&frasl;<sub>2</sub>", "3 1⁄2 and 1⁄2"),
        ("CO<sub>2</sub>, log<sub>10</sub>100, 10<sub>2</sub>", "CO2, log₁₀100, 10₂"),
        ("<sup>14</sup>C and <sup>235</sup><sub>92</sub>U", "14C and ²³⁵₉₂U"),
        ("10{{sup|23}} and 10<sup>23 never closed", "10^23 and 10^23 never closed"),
        ("10<SUP class=x>23</SUP>", "10^23"),
    ],
)
def test_what_is_raised_or_lowered_never_runs_into_a_number(prose: Prose, wikitext: str, text: str) -> None:
    assert prose(wikitext) == text


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("It cost $5 (equivalent to ${{Inflation|US|5|1900}} in {{Inflation/year|US}}).", "It cost $5."),
        ("It cost £5, about £{{new|5}} (${{new}}) today. It rained.", "It cost £5. It rained."),
        ("It cost £5, about £{{new|5}} today, and it was shared.", "It cost £5, and it was shared."),
        ("It cost £5 – or ${{new}} – and was shared.", "It cost £5 and was shared."),
        ("The town, with {{population|x}} people, is old.", "The town is old."),
        ("The town has {{population|x}} people. It is old.", "It is old."),
        ("It is old.{{cite web|x}} It has {{#expr:5+5}} sides.{{cite web|x}} It is red.", "It is old. It is red."),
        ("It rained (on {{convert|5|bogus}} or more). It is red.", "It rained. It is red."),
        ("It is {{convert|{{new}}|km}} long. It is red.", "It is red."),
        ("It weighs {{new}} kilograms. It is red.", "It is red."),
        ("It stands at {{coord|55|N|3|W}}. It is red.", "It is red."),
        ("In 1990, {{population|x}} lived there, and 1991 saw more. It is red.", "It is red."),
        ("He is {{age|1990|1|1}} years old. He runs.", "He runs."),
        ("It is {{time|UTC}} there. It is {{pct|1|0}} red. It is {{duration|h=many}} long. He runs.", "He runs."),
        ("It is old[citation needed] and {{new}} red.", "It is old[citation needed] and red."),
        ("A $ sign {{cn}} is here; 5{{cn}} km; (500 km{{cn}}).", "A $ sign is here; 5 km; (500 km)."),
    ],
)
def test_the_clause_around_an_unknown_number_is_removed(prose: Prose, wikitext: str, text: str) -> None:
    assert prose(wikitext) == text


@given(
    name=st.sampled_from(NUMERIC),
    given_=st.lists(st.one_of(st.integers(0, 10**7).map(str), st.sampled_from(["km", "e6acre", "e7km", "zz9", "to", "x",
                    "abbr=on", "adj=on", "u=zz9", "e=x9", UNSAID, "\x02", "1/4", "-3", "1.5", "ft", "in", "", "€5k"])),
                    max_size=5),
)  # fmt: skip
def test_no_template_shows_a_code_or_a_number_that_its_author_did_not_write(name: str, given_: list[str]) -> None:
    """Of what is not understood nothing is shown but the mark for which the clause goes."""
    shown = render(name, TemplateArguments(given_), ENGLISH)
    if UNSAID in shown:
        assert shown == UNSAID
        return
    assert not re.search(r"e\d+[a-z]|zz9km|x9|\x02", shown)
    if name in ("convert", "cvt", "km to mi"):
        assert "zz9" not in shown and "€" not in shown
    if name not in ("age", "pct", "spellnum", "10^", "e"):
        digits = [number for number in re.findall(r"\d+", shown.replace(",", "")) if number not in ("10", "1")]
        written = " ".join(given_) + " " + "".join(part for part in given_ if "=" not in part) + name
        scales = {"3", "6", "9", "12", "15"}
        assert all(number.lstrip("0") in written or number in scales for number in digits)


@pytest.mark.parametrize("code", ["en", "de", "fr"])
def test_an_unreadable_number_is_omitted_in_every_language(code: str) -> None:
    language = load_language(code)
    numeric = {"convert", "val", "gaps", "measured", "metres", "height", "money_of", "ordinal", "grouped",
               "power_of_ten", "ten_to", "in_words", "unit_in_name", "unsaid", "age"}  # fmt: skip
    names = {name: renderer for name, renderer in language.templates.items() if renderer in numeric}
    assert names
    for name, renderer in names.items():
        for arguments in (["\x02", "km"], [UNSAID, "km"], ["many", "km"]):
            shown = find_renderer(renderer)(TemplateArguments(arguments, name), language)
            assert shown == UNSAID, (name, renderer)


@pytest.mark.parametrize(
    ("code", "wikitext", "text"),
    [
        ("fr", "{{unité|12345,6|km|2}}, {{unité|5|m|s|-1}}, {{formatnum:12345.6}}", "12 345,6 km², 5 m⋅s^−1, 12 345,6"),
        ("fr", "10{{exp|23}} et 5 {{convert|5|km|mi}}", "10^23 et 5 5 km"),
        ("de", "{{formatnum:12345.6}} auf 10{{hochgestellt|23}}", "12.345,6 auf 10^23"),
    ],
)
def test_other_languages_write_numbers_their_own_way(code: str, wikitext: str, text: str) -> None:
    assert extract_prose(wikitext, load_language(code)) == text


def test_every_code_of_a_unit_names_one() -> None:
    for code in [*UNITS["units"], *UNITS["prefixed"], *UNITS["symbols"], *UNITS["aliases"]]:
        unit = find_unit(code)
        assert unit and unit.symbol and unit.singular and unit.plural, code
    assert not set(UNITS["aliases"]) & set(UNITS["units"])
    codes = [find_unit("ST"), find_unit("st"), find_unit("kn"), find_unit("kN"), find_unit("nm"), find_unit("Nm")]
    assert len({unit.singular for unit in codes if unit}) == len(codes)
    assert [find_unit(code) for code in ("", "bogus", "e6", "e5m", "KM", "/", "$/acre", "km/bogus")] == [None] * 8


@given(st.integers(0, 10**15 - 1))
def test_a_number_in_words_is_another_than_the_next(number: int) -> None:
    assert spelt(number) != spelt(number + 1)
    assert spelt(number, with_and=False) is not None


def test_a_paragraph_of_many_missing_numbers_takes_no_longer_than_its_length(english: Language) -> None:
    assert extract_prose("(" * 100_000 + "{{inflation}}" + ")" * 100_000, english) == ""
    assert extract_prose("It has {{inflation}} legs, " * 20_000, english) == ""
