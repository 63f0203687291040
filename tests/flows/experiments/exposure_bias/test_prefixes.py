"""How prompts and prefixes are cut out of texts and damaged."""

from collections import Counter

import pytest

from flows.experiments.exposure_bias.prefixes import CORRUPTED, SHUFFLED, Prefix, distorted, halves, stretches

TOKENS = tuple(range(20))
OTHERS = tuple(range(100, 1000))


def changed(rate: float, seed: int = 0) -> dict[int, int]:
    """By place what stands there instead."""
    there = distorted(TOKENS, Prefix(CORRUPTED, 20, rate), OTHERS, seed, (1, 0))
    return {place: token for place, token in enumerate(there) if token != TOKENS[place]}


def test_stretches_stand_one_after_the_other_and_are_whole() -> None:
    assert stretches(range(10), 3, 9) == [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
    assert stretches(range(10), 3, 2) == [(0, 1, 2), (3, 4, 5)]
    assert stretches(range(2), 3, 9) == []


def test_a_page_is_in_one_half_alone() -> None:
    keys = [(page, place) for page in range(11) for place in range(3)]
    asked, references = halves(keys, 0)
    assert sorted([*asked, *references]) == keys
    assert len({page for page, _ in asked}) == 5
    assert not {page for page, _ in asked} & {page for page, _ in references}
    assert halves(keys, 1) != (asked, references)


def test_shuffled_prefixes_have_the_same_tokens_in_another_order() -> None:
    there = distorted(TOKENS, Prefix(SHUFFLED, 20), OTHERS, 0, (1, 0))
    assert Counter(there) == Counter(TOKENS) and there != TOKENS
    assert there == distorted(TOKENS, Prefix(SHUFFLED, 20), OTHERS, 0, (1, 0))
    assert there != distorted(TOKENS, Prefix(SHUFFLED, 20), OTHERS, 0, (2, 0))
    assert there != distorted(TOKENS, Prefix(SHUFFLED, 20), OTHERS, 1, (1, 0))


@pytest.mark.parametrize(("rate", "tokens"), [(0.0, 0), (0.1, 2), (0.3, 6), (1.0, 20)])
def test_a_rate_replaces_its_share_of_the_tokens(rate: float, tokens: int) -> None:
    assert len(changed(rate)) == tokens
    assert set(changed(rate).values()) <= set(OTHERS)


def test_what_a_lower_rate_replaces_a_higher_one_replaces_alike() -> None:
    assert changed(0.1).items() <= changed(0.3).items() <= changed(1.0).items()
    assert changed(0.3) != changed(0.3, seed=1)
