"""Min-K%++ of what is expected least, by hand."""

import pytest

from evaluators.min_k_percent import min_k_percent
from newwiki.records import Passage, Reading, Unscorable


@pytest.mark.by_hand("min_k_percent")
def test_min_k_percent_by_hand() -> None:
    """A fifth of seven tokens is one, of ten tokens two."""
    seven = Passage((-1.0,) * 7, 20, (3.0, -2.0, 0.5, 1.0, -4.0, 0.0, 2.0))
    assert min_k_percent(Reading(seven, seven)) == -4.0
    ten = Passage((-1.0,) * 10, 20, (3.0, -2.0, 0.5, 1.0, -4.0, 0.0, 2.0, 1.0, 1.0, 1.0))
    assert min_k_percent(Reading(seven, ten)) == -3.0


def test_one_token_is_its_own_lowest_and_none_has_no_number() -> None:
    one, nothing, away = Passage((-1.0,), 3, (0.25,)), Passage((), 0), Unscorable("does not fit")
    assert min_k_percent(Reading(one, one)) == 0.25
    assert min_k_percent(Reading(one, nothing)) == Unscorable("no token to score")
    assert min_k_percent(Reading(one, away)) == away
