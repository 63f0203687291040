"""EB-M and EB-C: the paper's own example, divergences beside scipy's, and what both ratios say."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from evaluators.exposure_bias import eb_c, eb_m, generation_deviation, jensen_shannon, slope, total_variation


def test_the_example_of_appendix_d() -> None:
    """V = {A, B}: the data is uniform; P_M(A) = 0.9, P_M(A|A) = 0.9, P_M(A|B) = 0.5."""
    model = np.array([[0.9, 0.1], [0.5, 0.5]])  # what comes second, by what came first
    data = np.full((2, 2), 0.5)
    apart = total_variation(model, data)
    after_data = generation_deviation(apart, [0.5, 0.5])
    after_own = generation_deviation(apart, [0.9, 0.1])
    assert after_data == pytest.approx(0.2)
    assert after_own == pytest.approx(0.36)
    assert eb_c(after_own, after_data) == pytest.approx(1.8)


def test_total_variation_is_half_the_absolute_differences() -> None:
    assert total_variation([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]], [[0.25, 0.25, 0.5], [0.0, 0.0, 1.0]]) == pytest.approx(
        [0.5, 1.0]
    )


def test_jensen_shannon_is_the_square_of_scipys_distance() -> None:
    random = np.random.default_rng(0)
    p, q = random.dirichlet(np.ones(50), size=(2, 7))
    p[0, :25] = 0.0
    p[0] /= p[0].sum()
    assert jensen_shannon(p, q) == pytest.approx(jensenshannon(p, q, axis=1) ** 2)


def test_jensen_shannon_of_what_has_nothing_in_common_is_ln_2() -> None:
    assert jensen_shannon([1.0, 0.0], [0.0, 1.0]) == pytest.approx(math.log(2))
    assert jensen_shannon([0.3, 0.7], [0.3, 0.7]) == 0.0


def test_both_ratios_are_above_1_where_the_other_prefixes_are_worse() -> None:
    """EB-M is of scores, more of which is better, EB-C of deviations (tables 8 and 9, shuffled prefixes of 20)."""
    assert eb_m(0.392, 0.371) == pytest.approx(1.057, abs=0.001)
    assert eb_c(0.194, 0.102) == pytest.approx(1.902, abs=0.001)


def test_a_ratio_to_nothing_is_none() -> None:
    assert eb_m(0.5, 0.0) is None
    assert eb_c(0.5, 0.0) is None


def test_a_slope_is_that_of_least_squares() -> None:
    lengths, values = [20, 30, 60], [1.0, 1.3, 1.5]
    assert slope(lengths, values) == pytest.approx(np.polyfit(lengths, values, 1)[0])
