"""Measure how varied and how repetitive the words of a text are. Words are those of `newwiki.text.words`, with their
case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING

from evaluators.analysis import Analysis
from evaluators.scales import ratio
from newwiki.records import Unscorable
from newwiki.registry import evaluator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NUMBERS = ("no", "one", "two", "three", "four", "five")


@evaluator(
    metrics=[ratio("distinct_2", "different word bigrams / words", "Li et al. 2016; New-Wiki Eval paper, eq. 3")],
    version="2",
    core=True,
)
def distinct_2(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return distinct word bigrams over words, from 0 to below 1, higher is more varied.

    Source: Li et al. 2016, A diversity-promoting objective function; New-Wiki Eval paper, eq. 3. Pitfalls: it falls
    with length, so compare texts of similar length; real articles score about 0.87, not the 0.69 that the paper
    reports, which bigrams of words over words cannot give.
    """
    return _too_short(analysis, 2) or distinct_share(analysis.words, 2)


@evaluator(
    metrics=[
        ratio(
            "rep_4",
            "1 - different word 4-grams / word 4-grams",
            "Welleck et al. 2019; New-Wiki Eval paper, eq. 4",
            direction="lower",
        )
    ],
    version="2",
    core=True,
)
def rep_4(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return one minus distinct word 4-grams over all word 4-grams, from 0 to below 1, lower is less repetitive.

    Source: Welleck et al. 2019, Neural text generation with unlikelihood training (seq-rep-4); New-Wiki Eval paper,
    eq. 4. Pitfall: it rises with length, so compare texts of similar length.
    """
    return _too_short(analysis, 4) or repeated_share(analysis.words, 4)


@evaluator(
    metrics=[
        ratio(f"distinct_{n}", f"different {name} / words", "Li et al. 2016")
        for n, name in ((1, "words"), (3, "word trigrams"))
    ],
    version="2",
)
def distinct(analysis: Analysis, reference: Analysis) -> dict[str, float | Unscorable]:
    """Return `distinct_1` and `distinct_3`: distinct words or trigrams over words, from 0 to 1, higher is more varied.

    Source: Li et al. 2016, A diversity-promoting objective function, as `distinct_2`. Pitfalls: all fall with length,
    `distinct_1` fastest: compare texts of similar length, or use `distinct_1_at_256`.
    """
    return _each(analysis, {"distinct_1": 1, "distinct_3": 3}, distinct_share)


@evaluator(
    metrics=[
        ratio(f"rep_{n}", f"1 - different {name} / {name}", "Welleck et al. 2019", direction="lower")
        for n, name in ((2, "word bigrams"), (3, "word trigrams"))
    ],
    version="2",
)
def rep(analysis: Analysis, reference: Analysis) -> dict[str, float | Unscorable]:
    """Return `rep_2` and `rep_3`: one minus distinct over all n-grams, from 0 to below 1, lower is less repetitive.

    Source: Welleck et al. 2019, Neural text generation with unlikelihood training (seq-rep-n), as `rep_4`. Pitfall:
    they rise with length, and good prose repeats bigrams too: compare with the articles and not with 0.
    """
    return _each(analysis, {"rep_2": 2, "rep_3": 3}, repeated_share)


@evaluator(
    metrics=[
        ratio(
            "diversity",
            "(1 - rep_2) (1 - rep_3) (1 - rep_4)",
            "Su et al. 2022; Li et al. 2022 (contrastive decoding), sec. 5.1",
        )
    ],
    version="2",
)
def diversity(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return the product of distinct over all n-grams for n = 2, 3, 4, from above 0 to 1, higher is more varied.

    Source: Su et al. 2022, A contrastive framework for neural text generation; Li et al. 2022, Contrastive decoding,
    section 5.1. Pitfalls: it falls with length; gibberish scores 1; its mean over texts is not the published number,
    which counts the n-grams of all texts together (`diversity_simctg`).
    """
    return _too_short(analysis, 4) or diverse_share(analysis.words)


def distinct_share(words: tuple[str, ...], n: int) -> float:
    """Return distinct n-grams over words."""
    return _different(words, n) / len(words)


def repeated_share(words: tuple[str, ...], n: int) -> float:
    """Return one minus distinct over all n-grams, for at least n words."""
    return 1 - _different(words, n) / (len(words) - n + 1)


def diverse_share(words: tuple[str, ...]) -> float:
    """Return the product of distinct over all n-grams for n = 2, 3, 4, for at least four words."""
    return prod(_different(words, n) / (len(words) - n + 1) for n in (2, 3, 4))


def simctg_diversity(texts: Iterable[tuple[str, ...]]) -> float:
    """Return the diversity of many texts, given in words, in per cent, as simctg's script does for texts without
    prompts.

    n-grams are distinct within a text and counted over all. At least one text must have five words.
    """
    split = list(texts)
    shares = []
    for n in (2, 3, 4):
        # The script's loop ends one n-gram early.
        different = sum(_different(words[:-1], n) for words in split)
        total = sum(max(0, len(words) - n) for words in split)
        shares.append(1 - round((1 - different / total) * 100, 2) / 100)
    return 100 * prod(shares)


def grams(words: tuple[str, ...], n: int) -> Iterator[tuple[str, ...]]:
    """Yield the n-grams in order."""
    return zip(*(words[start:] for start in range(n)), strict=False)


def _each(
    analysis: Analysis, sizes: dict[str, int], share: Callable[[tuple[str, ...], int], float]
) -> dict[str, float | Unscorable]:
    return {name: _too_short(analysis, n) or share(analysis.words, n) for name, n in sizes.items()}


def _too_short(analysis: Analysis, least: int) -> Unscorable | None:
    if analysis.wordless:
        return Unscorable("no words")
    if len(analysis.words) < least:
        return Unscorable(f"fewer than {_NUMBERS[least]} words")
    return None


def _different(words: tuple[str, ...], n: int) -> int:
    """Return the number of distinct n-grams. An n-gram is coded as one number, which is faster than a tuple."""
    import numpy as np

    numbers, different = _numbered(words)
    if different**n > np.iinfo(np.int64).max:
        return len(set(grams(words, n)))
    codes = numbers
    for start in range(1, n):
        codes = codes[:-1] * different + numbers[start:]
    return len(np.unique(codes))


@lru_cache(maxsize=2**10)  # several metrics read the same batch of texts one after another
def _numbered(words: tuple[str, ...]) -> tuple[NDArray[np.int64], int]:
    """Return a number for each word, the same for the same word, and the number of distinct words."""
    import numpy as np

    known: dict[str, int] = {}
    return np.array([known.setdefault(word, len(known)) for word in words], dtype=np.int64), len(known)
