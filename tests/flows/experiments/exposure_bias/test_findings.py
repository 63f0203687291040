"""Means over seeds, what they gain along prefix and gap, and the verdict."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from evaluators.statistics import ALIKE
from flows.experiments.exposure_bias.findings import TOO_FEW, ZERO, ExposureTrend, measures, over_seeds, trends
from flows.experiments.exposure_bias.measuring import ExposureScore
from flows.experiments.exposure_bias.prefixes import CORRUPTED, DATA, MODEL
from flows.experiments.exposure_bias.words import verdict


def score(
    seed: int, ratio: float | None, length: int = 20, gap: int = 0, prefix: str = MODEL, rate: float = 0.0
) -> ExposureScore:
    return ExposureScore(
        model="toy",
        decoder="sample",
        metric="bleu",
        prefix=prefix,
        rate=rate,
        prefix_length=length,
        gap=gap,
        seed=seed,
        texts=10,
        score=0.5,
        ratio=ratio,
    )


def of_ratios(*ratios: float) -> list[ExposureTrend]:
    return trends([score(seed, ratio) for seed, ratio in enumerate(ratios)])


def test_an_interval_and_p_are_students() -> None:
    values = [1.01, 1.03, 0.99, 1.02]
    found, scipys = over_seeds(values, 1.0), ttest_1samp(values, 1.0)
    interval = scipys.confidence_interval(0.95)
    assert (found.mean, found.low, found.high) == pytest.approx((np.mean(values), interval.low, interval.high))
    assert found.p == pytest.approx(scipys.pvalue)


def test_where_there_is_no_interval_it_says_why() -> None:
    assert over_seeds([1.0, 1.1], 1.0).lacking == TOO_FEW
    assert over_seeds([1.1, 1.1, 1.1], 1.0).lacking == ALIKE
    assert over_seeds([1.0, None, 1.1], 1.0).lacking == ZERO
    assert over_seeds([None, None, None], 1.0).mean is None


def test_a_measure_is_of_all_seeds_and_that_of_data_has_no_ratio() -> None:
    own, data = measures([score(0, 1.1), score(1, 1.3), score(0, None, prefix=DATA)])
    assert (own.seeds, own.ratio, own.no_interval) == (2, pytest.approx(1.2), TOO_FEW)
    assert own.ratio_sd == pytest.approx(np.std([1.1, 1.3], ddof=1))
    assert (data.score, data.ratio, data.no_interval) == (0.5, None, None)


def test_a_trend_along_the_prefix_is_each_seeds_slope() -> None:
    gains = [0.001, 0.002, 0.004]
    [found] = trends([score(seed, 1 + gain * n, n) for seed, gain in enumerate(gains) for n in (20, 40, 60)])
    assert (found.along, found.seeds) == ("length", 3)
    assert found.slope == pytest.approx(np.mean(gains))
    assert found.slope_p == pytest.approx(ttest_1samp(gains, 0.0).pvalue)
    assert found.mean == pytest.approx(1 + np.mean(gains) * 40)


def test_a_trend_along_the_gap_is_the_mean_of_the_lengths_slopes() -> None:
    falls = {20: -0.01, 40: -0.02}
    scores = [
        score(seed, 1.5 + seed / 10 + fall * gap, length, gap, CORRUPTED, 0.3)
        for seed in range(3)
        for length, fall in falls.items()
        for gap in (0, 10, 20)
    ]
    along_length, along_gap = trends(scores)
    assert (along_length.along, along_gap.along) == ("length", "gap")
    assert along_length.mean == pytest.approx(1.6)
    assert along_gap.slope == pytest.approx(-0.015)


@pytest.mark.parametrize(
    ("ratios", "told"),
    [
        ((1.1, 1.12, 1.11), "worse after its own text"),
        ((0.9, 0.88, 0.89), "better after its own text"),
        ((0.9, 1.1, 1.01), "no difference shown"),
        ((1.1, 1.2), "too few seeds"),
    ],
)
def test_the_verdict_is_that_of_bleu_after_the_models_own_text(ratios: tuple[float, ...], told: str) -> None:
    assert verdict(of_ratios(*ratios)) == told


def test_a_headline_about_several_models_is_corrected_for_their_number() -> None:
    [one] = of_ratios(1.01, 1.03, 1.05)
    sure = replace(one, p=0.03)
    assert verdict([sure]) == "worse after its own text"
    assert verdict([sure, replace(sure, model="b")]) == "toy: no difference shown; b: no difference shown"
