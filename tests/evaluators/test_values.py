"""Dates and numbers are the same however they are written, in each language."""

import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.values import languages, values_of
from newwiki.text.language import load_language


def dates(text: str, language: str = "en") -> set[str]:
    return set(values_of(text, language).dates)


def numbers(text: str, language: str = "en") -> set[tuple[Fraction, str]]:
    return set(values_of(text, language).numbers)


def bare(*amounts: float | str) -> set[tuple[Fraction, str]]:
    return {(Fraction(amount), "") for amount in amounts}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "3 June 2013"),
        ("en", "June 3, 2013"),
        ("en", "June 3rd 2013"),
        ("en", "3rd of June, 2013"),
        ("en", "3 Jun 2013"),
        ("en", "born (2013-06-03) there"),
        ("de", "am 3. Juni 2013."),
        ("de", "3.6.2013"),
        ("de", "03.06.2013"),
        ("fr", "le 3 juin 2013"),
        ("fr", "03/06/2013"),
        ("es", "3 de junio de 2013"),
        ("it", "3 giugno 2013"),
        ("pt", "3 de junho de 2013"),
        ("nl", "3 juni 2013"),
        ("pl", "3 czerwca 2013 roku"),
        ("ru", "3 июня 2013 года"),
        ("ja", "彼は2013年6月3日に生まれた"),
        ("zh", "他於2013年6月3日出生"),
    ],
)
def test_day_is_the_same_in_every_notation(language: str, text: str) -> None:
    assert (dates(text, language), numbers(text, language)) == ({"2013-06-03"}, set())


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("en", "in June 2013", {"2013-06"}),
        ("en", "on 3 June", {"--06-03"}),
        ("en", "May 5 and May 2013; he may 5", {"--05-05", "2013-05"}),
        ("en", "in 2013, and in 1066.", {"2013", "1066"}),
        ("en", "mid-2013", {"2013"}),
        ("en", "the 2010s", {"2010s"}),
        ("en", "3–5 June 2013", {"2013-06-03", "2013-06-05"}),
        ("en", "June 3-5, 2013", {"2013-06-03", "2013-06-05"}),
        ("en", "1914–18, 1939-1945, 2024/25", {"1914", "1918", "1939", "1945", "2024", "2025"}),
        ("en", "06/03/2013 at 10:30", set()),  # the third of June or the sixth of March
        ("en", "31 June, 0 May, June", set()),
        ("en", "29 February 2024", {"2024-02-29"}),
        ("de", "die 1990er Jahre", {"1990s"}),
        ("fr", "le 1er juin", {"--06-01"}),
        ("es", "junio de 2013", {"2013-06"}),
        ("pl", "w czerwcu 2013", {"2013-06"}),
        ("ru", "в июне 2013", {"2013-06"}),
        ("ja", "2013年6月、6月3日、2000年", {"2013-06", "--06-03", "2000"}),
    ],
)
def test_partial_dates_and_ranges_are_values_of_their_own(language: str, text: str, found: set[str]) -> None:
    assert dates(text, language) == found


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("en", "5.2 million people", bare(5_200_000)),
        ("en", "5,200,000", bare(5_200_000)),
        ("en", "52,00,000 or 52 lakh", bare(5_200_000)),
        ("en", "twelve men, 12 women", bare(12)),
        ("en", "Twelve thousand", bare(12_000)),
        ("en", "two hundred and twenty-five", bare(225)),
        ("en", "two thousand million, a million", bare(2_000_000_000, 1_000_000)),
        ("en", "two and three, or two three", bare(2, 3)),
        ("en", "one of them, a house, thousands", set()),
        ("en", "a score of 3–1, 3.50 and 3.5", bare(3, 1, "3.5")),
        ("en", "A380, COVID-19, 1.2.3, 10:30, 19th, x5", set()),
        ("en", "-5 and −5 but 2-5", bare(-5, 2, 5)),
        ("de", "5,2 Millionen", bare(5_200_000)),
        ("de", "5.200.000 oder zwölf", bare(5_200_000, 12)),
        ("fr", "5,2 millions, 5\u202f200\u202f000, deux mille, vingt et un", bare(5_200_000, 2_000, 21)),
        ("es", "dos mil, 2 mil millones, treinta y cinco", bare(2_000, 2_000_000_000, 35)),
        ("it", "5,2 milioni, diecimila", bare(5_200_000, 10_000)),
        ("pt", "5,2 milhões, vinte e um", bare(5_200_000, 21)),
        ("nl", "5,2 miljoen, twaalf", bare(5_200_000, 12)),
        ("pl", "5,2 mln, 5 tys., pięciu", bare(5_200_000, 5_000, 5)),
        ("ru", "5,2 миллиона, 5 тыс., двадцать", bare(5_200_000, 5_000, 20)),
        ("ja", "520万人、５万2000人", bare(5_200_000, 52_000)),
        ("zh", "520万人,1.2亿", bare(5_200_000, 120_000_000)),
    ],
)
def test_number_is_the_same_in_digits_and_words(language: str, text: str, found: set[tuple[Fraction, str]]) -> None:
    assert numbers(text, language) == found


@pytest.mark.parametrize(
    ("language", "text", "unit"),
    [
        ("en", "5%", "%"),
        ("en", "five per cent", "%"),
        ("en", "$5", "$"),
        ("en", "US$ 5", "$"),
        ("en", "5 dollars", "$"),
        ("en", "5 km", "km"),
        ("en", "a 5-kilometre road", "km"),
        ("en", "5 square miles", "mi²"),
        ("en", "5 pounds", "pound"),
        ("de", "5 Prozent", "%"),
        ("de", "5 Euro", "€"),
        ("fr", "5 kilomètres", "km"),
        ("ru", "5 рублей", "₽"),
        ("ja", "5円です", "¥"),
        ("zh", "高5米", "m"),
    ],
)
def test_units_are_kept_apart_from_bare_numbers(language: str, text: str, unit: str) -> None:
    assert numbers(text, language) == {(Fraction(5), unit)}


def test_scales_go_before_units() -> None:
    expected = {(Fraction(5_200_000), "€")}
    assert numbers("€5.2 million") == numbers("€5.2m") == numbers("5.2 million euros") == expected
    assert numbers("5,2 millions d'euros", "fr") == numbers("5,2 millones de euros", "es") == expected


def test_four_digits_with_a_unit_are_no_year() -> None:
    assert values_of("the 1500 metres", "en") == values_of("the 1,500 m", "en")
    assert dates("$2000, 1999 km, 3000, 0999, 2000 people") == {"2000"}
    assert numbers("$2000") == numbers("USD 2000") == {(Fraction(2000), "$")}
    assert numbers("2000 T-shirts, 12 t-shirts") == bare(12)


@pytest.mark.parametrize("text", ["", "...", "🙂", "no value", "\ud800 \x00", "٣", "½", "1" * 60])
@pytest.mark.parametrize("language", sorted(languages()))
def test_text_without_values_has_none(language: str, text: str) -> None:
    assert values_of(text, language) == values_of("", language)


@pytest.mark.parametrize("language", sorted(languages()))
def test_every_month_is_read(language: str) -> None:
    for number, month in enumerate(load_language(language).months, start=1):
        text = f"2013年{month}3日" if load_language(language).spaceless else f"{month} 2013"
        assert dates(text, language) == {f"2013-{number:02}-03" if "年" in text else f"2013-{number:02}"}


@given(st.integers(0, 10**12))
def test_grouping_digits_does_not_change_the_value(number: int) -> None:
    grouped = f"{number:,}"
    if not 1000 <= number <= 2100:
        assert numbers(str(number)) == bare(number)
    assert numbers(grouped) == bare(number)
    assert numbers(grouped.replace(",", "."), "de") == numbers(grouped.replace(",", " "), "fr") == bare(number)


@given(st.text("0123456789.,-–/ $%two hundredthousandJune年月日万", max_size=40), st.sampled_from(sorted(languages())))
def test_any_text_is_read(text: str, language: str) -> None:
    values_of(text, language)


@pytest.mark.parametrize("text", ["1,", "1 ", "1", "two ", "2 June ", "5万", "$", "-", "3–", "hundred "])
def test_time_is_linear_in_the_text(text: str) -> None:
    started = time.process_time()
    for language in ("en", "fr", "ja"):
        values_of(text * 5_000, language)
    assert time.process_time() - started < 1.5
