"""From the scores of each seed to means with intervals over seeds, and to how they change along prefix and gap."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import sqrt
from statistics import fmean, stdev

from scipy.special import stdtr, stdtrit

from evaluators.exposure_bias import slope
from evaluators.statistics import ALIKE, LEVEL
from flows.experiments.exposure_bias.measuring import ExposureScore
from flows.experiments.exposure_bias.prefixes import DATA
from flows.verdict_kinds import gives_verdicts

FEWEST = 3  # seeds that have an interval
TOO_FEW = "too few seeds"
ZERO = "a score of 0"
LENGTH, GAP = "length", "gap"


@dataclass(frozen=True, kw_only=True)
class ExposureMeasure:
    """A score and its ratio over seeds, with the standard deviation, and the ratio's 95 % interval."""

    model: str
    decoder: str
    metric: str
    prefix: str
    rate: float
    prefix_length: int
    gap: int
    seeds: int
    score: float
    score_sd: float | None
    ratio: float | None
    ratio_sd: float | None
    low: float | None
    high: float | None
    no_interval: str | None


@gives_verdicts(
    "exposure_trends",
    "seeds",
    given="articles, models and decoders",
    family="the models and decoders of the headline, by BLEU after their own prefixes",
)
@dataclass(frozen=True, kw_only=True)
class ExposureTrend:
    """A ratio in the mean over lengths (and gaps), and what it gains by a token `along` the prefix or the gap; p are of
    the tests that they are 1 and 0."""

    model: str
    decoder: str
    metric: str
    prefix: str
    rate: float
    along: str
    seeds: int
    mean: float | None
    low: float | None
    high: float | None
    p: float | None
    slope: float | None
    slope_low: float | None
    slope_high: float | None
    slope_p: float | None
    no_interval: str | None


@dataclass(frozen=True)
class OverSeeds:
    """A mean with its 95 % interval by Student's t, and p of the test that it is `expected`."""

    mean: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    lacking: str | None = None


def over_seeds(values: Sequence[float | None], expected: float) -> OverSeeds:
    known = [one for one in values if one is not None]
    if not known or len(known) < len(values):
        return OverSeeds(lacking=ZERO)
    mean = fmean(known)
    if len(known) < FEWEST:
        return OverSeeds(mean, lacking=TOO_FEW)
    error = stdev(known) / sqrt(len(known))
    if error <= 1e-12 * abs(mean):
        return OverSeeds(mean, lacking=ALIKE)
    freedom = len(known) - 1
    reach = float(stdtrit(freedom, 1 - LEVEL / 2)) * error
    p = 2 * float(stdtr(freedom, -abs(mean - expected) / error))
    return OverSeeds(mean, mean - reach, mean + reach, p)


def measures(scores: Sequence[ExposureScore]) -> list[ExposureMeasure]:
    """In the order of the scores, those of all seeds together."""
    found: dict[tuple[str, str, str, str, float, int, int], list[ExposureScore]] = {}
    for one in scores:
        key = (one.model, one.decoder, one.metric, one.prefix, one.rate, one.prefix_length, one.gap)
        found.setdefault(key, []).append(one)
    return [_measure(of_seeds) for of_seeds in found.values()]


def trends(scores: Sequence[ExposureScore]) -> list[ExposureTrend]:
    """By model, decoder, metric and kind of prefix along its length, and along the gap where there are gaps."""

    def kind(one: ExposureScore) -> tuple[str, str, str, str, float]:
        return one.model, one.decoder, one.metric, one.prefix, one.rate

    found = []
    others = sorted((one for one in scores if one.prefix != DATA), key=kind)
    for _, of_kind in groupby(others, key=kind):
        same = list(of_kind)
        found.append(_trend([one for one in same if not one.gap], LENGTH, _along_length))
        if any(one.gap for one in same):
            found.append(_trend(same, GAP, _along_gap))
    return found


def _measure(of_seeds: Sequence[ExposureScore]) -> ExposureMeasure:
    first = of_seeds[0]
    values, ratios = [one.score for one in of_seeds], [one.ratio for one in of_seeds]
    known = [one for one in ratios if one is not None]
    ratio = over_seeds(ratios, 1.0) if first.prefix != DATA else OverSeeds()
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


def _trend(
    scores: Sequence[ExposureScore], along: str, gain: Callable[[Sequence[ExposureScore]], float | None]
) -> ExposureTrend:
    by_seed: dict[int, list[ExposureScore]] = {}
    for one in scores:
        by_seed.setdefault(one.seed, []).append(one)
    mean = over_seeds([_mean(of_seed) for of_seed in by_seed.values()], 1.0)
    gained = over_seeds([gain(of_seed) for of_seed in by_seed.values()], 0.0)
    first = scores[0]
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


def _mean(scores: Sequence[ExposureScore]) -> float | None:
    known = [one.ratio for one in scores if one.ratio is not None]
    return fmean(known) if len(known) == len(scores) else None


def _along_length(scores: Sequence[ExposureScore]) -> float | None:
    return _slope([one.prefix_length for one in scores], scores)


def _along_gap(scores: Sequence[ExposureScore]) -> float | None:
    """In the mean over lengths."""
    by_length: dict[int, list[ExposureScore]] = {}
    for one in scores:
        by_length.setdefault(one.prefix_length, []).append(one)
    gains = [_slope([one.gap for one in same], same) for same in by_length.values()]
    known = [one for one in gains if one is not None]
    return fmean(known) if known else None


def _slope(places: Sequence[int], scores: Sequence[ExposureScore]) -> float | None:
    """None of one place alone."""
    ratios = [one.ratio for one in scores if one.ratio is not None]
    return slope(places, ratios) if len(set(places)) > 1 and len(ratios) == len(places) else None
