"""Bits of an article by the byte and by the token, by hand."""

import math

import pytest

from evaluators.bits_per_byte import article_likelihood
from newwiki.records import Passage, Reading, Unscorable


@pytest.mark.by_hand("bits_per_byte", "bits_per_token", "prompt_bits_per_byte")
def test_bits_by_hand() -> None:
    """Probabilities of a half, a quarter and an eighth are one, two and three bits."""
    rest = Passage((math.log(1 / 2), math.log(1 / 4), math.log(1 / 8)), 12)
    prompt = Passage((math.log(1 / 16),), 2)
    assert article_likelihood(Reading(prompt, rest)) == {
        "bits_per_byte": pytest.approx(6 / 12),
        "bits_per_token": pytest.approx(2),
        "prompt_bits_per_byte": pytest.approx(2),
    }


def test_what_is_not_read_has_no_number_and_says_why() -> None:
    nothing, away = Passage((), 0), Unscorable("does not fit")
    found = article_likelihood(Reading(away, nothing))
    assert found["bits_per_byte"] == found["bits_per_token"] == Unscorable("no token to score")
    assert found["prompt_bits_per_byte"] == away
