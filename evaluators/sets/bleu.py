"""Measure how much the texts of a run repeat each other, and how much of the articles they cover."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import exp
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from evaluators.corpus import Corpus, Draw, Words
from evaluators.grams import Grams, Numbers, count_grams
from evaluators.scales import ratio
from newwiki.records import SetScore, Unscorable
from newwiki.registry import set_evaluator

_SELF, _BACKWARD = 4, 3  # the longest n-grams
_SMOOTHING = 0.1


@set_evaluator(
    metrics=[
        ratio(
            "self_bleu",
            "mean over texts of the BLEU, n from 1 to 4, against all others, one text a prompt",
            "Zhu et al. 2018; Papineni et al. 2002",
            direction="lower",
        )
    ],
    version="1",
    parameters={"longest": _SELF, "smoothing": _SMOOTHING},
)
def self_bleu(corpus: Corpus) -> SetScore | Unscorable:
    """Return each text's BLEU with the texts of all other prompts as references, from 0 to 1, lower is more diverse.

    Source: Zhu et al. 2018, Texygen: a benchmarking platform for text generation models; BLEU is that of Papineni et
    al. 2002, with Texygen's smoothing (0.1 for an order without a match). No reference is left out, because n-grams are
    counted only once. Texts of fewer than four words are references only. Pitfalls: it grows with the number and the
    length of the texts, so compare runs on the same prompts; articles on one subject resemble each other too, so
    compare with the articles and not with 0.
    """
    return corpus.mean_over_draws(_self_bleu)


@set_evaluator(
    metrics=[
        ratio(
            "backward_bleu",
            "mean over articles of the BLEU, n from 1 to 3, against all texts, one text a prompt",
            "Shi et al. 2018; He et al. 2021, table 8",
        )
    ],
    version="1",
    parameters={"longest": _BACKWARD, "smoothing": _SMOOTHING},
)
def backward_bleu(corpus: Corpus) -> SetScore | Unscorable:
    """Return each article's BLEU with all texts as references, from 0 to 1, higher covers more of the articles.

    Source: Shi et al. 2018, Toward diverse text generation with inverse reinforcement learning; n up to 3 as in He et
    al. 2021, Exposure bias versus self-recovery, section 6.2 and table 8. Smoothed as `self_bleu`. Articles of fewer
    than three words are left out. Pitfalls: it grows with the number and the length of the texts; the articles
    themselves score 1.
    """
    return corpus.mean_over_draws(_backward_bleu)


def _self_bleu(draw: Draw) -> float | Unscorable:
    if sum(map(bool, draw.texts)) < 2:
        return Unscorable("fewer than two texts with words")
    scores = bleu_of_each(draw.texts, None, _SELF)
    return fmean(scores) if scores else Unscorable("no text has four words")


def _backward_bleu(draw: Draw) -> float | Unscorable:
    if not any(draw.texts):
        return Unscorable("no words")
    scores = bleu_of_each(draw.references, draw.texts, _BACKWARD)
    return fmean(scores) if scores else Unscorable("no article has three words")


def bleu_of_each(texts: Sequence[Words], others: Sequence[Words] | None, longest: int) -> list[float]:
    """Return the BLEU of each text of at least `longest` words with the others as references; None means all the other
    texts. At least one reference must have words.
    """
    logarithms = np.zeros(len(texts))
    for n, grams in enumerate(count_grams([*texts, *(others or ())], longest), start=1):
        mine = grams.text < len(texts)
        most = _most_elsewhere(grams) if others is None else _most_in(grams, ~mine)
        matched, total = (
            np.bincount(grams.text[mine], weights=counts[mine], minlength=len(texts))
            for counts in (np.minimum(grams.count, most), grams.count)
        )
        # Without a common word the score is 0; it is not smoothed.
        least = 0.0 if n == 1 else _SMOOTHING
        with np.errstate(divide="ignore"):
            logarithms += np.log(np.where(matched > 0, matched, least) / np.maximum(total, 1))
    lengths = sorted(filter(None, map(len, texts if others is None else others)))
    return [
        exp(mean + _brevity(len(words), lengths, own=others is None))
        for words, mean in zip(texts, logarithms / longest, strict=True)
        if len(words) >= longest
    ]


def _most_in(grams: Grams, rows: NDArray[np.bool_]) -> Numbers:
    """Return for each row the largest count of its n-gram in any text of `rows`."""
    most = np.zeros(grams.different, dtype=np.int64)
    np.maximum.at(most, grams.gram[rows], grams.count[rows])
    return most[grams.gram]


def _most_elsewhere(grams: Grams) -> Numbers:
    """Return for each row the largest count of its n-gram in any other text."""
    order = np.lexsort((grams.count, grams.gram))
    gram, count = grams.gram[order], grams.count[order]
    last = np.flatnonzero(np.append(gram[1:] != gram[:-1], True)[: len(gram)])
    most = count[last][gram]
    # The text with the largest count takes the one before it in this order, if that has the same n-gram.
    most[last] = np.where(gram[last - 1] == gram[last], count[last - 1], 0) * (last > 0)
    elsewhere = np.empty_like(most)
    elsewhere[order] = most
    return elsewhere


def _brevity(length: int, lengths: Sequence[int], *, own: bool) -> float:
    """Return the logarithm of the brevity penalty against the nearest of the sorted lengths, the shorter of two; the
    `own` length, if it is among them, is left out."""
    left, right = bisect_left(lengths, length), bisect_right(lengths, length)
    if right - left > own:
        return 0.0
    nearest = min(
        [*lengths[max(left - 1, 0) : left], *lengths[right : right + 1]], key=lambda other: abs(other - length)
    )
    return min(0.0, 1 - nearest / length)
