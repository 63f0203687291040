"""A text that says something else in the same form: its names, numbers or negations are others."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.changed_facts import names_exchanged, negated, numbers_changed
from newwiki.text.language import load_language

ENGLISH = load_language("en")
TEXT = "The mill of Lorn burned on 5 October 1863. In Old Harbor, 1,204 men of the U.S. Army saw the 1860s end."


def test_every_name_becomes_another_name_of_the_text() -> None:
    changed = names_exchanged(TEXT, "en", ENGLISH.months, 0, 1)
    assert changed is not None
    names = re.compile(r"Lorn|Old Harbor|U\.S|Army")
    assert sorted(names.findall(changed)) == sorted(names.findall(TEXT))
    assert all(a != b for a, b in zip(names.findall(changed), names.findall(TEXT), strict=True))
    assert names.sub("_", changed) == names.sub("_", TEXT)


def test_mentions_of_a_name_stay_mentions_of_one_name() -> None:
    changed = names_exchanged("He saw Lorn and Mora. He left Lorn for Mora.", "en", (), 0, 1)
    assert changed == "He saw Mora and Lorn. He left Mora for Lorn."


@pytest.mark.parametrize(
    "text",
    ["", "Lorn", "He saw Lorn.", "Lorn burned. Mora burned.", "He came in May and June.", "東京は日本の首都。",
     "القاهرة عاصمة مصر.", "😀 😀"],
)  # fmt: skip
def test_a_text_without_two_names_has_none_to_exchange(text: str) -> None:
    assert names_exchanged(text, "en", ENGLISH.months, 0, 1) is None


def test_numbers_and_months_change_and_keep_their_form() -> None:
    changed = numbers_changed(TEXT, ENGLISH.months, 0, 1)
    assert changed is not None
    match = re.fullmatch(
        r"The mill of Lorn burned on (\d+) (\w+) (\d{4})\. In Old Harbor, (\d,\d{3}) men of the U\.S\. Army saw the "
        r"(\d{4})s end\.",
        changed,
    )
    assert match
    day, month, year, men, decade = match.groups()
    assert day != "5" and 1 <= int(day) <= 28
    assert month in ENGLISH.months and month != "October"
    assert 1823 <= int(year) <= 1862 and 1820 <= int(decade) <= 1859
    assert all(a != b for a, b in zip(men, "1,204", strict=True) if a != ",") and men[0] != "0"


def test_one_number_becomes_one_other_number() -> None:
    first, second = str(numbers_changed("From 1863 to 1863.", (), 0, 1))[5:-1].split(" to ")
    assert first == second != "1863"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", False), ("No number.", False), ("B2 and 3rd.", False), ("In 7 days.", True), ("May came.", True),
     ("عام ١٩٨٤", True), ("3月", True), ("1.5", True)],
)  # fmt: skip
def test_numbers_are_found_in_any_script(text: str, expected: bool) -> None:
    changed = numbers_changed(text, ENGLISH.months, 0, 1)
    assert (changed is not None) == expected
    if changed is not None and text.startswith("عام"):
        assert re.fullmatch(r"عام [٠-٩]{4}", changed)


@given(st.text("ab 0123456789.,", max_size=40))
def test_only_digits_change(text: str) -> None:
    changed = numbers_changed(text, (), 3, 5)
    assert changed is None or re.sub(r"\d+", "0", changed) == re.sub(r"\d+", "0", text)


def test_verbs_are_negated_once() -> None:
    text = "It was here, and is not there. Wasps were early."
    assert negated(text, ENGLISH.negations) == "It was not here, and is not there. Wasps were not early."
    assert negated("Elle est là.", load_language("fr").negations) == "Elle n’est pas là."
    assert negated("La casa es grande.", load_language("es").negations) == "La casa no es grande."


@pytest.mark.parametrize("text", ["", "Go.", "It is not."])
def test_a_text_without_a_verb_to_negate_has_no_negation(text: str) -> None:
    assert negated(text, ENGLISH.negations) is None
    assert negated("It is.", {}) is None
