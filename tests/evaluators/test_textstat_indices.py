import json
from collections.abc import Callable
from pathlib import Path

import nltk
import pytest
import textstat
from hypothesis import given
from hypothesis import strategies as st

from evaluators.analysis import Analysis, Analyst
from evaluators.scoring import fingerprint, select
from evaluators.textstat_indices import (
    automated_readability_index,
    coleman_liau_index,
    dale_chall_readability_score,
    lix,
    mcalpine_eflaw,
    rix,
)
from newwiki.records import Unscorable

Index = Callable[[Analysis, Analysis], float | Unscorable]

INDICES = [
    automated_readability_index,
    coleman_liau_index,
    dale_chall_readability_score,
    lix,
    mcalpine_eflaw,
    rix,
]
# By hand: 10 words in 2 sentences; 49 characters, 2 of them full stops. "Information" and "wonderful" are long; My,
# old, cat, can and is are short; only "information" is not on the list of easy words.
TEXT = "My old cat can sleep here. Information is wonderful today."


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """textstat's dictionary of syllables is neither here nor to be had."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("textstat asked for its dictionary")

    monkeypatch.setattr(nltk, "download", refuse)
    monkeypatch.setattr(nltk.data, "find", refuse)


def value(index: Index, text: str) -> float | Unscorable:
    (analysis,) = Analyst().analyse([text], frozenset())
    return index(analysis, analysis)


@pytest.mark.by_hand("automated_readability_index")
def test_automated_readability_index_by_hand() -> None:
    assert value(automated_readability_index, TEXT) == pytest.approx(4.71 * 49 / 10 + 0.5 * 5 - 21.43)


@pytest.mark.by_hand("coleman_liau_index")
def test_coleman_liau_index_by_hand() -> None:
    assert value(coleman_liau_index, TEXT) == pytest.approx(0.058 * 470 - 0.296 * 20 - 15.8)


@pytest.mark.by_hand("lix", "rix")
def test_lix_and_rix_by_hand() -> None:
    assert value(lix, TEXT) == pytest.approx(5 + 100 * 2 / 10)
    assert value(rix, TEXT) == pytest.approx(2 / 2)


@pytest.mark.by_hand("mcalpine_eflaw")
def test_mcalpine_eflaw_by_hand() -> None:
    assert value(mcalpine_eflaw, TEXT) == pytest.approx((10 + 5) / 2)


@pytest.mark.by_hand("dale_chall_readability_score")
def test_dale_chall_by_hand_on_both_sides_of_its_leap() -> None:
    assert value(dale_chall_readability_score, TEXT) == pytest.approx(0.1579 * 10 + 0.0496 * 5 + 3.6365)
    easy = "My old cat can sleep here today. " * 3
    assert value(dale_chall_readability_score, easy) == pytest.approx(0.0496 * 7)
    assert value(dale_chall_readability_score, easy + "It has information.") == pytest.approx(
        0.1579 * 100 / 24 + 0.0496 * 24 / 4
    )


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("index", INDICES)
def test_nothing_is_looked_up_elsewhere(index: Index) -> None:
    assert value(index, f"{TEXT} Nobody has looked up {index.__name__} before.") == pytest.approx(9, abs=30)


@pytest.mark.usefixtures("hyphenated")
def test_every_index_is_textstats_own_on_the_sample_wiki(sample_texts: list[str]) -> None:
    assert len(sample_texts) >= 10
    for index in INDICES:
        theirs = getattr(textstat, index.__name__)
        assert [value(index, text) for text in sample_texts] == pytest.approx([*map(theirs, sample_texts)], abs=1e-9)


@pytest.mark.usefixtures("hyphenated")
def test_every_index_is_textstats_own_on_real_articles(beside: Callable[[str], Path]) -> None:
    articles = json.loads(beside("articles/wikipedia_english_20240601to20240615.json").read_text("utf-8"))
    for article in articles[:40]:
        for index in INDICES:
            found = value(index, article)
            assert isinstance(found, Unscorable) or found == pytest.approx(getattr(textstat, index.__name__)(article))


def test_what_another_does_with_textstat_changes_no_number() -> None:
    before = [value(index, TEXT) for index in INDICES]
    textstat.set_lang("de_DE")
    textstat.set_rounding_points(0)
    try:
        assert [value(index, TEXT) for index in INDICES] == before
    finally:
        textstat.set_lang("en_US")
        textstat.set_rounding_points(None)


def test_they_are_scored_by_this_version_of_textstat() -> None:
    for evaluator in select(",".join(index.__name__ for index in INDICES)):
        assert fingerprint(evaluator, Analyst()).dependencies == {"textstat": "0.7.13"}
        assert not evaluator.core


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no words"),
        ("... !? —", "no words"),
        ("🙂 🎉.", "no words"),
        ("a text that just stops", "no sentence end"),
        ("1234 5678.", "most words have no Latin letters"),
        ("هذا نص عربي. وهذا نص آخر.", "most words have no Latin letters"),
        ("זה משפט אחד. וזה עוד אחד.", "most words have no Latin letters"),
        ("这是第一句话. 这是第二句话.", "most words have no Latin letters"),
    ],
)
def test_what_cannot_be_read_has_a_reason_for_a_score(index: Index, text: str, reason: str) -> None:
    assert value(index, text) == Unscorable(reason)


@pytest.mark.parametrize(
    ("index", "least"),
    [
        (automated_readability_index, 4.71 * 2 + 0.5 - 21.43),
        (coleman_liau_index, -39.6),
        (lix, 1),
        (rix, 0),
        (mcalpine_eflaw, 2),
        (dale_chall_readability_score, 0.0496),
    ],
)
def test_one_word_of_one_letter_is_the_least(index: Index, least: float) -> None:
    assert value(index, "A.") == pytest.approx(least)


@given(st.text(alphabet="aIstd' .!?-_🙂\n\ud800é", max_size=60).map(lambda text: f"{text} A."))
def test_no_score_is_below_the_declared_least(text: str) -> None:
    for evaluator in select(",".join(index.__name__ for index in INDICES)):
        found = value(evaluator.function, text)
        minimum = evaluator.metrics[0].minimum
        assert minimum is not None
        assert isinstance(found, Unscorable) or found >= minimum - 1e-9
