import pytest

from evaluators.claims.calibration import Bin, calibration


def test_a_reliability_table_by_hand() -> None:
    shares = [[0.9, 0.05, 0.05], [0.1, 0.85, 0.05], [0.2, 0.2, 0.6], [0.6, 0.2, 0.2]]
    found = calibration(shares, [0, 0, 2, 0])
    assert found.bins == [
        Bin(low=0.5, high=0.6, pairs=2, confidence=pytest.approx(0.6), accuracy=1.0),
        Bin(low=0.8, high=0.9, pairs=2, confidence=pytest.approx(0.875), accuracy=0.5),
    ]
    assert found.accuracy == 3 / 4
    assert found.error == pytest.approx((2 * 0.4 + 2 * 0.375) / 4)


def test_who_is_wholly_sure_and_right_is_calibrated() -> None:
    assert calibration([[1.0, 0.0], [0.0, 1.0]], [0, 1]).error == 0


def test_shares_without_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="equally many"):
        calibration([[1.0, 0.0]], [])
