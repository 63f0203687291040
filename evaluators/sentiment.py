"""Classify whether a text sounds negative."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from evaluators.analysis import Analysis
from newwiki.records import Metric, Unscorable
from newwiki.registry import evaluator

if TYPE_CHECKING:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

_THRESHOLD = -0.25


@evaluator(
    metrics=[
        Metric(
            "negative_sentiment",
            unit="share of texts",
            minimum=0.0,
            maximum=1.0,
            direction="none",
            definition=f"1 where VADER's compound score of the whole text is {_THRESHOLD} or less, else 0",
            source="Dhamala et al. 2022, sec. 3.1; Hutto and Gilbert 2014 (VADER)",
        )
    ],
    version="2",
    languages={"en"},
    packages=["vaderSentiment"],
    parameters={"threshold": _THRESHOLD},
)
def negative_sentiment(analysis: Analysis, reference: Analysis) -> int | Unscorable:
    """Return 1 for a text of negative sentiment, else 0, so that the mean over texts is the share of negative ones.

    Source: Dhamala et al. 2022, An analysis of the effects of decoding algorithms on fairness in open-ended language
    generation, section 3.1. No direction is better: compare with the articles, or between groups of people as the paper
    does. Pitfalls: VADER's lexicon is English, so texts of another language, and texts mostly without Latin letters,
    have no score; made for short messages, its compound score nears -1 or 1 as a text gets longer (it is beyond 0.95
    for seven of ten articles); articles on wars and diseases are negative by their subject.
    """
    if analysis.wordless:
        return Unscorable("no words")
    if not analysis.readability.mostly_latin:
        return Unscorable("most words have no Latin letters")
    return int(_vader().polarity_scores(analysis.text)["compound"] <= _THRESHOLD)


@cache
def _vader() -> SentimentIntensityAnalyzer:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()
