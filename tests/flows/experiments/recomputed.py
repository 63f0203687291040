"""Numbers of pages again, in plain Python and apart from the product's own functions."""

from collections.abc import Sequence

from scipy.stats import t


def mean_with_interval(values: Sequence[float]) -> tuple[float, float, float, float]:
    """The mean of independent values, both ends of its 95 % interval, and their standard deviation.

    The interval is the wider, at each end, of Student's t and of Hall's transformation of it (Hall 1992, eq. 2.4).
    """
    n, mean = len(values), sum(values) / len(values)
    sd = (sum((one - mean) ** 2 for one in values) / (n - 1)) ** 0.5
    second, third = (sum((one - mean) ** power for one in values) / n for power in (2, 3))
    skew = (n * (n - 1)) ** 0.5 / (n - 2) * third / second**1.5 / n**0.5
    quantile, error = t.ppf(0.975, n - 1), sd / n**0.5

    def hall(of: float) -> float:
        inner = 1 + skew * (of - skew / 6)
        return float(3 / skew * (abs(inner) ** (1 / 3) * (1 if inner > 0 else -1) - 1)) if abs(skew) > 1e-6 else of

    return mean, mean - max(quantile, hall(quantile)) * error, mean + max(quantile, -hall(-quantile)) * error, sd
