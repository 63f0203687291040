from pathlib import Path

import pytest

from newwiki.errors import UsageError
from newwiki.settings import Settings, load_settings


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("DB", "CONTACT", "ENTITIES", "EMBEDDER", "TEMPLATE"):
        monkeypatch.delenv(f"NEWWIKI_{name}", raising=False)


def test_without_any_the_defaults_hold() -> None:
    assert load_settings(None) == Settings()
    assert Settings().db == "newwiki.duckdb"


def test_flags_go_before_the_environment_before_the_file_before_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("newwiki.toml").write_text('db = "file"\ncontact = "file"\nembedder = "file"\n')
    monkeypatch.setenv("NEWWIKI_DB", "environment")
    monkeypatch.setenv("NEWWIKI_CONTACT", "environment")
    settings = load_settings(None, db="flag", contact=None)
    assert settings == Settings(db="flag", contact="environment", embedder="file")


def test_a_file_that_is_named_is_the_one_that_is_read() -> None:
    Path("newwiki.toml").write_text('db = "here"')
    Path("other.toml").write_text('db = "there"')
    assert load_settings(Path("other.toml")).db == "there"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"db = ", "is not TOML"),
        (b"\xff", "is not TOML"),
        (
            b'dbs = "x"',
            r"sets 'dbs', which is no setting; did you mean 'db'\?; there are: contact, db, embedder, ",
        ),
        (b"db = 3", "db must be a text in quotes"),
        (b'[newwiki]\ndb = "x"', "sets 'newwiki'"),
    ],
)
def test_a_file_that_says_something_else_is_misuse(content: bytes, message: str) -> None:
    Path("newwiki.toml").write_bytes(content)
    with pytest.raises(UsageError, match=message):
        load_settings(None)


def test_a_file_that_was_asked_for_must_be_there() -> None:
    with pytest.raises(UsageError, match=r"no configuration file 'none\.toml'"):
        load_settings(Path("none.toml"))
