"""Batch size `auto`: what is tried, what is taken, and what memory allows."""

from collections.abc import Sequence
from typing import Any

import pytest
import torch

from newwiki.decoding.stream import Stream
from newwiki.models.engine import batch_size
from newwiki.models.engine.batch_size import BatchSize
from newwiki.models.engine.reader import Reader
from tests.newwiki.decoding.lively import lively


def streams(count: int, room: int = 60) -> list[Stream]:
    return [Stream(1, sample, (1, 2, 3), room) for sample in range(count)]


class Clock:
    """A clock of the test's own: a step of so many rows takes `seconds[rows]`."""

    def __init__(self, seconds: dict[int, float]) -> None:
        self.seconds, self.now, self.tried = seconds, 0.0, list[int]()

    def readers(self, model: Any, rows: int) -> Sequence[Reader]:
        clock = self

        class Timed(Reader):
            def step(self, tokens: torch.Tensor) -> torch.Tensor:
                clock.now += clock.seconds[rows]
                return super().step(tokens)

        self.tried.append(rows)
        return [Timed(model, rows)]

    def perf_counter(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ({28: 1.0, 80: 1.0, 160: 1.0}, 160),
        ({28: 1.0, 80: 2.0, 160: 3.99}, 80),  # 160 are faster by less than they are worth
        ({28: 1.0, 80: 2.9, 160: 6.0}, 28),
    ],
    ids=str,
)
def test_the_fastest_rows_are_taken_and_tried_once(
    seconds: dict[int, float], expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, model, size = Clock(seconds), lively(0), BatchSize()
    monkeypatch.setattr(batch_size, "time", clock)
    for _ in range(2):
        found = size.auto([model], lambda rows: clock.readers(model, rows), streams(200), 1000, tries=True)
        assert found == expected
    assert clock.tried == [28, 80, 160]


def test_short_runs_and_runs_without_gain_skip_the_trial() -> None:
    def never(rows: int) -> Sequence[Reader]:
        raise AssertionError(f"{rows} rows were tried")

    model = lively(0)
    assert BatchSize().auto([model], never, streams(200, room=10), 1000, tries=True) == 80
    assert BatchSize().auto([model], never, streams(200), 1000, tries=False) == 28
    assert BatchSize().auto([model], never, streams(20), 20, tries=True) == 20


def test_no_more_rows_than_were_out_of_memory() -> None:
    model, size = lively(0), BatchSize()
    size.limit(14)
    assert size.auto([model], lambda rows: [Reader(model, rows)], streams(200), 1000, tries=True) == 14
