"""Compute readability indices with the library textstat: those that need no dictionary of syllables.

textstat looks syllables up in an English dictionary that it downloads, so indices with syllables are ours
(`readability.py`). All are made for English prose; a text without Flesch reading ease has none of them either.
"""

from __future__ import annotations

from evaluators.analysis import Analysis
from evaluators.readability import unreadable
from newwiki.records import Metric, Unscorable
from newwiki.registry import evaluator


@evaluator(
    metrics=[
        Metric(
            "automated_readability_index",
            unit="US school grade",
            minimum=-16.22,
            maximum=None,
            direction="none",
            definition="4.71 characters/words + 0.5 words/sentences - 21.43; higher is harder",
            source="Smith and Senter 1967; textstat",
        )
    ],
    version="2",
    languages={"en"},
    packages=["textstat"],
)
def automated_readability_index(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return 4.71 C/W + 0.5 W/S - 21.43, the school grade that a reader needs; -16.22 and up, mostly 0 to 20.

    Source: Smith and Senter 1967, Automated readability index, as in textstat: C are all characters except white space,
    including punctuation marks, and a mark that stands alone is a word in C/W but not in W/S. Pitfall: long words need
    not be hard ones, and numbers and names count as words.
    """
    from textstat.backend import metrics

    return unreadable(analysis.readability) or metrics.automated_readability_index(analysis.text)


@evaluator(
    metrics=[
        Metric(
            "coleman_liau_index",
            unit="US school grade",
            minimum=-39.6,
            maximum=None,
            direction="none",
            definition="5.8 letters/words - 29.6 sentences/words - 15.8; higher is harder",
            source="Coleman and Liau 1975; textstat",
        )
    ],
    version="2",
    languages={"en"},
    packages=["textstat"],
)
def coleman_liau_index(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return 0.058 L - 0.296 S - 15.8 with L letters and S sentences per 100 words; -39.6 and up, mostly 0 to 20.

    Source: Coleman and Liau 1975, A computer readability formula designed for machine scoring, as in textstat:
    digits are letters. Pitfall: textstat rounds the 0.0588 of the paper to 0.058, so that its index is 0.0008 L lower,
    about 0.4 of a grade.
    """
    from textstat.backend import metrics

    return unreadable(analysis.readability) or metrics.coleman_liau_index(analysis.text)


@evaluator(
    metrics=[
        Metric(
            "lix",
            unit="points",
            minimum=1.0,
            maximum=None,
            direction="none",
            definition="words/sentences + 100 words of more than six letters/words; higher is harder",
            source="Björnsson 1968; textstat",
        )
    ],
    version="1",
    packages=["textstat"],
)
def lix(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return W/S + 100 L/W with L words of more than six letters; 1 and up, mostly 20 (easy) to 60 (hard).

    Source: Björnsson 1968, Läsbarhet, as in textstat. Pitfalls: made for Swedish, whose compounds are long words;
    "well-known" is one word of nine letters; a text without full stops for long is one very long sentence.
    """
    from textstat.backend import metrics

    return unreadable(analysis.readability) or metrics.lix(analysis.text)


@evaluator(
    metrics=[
        Metric(
            "rix",
            unit="long words a sentence",
            minimum=0.0,
            maximum=None,
            direction="none",
            definition="words of more than six letters/sentences; higher is harder",
            source="Anderson 1983; textstat",
        )
    ],
    version="1",
    packages=["textstat"],
)
def rix(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return L/S with L words of more than six letters; 0 and up, mostly 0.1 (easy) to 10 (hard).

    Source: Anderson 1983, Lix and Rix: variations on a little-known readability index, as in textstat. Pitfall:
    a text without full stops for long is one very long sentence with all its long words.
    """
    from textstat.backend import metrics

    return unreadable(analysis.readability) or metrics.rix(analysis.text)


@evaluator(
    metrics=[
        Metric(
            "mcalpine_eflaw",
            unit="words a sentence",
            minimum=1.0,
            maximum=None,
            direction="none",
            definition="(words + words of three letters or fewer)/sentences; higher is harder for foreigners",
            source="McAlpine 2006; textstat",
        )
    ],
    version="2",
    languages={"en"},
    packages=["textstat"],
)
def mcalpine_eflaw(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return (W + M)/S with M words of three letters or fewer; 1 and up: 20 is very easy for learners, 30 is hard.

    Source: McAlpine 2006, From plain English to global English, as in textstat. Pitfall: an encyclopedia's
    numbers and initials are short words, which here stand for the idioms made of them ("get on with").
    """
    from textstat.backend import metrics

    return unreadable(analysis.readability) or metrics.mcalpine_eflaw(analysis.text)


@evaluator(
    metrics=[
        Metric(
            "dale_chall_readability_score",
            unit="points",
            minimum=0.0496,
            maximum=None,
            direction="none",
            definition="15.79 difficult words/words + 0.0496 words/sentences, and 3.6365 more where over 5 % of the "
            "words are difficult, which are those not on a list of 2,941 that children know; higher is harder",
            source="Dale and Chall 1948; textstat",
        )
    ],
    version="2",
    languages={"en"},
    packages=["textstat"],
)
def dale_chall_readability_score(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return 0.1579 P + 0.0496 W/S, plus 3.6365 if P > 5, with P per cent of difficult words; mostly 5 to 16.

    Below 5 a fourth grader understands it, from 10 on a graduate. Source: Dale and Chall 1948, A formula for
    predicting readability, as in textstat. Only textstat's words are used and not its score, because its function
    counts their syllables, for which it downloads a dictionary, and then uses none of the counts. Pitfalls: inflected
    words ("walked") and names are difficult, which Dale and Chall did not mean, so that encyclopedic text scores some
    points too high; the score leaps by 3.6 at one difficult word in twenty.
    """
    if reason := unreadable(analysis.readability):
        return reason
    from textstat.backend import metrics, selections, utils

    words, easy = selections.list_words(analysis.text), utils.get_lang_easy_words("en")
    difficult = 100 * sum(word.lower() not in easy for word in words) / len(words)
    score: float = 0.1579 * difficult + 0.0496 * metrics.words_per_sentence(analysis.text)
    return score + 3.6365 if difficult > 5 else score
