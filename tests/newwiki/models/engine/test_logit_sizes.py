"""The size of a row's largest logit."""

import math

import pytest
import torch

from newwiki.errors import TerminalError
from newwiki.models.engine.head import logit_sizes

_INF = float("inf")


def test_it_is_the_largest_without_its_sign_that_is_finite() -> None:
    logits = torch.tensor([[1.0, -3.5, 2.0], [-_INF, 0.25, _INF], [-0.0, 1e-45, 0.0], [_INF, -_INF, _INF]])
    assert logit_sizes(logits).tolist() == [[3.5], [0.25], [torch.tensor(1e-45).item()], [0]]


@pytest.mark.parametrize("rows", [1, 7, 80])
def test_of_a_real_vocabulary_it_is_torchs(rows: int) -> None:
    logits = 30 * torch.randn(rows, 50257, generator=torch.Generator().manual_seed(rows)) - 50
    for shown in (logits, logits[:, :50256], logits[::2], logits.t().contiguous().t()):
        assert torch.equal(logit_sizes(shown), shown.abs().amax(dim=1, keepdim=True))


@pytest.mark.parametrize("nan", [math.nan, -math.nan])
@pytest.mark.parametrize("place", [0, 999])
def test_a_nan_is_named_in_the_error(nan: float, place: int) -> None:
    logits = torch.full((3, 1000), _INF)
    logits[2, place] = nan
    with pytest.raises(TerminalError, match="NaN"):
        logit_sizes(logits)
