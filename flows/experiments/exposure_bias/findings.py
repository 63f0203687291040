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
    found: dict[tuple[str, str, str, str, float, int, int], list[Measured]] = {}
    for one in measured:
        of = one.score
        key = (of.model, of.decoder, of.metric, of.prefix, of.rate, of.prefix_length, of.gap)
        found.setdefault(key, []).append(one)
    return [_measure(of_seeds) for of_seeds in found.values()]


def trends(measured: Sequence[Measured]) -> list[ExposureTrend]:
    """Return trends by model, decoder, metric and kind of prefix, along its length and along the gap if any."""

    def kind(one: Measured) -> tuple[str, str, str, str, float]:
        return one.score.model, one.score.decoder, one.score.metric, one.score.prefix, one.score.rate

    found = []
    others = sorted((one for one in measured if one.score.prefix != DATA), key=kind)
    for _, of_kind in groupby(others, key=kind):
        same = list(of_kind)
        found.append(_trend([one for one in same if not one.score.gap], LENGTH, _along_length))
        if any(one.score.gap for one in same):
            found.append(_trend(same, GAP, _along_gap))
    return found


def _measure(of_seeds: Sequence[Measured]) -> ExposureMeasure:
    first = of_seeds[0].score
    values, ratios = [one.score.score for one in of_seeds], [one.score.ratio for one in of_seeds]
    known = [one for one in ratios if one is not None]
    ratio = Estimate() if first.prefix == DATA else _mean_ratio([[one] for one in of_seeds])
    return ExposureMeasure(
        model=first.model,
        decoder=first.decoder,
        metric=first.metric,
        prefix=first.prefix,
        rate=first.rate,
        prefix_length=first.prefix_length,
        gap=first.gap,
        seeds=len(of_seeds),
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
    for one in measured:
        by_seed.setdefault(one.score.seed, []).append(one)
    mean = _mean_ratio(list(by_seed.values()))
    gained = over_articles([_replicated(gain, of_seed) for of_seed in by_seed.values()])
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
    found = over_articles([_replicated(_mean_logarithm, of_seed) for of_seed in seeds])
    mean, low, high = (None if one is None else exp(one) for one in (found.mean, found.low, found.high))
    return Estimate(mean, low, high, found.p, found.lacking)


def _replicated(statistic: _Statistic, of_seed: Sequence[Measured]) -> Replicated:
    """Return the statistic of one seed's ratios, and the same statistic without each group of articles."""
    places = [(one.score.prefix_length, one.score.gap) for one in of_seed]
    without = zip(*(one.ratios_without for one in of_seed), strict=True)
    return Replicated(
        statistic(places, [one.score.ratio for one in of_seed]), [statistic(places, ratios) for ratios in without]
    )


def _mean_logarithm(places: Sequence[tuple[int, int]], ratios: Sequence[float | None]) -> float | None:
    known = [log(one) for one in ratios if one]
    return fmean(known) if len(known) == len(ratios) else None


def _along_length(places: Sequence[tuple[int, int]], ratios: Sequence[float | None]) -> float | None:
    return _slope([length for length, _ in places], ratios)


def _along_gap(places: Sequence[tuple[int, int]], ratios: Sequence[float | None]) -> float | None:
    """Return the slope along the gap, averaged over prefix lengths."""
    by_length: dict[int, list[tuple[int, float | None]]] = {}
    for (length, gap), ratio in zip(places, ratios, strict=True):
        by_length.setdefault(length, []).append((gap, ratio))
    gains = [_slope([gap for gap, _ in same], [ratio for _, ratio in same]) for same in by_length.values()]
    known = [one for one in gains if one is not None]
    return fmean(known) if known else None


def _slope(places: Sequence[int], ratios: Sequence[float | None]) -> float | None:
    """Return the slope of the ratios, or None if there is only one place or a ratio is unknown."""
    known = [one for one in ratios if one is not None]
    return slope(places, known) if len(set(places)) > 1 and len(known) == len(places) else None
