import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from evaluators.networks.agreement import agreement


def test_agreement_by_hand() -> None:
    # Errors 0, 1, -1, 0; squares 0 1 1 0. Of all pairs of (1 2 3 4) and (1 3 2 4) the mean square is 2.5.
    found = agreement([1, 2, 3, 4], [1, 3, 2, 4])
    assert found.rmse == pytest.approx(0.5**0.5)
    assert found.pearson == pytest.approx(0.8)
    assert found.qwk == pytest.approx(1 - 0.5 / 2.5)
    assert str(found) == "Pearson 0.800, RMSE 0.707, QWK 0.800"


def test_kappa_is_scikit_learns() -> None:
    random = np.random.default_rng(0)
    given = random.integers(0, 7, 60)
    predicted = given + random.normal(0, 1.5, 60)
    expected = cohen_kappa_score(given, np.rint(predicted).astype(int), weights="quadratic")
    assert agreement(given.tolist(), predicted.tolist()).qwk == pytest.approx(expected)


def test_what_cannot_be_said_is_none() -> None:
    assert agreement([1, 1], [2, 3]).pearson is None
    assert agreement([0.5, 1.5], [0.4, 1.6]).qwk is None
    assert agreement([1, 1], [1, 1]).qwk is None
