"""Compute the numbers of a decoder from its texts, and its differences from another decoder."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluators import statistics
from evaluators.bounded_intervals import interval_within
from evaluators.claims.verifiability import Support
from flows.experiments.directions import paired_differences
from flows.experiments.verifiability.result_tables import VerifiabilityDifference, VerifiabilityMetric
from flows.experiments.verifiability.texts import Key, Texts

Array = NDArray[np.float64]

SUPPORT: Mapping[str, Callable[[Support], float | None]] = {
    "spg": lambda support: support.spg,
    "spv": lambda support: support.spv,
    "uspg": lambda support: support.uspg,
    "uspv": lambda support: support.uspv,
}
FOUR_GRAMS, PROPORTION = "distinct_4grams", "four_gram_proportion"
# The columns of the paper's table 1
PUBLISHED: Mapping[str, str] = {
    "distinct 4-grams": FOUR_GRAMS,
    "4-gram proportion": PROPORTION,
    **{name.upper(): name for name in SUPPORT},
}
_COMPARED = (FOUR_GRAMS, *SUPPORT)


def metrics_of(texts: Texts, articles: Texts, evaluator_id: str) -> list[VerifiabilityMetric]:
    """Return the metrics of one decoder, in the order of the paper's table 1.

    The proportion is the ratio of the means, as in the paper's rows (see `evaluators.sets.fourgrams`). Its interval is
    that of a ratio, with the same clusters.
    """
    beside = [articles.four_grams[page_id, 0] for page_id, _ in texts.four_grams]
    pages = [page_id for page_id, _ in texts.four_grams]
    numbers = list(texts.four_grams.values())
    metrics = [
        _metric(texts, FOUR_GRAMS, None, pages, numbers, np.ones(len(pages))),
        _metric(texts, PROPORTION, None, pages, numbers, beside),
    ]
    for name, read in SUPPORT.items():
        values = {key: read(support) for key, support in texts.support.items()}
        defined = {key: value for key, value in values.items() if value is not None}
        pages = [page_id for page_id, _ in defined]
        undefined = len(values) - len(defined)
        weights = np.ones(len(pages))
        metrics.append(_metric(texts, name, evaluator_id, pages, list(defined.values()), weights, undefined))
    return metrics


def _metric(
    texts: Texts, metric: str, evaluator_id: str | None, pages: Sequence[int], values: Sequence[float],
    weights: Sequence[float] | Array, undefined: int = 0,
) -> VerifiabilityMetric:  # fmt: skip
    """Compute the sum of the values divided by the sum of the weights.

    The interval of a share lies between 0 and 1 (`bounded_interval`); that of another number lies above 0.
    """
    totals, _ = statistics.by_cluster(values, pages)
    counts, _ = statistics.by_cluster(weights, pages)
    interval = statistics.NOTHING
    if len(pages):
        interval = interval_within(statistics.estimate(totals, counts), 0.0, 1.0 if metric in SUPPORT else None)
    return VerifiabilityMetric(
        model=texts.model,
        decoder=texts.decoder,
        metric=metric,
        evaluator_id=evaluator_id,
        prompts=len(set(pages)),
        texts=len(pages),
        undefined=undefined,
        mean=interval.mean,
        low=interval.low,
        high=interval.high,
        no_interval=interval.lacking,
    )


def differences(decoders: Sequence[Texts], against: Texts, seed: int) -> list[VerifiabilityDifference]:
    """Return the differences of a model's decoders from `against`, one row for each decoder and metric.

    The 4-gram proportion is left out because it differs exactly when the different 4-grams do. The differences have no
    verdict yet, because verdicts are corrected over all models together (`flows.experiments.directions`).
    """
    others = [decoder for decoder in decoders if decoder.decoder != against.decoder]
    compared = [(decoder, metric) for decoder in others for metric in _COMPARED]
    if not compared:
        return []
    means = {decoder.decoder: {metric: _page_means(decoder, metric) for metric in _COMPARED} for decoder in decoders}
    pages = sorted({page for by_metric in means.values() for by_page in by_metric.values() for page in by_page})
    pairs = [(means[decoder.decoder][metric], means[against.decoder][metric]) for decoder, metric in compared]
    # range of a difference of shares
    ranges = [(-1.0, 1.0) if metric in SUPPORT else (-np.inf, np.inf) for _, metric in compared]
    paired = paired_differences(pairs, pages, seed, ranges=ranges)
    return [
        VerifiabilityDifference(
            model=decoder.model, decoder=decoder.decoder, against=against.decoder, metric=metric, **vars(difference)
        )
        for (decoder, metric), difference in zip(compared, paired, strict=True)
    ]


def _page_means(texts: Texts, metric: str) -> dict[int, float]:
    values: Iterable[tuple[Key, float | None]] = texts.four_grams.items()
    if metric != FOUR_GRAMS:
        values = [(key, SUPPORT[metric](support)) for key, support in texts.support.items()]
    by_page: dict[int, list[float]] = {}
    for (page_id, _), value in values:
        if value is not None:
            by_page.setdefault(page_id, []).append(value)
    return {page_id: float(np.mean(numbers)) for page_id, numbers in by_page.items()}
