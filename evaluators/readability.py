"""Measure how hard a text is to read: Flesch reading ease, Flesch-Kincaid grade and both versions of Gunning fog.

All are made for English prose. A text that mostly lacks Latin letters, or has no sentence, has no score.
"""

from evaluators.analysis import Analysis
from evaluators.counts import Readability
from newwiki.records import Metric, Unscorable
from newwiki.registry import evaluator

_COUNTED_BY = {
    "syllables": "pyphen en_US",
    "sentences": "textstat 0.7.4, at least one",
    "complex": "three syllables, not on textstat's list of easy words",
}


@evaluator(
    metrics=[
        Metric(
            "flesch_reading_ease",
            unit="points",
            minimum=None,
            maximum=None,
            direction="none",
            definition="206.835 - 1.015 words/sentences - 84.6 syllables/words; higher is easier",
            source="Flesch 1948; New-Wiki Eval paper, eq. 1",
        )
    ],
    version="3",
    languages={"en"},
    packages=["pyphen"],
    parameters={name: _COUNTED_BY[name] for name in ("syllables", "sentences")},
    core=True,
)
def flesch_reading_ease(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return 206.835 - 1.015 W/S - 84.6 Y/W, usually from 0 (hard) to 100 (easy) but unbounded below; at most 122.

    Source: Flesch 1948, A new readability yardstick; New-Wiki Eval paper, eq. 1, which calls it "FK-score". Pitfalls:
    another way to count syllables moves it by eight points, more than the gap between most models; "U.S." ends a
    sentence.
    """
    counts = analysis.readability
    return unreadable(counts) or (
        206.835 - 1.015 * counts.words / at_least_one_sentence(counts) - 84.6 * counts.syllables / counts.words
    )


@evaluator(
    metrics=[
        Metric(
            "gunning_fog",
            unit="years of education",
            minimum=0.0,
            maximum=None,
            direction="none",
            definition="0.4 (words/sentences + 100 complex words/words)",
            source="Gunning 1952",
        )
    ],
    version="3",
    languages={"en"},
    packages=["pyphen"],
    parameters=_COUNTED_BY,
    core=True,
)
def gunning_fog(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return 0.4 (W/S + 100 C/W), the years of schooling that a reader needs; 0 and up, higher is harder.

    Source: Gunning 1952, The Technique of Clear Writing. Pitfall: not the number in the New-Wiki Eval paper, which is
    `gunning_fog_newwiki`.
    """
    counts = analysis.readability
    return unreadable(counts) or (
        0.4 * (counts.words / at_least_one_sentence(counts) + 100 * counts.complex_words / counts.words)
    )


@evaluator(
    metrics=[
        Metric(
            "gunning_fog_newwiki",
            unit="points",
            minimum=0.0,
            maximum=None,
            direction="none",
            definition="0.4 words/sentences + 100 complex words/words, the index without its outer parentheses",
            source="New-Wiki Eval paper, eq. 2",
        )
    ],
    version="3",
    languages={"en"},
    packages=["pyphen"],
    parameters=_COUNTED_BY,
    core=True,
)
def gunning_fog_newwiki(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return 0.4 W/S + 100 C/W as the paper prints it; 0 and up, higher is harder; about eight above `gunning_fog`.

    Source: New-Wiki Eval paper, eq. 2, whose table it reproduces (21.4 for Wikipedia). Pitfall: not years of schooling.
    """
    counts = analysis.readability
    return unreadable(counts) or (
        0.4 * counts.words / at_least_one_sentence(counts) + 100 * counts.complex_words / counts.words
    )


@evaluator(
    metrics=[
        Metric(
            "flesch_kincaid_grade",
            unit="US school grade",
            minimum=-3.4,
            maximum=None,
            direction="none",
            definition="0.39 words/sentences + 11.8 syllables/words - 15.59; higher is harder",
            source="Kincaid et al. 1975",
        )
    ],
    version="3",
    languages={"en"},
    packages=["pyphen"],
    parameters={name: _COUNTED_BY[name] for name in ("syllables", "sentences")},
)
def flesch_kincaid_grade(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return 0.39 W/S + 11.8 Y/W - 15.59, the school grade a reader needs; -3.4 and up, mostly 0 to 18, higher is
    harder.

    Source: Kincaid et al. 1975, Derivation of new readability formulas for Navy enlisted personnel. Pitfalls: not the
    "FK-score" of the New-Wiki Eval paper, which is `flesch_reading_ease`; as there, counting syllables by pronunciation
    and not by hyphenation moves it, by about a grade; a text without full stops for long is one very long sentence.
    """
    counts = analysis.readability
    return unreadable(counts) or (
        0.39 * counts.words / at_least_one_sentence(counts) + 11.8 * counts.syllables / counts.words - 15.59
    )


def unreadable(counts: Readability) -> Unscorable | None:
    """Explain why a text has no readability score; None if it has one."""
    if counts.words == 0:
        return Unscorable("no words")
    if not counts.mostly_latin:
        return Unscorable("most words have no Latin letters")
    if not counts.ended:
        return Unscorable("no sentence end")
    return None


def at_least_one_sentence(counts: Readability) -> int:
    """Return the number of sentences; like textstat, at least one, even if all are too short to count."""
    return max(1, counts.sentences)
