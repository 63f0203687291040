"""Dates and numbers of two texts, compared by value."""

import pytest

from evaluators.analysis import Analysis, Analyst
from evaluators.scoring import fingerprint, score
from evaluators.value_overlap import value_overlap
from newwiki.records import Unscorable
from newwiki.registry import evaluators

ARTICLE = Analysis("Opened on 3 June 2013, it has 5,200,000 visitors, twelve rooms and 5 km of paths.", language="en")


def of(text: str, language: str | None = "en") -> list[float | Unscorable]:
    return [*value_overlap(Analysis(text, language=language), ARTICLE).values()]


@pytest.mark.by_hand("entity_overlap_dates", "entity_overlap_numbers")
def test_dates_and_numbers_by_hand() -> None:
    # Dates: 1 of 2. Numbers: two (5.2 million, 12) of four (these, 5 km, and 5).
    assert of("On June 3, 2013 and in 2014, 5.2 million came to 12 rooms and 5 halls.") == [1 / 2, 2 / 4]


def test_other_languages_state_the_same_values() -> None:
    text = "Am 3. Juni 2013 eröffnet, hat es 5,2 Millionen Besucher, zwölf Räume und 5 km Wege."
    assert of(text, "de") == [1, 1]


def test_without_values_there_is_nothing_to_compare() -> None:
    text = Analysis("It is old.", language="en")
    assert of("It is old.") == [0, 0]
    assert set(value_overlap(text, text).values()) == {
        Unscorable("no dates in either text"),
        Unscorable("no numbers in either text"),
    }
    assert of("…") == [Unscorable("no words")] * 2


def test_text_in_an_unknown_language_is_read_as_english() -> None:
    assert of("On June 3, 2013", None)[0] == 1


def test_language_reaches_the_evaluator_and_others_have_a_status() -> None:
    chosen, analyst = evaluators.get("value_overlap"), Analyst()
    marks = {chosen.name: fingerprint(chosen, analyst)}
    for language, status in {"de": "ok", "sw": "not defined for texts in 'sw'"}.items():
        analyses = analyst.analyse(["Am 3. Juni 2013: 5,2 Millionen."], frozenset(), language=language)
        scores = score([chosen], marks, [(7, 0)], analyses, {7: analyses[0]}, language)
        assert {one.status for one in scores} == {status}
