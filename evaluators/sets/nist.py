"""Measure what the texts share with their articles, with more weight on rare n-grams."""

from math import exp, log

import numpy as np

from evaluators.corpus import Corpus, Draw
from evaluators.grams import count_grams
from evaluators.scales import amount
from newwiki.records import SetScore, Unscorable
from newwiki.registry import set_evaluator

_LONGEST = 5
# The penalty is a half where the texts have two thirds of the articles' words.
BETA = log(0.5) / log(1.5) ** 2


@set_evaluator(
    metrics=[
        amount(
            "nist",
            "bits a word",
            "sum over n from 1 to 5 of the information of shared n-grams / n-grams of the texts, times "
            "exp(β ln² min(1, words of the texts / words of the articles)); information from the articles",
            "Doddington 2002, eq. 2 and 3",
        )
    ],
    version="1",
    parameters={"longest": _LONGEST},
)
def nist(corpus: Corpus) -> SetScore | Unscorable:
    """Return NIST of the texts, each against its own article, 0 and up, higher shares more.

    The information of an n-gram is log2 of the count of its first n - 1 words in the articles over the count of the
    whole n-gram. Words are split at white space and keep their case. Source: Doddington 2002, Automatic evaluation of
    machine translation quality using n-gram co-occurrence statistics, eq. 2 and 3. He et al. 2021, Exposure bias versus
    self-recovery, uses n up to 3 and all articles as references, so its 5.58 cannot be compared. Pitfalls: it has no
    upper bound, and grows with the number of articles, in which words are rarer; short texts are penalized.
    """
    return corpus.mean_over_draws(_nist)


def _nist(draw: Draw) -> float | Unscorable:
    length, length_of_articles = sum(map(len, draw.texts)), sum(map(len, draw.references))
    if all(len(words) < _LONGEST for words in draw.texts):
        return Unscorable("no text has five words")
    if not length_of_articles:
        return Unscorable("no article has words")
    bits, before = 0.0, np.array([length_of_articles])
    for grams in count_grams([*draw.texts, *draw.references], _LONGEST):
        written = grams.text < len(draw.texts)
        times = np.bincount(grams.gram[~written], weights=grams.count[~written], minlength=grams.different)
        # An article has the number of its text, so that n-grams in both have the same key.
        keys = np.where(written, grams.text, grams.text - len(draw.texts)) * grams.different + grams.gram
        _, mine, theirs = np.intersect1d(keys[written], keys[~written], assume_unique=True, return_indices=True)
        shared = np.minimum(grams.count[written][mine], grams.count[~written][theirs])
        gram = grams.gram[written][mine]
        information = np.log2(before[grams.prefix[gram]] / times[gram])
        bits += float((shared * information).sum()) / int(grams.count[written].sum())
        before = times
    return bits * exp(BETA * log(min(1.0, length / length_of_articles)) ** 2)
