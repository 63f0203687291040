"""Measure how much of a completion is copied word for word from the article, and not from the prompt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluators.analysis import Analysis
from evaluators.counts import terms
from evaluators.scales import amount, ratio
from newwiki.records import Unscorable
from newwiki.registry import evaluator

_GRAM = 5  # words
# Word pairs compared, some seconds of work; two texts of 10,000 words have a hundredth of this number.
_MOST_PAIRS = 10**10

Numbers = NDArray[np.int64]


@evaluator(
    metrics=[
        amount(
            "copied_span",
            "words",
            "words in the longest run of the text that stands in the article too, and not in the prompt",
            "Carlini et al. 2021, sec. 4 (verbatim memorisation), in words",
            direction="none",
        ),
        ratio(
            "copied_5grams",
            f"word {_GRAM}-grams of the text that are in the article and not in the prompt / word {_GRAM}-grams",
            "Lee et al. 2022, Deduplicating training data; McCoy et al. 2023, eq. 1 (novelty is its complement)",
            direction="none",
        ),
    ],
    version="1",
    parameters={"gram": _GRAM, "words": "runs of letters and digits, casefolded", "most_pairs": _MOST_PAIRS},
)
def copying(analysis: Analysis, reference: Analysis) -> dict[str, float | Unscorable]:
    """`copied_span`: the longest run of words, from 0, that occurs in both text and article and whose last word does
    not end an equally long run of the prompt. `copied_5grams`: the share of the text's word 5-grams that are in the
    article and not in the prompt, from 0 to 1, counting repetitions.

    Short runs of an article that was never read occur by chance, because names and set phrases are common; a long run
    is a sign of having read it. Sources: Carlini et al. 2021, Extracting training data from large language models,
    section 4; McCoy et al. 2023, How much do language models copy from their training data?, equation 1. Pitfalls:
    articles quote what models have read elsewhere; the longer the text, the longer its longest run.
    """
    if reason := analysis.wordless_beside(reference):
        return {"copied_span": reason, "copied_5grams": reason}
    words = [terms(text) for text in (analysis.text, reference.text, analysis.prompt)]
    if len(words[0]) * len(words[1]) > _MOST_PAIRS:
        return dict.fromkeys(("copied_span", "copied_5grams"), Unscorable("too long to compare"))
    numbers, article_numbers, prompt_numbers = _numbered(*words)
    article = _longest_ending_at_each(numbers, article_numbers)
    prompt = _longest_ending_at_each(numbers, prompt_numbers)
    copied = article > prompt
    short = Unscorable(f"fewer than {_GRAM} words")
    ends = slice(_GRAM - 1, None)
    grams = (article[ends] >= _GRAM) & (prompt[ends] < _GRAM)
    return {
        "copied_span": float(article[copied].max(initial=0)),
        "copied_5grams": float(grams.mean()) if len(grams) else short,
    }


def _numbered(*texts: Sequence[str]) -> list[Numbers]:
    """Number the words of the texts, with the same number for the same word."""
    numbers: dict[str, int] = {}
    return [np.array([numbers.setdefault(word, len(numbers)) for word in text], np.int64) for text in texts]


def _longest_ending_at_each(text: Numbers, other: Numbers) -> Numbers:
    """Return for each word of the text the length of the longest run that ends there and occurs in the other text: the
    longest-common-substring table row by row, where a cell is one more than its upper left neighbor if the words
    agree."""
    longest = np.zeros(len(text), np.int64)
    row = np.zeros(len(other) + 1, np.int64)
    for place, word in enumerate(text):
        row[1:] = (row[:-1] + 1) * (other == word)
        longest[place] = row.max()
    return longest
