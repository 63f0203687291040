"""`newwiki init` writes a newwiki.toml to begin with, and replaces none."""

import os
from pathlib import Path

import pytest

from flows.cli import main
from newwiki.default_config import SCHEMA_FILE, config_schema, default_config

MINE = 'contact = "me@example.org"\n'


@pytest.fixture(autouse=True)
def in_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def newwiki(*words: str) -> int:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sys.argv", ["newwiki", *words])
        return main()


def test_it_writes_newwiki_toml_here_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert newwiki("init") == 0
    assert Path("newwiki.toml").read_text("utf-8") == default_config()
    assert Path(SCHEMA_FILE).read_text("utf-8") == config_schema()
    assert Path("newwiki.toml").read_text("utf-8").startswith(f"#:schema {SCHEMA_FILE}\n")
    assert capsys.readouterr() == ("newwiki.toml\n", "")
    assert newwiki("decoders") == 0, "a command reads it"


def test_a_file_that_is_there_stays_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    Path("newwiki.toml").write_text(MINE)
    assert newwiki("init") == 2
    assert Path("newwiki.toml").read_text() == MINE
    assert "'newwiki.toml' exists and was not changed: name another" in capsys.readouterr().err
    assert newwiki("init", "--out", "settings/other.toml") == 0
    assert Path("settings/other.toml").read_text("utf-8") == default_config()


def test_a_link_is_there_too_whatever_it_leads_to() -> None:
    os.symlink("elsewhere.toml", "newwiki.toml")
    assert newwiki("init") == 2
    assert not Path("elsewhere.toml").exists()


def test_a_folder_is_misuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert newwiki("init", "--out", str(tmp_path)) == 2
    assert "is a directory" in capsys.readouterr().err
