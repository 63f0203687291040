"""Compute 95 % intervals of shares and other means with a known range; no end lies outside it."""

import math
from dataclasses import replace

import numpy as np
from scipy.special import stdtrit

from evaluators.statistics import ALIKE, LEVEL, Array, Estimate, MeanInterval, untransformed

_ROUNDING = 1e-9  # of the range: a mean this close to an end counts as being at the end


def bounded_interval(found: Estimate, minimum: float, maximum: float) -> Estimate:
    """Return the means with intervals for numbers between `minimum` and `maximum`; clusters are those of `estimate`.

    At each end the farther of two, and never outside the range:

    - Wilson's score interval, with the quantile of Student's t in the place of the normal's, and with the effective
      number of texts p (1 - p) / error² in the place of their number. A number between 0 and 1 varies at most as 0 and
      1 do, and the error already holds what the texts of a prompt share. Sources: Wilson 1927, Probable inference, the
      law of succession, and statistical inference; Korn & Graubard 1998, Confidence intervals for proportions with
      small expected number of positive counts estimated from survey data (effective number of texts).
    - Hall's interval (see `evaluators.statistics.estimate`), which reaches as far as the skewness asks for, but no
      farther than Wilson's where each prompt counts as one text: no numbers between 0 and 1 with the same mean are
      spread more widely than 0 and 1 alone (Hoeffding 1963, Probability inequalities for sums of bounded random
      variables).

    Where all prompts are at one end of the range, each prompt counts as one text, whatever the number of its texts.
    There is no interval for too few prompts, nor where all prompts have the same mean inside the range.
    """
    span = maximum - minimum
    share, error = (found.mean - minimum) / span, found.standard_error / span
    at_end = (share <= _ROUNDING) | (share >= 1 - _ROUNDING)
    lacking = tuple(None if why == ALIKE and end else why for why, end in zip(found.lacking, at_end, strict=True))
    shown = np.array([why is None for why in lacking], bool)
    share, error = np.where(shown, np.clip(share, 0, 1), np.nan), np.where(at_end, 0.0, error)
    freedom = np.where(shown, found.freedom, np.nan)
    t = np.asarray(stdtrit(freedom, 1 - LEVEL / 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        number = np.where(at_end, freedom + 1, share * (1 - share) / error**2)
    (low, high), (lowest, highest) = _wilson(share, number, t), _wilson(share, freedom + 1, t)
    low = np.minimum(low, np.maximum(lowest, share - untransformed(t, found.skew) * error))
    high = np.maximum(high, np.minimum(highest, share - untransformed(-t, found.skew) * error))
    low, high = np.minimum(low, share), np.maximum(high, share)  # rounding at an end of the range
    low, high = (minimum + span * np.clip(end, 0, 1) for end in (low, high))
    return replace(found, low=low, high=high, lacking=lacking)


def interval_within(found: Estimate, minimum: float | None, maximum: float | None) -> MeanInterval:
    """Return the first column with its interval inside the range of the numbers: that of `bounded_interval` where the
    range has both ends, and otherwise the usual one, cut off at the end that there is."""
    if minimum is not None and maximum is not None:
        return bounded_interval(found, minimum, maximum).at()
    return found.at().within(-math.inf if minimum is None else minimum, math.inf if maximum is None else maximum)


def _wilson(share: Array, number: Array, t: Array) -> tuple[Array, Array]:
    centre, shrunk = share + t**2 / (2 * number), 1 + t**2 / number
    reach = t * np.sqrt(share * (1 - share) / number + t**2 / (4 * number**2))
    return (centre - reach) / shrunk, (centre + reach) / shrunk
