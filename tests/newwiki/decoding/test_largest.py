"""The largest scores of a vocabulary, held to a stable sort of all of it."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from newwiki.decoding.largest import largest

_INF = float("inf")
_FEW = st.sampled_from([-_INF, -1e30, -2.5, -0.0, 0.0, 1e-45, 2.5, _INF])  # so that many are equal
_NUMBERS = st.floats(width=32, allow_nan=False) | _FEW


@given(st.lists(st.lists(_NUMBERS, min_size=1, max_size=200), min_size=1, max_size=4), st.integers(1, 220))
def test_they_are_the_first_of_a_stable_sort(rows: list[list[float]], count: int) -> None:
    shortest = min(map(len, rows))
    assert_first_of_a_stable_sort(torch.tensor([row[:shortest] for row in rows]), count)


@pytest.mark.parametrize("count", [1, 2, 50, 58, 1024])
@pytest.mark.parametrize("vocabulary", [50257, 4096, 1031])
def test_of_a_real_vocabulary(vocabulary: int, count: int) -> None:
    draw = torch.Generator().manual_seed(vocabulary + count)
    scores = 3 * torch.randn(5, vocabulary, generator=draw)
    scores[1] = scores[1].round()  # some tens of different scores
    scores[2] = 0
    scores[3, scores[3] < 1] = -_INF
    scores[4] = scores[4].sort().values
    assert_first_of_a_stable_sort(scores, count)


def test_rows_and_columns_may_be_strided() -> None:
    scores = torch.randn(40, 90, generator=torch.Generator().manual_seed(0))
    for shown in (scores[:, :70], scores[::3], scores.t(), scores[5:9, 1::2]):
        assert_first_of_a_stable_sort(shown, 7)


def test_all_of_a_vocabulary_that_is_smaller_than_what_is_asked_for() -> None:
    values, tokens = largest(torch.tensor([[1.0, 3.0, 2.0]]), 10)
    assert values.tolist() == [[3, 2, 1]]
    assert tokens.tolist() == [[1, 2, 0]]


@pytest.mark.parametrize("place", [0, 57, 3999])
@pytest.mark.parametrize("beside", [0.0, _INF, -_INF])
@pytest.mark.parametrize("count", [50, 4000])
def test_a_nan_score_is_refused_at_any_position(count: int, place: int, beside: float) -> None:
    scores = torch.full((3, 4000), beside)
    scores[1, place] = math.nan
    with pytest.raises(ValueError, match="contain NaN"):
        largest(scores, count)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64], ids=str)
def test_in_another_dtype_they_are_torchs(dtype: torch.dtype) -> None:
    scores = torch.arange(100, dtype=dtype)[None].flip(1)
    values, tokens = largest(scores, 3)
    assert values.dtype == dtype
    assert tokens.tolist() == [[0, 1, 2]]


def assert_first_of_a_stable_sort(scores: torch.Tensor, count: int) -> None:
    values, tokens = largest(scores, count)
    expected = scores.sort(dim=-1, descending=True, stable=True)
    assert torch.equal(values, expected.values[:, :count])
    assert torch.equal(tokens, expected.indices[:, :count])
