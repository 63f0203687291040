"""A new board is a repository that works: what is registered is valid, and its workflow asks for what there is."""

from pathlib import Path

import pytest

from newwiki.registrations import load_registrations
from tests.flows.conftest import Run


def test_a_new_board_registers_a_wiki_models_and_a_site_with_submissions(in_process: Run, tmp_path: Path) -> None:
    asked = ("board", "new", "board", "--title", "Ours", "--wiki", "dewiki", "--address", "https://lab.example/b")
    ended = in_process(*asked)
    assert ended.returncode == 0, ended.stderr
    board = tmp_path / "board"
    files = {file.relative_to(board).as_posix() for file in board.rglob("*") if file.is_file()}
    assert files == {
        "newwiki.toml", "README.md", ".github/workflows/board.yml", ".gitignore", "bundles/README.md", "keys/README.md",
    }  # fmt: skip
    assert sorted(f"board/{name}" for name in files) == sorted(ended.stdout.split())
    registered = load_registrations(board / "newwiki.toml")
    assert [wiki.name for wiki in registered.wikis] == ["dewiki"]
    assert len(registered.models) == 2 and registered.linking
    assert registered.site and registered.site.sources == ("newwiki.duckdb", "bundles")
    assert (registered.site.title, registered.site.address) == ("Ours", "https://lab.example/b/")
    readme = (board / "README.md").read_text("utf-8")
    assert "[![fresh](https://lab.example/b/fresh.svg)](https://lab.example/b/)" in readme
    assert "<" not in readme, "every name is filled in"


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--wiki", "de wiki", "newwiki.toml': [[wikis]] 1, name"),
        ("--address", "lab.example", "'lab.example' is not an http or https address"),
        ("--title", "", "--title is empty"),
        ("--title", 'a"b', "'a\"b' has a quotation mark"),
    ],
)
def test_what_cannot_be_a_board_is_told_and_nothing_is_written(
    in_process: Run, tmp_path: Path, option: str, value: str, words: str
) -> None:
    ended = in_process("board", "new", "board", option, value)
    assert ended.returncode == 2
    assert words in ended.stderr
    assert [*tmp_path.iterdir()] == []


def test_a_folder_with_files_is_left_alone(in_process: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("x")
    ended = in_process("board", "new", "mine")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "'mine' is not empty and was not changed: name a new folder" in ended.stderr
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["notes.txt"]
