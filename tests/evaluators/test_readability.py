from collections.abc import Callable

import pytest
import textstat
from hypothesis import given
from hypothesis import strategies as st

from evaluators.analysis import Analysis, Analyst
from evaluators.readability import flesch_kincaid_grade, flesch_reading_ease, gunning_fog, gunning_fog_newwiki
from newwiki.records import Unscorable

Counted = Callable[[str], Analysis]

WORDS = "readability Wikipedia's animal is a long, (e.g. U.S. however! it? -"
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


@given(st.lists(st.sampled_from(WORDS.split()), max_size=60))
def test_scores_are_textstats_with_hyphenation_syllables(words: list[str]) -> None:
    text = " ".join([*words, "at last."])
    (analysis,) = Analyst().analyse([text], frozenset())
    with pytest.MonkeyPatch.context() as patch:
        # Without a pronouncing dictionary textstat 0.7.13 counts syllables as 0.7.3 and 0.7.4 did.
        patch.setattr("textstat.backend.counts._count_syllables.get_cmudict", lambda lang: None)
        assert flesch_reading_ease(analysis, analysis) == pytest.approx(textstat.flesch_reading_ease(text))
        assert flesch_kincaid_grade(analysis, analysis) == pytest.approx(textstat.flesch_kincaid_grade(text))
        assert gunning_fog(analysis, analysis) == pytest.approx(textstat.gunning_fog(text))


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
