import pytest


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that waits for milliseconds before it repeats a request, and no key or address in the environment."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("newwiki.models.remote.patience._FIRST_WAIT", 0.02)
    monkeypatch.setattr("newwiki.models.remote.patience._LONGEST_WAIT", 0.05)
    monkeypatch.setattr("newwiki.models.remote.batches._FIRST_POLL", 0.01)
