from datetime import date
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


def test_a_named_file_is_the_one_read() -> None:
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
            r"unknown setting 'dbs'; did you mean 'db'\?; there are: contact, db, embedder, ",
        ),
        (b"db = 3", "db must be a text in quotes"),
        (b'[newwiki]\ndb = "x"', "unknown setting 'newwiki'"),
    ],
)
def test_a_file_that_says_something_else_is_misuse(content: bytes, message: str) -> None:
    Path("newwiki.toml").write_bytes(content)
    with pytest.raises(UsageError, match=message):
        load_settings(None)


def test_a_file_that_was_asked_for_must_be_there() -> None:
    with pytest.raises(UsageError, match=r"--config 'none\.toml' does not exist"):
        load_settings(Path("none.toml"))


def test_the_table_of_knowledge_cutoffs_has_a_day_for_each_model() -> None:
    Path("newwiki.toml").write_text(
        'db = "here"\n[knowledge_cutoffs]\ngpt2 = "2017-12"\n"org/model-7b" = "2025-06-17"\ntoy = 2024-02-29\n'
    )
    assert load_settings(None) == Settings(
        db="here",
        knowledge_cutoffs=(
            ("gpt2", date(2017, 12, 31)), ("org/model-7b", date(2025, 6, 17)), ("toy", date(2024, 2, 29)),
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            'gpt2 = "June 2025"',
            r"'newwiki\.toml': \[knowledge_cutoffs\], gpt2: 'June 2025' is neither a month",
        ),
        ("gpt2 = 2025", "gpt2: '2025' is neither a month nor a day; write it as 2025-06 or 2025-06-30"),
        ('gpt2 = "2025-02-30"', "'2025-02-30' is neither"),
        ("gpt2 = 2025-06-17T00:00:00Z", "is neither a month nor a day"),
    ],
)
def test_a_knowledge_cutoff_that_is_none_is_misuse(content: str, message: str) -> None:
    Path("newwiki.toml").write_text(f"[knowledge_cutoffs]\n{content}\n")
    with pytest.raises(UsageError, match=message):
        load_settings(None)
    Path("newwiki.toml").write_text('knowledge_cutoffs = "2025-06"')
    with pytest.raises(UsageError, match="knowledge_cutoffs must be one table"):
        load_settings(None)
