"""A folder that is written again is whole at every moment, and nothing of anybody else's is ever taken away with it."""

import os
from pathlib import Path

import pytest

from newwiki.errors import UsageError
from storage.folders import whole_folder

MARK = "list.json"


def write(folder: Path, **files: str) -> None:
    with whole_folder(folder, MARK, "a thing") as part:
        for name, text in files.items():
            (part / name).write_text(text)


def write_and_fail(folder: Path) -> None:
    with whole_folder(folder, MARK, "a thing") as part:
        (part / "both").write_text("3")
        raise ZeroDivisionError


def held(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in folder.iterdir() if file.name != MARK}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "thing", old="1", both="1")
    return tmp_path / "thing"


def test_what_is_written_again_takes_the_place_of_what_was_there(folder: Path) -> None:
    write(folder, both="2", new="2")
    assert held(folder) == {"both": "2", "new": "2"}
    assert [*folder.parent.iterdir()] == [folder]


def test_an_error_leaves_all_as_it_was(folder: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        write_and_fail(folder)
    assert held(folder) == {"old": "1", "both": "1"}
    assert [*folder.parent.iterdir()] == [folder]


def test_what_a_killed_process_has_left_is_put_right(folder: Path) -> None:
    """Before its first renaming, and between its two."""
    unfinished = folder.with_name("thing.unfinished")
    unfinished.mkdir()
    (unfinished / MARK).touch()
    (unfinished / "half").touch()
    write(folder, new="2")
    assert held(folder) == {"new": "2"} and [*folder.parent.iterdir()] == [folder]
    os.replace(folder, folder.with_name("thing.part"))
    with pytest.raises(ZeroDivisionError):
        write_and_fail(folder)
    assert held(folder) == {"new": "2"} and [*folder.parent.iterdir()] == [folder]


def test_what_was_not_written_so_is_refused_and_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "mine.txt").write_text("x")
    with pytest.raises(UsageError, match=r"'.*thing' holds something else than a thing, such as 'mine\.txt'"):
        write(folder)
    assert (folder / "mine.txt").exists()
    for name in ("other", "other.unfinished", "other.part"):
        (folder.parent / name).mkdir()
        (folder.parent / name / "mine.txt").write_text("x")
        with pytest.raises(UsageError, match="holds something else than a thing"):
            write(folder.parent / "other")
        assert (folder.parent / name / "mine.txt").read_text() == "x"
        (folder.parent / name).rename(folder.parent / f"kept-{name}")
    monkeypatch.chdir(folder)
    for name in (".", "..", str(folder)):
        with pytest.raises(UsageError, match=r"a folder of its own is needed|holds something else"):
            write(Path(name))
