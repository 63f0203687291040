"""Where a paper's numbers are in the answers of experiments: each step's reader on answers that are written by hand."""

from statistics import stdev
from typing import Any

import pytest

from evaluators.statistics import TOO_FEW
from flows.experiments.contrast.reproduce import variant, whose_words
from flows.experiments.exposure_bias.reproduce import exposure_number
from flows.experiments.exposure_bias.result_tables import ExposureMeasure, ExposureScore
from flows.experiments.fairness.material import Found
from flows.experiments.fairness.reproduce import fairness_number
from flows.experiments.fairness.result_tables import FairnessSetting, FairnessSwap, GroupShare
from flows.reproducing.chosen_models import ChosenModel
from flows.reproducing.matching import Ours, canonical, numbers_by_row
from flows.reproducing.step import every
from newwiki.papers.published import Exhibit, Number, papers

COVERED = {"newwiki judge", "newwiki experiment corpora"}  # people judge; corpora are the user's


def number(paper: str, exhibit: Exhibit, title: str, **labels: Any) -> Number:
    """The first with these labels."""
    of_title = [one for _, one in numbers_by_row(papers()[paper], exhibit) if one.metric.title == title]
    return next(one for one in of_title if labels.items() <= dict(one.labels).items())


def test_every_exhibit_with_numbers_has_a_step_or_a_reason() -> None:
    for paper in papers().values():
        for exhibit in paper.exhibits:
            steps = [step for step in every() if step.fills(paper, exhibit)]
            if exhibit.rows and not exhibit.why and not COVERED.intersection(exhibit.commands):
                assert steps, f"{paper.id} {exhibit.name}"


# He et al. 2021


def score(metric: str, prefix: str, seed: int, value: float, ratio: float | None = None) -> ExposureScore:
    return ExposureScore(
        model="toy",
        decoder=canonical("sample"),
        metric=metric,
        prefix=prefix,
        rate=0.0,
        prefix_length=20,
        gap=0,
        seed=seed,
        texts=50,
        score=value,
        ratio=ratio,
    )


TABLE_2, TABLE_8, TABLE_9 = (papers()["002"].table(one) for one in ("2", "8", "9"))


def exposure(one: Number, scores: list[ExposureScore], *ratios: ExposureMeasure) -> Ours:
    found = exposure_number(scores, ratios, one, "toy", "answer")
    assert isinstance(found, Ours)
    return found


def test_a_ratio_is_that_of_the_answer_with_its_interval_over_articles() -> None:
    scores = [score("bleu", "shuffled", seed, 0.4, ratio) for seed, ratio in enumerate((1.01, 1.02, 1.03))]
    ratio = ExposureMeasure(
        model="toy", decoder=canonical("sample"), metric="bleu", prefix="shuffled", rate=0.0, prefix_length=20, gap=0,
        seeds=3, score=0.4, score_sd=None, ratio=1.02, ratio_sd=0.01, low=0.99, high=1.05, no_interval=None,
    )  # fmt: skip
    found = exposure(number("002", TABLE_2, "EB-M (BLEU)", prefix="shuffled", length=20), scores, ratio)
    assert (found.value, found.low, found.high) == (1.02, 0.99, 1.05)
    assert (found.unlike, found.source) == ("", "answer")


def test_a_row_less_another_is_the_difference_of_their_scores() -> None:
    of_data = [score("bleu", "data", seed, value) for seed, value in enumerate((0.40, 0.41, 0.42))]
    shuffled = [score("bleu", "shuffled", seed, value) for seed, value in enumerate((0.38, 0.40, 0.39))]
    one = number("002", TABLE_8, "BLEU", prefix="shuffled", length=20, less="data")
    found = exposure(one, [*of_data, *shuffled])
    assert found.value == pytest.approx(-0.02)
    assert "where the paper has 10,000" in found.unlike


def test_a_deviation_is_judged_and_a_missing_length_told() -> None:
    scores = [score("total_variation", "data", seed, 0.29 + seed / 100) for seed in range(3)]
    found = exposure(number("002", TABLE_9, "CGD (TV)", prefix="data", length=20), scores)
    assert (found.value, found.unlike) == (pytest.approx(0.30), "")
    longer = number("002", TABLE_9, "CGD (TV)", prefix="data", length=30)
    assert exposure_number(scores, (), longer, "toy", "answer") == "there is no prefix of 30 tokens"


# Dhamala et al. 2022


def setting(place: int, decoder: str, sweep: str) -> FairnessSetting:
    return FairnessSetting("toy", sweep, place, decoder, canonical(decoder), f"run{place}", 10, 0, None)


def share(place: int, group: str, value: float, sweep: str = "top_k", metric: str = "negative_regard") -> GroupShare:
    return GroupShare(
        model="toy",
        sweep=sweep,
        place=place,
        category="any",
        group_name=group,
        metric=metric,
        evaluator_id="someone",
        prompts=13,
        texts=13,
        unscored=0,
        share=value,
        low=value - 0.1,
        high=value + 0.1,
        no_interval=None,
        prompt_share=None,
    )


GROUPS = Found(
    [setting(0, "sample:top_k=10", "top_k"), setting(1, "sample:top_k=25", "top_k"),
     setting(0, "sample:temperature=0.4", "temperature")],
    [share(0, "Asian", 0.2), share(1, "Asian", 0.3), share(0, "Straight", 0.5), share(1, "Straight", 0.9),
     share(0, "Woman", 0.25, "temperature")],
    [], [], [], [],
    [FairnessSwap("negative_sentiment", 10, 40, 20, 10, 0.16, 0.01, -0.01, None, None, TOO_FEW, 0.5)],
)  # fmt: skip
FIGURE_2, FIGURE_5, TABLE_3 = (papers()["001"].figure("2"), papers()["001"].figure("5"), papers()["001"].table("3"))


def fairness(one: Number, metric: str = "negative_regard") -> Ours | str:
    return fairness_number(GROUPS, one, metric, "toy", "answer")


def test_the_ends_of_a_sweep_are_told_without_an_interval() -> None:
    for title, value in (("lowest negative regard", 20.0), ("highest negative regard", 30.0)):
        found = fairness(number("001", FIGURE_2, title, sweep="top-k", group="Asian"))
        assert isinstance(found, Ours)
        assert (found.value, found.low) == (pytest.approx(value), None)
        assert "picked" in str(found.lacking)


def test_spreads_are_over_the_settings_of_a_group() -> None:
    least = fairness(number("001", FIGURE_2, "least standard deviation", sweep="top-k"))
    greatest = fairness(number("001", FIGURE_2, "greatest standard deviation", sweep="top-k"))
    assert isinstance(least, Ours) and isinstance(greatest, Ours)
    assert (least.value, greatest.value) == pytest.approx((100 * stdev([0.2, 0.3]), 100 * stdev([0.5, 0.9])))


def test_a_share_is_that_of_the_decoder_and_the_group() -> None:
    found = fairness(number("001", FIGURE_5, "negative regard", group="female"))
    assert isinstance(found, Ours)
    assert (found.value, found.low, found.high) == pytest.approx((0.25, 0.15, 0.35))
    assert fairness(number("001", FIGURE_5, "negative regard", group="male")) == "no prompt is about Man"


def test_swapped_words_have_a_share_without_an_interval() -> None:
    found = fairness(number("001", TABLE_3, "negative sentiment", swapped=10), "negative_sentiment")
    assert isinstance(found, Ours)
    assert (found.value, found.low) == (0.16, None)
    assert isinstance(fairness(number("001", TABLE_3, "negative sentiment", swapped=20), "negative_sentiment"), str)


# Li et al. 2022


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ("CD (search)", {}),
        ("CD (sample): num_beams=0", {"num_beams=5": "num_beams=0"}),
        ("CD without the constraint: alpha=0", {"alpha=0.1": "alpha=0"}),
    ],
)
def test_variants_of_table_4_are_the_main_decoder_with_one_number_changed(words: str, changed: dict[str, str]) -> None:
    main = papers()["000-1"].table("1").rows[0].decoder
    expected = main
    for before, after in changed.items():
        expected = expected.replace(before, after)
    assert variant(main, words) == expected
    assert canonical(variant(main, words))


def test_an_amateur_that_stands_in_is_told() -> None:
    expert, amateur = ChosenModel("GPT-2 XL", "big", "hf", stands_in=True), ChosenModel("gpt2", "toy", "hf", True)
    told = whose_words(expert, amateur, "contrastive-decoding:amateur=gpt2")
    assert told == "big, in the place of GPT-2 XL; its amateur toy, in the place of gpt2"
    assert whose_words(expert, amateur, "greedy") == "big, in the place of GPT-2 XL"
