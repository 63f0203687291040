"""The rules that truncate, against transformers' processors, the naive implementation, and values by hand."""

import itertools
from collections.abc import Mapping
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import (
    EpsilonLogitsWarper,
    EtaLogitsWarper,
    MinPLogitsWarper,
    TopHLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
    TypicalLogitsWarper,
)

from newwiki.decoding import noise
from newwiki.decoding.candidates import Candidates
from newwiki.decoding.sample import race
from newwiki.decoding.truncation import TRUNCATIONS, rules, truncate
from tests.newwiki.decoding.naive import truncated

Parameters = Mapping[str, Any]

CHI_SQUARE_9 = 27.88  # its 99.9 % point, from a table
DRAWS = 4000
NEW: list[Parameters] = [
    {"min_p": 0.1}, {"min_p": 1.0}, {"epsilon_cutoff": 0.03}, {"epsilon_cutoff": 0.6}, {"eta_cutoff": 0.02},
    {"eta_cutoff": 0.3}, {"top_h": 0.4}, {"top_h": 0.9}, {"top_n_sigma": 0.8}, {"top_n_sigma": 1.5}, {"p_less": 1},
]  # fmt: skip
TOGETHER: list[Parameters] = [
    {"top_n_sigma": 2.0, "top_h": 0.8},
    {"top_n_sigma": 1.5, "p_less": 1},
    {"p_less": 1, "top_h": 0.8, "top_k": 3},
    {"top_k": 8, "top_p": 0.95, "min_p": 0.05},
    {"top_p": 0.9, "eta_cutoff": 0.05},
    {"min_p": 0.05, "typical_p": 0.8, "epsilon_cutoff": 0.1},
]
# In the order in which transformers' `generate` applies them.
BY_TRANSFORMERS = {
    "top_h": TopHLogitsWarper,
    "top_k": lambda k: TopKLogitsWarper(int(k)),
    "top_p": TopPLogitsWarper,
    "min_p": MinPLogitsWarper,
    "typical_p": TypicalLogitsWarper,
    "epsilon_cutoff": EpsilonLogitsWarper,
    "eta_cutoff": EtaLogitsWarper,
}


def applied(scores: torch.Tensor, slack: float, parameters: Parameters) -> Candidates:
    return truncate(scores, torch.full((len(scores), 1), slack), rules(**parameters))


def on_vocabulary(candidates: Candidates, mask: torch.Tensor, vocabulary: int) -> torch.Tensor:
    return torch.zeros(len(mask), vocabulary, dtype=torch.bool).scatter_(1, candidates.tokens, mask)


def kept(scores: torch.Tensor, parameters: Parameters) -> torch.Tensor:
    candidates = applied(scores, 0.0, parameters)
    return on_vocabulary(candidates, candidates.kept, scores.shape[1])


def some_logits(rows: int, vocabulary: int, spread: float, seed: int = 1) -> torch.Tensor:
    return torch.randn(rows, vocabulary, generator=torch.Generator().manual_seed(seed)) * spread


@pytest.mark.parametrize(
    "parameters",
    [
        *(one for one in [*NEW, *TOGETHER] if one.keys() <= BY_TRANSFORMERS.keys()),
        {"top_h": 0.9, "top_k": 40, "top_p": 0.95, "min_p": 0.01, "typical_p": 0.95, "epsilon_cutoff": 0.01,
         "eta_cutoff": 0.05},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize(("vocabulary", "spread"), [(60, 0.3), (60, 3.0), (2000, 2.0)])
def test_the_same_tokens_are_kept_as_by_transformers(parameters: Parameters, vocabulary: int, spread: float) -> None:
    logits = some_logits(20, vocabulary, spread)
    expected = logits.clone()
    for name, warper in BY_TRANSFORMERS.items():
        if name in parameters:
            expected = warper(parameters[name])(None, expected)
    assert torch.equal(kept(logits, parameters), expected.isfinite())


@pytest.mark.parametrize("parameters", [*NEW, *TOGETHER], ids=str)
def test_the_same_tokens_are_kept_as_by_the_naive_implementation(parameters: Parameters) -> None:
    """Also where an n-gram is blocked: its token has a logit of -inf and counts for nothing."""
    for spread in (0.3, 3.0):
        logits = some_logits(10, 150, spread, seed=2)
        logits[:, 7] = -torch.inf
        expected = torch.stack([truncated(row.double(), [], [], **parameters).isfinite() for row in logits])
        assert torch.equal(kept(logits, parameters), expected)


@pytest.mark.parametrize(
    ("parameters", "probabilities", "expected"),
    [
        ({"min_p": 0.5}, [0.4, 0.21, 0.19, 0.201], [0, 1, 3]),  # at least 0.2 of a sum of 1.001
        ({"epsilon_cutoff": 0.25}, [0.24, 0.3, 0.26, 0.2], [1, 2]),
        ({"epsilon_cutoff": 0.9}, [0.24, 0.3, 0.26, 0.2], [1]),  # none has 0.9, so the best stays
        ({"p_less": 1}, [0.5, 0.3, 0.2], [0]),  # 0.25 + 0.09 + 0.04 = 0.38
        ({"p_less": 1}, [0.4, 0.35, 0.25], [0, 1]),  # 0.16 + 0.1225 + 0.0625 = 0.345
        ({"p_less": 1}, [0.25, 0.25, 0.25, 0.25], [0, 1, 2, 3]),  # 4 · 0.0625 = 0.25
        ({"top_h": 0.56}, [0.5, 0.25, 0.125, 0.125], [0]),  # terms 0.5, 0.5, 0.375, 0.375 of 1.75 bits: at most 0.98
        ({"top_h": 0.58}, [0.5, 0.25, 0.125, 0.125], [0, 1]),  # at most 1.015
        ({"top_h": 0.8}, [0.5, 0.25, 0.125, 0.125], [0, 1, 2, 3]),  # at most 1.4, and the last two tie
        ({"eta_cutoff": 0.25}, [0.5, 0.25, 0.125, 0.125], [0, 1]),  # min(0.25, 0.5 · exp(-1.213)) = 0.149
    ],
)
def test_values_by_hand(parameters: Parameters, probabilities: list[float], expected: list[int]) -> None:
    logits = torch.tensor([probabilities]).log()
    assert kept(logits, parameters)[0].nonzero()[:, 0].tolist() == expected


def test_top_n_sigma_by_hand() -> None:
    """The logits 4, 2, 0, -2, -4 have the standard deviation sqrt(8) = 2.83."""
    logits = torch.tensor([[4.0, 2.0, 0.0, -2.0, -4.0, -torch.inf]])
    counts = [int(kept(logits, {"top_n_sigma": n}).sum()) for n in (0.7, 0.71, 1.41, 1.42)]
    assert counts == [1, 2, 2, 3]


@given(
    st.lists(st.integers(-40, 8), min_size=2, max_size=30),
    st.sampled_from([*NEW, *TOGETHER]),
    st.randoms(use_true_random=False),
)
def test_what_is_kept_does_not_depend_on_the_order_of_tokens_and_is_never_nothing(
    quarters: list[int], parameters: Parameters, random: object
) -> None:
    """The logits have many ties: those above an edge go together, except under top-k and top-p, which count tokens."""
    logits = torch.tensor([quarters]) / 4
    order = [*range(len(quarters))]
    random.shuffle(order)  # type: ignore[attr-defined]
    here, there = kept(logits, parameters), kept(logits[:, order], parameters)
    assert here.any()
    by_rank = {"top_k", "top_p"} & parameters.keys()
    assert logits[here].sort().values.tolist() == logits[:, order][there].sort().values.tolist()
    if not by_rank:
        assert torch.equal(here[:, order], there)
        assert here[:, logits[0] == logits.max()].all() or "typical_p" in parameters


@given(st.floats(0.2, 5), st.floats(0.1, 3))
@settings(max_examples=30, deadline=None)
def test_top_n_sigma_keeps_the_same_tokens_at_any_temperature(temperature: float, n: float) -> None:
    logits = some_logits(5, 50, 2.0, seed=3)
    cold = applied(logits, 1e-5, {"top_n_sigma": n})
    clear = (cold.surely == cold.possibly).all(dim=1)
    assert torch.equal(kept(logits / temperature, {"top_n_sigma": n})[clear], kept(logits, {"top_n_sigma": n})[clear])


@pytest.mark.parametrize("parameters", [*NEW, *TOGETHER], ids=str)
@pytest.mark.parametrize("slack", [0.003, 0.1])
def test_no_rounding_within_the_slack_keeps_less_than_surely_or_more_than_possibly(
    parameters: Parameters, slack: float
) -> None:
    """The law that makes a completion independent of its batch. Moves in one direction above the edge and in the other
    below it shift the edge the most."""
    generator = torch.Generator().manual_seed(5)
    for vocabulary, spread in ((12, 1.0), (12, 3.0), (200, 1.5)):
        logits = torch.randn(300, vocabulary, generator=generator) * spread
        candidates = applied(logits, slack, parameters)
        surely, possibly = (
            on_vocabulary(candidates, mask, vocabulary) for mask in (candidates.surely, candidates.possibly)
        )
        assert not bool((surely & ~kept(logits, parameters)).any())
        edge = logits.masked_fill(~kept(logits, parameters), torch.inf).amin(dim=1, keepdim=True)
        for trial in range(9):
            moves = torch.rand(logits.shape, generator=generator) * 2 - 1
            if trial % 3:
                moves = torch.where((logits >= edge) ^ (moves < -0.8), 1.0, -1.0) * (1 if trial % 3 == 1 else -1)
            after = kept(logits + 0.9999 * slack * moves, parameters)[candidates.seen]
            assert not bool((surely[candidates.seen] & ~after).any())
            assert not bool((after & ~possibly[candidates.seen]).any())


@pytest.mark.parametrize("parameters", [*NEW, *TOGETHER], ids=str)
def test_tokens_are_drawn_as_often_as_the_truncated_softmax_says(parameters: Parameters) -> None:
    logits = torch.tensor([2.0, 1.5, 1.0, 0.5, 0.0, -0.5, -1.0, 0.3, 1.2, -0.2])
    keys = noise.keys([(page, n) for page in range(DRAWS // 20) for n in range(20)], 3)
    drawn, _ = race(rules(**parameters))(
        logits.expand(DRAWS, -1), lambda tokens: noise.gumbel(keys, torch.zeros_like(keys), tokens),
        torch.zeros(DRAWS, 1),
    )  # fmt: skip
    left = truncated(logits.double(), [], [], **parameters).softmax(dim=0)
    expected, counts = (left * DRAWS)[left > 0], torch.bincount(drawn, minlength=10)
    assert int(counts[left > 0].sum()) == DRAWS
    assert float(((counts[left > 0] - expected) ** 2 / expected).sum()) < CHI_SQUARE_9


@pytest.mark.parametrize("parameters", [*NEW, *TOGETHER], ids=str)
def test_a_row_keeps_the_same_tokens_alone_and_beside_one_that_needs_the_whole_vocabulary(
    parameters: Parameters,
) -> None:
    logits = some_logits(1, 3000, 2.5, seed=6)
    beside = torch.cat([logits, torch.zeros(1, 3000)])
    assert torch.equal(kept(beside, parameters)[:1], kept(logits, parameters))
    keys, step = noise.keys([(1, 0), (2, 0)], 0), torch.zeros(2, dtype=torch.int64)
    choose = race(rules(**parameters))
    together, _ = choose(beside, lambda tokens: noise.gumbel(keys, step, tokens), torch.zeros(2, 1))
    alone, _ = choose(logits, lambda tokens: noise.gumbel(keys[:1], step[:1], tokens), torch.zeros(1, 1))
    assert together[0] == alone[0]


def test_rules_are_applied_in_transformers_order_and_none_by_default() -> None:
    ours = [name for name in TRUNCATIONS if name in BY_TRANSFORMERS]
    assert ours == [*BY_TRANSFORMERS]
    assert rules() == []
    every = rules(**dict(itertools.chain.from_iterable(one.items() for one in [*NEW, *TOGETHER])))
    assert [rule.__name__ for rule, _ in every] == [*TRUNCATIONS]
