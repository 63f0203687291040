import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from newwiki.decoding import noise

# 99.9 % points of chi-square, from a table.
CHI_SQUARE_9, CHI_SQUARE_99 = 27.88, 148.23
INT64 = st.integers(-(2**63), 2**63 - 1)
GOLDEN, TOKEN = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93


def mixed(bits: int) -> int:
    """SplitMix64's finaliser over Python's integers, as in the reference code (Vigna, splitmix64.c)."""
    bits &= 2**64 - 1
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & 2**64 - 1
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & 2**64 - 1
    return bits ^ bits >> 31


def draws(seeds: range, pages: range, samples: range, steps: range, tokens: range) -> torch.Tensor:
    """Uniform numbers [rows, tokens] of all combinations, the later arguments changing faster."""
    rows = [
        (noise.row_key(seed, page, sample), step)
        for seed in seeds
        for page in pages
        for sample in samples
        for step in steps
    ]
    keys, at = torch.tensor(rows).T
    drawn = noise.gumbel(keys, at, torch.tensor(tokens).expand(len(rows), -1))
    return torch.exp(-torch.exp(-drawn.double()))


def chi_square(counts: torch.Tensor, expected: torch.Tensor | float) -> float:
    return float(((counts - expected) ** 2 / expected).sum())


def test_the_oracle_is_splitmix64() -> None:
    """The first numbers for seed 1234567, as published with the reference code's many ports."""
    states = [1234567 + GOLDEN * n for n in range(1, 4)]
    assert [mixed(state) for state in states] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@given(INT64, st.integers(0, 100_000), st.integers(0, 300_000))
def test_a_draw_is_that_function_of_key_step_and_token(key: int, step: int, token: int) -> None:
    uniform = ((mixed(mixed(key + step * GOLDEN) + token * TOKEN) >> 12) + 0.5) * 2.0**-52
    drawn = noise.gumbel(torch.tensor([key]), torch.tensor([step]), torch.tensor([[token]]))
    assert drawn.item() == pytest.approx(-math.log(-math.log1p(-uniform)), rel=1e-5, abs=1e-6)


def test_a_rows_key_is_a_hash_of_seed_page_and_sample() -> None:
    """By `printf '0:7:3' | b2sum -l 64`, whose eight bytes are read from the end."""
    assert noise.row_key(0, 7, 3) == int.from_bytes(bytes.fromhex("6ae2dd96b2a256bf"), "little", signed=True)
    keys = {noise.row_key(*numbers) for numbers in [(0, 7, 3), (1, 7, 3), (0, 8, 3), (0, 7, 4), (0, 73, 0), (0, 3, 7)]}
    assert len(keys) == 6
    assert noise.keys([(7, 3), (8, 0)], 5).tolist() == [noise.row_key(5, 7, 3), noise.row_key(5, 8, 0)]


@given(st.permutations(range(50)), st.integers(1, 50))
def test_a_token_has_the_same_bits_whatever_others_are_asked_for(order: list[int], many: int) -> None:
    key, step = torch.tensor([noise.row_key(0, 1, 2)]), torch.tensor([3])
    together = noise.gumbel(key, step, torch.arange(50)[None])[0]
    some = torch.tensor(order[:many])
    assert torch.equal(noise.gumbel(key, step, some[None])[0], together[some])


@given(st.permutations(range(20)), st.integers(1, 20))
def test_a_row_has_the_same_bits_whatever_others_are_beside_it(order: list[int], many: int) -> None:
    keys, steps = noise.keys([(page, page % 3) for page in range(20)], 7), torch.arange(20)
    tokens = torch.arange(100).expand(20, -1)
    together = noise.gumbel(keys, steps, tokens)
    some = torch.tensor(order[:many])
    assert torch.equal(noise.gumbel(keys[some], steps[some], tokens[some]), together[some])


def test_draws_are_uniform_and_finite() -> None:
    uniform = draws(range(1), range(8), range(8), range(16), range(1000))
    counts = torch.histc(uniform, bins=100, min=0, max=1)
    assert bool(torch.isfinite(uniform).all())
    assert counts.sum() == uniform.numel()
    assert chi_square(counts, uniform.numel() / 100) < CHI_SQUARE_99


@pytest.mark.parametrize(
    "pairs",
    [
        lambda: draws(range(2), range(20), range(10), range(10), range(10)).reshape(2, -1),
        lambda: draws(range(1), range(2), range(20), range(10), range(50)).reshape(2, -1),
        lambda: draws(range(1), range(20), range(2), range(10), range(50)).reshape(20, 2, -1).transpose(0, 1),
        lambda: draws(range(1), range(20), range(10), range(2), range(50)).reshape(200, 2, 50).transpose(0, 1),
        lambda: draws(range(1), range(20), range(10), range(50), range(2)).permute(1, 0),
    ],
    ids=["seeds", "pages", "samples", "steps", "tokens"],
)
def test_neighbours_are_independent(pairs: Callable[[], torch.Tensor]) -> None:
    """Pairs of neighbouring seeds (and so on) in a grid of ten by ten: 99 degrees of freedom."""
    one, other = pairs().reshape(2, -1)
    counts = torch.histc(((one * 10).floor() * 10 + (other * 10).floor()).float(), bins=100, min=0, max=99.999)
    assert chi_square(counts, one.numel() / 100) < CHI_SQUARE_99


def test_the_largest_of_score_and_noise_is_drawn_from_the_softmax() -> None:
    scores = torch.tensor([2.0, 1.5, 1.0, 0.5, 0.0, -0.5, -1.0, 0.3, 1.2, -0.2])
    many = 40_000
    keys = noise.keys([(page, sample) for page in range(many // 20) for sample in range(20)], 0)
    drawn = noise.gumbel(keys, torch.zeros_like(keys), torch.arange(10).expand(many, -1))
    counts = torch.bincount((scores + drawn).argmax(dim=1), minlength=10)
    assert chi_square(counts, scores.softmax(0) * many) < CHI_SQUARE_9
