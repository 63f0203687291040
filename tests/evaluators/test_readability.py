import json
from collections.abc import Callable
from pathlib import Path

import pytest
import textstat
from hypothesis import given
from hypothesis import strategies as st

from evaluators.analysis import Analysis, Analyst
from evaluators.readability import flesch_kincaid_grade, flesch_reading_ease, gunning_fog, gunning_fog_newwiki
from evaluators.scoring import fingerprint, score, select
from newwiki.records import Unscorable

Counted = Callable[[str], Analysis]

WORDS = "readability Wikipedia's 'several animal is a long, (e.g. U.S. however! it? -"
# By hand: 12 words in 2 sentences; in-for-ma-tion and re-spon-si-bil-i-ty are complex, the other ten have one syllable.
TEXT = "The old men hid their information. Good dogs need no responsibility here."


@pytest.mark.by_hand("flesch_reading_ease")
def test_flesch_reading_ease_by_hand(counted: Counted) -> None:
    assert flesch_reading_ease(counted(TEXT), counted(TEXT)) == pytest.approx(206.835 - 1.015 * 6 - 84.6 * 20 / 12)


@pytest.mark.by_hand("flesch_kincaid_grade")
def test_flesch_kincaid_grade_by_hand(counted: Counted) -> None:
    assert flesch_kincaid_grade(counted(TEXT), counted(TEXT)) == pytest.approx(0.39 * 6 + 11.8 * 20 / 12 - 15.59)


@pytest.mark.by_hand("gunning_fog", "gunning_fog_newwiki")
def test_both_fog_indices_by_hand(counted: Counted) -> None:
    assert gunning_fog(counted(TEXT), counted(TEXT)) == pytest.approx(0.4 * (6 + 100 * 2 / 12))
    assert gunning_fog_newwiki(counted(TEXT), counted(TEXT)) == pytest.approx(0.4 * 6 + 100 * 2 / 12)


OURS_AND_TEXTSTATS = [
    (flesch_reading_ease, textstat.flesch_reading_ease),
    (flesch_kincaid_grade, textstat.flesch_kincaid_grade),
    (gunning_fog, textstat.gunning_fog),
]


@pytest.fixture
def textstat_as_before(hyphenated: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """textstat 0.7.13 with syllables by hyphenation, and with the word's end after 's that 0.7.4 looks for."""
    monkeypatch.setattr(
        "textstat.backend.transformations._remove_punctuation.RE_NONCONTRACTION_APOSTROPHE",
        r"\'(?![tsd]\b|ve\b|ll\b|re\b)",
    )


def assert_textstats(text: str) -> None:
    (analysis,) = Analyst().analyse([text], frozenset())
    for ours, theirs in OURS_AND_TEXTSTATS:
        found = ours(analysis, analysis)
        assert isinstance(found, Unscorable) or found == pytest.approx(theirs(text), abs=1e-9)


@given(st.lists(st.sampled_from(WORDS.split()), max_size=60))
@pytest.mark.usefixtures("textstat_as_before")
def test_scores_are_textstats_with_hyphenation_syllables(words: list[str]) -> None:
    assert_textstats(" ".join([*words, "at last."]))


@pytest.mark.usefixtures("textstat_as_before")
def test_scores_are_textstats_on_the_sample_wiki(sample_texts: list[str]) -> None:
    for text in sample_texts:
        assert_textstats(text)


@pytest.mark.usefixtures("textstat_as_before")
def test_scores_are_textstats_on_real_articles(beside: Callable[[str], Path]) -> None:
    file = beside("articles/wikipedia_english_20240601to20240615.json")
    for text in json.loads(file.read_text("utf-8"))[:150]:
        assert_textstats(text)


@pytest.mark.usefixtures("hyphenated")
def test_a_quotation_mark_before_a_word_in_s_is_no_apostrophe(counted: Counted) -> None:
    # "several" is an easy word, and "'several", as textstat 0.7.13 has it, a complex one.
    text = "They had 'several dogs' here."
    assert counted(text).readability.complex_words == 0
    assert gunning_fog(counted(text), counted(text)) == pytest.approx(0.4 * 5)
    assert textstat.gunning_fog(text) == pytest.approx(0.4 * (5 + 100 / 5))


@pytest.mark.parametrize("evaluate", [flesch_reading_ease, flesch_kincaid_grade, gunning_fog, gunning_fog_newwiki])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no words"),
        ("... !? —", "no words"),
        ("🙂 🎉.", "no words"),
        ("a text that just stops", "no sentence end"),
        ("1234 5678.", "most words have no Latin letters"),
        ("هذا نص عربي. وهذا نص آخر.", "most words have no Latin letters"),
        ("这是第一句话. 这是第二句话.", "most words have no Latin letters"),
    ],
)
def test_what_cannot_be_read_has_a_reason_for_a_score(
    counted: Counted, evaluate: Callable[[Analysis, Analysis], object], text: str, reason: str
) -> None:
    assert evaluate(counted(text), counted("A reference.")) == Unscorable(reason)


def test_one_word_with_a_full_stop_is_a_sentence(counted: Counted) -> None:
    assert flesch_reading_ease(counted("Stop."), counted("Stop.")) == pytest.approx(206.835 - 1.015 - 84.6)


@pytest.mark.parametrize(("language", "is_there"), [("en", True), (None, True), ("de", False), ("ja", False)])
def test_the_english_formulas_are_null_in_other_languages(language: str | None, is_there: bool) -> None:
    """The same text, so nothing but the language decides."""
    chosen = select("flesch_reading_ease,gunning_fog,lix,words")
    analysis = Analysis("The river runs to the sea. It is a very long river there.")
    marks = {one.name: fingerprint(one, Analyst()) for one in chosen}
    found = {one.metric: one for one in score(chosen, marks, [(1, 0)], [analysis], {1: analysis}, language)}
    null = "ok" if is_there else f"not defined for texts in '{language}'"
    assert [found[name].status for name in ("flesch_reading_ease", "gunning_fog")] == [null, null]
    assert [found[name].status for name in ("lix", "words")] == ["ok", "ok"]
    assert (found["flesch_reading_ease"].value is not None) == is_there
