import pytest

from newwiki.sources.backoff import Backoff


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was waited, without the waiting."""
    waited: list[float] = []
    monkeypatch.setattr("newwiki.sources.backoff.time.sleep", waited.append)
    return waited


def test_waits_double_with_jitter_until_the_attempts_are_used_up(waits: list[float]) -> None:
    backoff = Backoff(attempts=6, first_wait=1.0)
    assert [backoff.next() for _ in range(7)] == [True] * 5 + [False] * 2
    assert len(waits) == 5
    for wait, longest in zip(waits, (1, 2, 4, 8, 16), strict=True):
        assert longest / 2 <= wait <= longest


def test_the_servers_retry_after_is_obeyed(waits: list[float]) -> None:
    backoff = Backoff()
    backoff.next(7)
    backoff.next(0)
    assert waits == [7, 0]


def test_a_server_that_goes_on_asking_is_waited_for_longer_and_longer_until_patience_ends(waits: list[float]) -> None:
    backoff, told = Backoff(attempts=1), list[float]()
    while backoff.next(0, told.append, patiently=True):
        pass
    assert told == waits
    assert waits[0] == 0
    assert waits[-2] > 25
    assert max(waits) <= 60
    assert 890 < sum(waits) < 900.1


def test_no_wait_is_longer_than_the_longest(waits: list[float]) -> None:
    backoff = Backoff(attempts=9, first_wait=100.0, longest_wait=120.0)
    backoff.next(86_400)
    for _ in range(6):
        backoff.next()
    assert max(waits) == waits[0] == waits[-1] == 120


def test_with_one_attempt_nothing_is_repeated(waits: list[float]) -> None:
    assert not Backoff(attempts=1).next()
    assert waits == []
