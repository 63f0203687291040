import pytest

from newwiki.errors import UsageError
from newwiki.sources.api import Account


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NEWWIKI_BOT_USER", "NEWWIKI_BOT_PASSWORD"):
        monkeypatch.delenv(name, raising=False)


def test_without_an_account_nobody_logs_in() -> None:
    assert Account.from_environment() is None


def test_a_password_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEWWIKI_BOT_USER", "Robot@newwiki")
    monkeypatch.setenv("NEWWIKI_BOT_PASSWORD", "secret")
    account = Account.from_environment()
    assert account == Account("Robot@newwiki", "secret")
    assert "secret" not in repr(account)


@pytest.mark.parametrize("name", ["NEWWIKI_BOT_USER", "NEWWIKI_BOT_PASSWORD"])
def test_half_an_account_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "x")
    with pytest.raises(UsageError, match="belong together: set both"):
        Account.from_environment()
