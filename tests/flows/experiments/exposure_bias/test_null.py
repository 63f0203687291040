"""Under a null, exposure bias is found no more often than the docs say, where articles are few."""

import numpy as np

from benchmarks.exposure_bias_null import Design, Found, drawn
from evaluators.statistics import LEVEL


def found_something(draws: list[Found]) -> int:
    return sum(one.now.p is not None and one.now.p <= LEVEL for one in draws)


def test_the_ratio_of_ten_articles_is_1_under_a_null() -> None:
    """The mean of ratios, which was reported before, is far above."""
    draws = drawn(Design(10, apart=0.15), 60)
    now = np.log([one.now.mean or np.nan for one in draws])
    assert abs(now.mean()) < 3 * now.std(ddof=1) / np.sqrt(len(now))
    assert np.mean([one.before for one in draws]) > 1.05
    assert found_something(draws) <= 8  # of 5 % there are more in 0.5 % of all simulations
