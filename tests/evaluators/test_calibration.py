"""0 is another article, 100 the article itself; a metric that cannot tell them apart has no such scale."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.calibration import calibrated, sight

OTHER = np.linspace(0.0, 0.2, 20)
ARTICLE = OTHER + np.tile([0.4, 0.6], 10)


@pytest.mark.parametrize(("text", "value"), [(OTHER, 0), (ARTICLE, 100), ((OTHER + ARTICLE) / 2, 50)])
def test_scale_goes_from_another_article_to_the_article(text: np.ndarray, value: float) -> None:
    assert calibrated(text, ARTICLE, OTHER).mean == pytest.approx(value)


def test_interval_is_that_of_a_ratio_of_means_by_hand() -> None:
    """R = mean(D) / mean(E), and the error that of (D - R E) / mean(E): here D is 0.25 everywhere, E 0.4 or 0.6 in
    turns, so R = 0.5 and each article contributes 50 ± 10, with the error 10 / sqrt(19) = 2.294 (t of 19: 2.093)."""
    found = calibrated(OTHER + 0.25, ARTICLE, OTHER)
    assert (found.mean, found.clusters) == (pytest.approx(50), 20)
    assert (found.low, found.high) == (pytest.approx(50 - 2.0930 * 2.2942, abs=1e-3), pytest.approx(54.8018, abs=1e-3))


@given(st.floats(0.1, 9), st.floats(-9, 9), st.sampled_from([1, -1]))
def test_calibrated_number_does_not_depend_on_unit_or_direction(factor: float, shift: float, sign: int) -> None:
    text = OTHER + np.linspace(0.1, 0.3, 20)
    plain = calibrated(text, ARTICLE, OTHER)
    moved = calibrated(*(sign * factor * numbers + shift for numbers in (text, ARTICLE, OTHER)))
    assert moved.mean == pytest.approx(plain.mean) and moved.low == pytest.approx(plain.low)


def test_articles_without_one_of_the_numbers_do_not_count() -> None:
    text, article = OTHER + 0.1, ARTICLE.copy()
    text[0], article[1] = np.nan, np.nan
    assert calibrated(text, article, OTHER).clusters == 18


def test_interval_wider_than_the_scale_leaves_no_number() -> None:
    """BLEU of 40 words beside an article of 600: the ends differ by less than the texts of a run do."""
    assert calibrated(np.tile([0.0, 5.0], 10), OTHER + 0.01, OTHER).mean is None


def test_equal_ends_have_no_scale() -> None:
    assert calibrated(OTHER, OTHER, OTHER).mean is None


@pytest.mark.parametrize(
    ("article", "direction", "share", "sees"),
    [
        (OTHER + 1, "higher", 1.0, True),
        (OTHER + 1, "lower", 0.0, False),
        (OTHER - 1, "lower", 1.0, True),
        (OTHER, "higher", 0.5, False),
        (OTHER + np.tile([1, 1, 1, -1], 5), "higher", 0.75, True),
        (OTHER + np.tile([1, 1, -1, 1, -1], 4), "higher", 0.6, False),
    ],
)
def test_metric_sees_content_if_it_prefers_the_article(
    article: np.ndarray, direction: str, share: float, sees: bool
) -> None:
    found = sight(anchors(article), direction)  # type: ignore[arg-type]
    assert found.share.mean == pytest.approx(share) and found.sees_content is sees


def test_twelve_articles_are_too_few_to_see() -> None:
    few = {anchor: numbers[:12] for anchor, numbers in anchors(ARTICLE).items()}
    assert not sight(few, "higher").sees_content


def test_metric_that_prefers_repetition_orders_fewer_anchors_rightly() -> None:
    """Of four orders one is wrong on each article, where the repeated sentence has the best number."""
    honest, fooled = sight(anchors(ARTICLE), "higher"), sight(anchors(ARTICLE, repeat=ARTICLE + 1), "higher")
    assert (honest.orders, honest.prefers_repetition) == (1, False)
    assert (fooled.orders, fooled.prefers_repetition) == (0.75, True)


def anchors(article: np.ndarray, repeat: np.ndarray = OTHER - 1) -> dict[str, np.ndarray]:
    return {
        "anchor:article": article,
        "anchor:other": OTHER,
        "anchor:half": (article + OTHER) / 2,
        "anchor:repeat": repeat,
    }
