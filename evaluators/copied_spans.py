"""Find the spans of a text that only repeat its prompt, or what the text has said before."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from evaluators.analysis import Analysis
from evaluators.counts import located_terms, terms
from evaluators.scales import ratio
from newwiki.records import Unscorable
from newwiki.registry import evaluator

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPAN = 5  # words
# Part of the fingerprint of every score that depends on these spans: raise it whenever the spans of a text change.
SPANS_VERSION = "1"
SPAN_PARAMETERS = {"span": SPAN, "spans": SPANS_VERSION, "words": "runs of letters and digits, casefolded"}


@dataclass(frozen=True, eq=False)
class MarkedWords:
    """The words (`terms`) of a text: where each begins and ends, in characters, and whether it is in a copied span."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    copied: NDArray[np.bool_]

    @property
    def share(self) -> float:
        """The share of the words in copied spans; NaN for a text without words."""
        return float(self.copied.mean()) if len(self.copied) else float("nan")

    @cached_property
    def new_text(self) -> str:
        """The text without copied spans, empty if nothing else is there.

        A removed span takes along the white space and punctuation marks up to the next word that stays.
        """
        if not self.copied.any():
            return self.text
        borders = np.flatnonzero(np.diff(self.copied.astype(np.int8))) + 1
        edges = [0, *(self.starts[place] for place in borders.tolist()), len(self.text)]
        pieces = [self.text[start:end] for start, end in pairwise(edges)]
        return "".join(pieces[int(self.copied[0]) :: 2]).strip()

    def is_copied(self, start: int, end: int) -> bool:
        """Tell whether these characters hold words, and all of them are in copied spans."""
        first, last = bisect_right(self.ends, start), bisect_left(self.starts, end)
        return first < last and bool(self.copied[first:last].all())


def marked_words(text: str, prompt: str) -> MarkedWords:
    """Mark every word of the text that is in a copied span.

    A copied span is a run of at least `SPAN` words that also occurs in the prompt, or that also begins at an earlier
    word of the text. The first occurrence in the text is therefore not copied unless the prompt has it too. The earlier
    occurrence may overlap the span: of "no no no no no no" all words but the first are copied. Words are compared as
    `terms` gives them, so case and punctuation make no difference. The time grows as n log n with the number of words.
    """
    located = located_terms(text)
    before = terms(prompt)
    copied = np.zeros(len(located), bool)
    numbers: dict[str, int] = {}
    words = [numbers.setdefault(word, len(numbers) + 1) for word in (*before, *(word for word, _, _ in located))]
    first = len(before) + 1
    # The number 0 stands once, between prompt and text, so no repeated span crosses it.
    grams = _gram_numbers(np.array([*words[: len(before)], 0, *words[len(before) :]], np.int64))
    _, firsts, inverse = np.unique(grams, return_index=True, return_inverse=True)
    repeated = firsts[inverse][first:] < np.arange(first, len(grams))
    for shift in range(SPAN):
        copied[shift : shift + len(repeated)] |= repeated
    return MarkedWords(text, [start for _, start, _ in located], [end for _, _, end in located], copied)


def _gram_numbers(words: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the runs of `SPAN` words, with the same number for the same run, by position of their first word."""
    grams = words
    for length in range(1, SPAN):
        following = words[length:]
        grams = grams[: len(following)] * (words.max(initial=0) + 1) + following
        grams = np.unique(grams, return_inverse=True)[1]
    return grams


@evaluator(
    metrics=[
        ratio(
            "prompt_copied",
            f"share of the text's words in runs of {SPAN} or more words that also occur in the prompt or earlier in "
            "the text",
            "New-Wiki Eval; the spans are those of Lee et al. 2022, Deduplicating training data, in words",
            direction="lower",
        )
    ],
    version="1",
    parameters=SPAN_PARAMETERS,
    core=True,
    alone=True,
)
def prompt_copied(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Compute the share of a text's words that only repeat the prompt (title and first sentence) or the text itself,
    from 0 to 1; lower says more that is new.

    A span is copied if it has at least five words and also occurs in the prompt, or begins at an earlier word of the
    text too (`marked_words`). The first occurrence in the text does not count, so a sentence that is repeated n times
    and is not in the prompt gives 1 - 1/n. Words are runs of letters and digits without regard to case; characters of
    scripts without spaces are words of their own. Source: New-Wiki Eval. Pitfalls: a long name or title that a text
    must say again counts; five characters of Chinese or Japanese are a shorter span than five English words; a
    paraphrase of the prompt is not found.
    """
    marked = marked_words(analysis.text, analysis.prompt)
    if analysis.wordless or not len(marked.copied):
        return Unscorable("no words")
    return marked.share
