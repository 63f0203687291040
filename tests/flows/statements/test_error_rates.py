"""What the verdicts promise, by simulation: the truths of `benchmarks/statement_verdicts.py` with fewer draws."""

import math
from typing import Any

import pytest

from flows.statements.verdicts import FAILS, HOLDS
from tests.evaluators.simulations import loaded

DRAWS = 60
AT_MOST = 0.05 + 3 * math.sqrt(0.05 * 0.95 / DRAWS)  # three standard errors of the simulation

simulated = loaded("statement_verdicts")


@pytest.mark.parametrize("truth", simulated.TRUTHS, ids=lambda truth: truth.words)
def test_what_is_not_so_holds_and_what_is_so_does_not_in_at_most_5_of_100_cases(truth: Any) -> None:
    found = simulated.called(truth, DRAWS)
    wrong = FAILS if truth.is_so else HOLDS
    assert found[wrong] / DRAWS <= AT_MOST
    assert found.keys() - {wrong}
