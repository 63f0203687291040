"""Functions of Numba's in torch's threads."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from numba import cfunc, from_dtype, types

from newwiki import openmp
from newwiki.compiled import _take
from newwiki.decoding.largest import largest
from newwiki.openmp import share_out
from tests.newwiki.models.engine.test_compiled_slots import attended

_COUNTED = np.dtype([("calls", np.int64)])


@cfunc(types.void(types.CPointer(from_dtype(_COUNTED))))
def _count(work):  # type: ignore[no-untyped-def]
    _take(work, 0)


@pytest.fixture(params=[1, 2, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


def test_a_function_is_called_in_as_many_threads_as_torch_uses(threads: int) -> None:
    assert calls() == threads


def test_where_torchs_openmp_knows_no_call_of_gnus_a_function_is_called_once(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openmp, "_parallel", lambda: None)
    assert calls() == 1


def test_torchs_own_threads_are_found_here() -> None:
    """Otherwise all of this would run in one thread, and nobody would know."""
    assert openmp._parallel() is not None


def test_the_number_of_threads_decides_no_bit(threads: int) -> None:
    scores = torch.randn(37, 5000, generator=torch.Generator().manual_seed(0))
    expected = scores.sort(dim=-1, descending=True, stable=True)
    values, tokens = largest(scores, 50)
    assert torch.equal(values, expected.values[:, :50])
    assert torch.equal(tokens, expected.indices[:, :50])
    lengths = (1, 31, 32, 33, 70)
    found, _ = attended(lengths, torch.float32, longest=200)
    torch.set_num_threads(1)
    assert torch.equal(found, attended(lengths, torch.float32, longest=200)[0])


def calls() -> int:
    work = np.array((0,), _COUNTED)
    share_out(_count, work)
    return int(work["calls"])
