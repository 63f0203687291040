"""Put months on one scale: predict a run's mean on another snapshot, by anchors that ran on both.

The anchors' means on the later month are those on the earlier one along a line, `intercept + slope · mean`, plus what
is specific to each model in a month, under all its decoders (interaction). All anchors of a month read the same
articles, so they share its difficulty and their errors are correlated; that covariance is estimated from the articles.
Every quantity computed from the means (a slope, a linked mean, a difference) is a function of them, and its error
follows by the delta method from the covariances of all months and the interaction. Sources: Kolen & Brennan 2014, Test
equating, scaling, and linking, chapters 4 (mean and linear methods) and 7.3 (the delta method); Deming 1943,
Statistical adjustment of data, for a line between two variables that both have errors.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr, stdtrit

from evaluators.statistics import ALIKE, LEVEL, Array

FEWEST_MODELS = 3  # among the anchors, so that it is visible how differently two months treat models
FOR_SLOPE = 5  # minimum number of anchors from which a slope is estimated
LARGEST_SLOPE_ERROR = 0.3  # standard error; with a larger one the slope is 1
_ROUNDS = 50
_NOTHING = 1e-12  # rounding error of sums of doubles whose true value is 0

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Month:
    """The runs on one snapshot: `values` is runs × articles, each run's mean score of each article; none is missing.
    Runs with the same number in `models` use the same model."""

    values: Array
    models: Places

    @cached_property
    def means(self) -> Array:
        return np.asarray(self.values.mean(axis=1))

    @cached_property
    def covariance(self) -> Array:
        """The covariance of the means, runs × runs. The articles are a sample, and all runs read the same ones."""
        residuals = self.values - self.means[:, None]
        return np.asarray(residuals @ residuals.T / (self.articles * (self.articles - 1)))

    @cached_property
    def same_model(self) -> Array:
        """1 for two runs of one model, which share their interaction in a month, else 0: runs × runs."""
        return np.asarray(self.models[:, None] == self.models, float)

    @property
    def articles(self) -> int:
        return int(self.values.shape[1])


@dataclass(frozen=True)
class Step:
    """The step from one month to the next: the positions of the same anchors among the runs of both."""

    earlier: Places
    later: Places


@dataclass(frozen=True)
class Estimate:
    """A number with its standard error, the error's degrees of freedom, and its 95 % interval. `lacking` explains why
    the interval is meaningless: all articles have the same numbers."""

    value: float
    error: float
    freedom: float

    @property
    def low(self) -> float:
        return self.value - self._reach

    @property
    def high(self) -> float:
        return self.value + self._reach

    @property
    def lacking(self) -> str | None:
        return ALIKE if self.error <= _NOTHING * max(abs(self.value), 1.0) else None

    @property
    def p(self) -> float:
        """The two-sided p for the hypothesis that the number is 0."""
        if self.lacking:
            return 1.0 if abs(self.value) <= _NOTHING else 0.0
        return float(2 * stdtr(self.freedom, -abs(self.value) / self.error))

    @property
    def _reach(self) -> float:
        return float(stdtrit(self.freedom, 1 - LEVEL / 2)) * self.error


@dataclass(frozen=True)
class Link:
    """The line from an earlier month's means to a later month's. `estimated` tells whether the slope is; else it is 1.

    `interaction` is the variance, on the later month's scale, of what is specific to a run in one of the months, for
    both months together; `doubt` is the variance of that estimate. `by_earlier` and `by_later` are the slope's
    derivatives by the anchors' means.
    """

    intercept: float
    slope: float
    estimated: bool
    interaction: float
    doubt: float
    by_earlier: Array
    by_later: Array


def link(earlier: Month, later: Month, step: Step) -> Link:
    """Fit the line through the anchors' means. Raises ValueError if they are of fewer than `FEWEST_MODELS` models.

    The slope is that of Deming's regression, with the errors' ratio from the covariances of both months and from the
    interaction, half of which each month has: without any other error, the slope is the ratio of the anchors' standard
    deviations (mean/sigma linking). Ordinary regression would attenuate it. From fewer than `FOR_SLOPE` anchors, or if
    its standard error is above `LARGEST_SLOPE_ERROR`, the slope is not estimated but 1 (mean linking). The interaction
    is the distance of the anchors from the line that their articles do not explain, never below 0.
    """
    models = len(set(earlier.models[step.earlier].tolist()))
    if models < FEWEST_MODELS:
        raise ValueError(f"a link needs anchors of at least {FEWEST_MODELS} models, got {models}; add anchors")
    if len(step.earlier) >= FOR_SLOPE:
        fitted = _fitted(earlier, later, step)
        if fitted and slope_of([earlier, later], step, fitted).error <= LARGEST_SLOPE_ERROR:
            return fitted
    nothing = np.zeros(len(step.earlier))
    return _line(earlier, later, step, 1.0, nothing, nothing, estimated=False)


def _fitted(earlier: Month, later: Month, step: Step) -> Link | None:
    """Return the line with an estimated slope, None if the anchors' means of the two months do not rise together."""
    x, y = _centred(earlier, step.earlier), _centred(later, step.later)
    if x @ y <= 0:
        return None
    noise = [_unshared_variance(month, places) for month, places in ((earlier, step.earlier), (later, step.later))]
    ratio = noise[1] / noise[0] if min(noise) > 0 else 1.0
    for _ in range(_ROUNDS):
        slope = _deming(x, y, ratio)
        found = _line(earlier, later, step, slope, *_derivatives(x, y, slope, ratio), estimated=True)
        errors = noise[1] + found.interaction / 2, noise[0] + found.interaction / 2 / slope**2
        if min(errors) <= 0 or math.isclose(errors[0] / errors[1], ratio, rel_tol=1e-9):
            break
        ratio = errors[0] / errors[1]
    return found


def _deming(x: Array, y: Array, ratio: float) -> float:
    """Return the slope, if the errors of y have `ratio` times the variance of those of x."""
    excess = y @ y - ratio * (x @ x)
    return float((excess + math.sqrt(excess**2 + 4 * ratio * (x @ y) ** 2)) / (2 * (x @ y)))


def _derivatives(x: Array, y: Array, slope: float, ratio: float) -> tuple[Array, Array]:
    """Return the slope's derivatives by the anchors' means, from b² Sxy + b (r Sxx - Syy) - r Sxy = 0."""
    steep = 2 * slope * (x @ y) + ratio * (x @ x) - y @ y
    by_x = -((slope**2 - ratio) * y + 2 * slope * ratio * x) / steep
    by_y = -((slope**2 - ratio) * x - 2 * slope * y) / steep
    return by_x, by_y


def _line(earlier: Month, later: Month, step: Step, slope: float, by_x: Array, by_y: Array, *, estimated: bool) -> Link:
    x, y = _centred(earlier, step.earlier), _centred(later, step.later)
    intercept = float(later.means[step.later].mean() - slope * earlier.means[step.earlier].mean())
    explained = _covariance(later, step.later) + slope**2 * _covariance(earlier, step.earlier)
    design = [np.ones(len(x)), x + slope * y] if estimated else [np.ones(len(x))]
    fit = np.linalg.qr(np.stack(design, axis=1))[0]
    residual = np.eye(len(x)) - fit @ fit.T
    same_model = residual @ earlier.same_model[np.ix_(step.earlier, step.earlier)]
    freedom = float(np.trace(same_model))
    unexplained = float(((y - slope * x) ** 2).sum() - np.trace(residual @ explained))
    interaction = max(unexplained / freedom, 0.0)
    noise, spread = residual @ explained, residual @ explained + interaction * same_model
    none, doubt = (2 * float(np.trace(part @ part)) / freedom**2 for part in (noise, spread))
    doubt *= _kept(interaction / math.sqrt(none)) if none > 0 else 1.0
    return Link(intercept, slope, estimated, interaction, doubt, by_x, by_y)


def _kept(t: float) -> float:
    """Return the variance that remains of a normal number with this mean and variance 1 if it is clipped at 0."""
    above, density = float(ndtr(t)), math.exp(-(t**2) / 2) / math.sqrt(2 * math.pi)
    return (t**2 + 1) * above + t * density - (t * above + density) ** 2


def _covariance(month: Month, places: Places) -> Array:
    return month.covariance[np.ix_(places, places)]


def _centred(month: Month, places: Places) -> Array:
    return np.asarray(month.means[places] - month.means[places].mean())


def _unshared_variance(month: Month, places: Places) -> float:
    """Return the variance of the errors that these runs do not share."""
    errors = _covariance(month, places)
    return float(np.trace(errors) - errors.mean() * len(places)) / (len(places) - 1)


def slope_of(months: Sequence[Month], step: Step, line: Link) -> Estimate:
    """Return the slope with its error, which is 0 if the slope was not estimated."""
    reads = [np.zeros(len(month.means)) for month in months]
    np.add.at(reads[0], step.earlier, line.by_earlier)
    np.add.at(reads[1], step.later, line.by_later)
    return _estimate(months, [line], line.slope, reads, reads, 0.0)


def difficulty(months: Sequence[Month], step: Step, line: Link) -> Estimate:
    """Return how much higher the anchors' mean is on the later of two months than on the earlier: the effect of the
    month alone on the score of a model as good as they are on average."""
    reads = [np.zeros(len(month.means)) for month in months]
    reads[0][step.earlier] = -1 / len(step.earlier)
    reads[1][step.later] = 1 / len(step.later)
    value = float(sum(read @ month.means for read, month in zip(reads, months, strict=True)))
    return _estimate(months, [line], value, reads, reads, 0.0)


@dataclass(frozen=True)
class Influence:
    """The influence of one model among the anchors on a link.

    `share` is the part of its own error in a month by which it moves the scale, `shift` how much more the anchors would
    gain without it, and `p` that of the test whether its gain differs from the other models'; None below four models.
    """

    model: int
    share: float
    shift: float
    p: float | None


def influences(earlier: Month, later: Month, step: Step) -> list[Influence]:
    """Return the influence of each model among the anchors of a link, by its number in `Month.models`.

    The test is that of the externally studentized residual of the models' mean gains, times the number of models
    (Bonferroni). Source: Cook & Weisberg 1982, Residuals and influence in regression, sections 2.2.1 and 2.2.2.
    """
    gains = later.means[step.later] - earlier.means[step.earlier]
    model_of = earlier.models[step.earlier]
    models = np.unique(model_of)
    by_model = np.array([gains[model_of == model].mean() for model in models])
    result = []
    for place, model in enumerate(models):
        others = np.delete(by_model, place)
        without = float(gains[model_of != model].mean()) if len(models) > 1 else math.nan
        spread = float(others.std(ddof=1)) if len(others) > 2 else 0.0
        p = None
        if spread > 0:
            t = abs(float(by_model[place] - others.mean())) / (spread * math.sqrt(1 + 1 / len(others)))
            p = min(1.0, len(models) * float(2 * stdtr(len(others) - 1, -t)))
        result.append(Influence(int(model), float((model_of == model).mean()), without - float(gains.mean()), p))
    return result


def linked(
    months: Sequence[Month], steps: Sequence[Step], links: Sequence[Link], run: int, other: int | None = None
) -> Estimate:
    """Return the expected mean of a run of the first month on the last, by a step and its link between each two months;
    with `other`, how much higher that run of the last month is. Neither may be of an anchor's model.

    The interval is for the run on all articles like the last month's, so it includes the errors of both months'
    articles, as far as runs and anchors do not share them, of the line, and of the run's own interaction in each month.
    """
    value, reads = float(months[0].means[run]), [np.zeros(len(month.means)) for month in months]
    reads[0][run] = 1.0
    for place, (step, line) in enumerate(zip(steps, links, strict=True)):
        beyond = value - months[place].means[step.earlier].mean()
        for before in range(place + 1):
            reads[before] *= line.slope
        np.add.at(reads[place], step.earlier, beyond * line.by_earlier - line.slope / len(step.earlier))
        np.add.at(reads[place + 1], step.later, beyond * line.by_later + 1 / len(step.later))
        value = line.intercept + line.slope * value
    if other is None:
        return _estimate(months, links, value, reads, reads, 1.0)
    against = [-read for read in reads]
    against[-1][other] += 1.0
    return _estimate(months, links, float(months[-1].means[other]) - value, against, reads, 1.0)


def _estimate(
    months: Sequence[Month],
    links: Sequence[Link],
    value: float,
    reads: Sequence[Array],
    interacts: Sequence[Array],
    own: float,
) -> Estimate:
    """Return the estimate of a number whose derivatives by the means of each month are `reads`, and by the runs'
    interactions in that month `interacts`; `own` is its derivative by the run's own interaction in the last month.

    The error's degrees of freedom are Satterthwaite's, of a sum of estimated variances.
    """
    sampled = [float(read @ month.covariance @ read) for read, month in zip(reads, months, strict=True)]
    weights = [float(read @ month.same_model @ read) for read, month in zip(interacts, months, strict=True)]
    weights[-1] += own**2
    shares = _shares(links)
    by_link = [float(share @ np.array(weights)) for share in shares]
    variance = sum(sampled) + sum(part * line.interaction for part, line in zip(by_link, links, strict=True))
    doubt = sum(2 * part**2 / (month.articles - 1) for part, month in zip(sampled, months, strict=True))
    doubt += sum(part**2 * line.doubt for part, line in zip(by_link, links, strict=True))
    return Estimate(value, math.sqrt(variance), 2 * variance**2 / doubt if doubt else math.inf)


def _shares(links: Sequence[Link]) -> Array:
    """Return, links × months, which part of a link's interaction belongs to a month, on its own scale. A month between
    two links has the mean of both."""
    shares = np.zeros((len(links), len(links) + 1))
    for place, line in enumerate(links):
        shares[place, place : place + 2] = 0.5 / line.slope**2, 0.5
    shares[:, 1:-1] /= 2
    return shares
