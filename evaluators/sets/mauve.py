"""Compute MAUVE: the gap between the distributions of generated and human texts, from clusters of embeddings."""

from __future__ import annotations

from statistics import fmean, stdev
from typing import TYPE_CHECKING

from evaluators.corpus import Corpus
from evaluators.scales import ratio
from newwiki.records import SetScore, Unscorable
from newwiki.registry import set_evaluator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float32]
    Shares = NDArray[np.float64]

SEEDS = 5
_LEAST = 20  # texts, which give two clusters
_TEXTS_A_CLUSTER = 10
_SCALE = 5.0
_VARIANCE = 0.9
_MIXTURES = 25
_RESTARTS, _ROUNDS = 5, 500


@set_evaluator(
    metrics=[
        ratio(
            "mauve",
            "area under the curve (exp(-5 KL(Q|R)), exp(-5 KL(P|R))), R = λ Q + (1 - λ) P, of the shares of "
            "articles P and texts Q in clusters of their embeddings",
            "Pillutla et al. 2021, the area under the divergence curve",
        )
    ],
    version="1",
    needs={"embedding"},
    packages=("scikit-learn", "numpy"),
    parameters={
        "seeds": SEEDS,
        "texts_a_cluster": _TEXTS_A_CLUSTER,
        "scale": _SCALE,
        "variance": _VARIANCE,
        "mixtures": _MIXTURES,
        "restarts": _RESTARTS,
        "rounds": _ROUNDS,
    },
)
def mauve(corpus: Corpus) -> SetScore | Unscorable:
    """Return the mean over seeds of MAUVE, above 0 to 1, higher is closer to the articles; the spread is over seeds.

    Each seed takes one text per prompt and clusters again. The steps and constants are those of the authors' package:
    principal components up to 0.9 of the variance, k-means with a tenth as many clusters as texts, scale 5. Source:
    Pillutla et al. 2021, MAUVE: measuring the gap between neural text and human text using divergence frontiers; used
    by Li et al. 2022, Contrastive decoding, section 5.1. Pitfalls: the embeddings are those of `sbert` over the whole
    text, not GPT-2's of the first 128 tokens, so published numbers cannot be compared; they are rough below a thousand
    prompts, and single seeds differ by some 0.03; texts in which the embedder finds no token are left out; people may
    prefer what scores lower (Su and Xu 2022, An empirical study on contrastive search and contrastive decoding).
    """
    if not corpus.texts:
        return Unscorable("no texts")
    values = []
    for seed in range(SEEDS):
        keys = corpus.draws[seed % len(corpus.draws)].keys
        written, human = corpus.embedded(keys), corpus.embedded_references(page_id for page_id, _ in keys)
        if min(len(written), len(human)) < _LEAST:
            return Unscorable(f"fewer than {_LEAST} texts or articles that can be embedded")
        values.append(mauve_of(human, written, seed))
    return SetScore(fmean(values), stdev(values))


def mauve_of(human: Rows, written: Rows, seed: int) -> float:
    """Return MAUVE of two sets of features, one row per text. It is computed by one thread, so that it is the same on
    every machine of a kind."""
    import numpy as np
    from sklearn.cluster import KMeans
    from sklearn.decomposition import PCA
    from threadpoolctl import threadpool_limits

    both = np.concatenate([human, written]).astype(np.float64)
    clusters = min(max(2, round(min(len(human), len(written)) / _TEXTS_A_CLUSTER)), len(np.unique(both, axis=0)))
    if clusters == 1:
        return 1.0
    with threadpool_limits(limits=1):
        reduced = PCA(_VARIANCE, svd_solver="full").fit_transform(both)
        means = KMeans(clusters, init="random", n_init=_RESTARTS, max_iter=_ROUNDS, tol=0.0, random_state=seed)
        labels = means.fit_predict(reduced)
    p, q = (np.bincount(group, minlength=clusters) / len(group) for group in np.split(labels, [len(human)]))
    return frontier_area(p, q)


def frontier_area(p: Shares, q: Shares) -> float:
    """Return the area under the divergence curve of two distributions over the same clusters."""
    import numpy as np

    mixtures = [weight * q + (1 - weight) * p for weight in np.linspace(1e-6, 1 - 1e-6, _MIXTURES)]
    x = np.array([0.0, *(np.exp(-_SCALE * _divergence(q, mixture)) for mixture in mixtures), 1.0])
    y = np.array([1.0, *(np.exp(-_SCALE * _divergence(p, mixture)) for mixture in mixtures), 0.0])
    return float(np.diff(x) @ (y[1:] + y[:-1]) / 2)


def _divergence(p: Shares, mixture: Shares) -> float:
    """Return the Kullback-Leibler divergence, in nats."""
    import numpy as np

    present = p > 0
    return max(0.0, float((p[present] * np.log(p[present] / mixture[present])).sum()))
