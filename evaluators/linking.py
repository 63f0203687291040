"""Months on one scale: what a run's mean on one snapshot would be on another, by anchors that ran on both.

The anchors' means on the later month are those on the earlier one by a line, `intercept + slope · mean`, and what each
model has of its own in a month, under all its decoders (interaction). All anchors of a month read the same articles,
so its difficulty is shared by them and their errors are correlated; that covariance is estimated from the articles.
Everything that is made of the means (a slope, a linked mean, a difference) is a function of them, and its error follows
by the delta method from the covariances of all months and the interaction. Sources: Kolen & Brennan 2014, Test
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

FEWEST_MODELS = 3  # among the anchors, that show how differently two months treat models
FOR_SLOPE = 5  # anchors, the least that a slope is estimated from
LARGEST_SLOPE_ERROR = 0.3  # standard error; with a larger one the slope is 1
_ROUNDS = 50
_NOTHING = 1e-12  # what sums of doubles leave of nothing

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Month:
    """The runs on one snapshot: `values` is runs × articles, each run's mean score of each article; none is missing.
    Runs whose number in `models` is the same are of one model."""

    values: Array
    models: Places

    @cached_property
    def means(self) -> Array:
        return np.asarray(self.values.mean(axis=1))

    @cached_property
    def covariance(self) -> Array:
        """Of the means, runs × runs. The articles are drawn, and all runs read the same."""
        apart = self.values - self.means[:, None]
        return np.asarray(apart @ apart.T / (self.articles * (self.articles - 1)))

    @cached_property
    def together(self) -> Array:
        """1 for two runs of one model, which have the same of their own in a month, else 0: runs × runs."""
        return np.asarray(self.models[:, None] == self.models, float)

    @property
    def articles(self) -> int:
        return int(self.values.shape[1])


@dataclass(frozen=True)
class Step:
    """From one month to the next: the places of the same anchors among the runs of both."""

    earlier: Places
    later: Places


@dataclass(frozen=True)
class Estimate:
    """A number with its standard error, the error's degrees of freedom, and its 95 % interval. `lacking` is why that
    says nothing: all articles have the same numbers."""

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
        """Two-sided, that the number is 0."""
        if self.lacking:
            return 1.0 if abs(self.value) <= _NOTHING else 0.0
        return float(2 * stdtr(self.freedom, -abs(self.value) / self.error))

    @property
    def _reach(self) -> float:
        return float(stdtrit(self.freedom, 1 - LEVEL / 2)) * self.error


@dataclass(frozen=True)
class Link:
    """The line from an earlier month's means to a later month's. `estimated` is whether the slope is; else it is 1.

    `interaction` is the variance, on the later month's scale, of what a run has of its own in one of the months, both
    taken together; `doubt` is the variance of that estimate. `by_earlier` and `by_later` are the slope's derivatives
    by the anchors' means.
    """

    intercept: float
    slope: float
    estimated: bool
    interaction: float
    doubt: float
    by_earlier: Array
    by_later: Array


def link(earlier: Month, later: Month, step: Step) -> Link:
    """The line through the anchors' means. Raises ValueError where they are fewer than `FEWEST_MODELS` models.

    The slope is that of Deming's regression, with the errors' ratio from the covariances of both months and from the
    interaction, half of which each month has: where that is all the error there is, the slope is the ratio of the
    anchors' standard deviations (mean/sigma linking). Ordinary regression would attenuate it. From fewer than
    `FOR_SLOPE` anchors, or where its standard error is above `LARGEST_SLOPE_ERROR`, it is not estimated but 1 (mean
    linking). The interaction is what the anchors lie further from the line than their articles explain, never below 0.
    """
    models = len(set(earlier.models[step.earlier].tolist()))
    if models < FEWEST_MODELS:
        raise ValueError(f"a link takes anchors of {FEWEST_MODELS} models, not of {models}")
    if len(step.earlier) >= FOR_SLOPE:
        fitted = _fitted(earlier, later, step)
        if fitted and slope_of([earlier, later], step, fitted).error <= LARGEST_SLOPE_ERROR:
            return fitted
    nothing = np.zeros(len(step.earlier))
    return _line(earlier, later, step, 1.0, nothing, nothing, estimated=False)


def _fitted(earlier: Month, later: Month, step: Step) -> Link | None:
    """None where the anchors' means of the two months do not rise together."""
    x, y = _centred(earlier, step.earlier), _centred(later, step.later)
    if x @ y <= 0:
        return None
    noise = [_apart(month, places) for month, places in ((earlier, step.earlier), (later, step.later))]
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
    """The slope, where the errors of y have so many times the variance of those of x."""
    apart = y @ y - ratio * (x @ x)
    return float((apart + math.sqrt(apart**2 + 4 * ratio * (x @ y) ** 2)) / (2 * (x @ y)))


def _derivatives(x: Array, y: Array, slope: float, ratio: float) -> tuple[Array, Array]:
    """Of the slope by the anchors' means, from the equation that it solves: b² Sxy + b (r Sxx - Syy) - r Sxy = 0."""
    steep = 2 * slope * (x @ y) + ratio * (x @ x) - y @ y
    by_x = -((slope**2 - ratio) * y + 2 * slope * ratio * x) / steep
    by_y = -((slope**2 - ratio) * x - 2 * slope * y) / steep
    return by_x, by_y


def _line(earlier: Month, later: Month, step: Step, slope: float, by_x: Array, by_y: Array, *, estimated: bool) -> Link:
    x, y = _centred(earlier, step.earlier), _centred(later, step.later)
    intercept = float(later.means[step.later].mean() - slope * earlier.means[step.earlier].mean())
    explained = _of(later, step.later) + slope**2 * _of(earlier, step.earlier)
    design = [np.ones(len(x)), x + slope * y] if estimated else [np.ones(len(x))]
    fit = np.linalg.qr(np.stack(design, axis=1))[0]
    left = np.eye(len(x)) - fit @ fit.T
    together = left @ earlier.together[np.ix_(step.earlier, step.earlier)]
    counted = float(np.trace(together))
    beyond = float(((y - slope * x) ** 2).sum() - np.trace(left @ explained))
    interaction = max(beyond / counted, 0.0)
    noise, spread = left @ explained, left @ explained + interaction * together
    none, doubt = (2 * float(np.trace(part @ part)) / counted**2 for part in (noise, spread))
    doubt *= _kept(interaction / math.sqrt(none)) if none > 0 else 1.0
    return Link(intercept, slope, estimated, interaction, doubt, by_x, by_y)


def _kept(t: float) -> float:
    """What remains of the variance of a normal number with this mean and variance 1 where below 0 it counts as 0."""
    above, density = float(ndtr(t)), math.exp(-(t**2) / 2) / math.sqrt(2 * math.pi)
    return (t**2 + 1) * above + t * density - (t * above + density) ** 2


def _of(month: Month, places: Places) -> Array:
    return month.covariance[np.ix_(places, places)]


def _centred(month: Month, places: Places) -> Array:
    return np.asarray(month.means[places] - month.means[places].mean())


def _apart(month: Month, places: Places) -> float:
    """The variance of the errors that these runs do not share."""
    errors = _of(month, places)
    return float(np.trace(errors) - errors.mean() * len(places)) / (len(places) - 1)


def slope_of(months: Sequence[Month], step: Step, found: Link) -> Estimate:
    """The slope with its error; without one where it was not estimated."""
    reads = [np.zeros(len(month.means)) for month in months]
    np.add.at(reads[0], step.earlier, found.by_earlier)
    np.add.at(reads[1], step.later, found.by_later)
    return _estimate(months, [found], found.slope, reads, reads, 0.0)


def difficulty(months: Sequence[Month], step: Step, found: Link) -> Estimate:
    """How much more the anchors' mean is on the later of two months than on the earlier: for a model as good as they
    are on average, what the month alone makes of its score."""
    reads = [np.zeros(len(month.means)) for month in months]
    reads[0][step.earlier] = -1 / len(step.earlier)
    reads[1][step.later] = 1 / len(step.later)
    value = float(sum(read @ month.means for read, month in zip(reads, months, strict=True)))
    return _estimate(months, [found], value, reads, reads, 0.0)


@dataclass(frozen=True)
class Influence:
    """What one model among the anchors does to a link.

    `share` is the part of its own error in a month by which it moves the scale, `shift` how much more the anchors would
    gain without it, and `p` that of the test whether it gains otherwise than the other models; None below four models.
    """

    model: int
    share: float
    shift: float
    p: float | None


def influences(earlier: Month, later: Month, step: Step) -> list[Influence]:
    """Of each model among the anchors of a link, by its number in `Month.models`.

    The test is that of the externally studentized residual of the models' mean gains, times the number of models
    (Bonferroni). Source: Cook & Weisberg 1982, Residuals and influence in regression, sections 2.2.1 and 2.2.2.
    """
    gains = later.means[step.later] - earlier.means[step.earlier]
    of = earlier.models[step.earlier]
    models = np.unique(of)
    by_model = np.array([gains[of == model].mean() for model in models])
    found = []
    for place, model in enumerate(models):
        others = np.delete(by_model, place)
        without = float(gains[of != model].mean()) if len(models) > 1 else math.nan
        spread = float(others.std(ddof=1)) if len(others) > 2 else 0.0
        p = None
        if spread > 0:
            t = abs(float(by_model[place] - others.mean())) / (spread * math.sqrt(1 + 1 / len(others)))
            p = min(1.0, len(models) * float(2 * stdtr(len(others) - 1, -t)))
        found.append(Influence(int(model), float((of == model).mean()), without - float(gains.mean()), p))
    return found


def linked(
    months: Sequence[Month], steps: Sequence[Step], links: Sequence[Link], run: int, other: int | None = None
) -> Estimate:
    """What a run of the first month would have for a mean on the last, by a step and its link between each two months;
    with `other`, how much more that run of the last month has. Neither may be of an anchor's model.

    The interval is for the run on all articles like the last month's, so it has the errors of both months' articles, as
    far as runs and anchors do not share them, of the line, and of what the run has of its own in each month.
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
    """A number whose derivatives by the means of each month are `reads`, and by what the runs have of their own there
    `interacts`; `own` is that by what the run itself would have of its own in the last month.

    The error's degrees of freedom are Satterthwaite's, of a sum of estimated variances.
    """
    sampled = [float(read @ month.covariance @ read) for read, month in zip(reads, months, strict=True)]
    weights = [float(read @ month.together @ read) for read, month in zip(interacts, months, strict=True)]
    weights[-1] += own**2
    shares = _shares(links)
    of_links = [float(share @ np.array(weights)) for share in shares]
    variance = sum(sampled) + sum(part * line.interaction for part, line in zip(of_links, links, strict=True))
    doubt = sum(2 * part**2 / (month.articles - 1) for part, month in zip(sampled, months, strict=True))
    doubt += sum(part**2 * line.doubt for part, line in zip(of_links, links, strict=True))
    return Estimate(value, math.sqrt(variance), 2 * variance**2 / doubt if doubt else math.inf)


def _shares(links: Sequence[Link]) -> Array:
    """Links × months: which part of a link's interaction is that of a month, on its own scale. A month between two
    links has the mean of what both say."""
    shares = np.zeros((len(links), len(links) + 1))
    for place, line in enumerate(links):
        shares[place, place : place + 2] = 0.5 / line.slope**2, 0.5
    shares[:, 1:-1] /= 2
    return shares
