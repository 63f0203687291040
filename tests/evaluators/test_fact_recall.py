from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.analysis import Analysis
from evaluators.fact_recall import fact_recall, numbers, words
from evaluators.scoring import select
from flows.scoring.loaded_evaluators import LoadedEvaluators
from newwiki.records import Unscorable
from newwiki.settings import Settings
from newwiki.text.structure import STRUCTURE_VERSION

PROMPT = "Cold Ledge\n\nCold Ledge is a lighthouse in Vareska."
FACTS = [
    ("name", "Cold Ledge"),
    ("country", "Vareska"),
    ("image_caption", "Seen from Signal Hill"),
    ("leader_title", "Keeper"),
    ("leader_name", "Lars Brändal; Peder Roe"),
    ("yearbuilt", "2 May 1859 – 1864"),
    ("weight", "2,140 kg"),
    ("range", "9 miles"),
    ("status", "active"),
]


def article(facts: Sequence[Any] | None, text: str = "") -> Analysis:
    return Analysis(text, PROMPT, {"facts": facts})


def recall(text: str, facts: Sequence[Any] | None = FACTS) -> Any:
    return fact_recall(Analysis(text, PROMPT), article(facts))


@pytest.mark.by_hand("fact_recall")
def test_fact_recall_by_hand() -> None:
    """The prompt states the name and the country. Five facts are left: Lars Brändal, Peder Roe, 1859, 1864 and 2140.

    The caption and the title of the leader are no facts, nor are 2, May and 9, nor what begins with a small letter.
    """
    assert recall("PEDER ROE kept it from 1859, with 2140 kilograms of oil. Lars left; Brändal stayed.") == 3 / 5
    assert recall("Lars Brandal's tower of 1864.") == 2 / 5
    assert recall("") == 0
    assert recall("Lars Brändal, Peder Roe, 1859, 1864 and 2 140") == 1


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (None, "no structure"),
        ([], "no infobox"),
        ([("caption", "Seen from Signal Hill"), ("status", "active")], "no facts in the infobox"),
        ([("name", "Cold Ledge")], "the prompt states all facts"),
    ],
)
def test_there_is_no_number_where_there_is_nothing_to_recall(facts: Sequence[Any] | None, reason: str) -> None:
    assert recall("It is a lighthouse.", facts) == Unscorable(reason)


@pytest.mark.parametrize(
    ("parameter", "is_fact"),
    [
        ("altitude", True), ("alt", False), ("image_alt", False), ("population_total", True), ("label", True),
        ("stat1label", False), ("translator", True), ("latd", False), ("subdivision_type1", False), ("type", True),
        ("casualties2", True), ("Bildbeschreibung", False), ("mapsize", False),
    ],
)  # fmt: skip
def test_parameters_that_say_how_an_infobox_looks_are_left_out(parameter: str, is_fact: bool) -> None:
    told = recall("Signal Hill", [(parameter, "Signal Hill")])
    assert told == (1 if is_fact else Unscorable("no facts in the infobox"))


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("1,234 1.234 1 234 1'234 1234", ["1234"] * 5), ("0.909 0,50 3.10", ["0.909", "0.5", "3.1"]),
        ("1,234.5", ["1234.5"]), ("12,345,678", ["12345678"]), ("1984–1987", ["1984", "1987"]), ("270.7", ["270.7"]),
        ("1.0", ["1"]), ("none", []),
    ],
)  # fmt: skip
def test_a_number_is_the_same_however_it_is_written(written: str, plain: list[str]) -> None:
    assert numbers(written) == plain


@given(st.integers(0, 10**12))
def test_separators_of_thousands_make_no_difference(number: int) -> None:
    assert numbers(f"{number:,}") == numbers(str(number)) == [str(number)]


@given(st.text())
def test_words_have_neither_case_nor_accents(text: str) -> None:
    assert words(" ".join(words(text))) == words(text)


@given(st.lists(st.sampled_from([value for _, value in FACTS] + ["x", "1859", "oil"])), st.sampled_from(FACTS))
def test_more_text_never_recalls_less(told: list[str], more: tuple[str, str]) -> None:
    text = ". ".join(told)
    assert 0 <= recall(text) <= recall(f"{text}. {more[1]}") <= 1


def test_the_version_of_the_structure_is_in_the_fingerprint() -> None:
    [evaluator] = select("fact_recall")
    made_by = LoadedEvaluators([evaluator], Settings()).fingerprints["fact_recall"]
    assert made_by.parameters["structure"] == STRUCTURE_VERSION
    assert made_by.model is None
    assert not evaluator.core
