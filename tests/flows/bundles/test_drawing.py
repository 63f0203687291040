"""Which completions are made anew: any as likely as any other, each at most once, and nobody knows before."""

import math
from collections import Counter

from scipy import stats

from flows.bundles.drawing import Key, draw, new_number, passes

KEYS: list[Key] = [("run", page, sample) for page in range(50) for sample in range(4)]
CHECKS, DRAWN = 1_000, 20


def caught(changed: set[Key]) -> int:
    """In how many of the checks, each with a number of its own, a changed completion was among the drawn."""
    return sum(not changed.isdisjoint(draw(KEYS, DRAWN, number, "hash")) for number in range(CHECKS))


def test_a_share_of_changed_completions_is_caught_as_often_as_it_should_be() -> None:
    """1 − (1 − p)^k, or a little more, as none is drawn twice; within what 1,000 checks vary by (1 in 10,000)."""
    for share in (0.05, 0.1, 0.2):
        changed = set(KEYS[:: round(1 / share)])
        assert len(changed) == share * len(KEYS)
        exactly = 1 - math.comb(len(KEYS) - len(changed), DRAWN) / math.comb(len(KEYS), DRAWN)
        assert 1 - passes(share, DRAWN) <= exactly <= 1 - passes(share, DRAWN) + 0.03
        low, high = stats.binom.interval(0.9999, CHECKS, exactly)
        assert low <= caught(changed) <= high


def test_every_completion_is_drawn_as_often_as_every_other() -> None:
    counts = Counter(key for number in range(CHECKS) for key in draw(KEYS, DRAWN, number, "hash"))
    assert stats.chisquare([counts[key] for key in KEYS]).pvalue > 1e-4


def test_none_is_drawn_twice_and_more_are_these_and_others() -> None:
    drawn = draw(KEYS, DRAWN, 7, "hash")
    assert len(set(drawn)) == DRAWN
    assert draw(KEYS, 2 * DRAWN, 7, "hash")[:DRAWN] == drawn
    assert set(draw(KEYS, 10_000, 7, "hash")) == set(KEYS)


def test_number_and_bundle_decide_and_the_order_does_not() -> None:
    drawn = draw(KEYS, DRAWN, 7, "hash")
    assert draw(KEYS[::-1], DRAWN, 7, "hash") == drawn
    assert draw(KEYS, DRAWN, 8, "hash") != drawn != draw(KEYS, DRAWN, 7, "another")


def test_the_number_is_a_new_one_each_time() -> None:
    assert len({new_number() for _ in range(100)}) == 100


def test_what_passes_by_hand() -> None:
    assert passes(0.5, 2) == 0.25
    assert passes(0, 20) == 1
