"""Compute ROUGE-L from the longest common subsequence of words of a text and the article."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from evaluators.analysis import Analysis
from evaluators.counts import terms
from evaluators.scales import ratio
from newwiki.records import Unscorable
from newwiki.registry import evaluator

# Pairs of words, about a second's work. Two texts of 10,000 words are a hundredth of it.
_MOST_PAIRS = 10**10


@evaluator(
    metrics=[
        ratio(
            "rouge_l",
            "F1 of L/words of the text and L/words of the article, L the length of the longest common "
            "subsequence of words",
            "Lin 2004, sec. 3.1 with beta = 1",
        )
    ],
    version="1",
    parameters={"beta": 1, "words": "runs of letters and digits, casefolded, not stemmed", "most_pairs": _MOST_PAIRS},
)
def rouge_l(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return 2 P R / (P + R) with P = L/m and R = L/n over the whole texts, from 0 to 1, higher shares more.

    L is the length of the longest common subsequence of the text's m and the article's n words. Source: Lin 2004,
    ROUGE: a package for automatic evaluation of summaries, section 3.1 (sentence level), with beta = 1 as in the
    package rouge-score. Pitfalls: common words in common order give any two English articles about 0.12; this is not
    the summary-level variant that joins sentences (rougeLsum); a character of a script without spaces is a word.
    """
    if reason := analysis.wordless_beside(reference):
        return reason
    words, reference_words = terms(analysis.text), terms(reference.text)
    if not words or not reference_words:
        return Unscorable("no words")
    if len(words) * len(reference_words) > _MOST_PAIRS:
        return Unscorable("too long to compare")
    # The harmonic mean of P = L/m and R = L/n.
    return 2 * longest_common(words, reference_words) / (len(words) + len(reference_words))


def longest_common(first: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    A row of the usual table is stored as a number with one bit per word of the shorter text, 0 where the row grows, and
    each word of the longer text gives the next row by one addition: Hyyrö 2004, Bit-parallel LCS-length computation
    revisited.
    """
    short, long = sorted((first, other), key=len)
    places: defaultdict[str, int] = defaultdict(int)
    for place, word in enumerate(short):
        places[word] |= 1 << place
    everywhere = (1 << len(short)) - 1
    row = everywhere
    for word in long:
        if word in places:
            met = row & places[word]
            row = ((row + met) | (row - met)) & everywhere
    return len(short) - row.bit_count()
