from collections.abc import Callable
from importlib import metadata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from evaluators.analysis import Analysis, Analyst
from evaluators.sentiment import negative_sentiment
from newwiki.records import Unscorable

Counted = Callable[[str], Analysis]
THEIRS = SentimentIntensityAnalyzer()
WORDS = ["war", "good", "GREAT", "not", "very", "killed", "bridge", "but", "no", "kind", "of", "least", "sad!", ":("]


@pytest.mark.by_hand("negative_sentiment")
def test_negative_sentiment_by_hand(counted: Counted) -> None:
    # "bad" is -2.5 in VADER's lexicon and "good" 1.9; the compound score is s / sqrt(s² + 15).
    assert negative_sentiment(counted("a bad bridge"), counted("")) == 1
    assert negative_sentiment(counted("a good bridge"), counted("")) == 0
    assert negative_sentiment(counted("a bridge over the river"), counted("")) == 0
    assert THEIRS.polarity_scores("a bad bridge")["compound"] == pytest.approx(-2.5 / (2.5**2 + 15) ** 0.5, abs=1e-4)


@given(st.lists(st.sampled_from(WORDS), max_size=12))
def test_the_threshold_is_on_vaders_compound_score(words: list[str]) -> None:
    (analysis,) = Analyst().analyse([" ".join(["it", *words])], frozenset())
    assert negative_sentiment(analysis, analysis) == (THEIRS.polarity_scores(analysis.text)["compound"] <= -0.25)


def test_the_lexicon_is_the_frozen_one() -> None:
    assert metadata.version("vaderSentiment") == "3.3.2"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no words"),
        ("🙂", "no words"),
        ("1234 5678", "most words have no Latin letters"),
        ("这是第一句话。", "most words have no Latin letters"),
        ("هذا نص عربي.", "most words have no Latin letters"),
    ],
)
def test_what_vader_cannot_read_has_no_score(counted: Counted, text: str, reason: str) -> None:
    assert negative_sentiment(counted(text), counted("A reference.")) == Unscorable(reason)
