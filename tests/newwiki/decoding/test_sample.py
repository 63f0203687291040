"""Sampling and greedy search, one step at a time."""

from collections.abc import Callable
from functools import partial

import pytest
import torch
from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from newwiki.decoding import noise
from newwiki.decoding.each_token import TokenChoice
from newwiki.decoding.greedy import most_probable
from newwiki.decoding.sample import race
from newwiki.decoding.stream import Noise
from newwiki.decoding.truncation import rules

Parameters = tuple[int, float, float] | tuple[int, float, float, float]

CHI_SQUARE_9 = 27.88  # its 99.9 % point, from a table
GRID: list[Parameters] = [
    (top_k, top_p, temperature)
    for top_k in (0, 1, 3, 40)
    for top_p in (0.05, 0.5, 0.9, 0.999, 1.0)
    for temperature in (0.5, 1.0, 1.7)
]


def sample(top_k: int, top_p: float, temperature: float, typical_p: float = 1.0) -> TokenChoice:
    choose = race(rules(top_k=top_k, top_p=top_p, typical_p=typical_p))

    def step(scores: torch.Tensor, noise: Noise, slack: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return choose(scores / temperature, noise, slack / temperature)

    return step


def silent(tokens: torch.Tensor) -> torch.Tensor:
    return torch.zeros(tokens.shape)


def sure_of(
    step: TokenChoice, logits: list[float], slack: float, heard: Callable[[torch.Tensor], torch.Tensor] = silent
) -> bool:
    return bool(step(torch.tensor([logits]), heard, torch.tensor([[slack]]))[1])


def kept_by_us(logits: torch.Tensor, parameters: Parameters) -> set[int]:
    """A token is kept if it wins where the noise cheers for it alone."""
    vocabulary = len(logits)
    cheered = torch.arange(vocabulary)[:, None]
    step = sample(*parameters)
    chosen, _ = step(
        logits.expand(vocabulary, -1), lambda tokens: 1e4 * (tokens == cheered), torch.zeros(vocabulary, 1)
    )
    return set((chosen == cheered[:, 0]).nonzero()[:, 0].tolist())


def kept_by_transformers(logits: torch.Tensor, parameters: Parameters) -> set[int]:
    top_k, top_p, temperature, *_ = parameters
    scores = TemperatureLogitsWarper(temperature)(None, logits[None].clone())
    if top_k:
        scores = TopKLogitsWarper(top_k)(None, scores)
    if top_p < 1:
        scores = TopPLogitsWarper(top_p)(None, scores)
    return set(torch.isfinite(scores[0]).nonzero()[:, 0].tolist())


@pytest.mark.parametrize("parameters", GRID, ids=str)
@pytest.mark.parametrize("spread", [0.3, 3.0])
def test_it_keeps_the_same_tokens_as_transformers(parameters: Parameters, spread: float) -> None:
    generator = torch.Generator().manual_seed(1)
    for _ in range(5):
        logits = torch.randn(60, generator=generator) * spread
        assert kept_by_us(logits, parameters) == kept_by_transformers(logits, parameters)


@pytest.mark.parametrize("parameters", [(0, 0.9, 1.0), (0, 0.2, 1.0), (700, 0.9, 1.0), (0, 0.99, 0.7)], ids=str)
@pytest.mark.parametrize("spread", [0.1, 4.0])
def test_a_nucleus_that_is_wider_than_the_first_look_is_whole(parameters: Parameters, spread: float) -> None:
    logits = torch.randn(1000, generator=torch.Generator().manual_seed(2)) * spread
    assert kept_by_us(logits, parameters) == kept_by_transformers(logits, parameters)


def test_rows_do_not_disturb_each_other() -> None:
    """One row's nucleus needs the whole vocabulary, the other's two tokens."""
    flat, steep = torch.zeros(3000), torch.zeros(3000)
    steep[:2] = 50
    both = torch.stack([flat, steep])
    keys = noise.keys([(1, 0), (2, 0)], 0)
    step = sample(0, 0.9, 1.0)
    zero = torch.zeros(2, dtype=torch.int64)
    together, _ = step(both, lambda tokens: noise.gumbel(keys, zero, tokens), torch.zeros(2, 1))
    for place in range(2):
        alone, _ = step(
            both[place : place + 1],
            partial(noise.gumbel, keys[place : place + 1], zero[:1]),
            torch.zeros(1, 1),
        )
        assert alone[0] == together[place]


@pytest.mark.parametrize("parameters", [(0, 1.0, 1.0), (10, 1.0, 2.0), (0, 0.95, 0.8)], ids=str)
def test_tokens_are_drawn_as_often_as_the_truncated_softmax_says(parameters: Parameters) -> None:
    temperature = parameters[2]
    logits = torch.tensor([2.0, 1.5, 1.0, 0.5, 0.0, -0.5, -1.0, 0.3, 1.2, -0.2])
    many = 40_000
    keys = noise.keys([(page, n) for page in range(many // 20) for n in range(20)], 3)
    drawn, _ = sample(*parameters)(
        logits.expand(many, -1), lambda tokens: noise.gumbel(keys, torch.zeros_like(keys), tokens), torch.zeros(many, 1)
    )
    kept = sorted(kept_by_transformers(logits, parameters))
    expected = (logits[kept] / temperature).softmax(0) * many
    counts = torch.bincount(drawn, minlength=10)
    assert counts.sum() == counts[kept].sum()
    assert float(((counts[kept] - expected) ** 2 / expected).sum()) < CHI_SQUARE_9


def test_greedy_takes_the_largest() -> None:
    logits = torch.randn(50, 300, generator=torch.Generator().manual_seed(0))
    chosen, sure = most_probable(logits, silent, torch.zeros(50, 1))
    assert torch.equal(chosen, logits.argmax(dim=1))
    assert bool(sure.all())


@pytest.mark.parametrize("step", [most_probable, sample(0, 1.0, 1.0), sample(2, 1.0, 1.0), sample(0, 0.9, 1.0)])
def test_two_candidates_within_the_slack_make_a_choice_unsure(step: TokenChoice) -> None:
    assert sure_of(step, [1.0, 0.5, -9.0], 0.1)
    assert not sure_of(step, [1.0, 0.9, -9.0], 0.1)
    assert sure_of(step, [1.0, 0.9, -9.0], 0.01)
    assert not sure_of(step, [1.0, 1.0, -9.0], 1e-6)


def test_a_winner_at_the_edge_of_top_k_is_unsure() -> None:
    step = sample(2, 1.0, 1.0)
    cheer_for_second = lambda tokens: 5.0 * (tokens == 1)  # noqa: E731
    assert not sure_of(step, [9.0, 5.0, 4.99, -9.0], 0.1, cheer_for_second)
    assert sure_of(step, [9.0, 5.0, 4.0, -9.0], 0.1, cheer_for_second)


def test_a_loser_at_the_edge_of_top_k_that_would_have_won_makes_it_unsure() -> None:
    step = sample(2, 1.0, 1.0)
    cheer_for_third = lambda tokens: 50.0 * (tokens == 2)  # noqa: E731
    assert not sure_of(step, [9.0, 5.0, 4.99, -9.0], 0.1, cheer_for_third)
    assert sure_of(step, [9.0, 5.0, 4.0, -9.0], 0.1, cheer_for_third)


def test_all_losers_at_the_edge_of_top_k_make_it_unsure() -> None:
    """Three within the slack of each other, of whom one is kept: it may be the last of them, and that one would win."""
    step = sample(2, 1.0, 1.0)
    cheer_for_fourth = lambda tokens: 50.0 * (tokens == 3)  # noqa: E731
    assert not sure_of(step, [9.0, 5.0, 4.99, 4.98, -9.0], 0.1, cheer_for_fourth)
    assert sure_of(step, [9.0, 5.0, 4.99, 4.0, -9.0], 0.1, cheer_for_fourth)


def test_a_token_at_the_edge_of_the_nucleus_makes_it_unsure() -> None:
    """Probabilities 0.6, 0.3, 0.1: the third enters the nucleus at 0.9."""
    logits = torch.tensor([0.6, 0.3, 0.1]).log().tolist()
    cheer_for_third = lambda tokens: 50.0 * (tokens == 2)  # noqa: E731
    assert not sure_of(sample(0, 0.9001, 1.0), logits, 0.01, cheer_for_third)
    assert not sure_of(sample(0, 0.8999, 1.0), logits, 0.01, cheer_for_third)
    assert sure_of(sample(0, 0.75, 1.0), logits, 0.01, cheer_for_third)


def test_slack_grows_as_temperature_falls() -> None:
    assert sure_of(sample(0, 1.0, 1.0), [1.0, 0.7, -9.0], 0.1)
    assert sure_of(sample(0, 1.0, 0.1), [1.0, 0.7, -9.0], 0.1)
    hushed = lambda tokens: -2.0 * (tokens == 0)  # noqa: E731
    assert sure_of(sample(0, 1.0, 1.0), [1.0, 0.7, -9.0], 0.1, hushed)
    assert not sure_of(sample(0, 1.0, 0.1), [1.0, 0.7, -9.0], 0.1, hushed)


@pytest.mark.parametrize(
    "parameters",
    [
        (0, 1.0, 1.0),
        (3, 1.0, 0.7),
        (0, 0.8, 1.0),
        (0, 0.5, 2.0),
        (4, 0.7, 1.3),
        (0, 1.0, 1.0, 0.5),
        (0, 1.0, 1.5, 0.9),
        (6, 0.9, 1.0, 0.6),
    ],
    ids=str,
)
@pytest.mark.parametrize("slack", [0.003, 0.03])
def test_a_sure_choice_survives_any_rounding_within_the_slack(parameters: Parameters, slack: float) -> None:
    """The law that makes a completion independent of its batch, tried on 2,000 rows with logits moved 30 ways."""
    generator = torch.Generator().manual_seed(4)
    logits = torch.randn(2000, 12, generator=generator)
    heard = -torch.log(-torch.log(torch.rand(2000, 12, generator=generator)))
    bound = torch.full((2000, 1), slack)
    step = sample(*parameters)
    chosen, sure = step(logits, lambda tokens: heard.gather(1, tokens), bound)
    assert 0 < sure.sum() < 2000
    for trial in range(30):
        moves = torch.rand(2000, 12, generator=generator) * 2 - 1
        moved = logits + slack * (moves if trial % 2 else moves.sign())
        again, _ = step(moved, lambda tokens: heard.gather(1, tokens), torch.zeros(2000, 1))
        assert torch.equal(again[sure], chosen[sure])
