"""Measure how evenly the n-grams of all texts are distributed."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from evaluators.corpus import Corpus, Draw, Words
from evaluators.grams import count_grams
from evaluators.scales import amount
from newwiki.records import SetScore, Unscorable
from newwiki.registry import set_evaluator

_NAMES = ("words", "word bigrams", "word trigrams")


@set_evaluator(
    metrics=[
        amount(
            f"ngram_entropy_{n}",
            "nats",
            f"-Σ r ln r, r being the share of each of the {name} of all texts, one text a prompt",
            "Dhamala et al. 2022, eq. 1; Zhang et al. 2018",
        )
        for n, name in enumerate(_NAMES, start=1)
    ],
    version="1",
)
def ngram_entropy(corpus: Corpus) -> dict[str, SetScore | Unscorable]:
    """Return the entropy of the n-grams of all texts counted together, 0 and up, higher is more varied.

    Source: Dhamala et al. 2022, An analysis of the effects of decoding algorithms on fairness in open-ended language
    generation, eq. 1; Zhang et al. 2018, Generating informative and diverse conversational responses via adversarial
    information maximization. Neither states the base: the 11.85 of 3-grams in He et al. 2021, Exposure bias versus
    self-recovery, table 8 (10,000 samples of 20 words, so at most ln 180,000 = 12.1), is in nats. Pitfalls: it grows
    with the number of texts and their length, up to the logarithm of the n-grams, so compare runs on the same prompts
    with texts of similar length; gibberish scores high.
    """
    return {f"ngram_entropy_{n}": corpus.mean_over_draws(partial(_entropy, n=n)) for n in range(1, 4)}


def entropy_of(texts: Sequence[Words], n: int) -> float:
    """Return the entropy of the n-grams of these texts, in nats; 0 if there are none."""
    *_, grams = count_grams(texts, n)
    times = np.bincount(grams.gram, weights=grams.count)
    shares = times / times.sum()
    return max(0.0, float(-(shares * np.log(shares)).sum()))


def _entropy(draw: Draw, n: int) -> float | Unscorable:
    if all(len(words) < n for words in draw.texts):
        return Unscorable("no words" if n == 1 else f"no text has {('two', 'three')[n - 2]} words")
    return entropy_of(draw.texts, n)
