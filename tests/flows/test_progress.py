"""What is told of long work where there is no terminal: one line a stretch."""

import pytest

from flows.progress import reporter


@pytest.mark.parametrize(("done", "rate"), [(60_000, "2,000 days/s"), (30, "1 days/s"), (15, "30 days/min")])
def test_the_rate_is_a_number_that_can_be_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], done: int, rate: str
) -> None:
    seconds = 0.0
    monkeypatch.setattr("time.monotonic", lambda: seconds)
    with reporter(quiet=False).stretch("listing", "days") as bar:
        bar.update(0, done)
        seconds = 30.0
        bar.update(done, done)
    assert capsys.readouterr().err == f"listing: {done:,} days, 30.0 s, {rate}\n"


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with reporter(quiet=True).stretch("listing", "days") as bar:
        bar.update(1, 1)
    assert capsys.readouterr() == ("", "")
