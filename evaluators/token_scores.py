"""Score many short texts together with many references, none of which is a text's own: tokens in, a number out.

Tokens are the model's, as in He et al. 2021, Exposure bias versus self-recovery, section 6.2, which uses n-grams up to
3 and as many references as texts.
"""

from collections.abc import Sequence
from math import exp, log
from statistics import fmean

import numpy as np

from evaluators.corpus import Words
from evaluators.grams import count_grams
from evaluators.sets.bleu import bleu_of_each
from evaluators.sets.entropy import entropy_of
from evaluators.sets.nist import BETA

LONGEST = 3


def bleu(texts: Sequence[Words], references: Sequence[Words]) -> float:
    """Return the mean over texts of the BLEU with all references, n from 1 to 3, from 0 to 1; smoothed as `self_bleu`.

    Source: Papineni et al. 2002; He et al. 2021, tables 2 and 8.
    """
    return fmean(bleus(texts, references))


def bleus(texts: Sequence[Words], references: Sequence[Words]) -> list[float]:
    """Return the BLEU of each text of three tokens or more (see `bleu`)."""
    return bleu_of_each(texts, references, LONGEST)


def backward_bleu(texts: Sequence[Words], references: Sequence[Words]) -> float:
    """Return the mean over references of the BLEU with all texts, n from 1 to 3. Source: Shi et al. 2018."""
    return bleu(references, texts)


def nist(texts: Sequence[Words], references: Sequence[Words]) -> float:
    """Return NIST, n from 1 to 3, in bits per token: an n-gram of a text counts up to its largest count in a reference,
    with the information from all references; lengths are compared with the references' mean.

    Source: Doddington 2002, equations 2 and 3.
    """
    bits, before = 0.0, np.array([sum(map(len, references))])
    for grams in count_grams([*texts, *references], LONGEST):
        written = grams.text < len(texts)
        times = np.bincount(grams.gram[~written], weights=grams.count[~written], minlength=grams.different)
        most = np.zeros(grams.different)
        np.maximum.at(most, grams.gram[~written], grams.count[~written])
        gram = grams.gram[written]
        shared = np.minimum(grams.count[written], most[gram])
        known = shared > 0
        information = np.log2(before[grams.prefix[gram[known]]] / times[gram[known]])
        bits += float((shared[known] * information).sum()) / max(1, int(grams.count[written].sum()))
        before = times
    length = fmean(map(len, texts)) / fmean(map(len, references))
    return bits * exp(BETA * log(min(1.0, length)) ** 2)


def trigram_entropy(texts: Sequence[Words], references: Sequence[Words]) -> float:
    """Return -Σ r ln r over the trigrams of all texts, in nats; references are ignored. Source: Zhang et al. 2018."""
    return entropy_of(texts, LONGEST)
