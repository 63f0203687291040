"""Compute ratios of scores with intervals over articles, and their change along prefix and gap.

Ratios are averaged by their logarithms. If both scores have the same distribution, the logarithm of their ratio is
symmetric around 0, so its mean is 0 for any number of texts. The mean of the ratio itself would be above 1, by about
the squared coefficient of variation of the score in the denominator.
"""

from collections.abc import Callable, Sequence
from itertools import groupby
from math import exp, log
from statistics import fmean, stdev

from evaluators.exposure_bias import slope
from flows.experiments.exposure_bias.leave_out import Estimate, Replicated, over_articles
from flows.experiments.exposure_bias.measuring import Measured
from flows.experiments.exposure_bias.prefixes import DATA
from flows.experiments.exposure_bias.result_tables import ExposureMeasure, ExposureTrend

LENGTH, GAP = "length", "gap"


def measures(measured: Sequence[Measured]) -> list[ExposureMeasure]:
    """Return the measures over all seeds, in the order of the scores."""
    by_setting: dict[tuple[str, str, str, str, float, int, int], list[Measured]] = {}
    for result in measured:
        score = result.score
        key = (score.model, score.decoder, score.metric, score.prefix, score.rate, score.prefix_length, score.gap)
        by_setting.setdefault(key, []).append(result)
    return [_measure(results) for results in by_setting.values()]


def trends(measured: Sequence[Measured]) -> list[ExposureTrend]:
    """Return trends by model, decoder, metric and kind of prefix, along its length and along the gap if any."""

    def kind(result: Measured) -> tuple[str, str, str, str, float]:
        return result.score.model, result.score.decoder, result.score.metric, result.score.prefix, result.score.rate

    rows = []
    others = sorted((result for result in measured if result.score.prefix != DATA), key=kind)
    for _, results in groupby(others, key=kind):
        same = list(results)
        rows.append(_trend([result for result in same if not result.score.gap], LENGTH, _along_length))
        if any(result.score.gap for result in same):
            rows.append(_trend(same, GAP, _along_gap))
    return rows


def _measure(results: Sequence[Measured]) -> ExposureMeasure:
    first = results[0].score
    values, ratios = [result.score.score for result in results], [result.score.ratio for result in results]
    known = [value for value in ratios if value is not None]
    ratio = Estimate() if first.prefix == DATA else _mean_ratio([[result] for result in results])
    return ExposureMeasure(
        model=first.model,
        decoder=first.decoder,
        metric=first.metric,
        prefix=first.prefix,
        rate=first.rate,
        prefix_length=first.prefix_length,
        gap=first.gap,
        seeds=len(results),
        score=fmean(values),
        score_sd=stdev(values) if len(values) > 1 else None,
        ratio=ratio.mean,
        ratio_sd=stdev(known) if ratio.mean is not None and len(known) > 1 else None,
        low=ratio.low,
        high=ratio.high,
        no_interval=ratio.lacking,
    )


# Maps the places of ratios, as (length, gap), and the ratios there to a number. A ratio is None if it is unknown.
_Statistic = Callable[[Sequence[tuple[int, int]], Sequence[float | None]], float | None]


def _trend(measured: Sequence[Measured], along: str, gain: _Statistic) -> ExposureTrend:
    by_seed: dict[int, list[Measured]] = {}
    for result in measured:
        by_seed.setdefault(result.score.seed, []).append(result)
    mean = _mean_ratio(list(by_seed.values()))
    gained = over_articles([_replicated(gain, results) for results in by_seed.values()])
    first = measured[0].score
    return ExposureTrend(
        model=first.model,
        decoder=first.decoder,
        metric=first.metric,
        prefix=first.prefix,
        rate=first.rate,
        along=along,
        seeds=len(by_seed),
        mean=mean.mean,
        low=mean.low,
        high=mean.high,
        p=mean.p,
        slope=gained.mean,
        slope_low=gained.low,
        slope_high=gained.high,
        slope_p=gained.p,
        no_interval=mean.lacking,
    )


def _mean_ratio(seeds: Sequence[Sequence[Measured]]) -> Estimate:
    """Return the geometric mean over the seeds of each seed's geometric mean ratio."""
    logarithm = over_articles([_replicated(_mean_logarithm, results) for results in seeds])
    mean, low, high = (None if end is None else exp(end) for end in (logarithm.mean, logarithm.low, logarithm.high))
    return Estimate(mean, low, high, logarithm.p, logarithm.lacking)


def _replicated(statistic: _Statistic, results: Sequence[Measured]) -> Replicated:
    """Return the statistic of one seed's ratios, and the same statistic without each group of articles."""
    places = [(result.score.prefix_length, result.score.gap) for result in results]
    without = zip(*(result.ratios_without for result in results), strict=True)
    return Replicated(
        statistic(places, [result.score.ratio for result in results]), [statistic(places, ratios) for ratios in without]
    )


def _mean_logarithm(places: Sequence[tuple[int, int]], ratios: Sequence[float | None]) -> float | None:
    known = [log(ratio) for ratio in ratios if ratio]
    return fmean(known) if len(known) == len(ratios) else None


def _along_length(places: Sequence[tuple[int, int]], ratios: Sequence[float | None]) -> float | None:
    return _slope([length for length, _ in places], ratios)


def _along_gap(places: Sequence[tuple[int, int]], ratios: Sequence[float | None]) -> float | None:
    """Return the slope along the gap, averaged over prefix lengths."""
    by_length: dict[int, list[tuple[int, float | None]]] = {}
    for (length, gap), ratio in zip(places, ratios, strict=True):
        by_length.setdefault(length, []).append((gap, ratio))
    gains = [_slope([gap for gap, _ in same], [ratio for _, ratio in same]) for same in by_length.values()]
    known = [gain for gain in gains if gain is not None]
    return fmean(known) if known else None


def _slope(places: Sequence[int], ratios: Sequence[float | None]) -> float | None:
    """Return the slope of the ratios, or None if there is only one place or a ratio is unknown."""
    known = [ratio for ratio in ratios if ratio is not None]
    return slope(places, known) if len(set(places)) > 1 and len(known) == len(places) else None
