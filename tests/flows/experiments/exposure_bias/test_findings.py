"""Geometric means over seeds with intervals over articles, what they gain along prefix and gap, and the verdict."""

import re
from collections.abc import Sequence
from dataclasses import replace
from math import exp, log

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from evaluators.statistics import ALIKE
from flows.experiments.exposure_bias.findings import measures, trends
from flows.experiments.exposure_bias.leave_out import (
    TOO_FEW,
    TOO_FEW_ARTICLES,
    ZERO,
    Replicated,
    leave_out,
    over_articles,
    page_groups,
)
from flows.experiments.exposure_bias.measuring import Measured
from flows.experiments.exposure_bias.prefixes import CORRUPTED, DATA, MODEL
from flows.experiments.exposure_bias.result_tables import ExposureScore, ExposureTrend
from flows.experiments.exposure_bias.show import findings_of
from flows.experiments.exposure_bias.words import verdict

APART = (-3, -2, -1, 1, 2, 3)  # six articles: what leaving each out adds to a logarithm, in thousandths


def measured(
    seed: int, ratio: float | None, length: int = 20, gap: int = 0, prefix: str = MODEL, rate: float = 0.0
) -> Measured:
    whole = ExposureScore(
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
    return Measured(whole, [0.5] * len(APART), [ratio and ratio * exp(one / 1000) for one in APART])


def of_ratios(*ratios: float) -> list[ExposureTrend]:
    return trends([measured(seed, ratio) for seed, ratio in enumerate(ratios)])


def means_without(values: Sequence[float]) -> list[float]:
    whole, without = leave_out(lambda kept: float(np.mean([values[one] for one in kept])), range(len(values)), 9)
    assert whole == pytest.approx(np.mean(values))
    return list(without)


def test_of_a_mean_over_articles_the_interval_is_students_over_articles() -> None:
    """The jackknife of a mean is its usual standard error, however many seeds say the same."""
    values = [0.01, 0.03, -0.01, 0.02, 0.05, 0.0, 0.04, 0.01, 0.06]
    seeds = [Replicated(float(np.mean(values)), means_without(values))] * 3
    found, scipys = over_articles(seeds), ttest_1samp(values, 0.0)
    interval = scipys.confidence_interval(0.95)
    assert (found.mean, found.low, found.high) == pytest.approx((np.mean(values), interval.low, interval.high))
    assert found.p == pytest.approx(scipys.pvalue)


def test_what_articles_differ_by_under_every_seed_is_not_averaged_away_by_seeds() -> None:
    same = [0.1, -0.1, 0.05, -0.05, 0.2, -0.2, 0.0, 0.1, -0.1]
    few, many = (over_articles([Replicated(float(np.mean(same)), means_without(same))] * seeds) for seeds in (3, 100))
    assert (few.low, few.high) == pytest.approx((many.low, many.high))


def test_a_group_is_the_same_pages_whatever_else_is_there_to_be_left_out() -> None:
    groups = page_groups([(page, place) for page in range(50) for place in range(4)])
    assert sorted(set(groups.values())) == list(range(20))
    alone = page_groups([(page, 0) for page in range(7)])
    assert sorted(alone.values()) == list(range(7))


def test_leaving_out_a_group_without_texts_changes_nothing() -> None:
    whole, without = leave_out(lambda kept: float(sum(kept)), [0, 0, 2], 3)
    assert (whole, without) == (3.0, (2.0, 3.0, 1.0))


def test_where_there_is_no_interval_it_says_why() -> None:
    one, other = Replicated(0.0, [0.1] * 6), Replicated(None, [0.1] * 6)
    assert over_articles([one, one]).lacking == TOO_FEW
    assert over_articles([one, one, one]).lacking == ALIKE
    assert over_articles([Replicated(0.0, [0.1, 0.2, 0.3, 0.1, 0.2])] * 3).lacking == TOO_FEW_ARTICLES
    assert over_articles([one, other, one]).lacking == ZERO
    assert over_articles([one, one, Replicated(0.0, [0.1, None, 0.1, 0.1, 0.1, 0.1])]).lacking == ZERO
    assert over_articles([other] * 3).mean is None


def test_a_ratio_and_its_inverse_average_to_1() -> None:
    """The mean of 0.5 and 2 is 1.25: under a null such a mean is above 1 with few texts."""
    [found] = measures([measured(seed, ratio) for seed, ratio in enumerate((0.5, 2.0, 0.8, 1.25))])
    assert found.ratio == pytest.approx(1.0)
    assert found.low is not None and found.high is not None
    assert log(found.low) == pytest.approx(-log(found.high))


def test_a_measure_is_of_all_seeds_and_that_of_data_has_no_ratio() -> None:
    own, data = measures([measured(0, 1.1), measured(1, 1.3), measured(0, None, prefix=DATA)])
    assert (own.seeds, own.ratio, own.no_interval) == (2, pytest.approx((1.1 * 1.3) ** 0.5), TOO_FEW)
    assert own.ratio_sd == pytest.approx(np.std([1.1, 1.3], ddof=1))
    assert (data.score, data.ratio, data.no_interval) == (0.5, None, None)


def test_a_trend_along_the_prefix_is_the_mean_of_the_seeds_slopes() -> None:
    gains = [0.001, 0.002, 0.004]
    [found] = trends([measured(seed, 1 + gain * n, n) for seed, gain in enumerate(gains) for n in (20, 40, 60)])
    assert (found.along, found.seeds) == ("length", 3)
    assert found.slope == pytest.approx(np.mean(gains))
    logarithms = [log(1 + gain * n) for gain in gains for n in (20, 40, 60)]
    assert found.mean == pytest.approx(exp(np.mean(logarithms)))


def test_a_trend_along_the_gap_is_the_mean_of_the_lengths_slopes() -> None:
    falls = {20: -0.01, 40: -0.02}
    scores = [
        measured(seed, 1.5 + seed / 10 + fall * gap, length, gap, CORRUPTED, 0.3)
        for seed in range(3)
        for length, fall in falls.items()
        for gap in (0, 10, 20)
    ]
    along_length, along_gap = trends(scores)
    assert (along_length.along, along_gap.along) == ("length", "gap")
    assert along_length.mean == pytest.approx((1.5 * 1.6 * 1.7) ** (1 / 3))
    assert along_gap.slope == pytest.approx(-0.015)


@pytest.mark.parametrize(
    ("ratios", "told"),
    [
        ((1.1, 1.12, 1.11), "worse after its own text (over 6 articles)"),
        ((0.9, 0.88, 0.89), "better after its own text (over 6 articles)"),
        ((0.9, 1.1, 1.01), "no difference shown (over 6 articles)"),
        ((1.1, 1.2), "too few seeds (over 6 articles)"),
    ],
)
def test_the_verdict_is_that_of_bleu_after_the_models_own_text(ratios: tuple[float, ...], told: str) -> None:
    assert verdict(of_ratios(*ratios), 6) == told


def test_the_answer_is_a_sentence_with_its_number() -> None:
    assert re.fullmatch(
        r"toy continues its own text worse than articles: EB-M by BLEU is 1\.110 \[1\.\d+, 1\.\d+\] \(1 is no "
        r"difference; p [<\d. ]+\)", findings_of(of_ratios(1.1, 1.12, 1.11)).answer,
    )  # fmt: skip
    assert findings_of(of_ratios(1.1, 1.2)).answer.endswith("cannot be told: too few seeds")


def test_what_holds_beside_the_headline_is_corrected_for_all_that_is_listed() -> None:
    [one] = of_ratios(1.01, 1.03, 1.05)
    own = replace(one, p=0.04)
    others = [replace(own, metric=name) for name in ("nist", "backward_bleu", "trigram_entropy")]
    said = findings_of([own, *others])
    assert [sentence.partition(" is worse")[0] for sentence in said.holds] == ["toy under sample, EB-M (BLEU)"]
    assert len(said.unknown) == len(others)
    assert said.answer.startswith("toy continues its own text worse")


def test_a_headline_about_several_models_is_corrected_for_their_number() -> None:
    [one] = of_ratios(1.01, 1.03, 1.05)
    sure = replace(one, p=0.03)
    assert verdict([sure], 6) == "worse after its own text (over 6 articles)"
    assert verdict([sure, replace(sure, model="b")], 6) == (
        "toy: no difference shown; b: no difference shown (over 6 articles)"
    )
