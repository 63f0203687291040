"""No output of any command or function goes over a database, its log or the files of its refreshes."""

import hashlib
import inspect
import os
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest

import newwiki
from flows.bundles.keys import make_pair
from flows.cli import cli, main
from flows.options import Input, Output, OwnDatabase
from newwiki.errors import UsageError
from storage.database import Database
from storage.export_snapshot import export
from storage.folders import whole, write_text
from storage.outputs import safe
from storage.shared import SharedFolder
from storage.staging import Staging

Command = tuple[str, ...]
# What is to be read must be there, and what is to be chosen be known.
_DUMMIES: dict[str, str] = {"fail_if": "a < 1", "bounds": "a < 1", "dataset": "x/y"}
_ONE_OF = {"corpora": ("--train-on", "x")}  # of several options by command, none of which is required alone


def commands(group: click.Group = cli, path: Command = ()) -> Iterator[tuple[Command, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


def outputs() -> Iterator[tuple[Command, click.Command, click.Parameter]]:
    for path, command in commands():
        for parameter in command.params:
            if isinstance(parameter.type, Output):
                yield path, command, parameter


def arguments(command: click.Command, but: click.Parameter, folder: Path) -> list[str]:
    """All that the command requires, besides this parameter."""
    given = [*_ONE_OF.get(str(command.name), ())]
    for parameter in command.params:
        if parameter is but or not parameter.required:
            continue
        value = _DUMMIES.get(str(parameter.name), "x")
        if isinstance(parameter.type, click.Choice):
            value = str(parameter.type.choices[0])
        elif isinstance(parameter.type, click.Path) and parameter.type.exists:
            (folder / "there").write_text("")
            value = str(folder / "there")
        given += [value] if isinstance(parameter, click.Argument) else [parameter.opts[0], value]
    return given


@pytest.fixture
def forms(database: Path, tmp_path: Path) -> list[Path]:
    """Ways to name what belongs to the database: itself, its log (which is not there), the staging file of a refresh
    under way, that of one that may come, and each of the first by links and other spellings."""
    Staging.open(database, "enwiki-2026-09", datetime(2026, 10, 1, tzinfo=UTC))
    (tmp_path / "sub").mkdir()
    os.symlink(database, tmp_path / "symlink.csv")
    os.symlink("newwiki.duckdb.wal", tmp_path / "log.csv")
    os.link(database, tmp_path / "hardlink.csv")
    (tmp_path / "elsewhere").symlink_to(tmp_path)
    return [
        database,
        tmp_path / "newwiki.duckdb.wal",
        tmp_path / "newwiki.duckdb.refresh-enwiki-2026-09",
        tmp_path / "newwiki.duckdb.refresh-enwiki-2026-09.wal",
        tmp_path / "newwiki.duckdb.refresh-dewiki-2026-09",
        tmp_path / "newwiki.duckdb.tmp",
        tmp_path / "symlink.csv",
        tmp_path / "log.csv",
        tmp_path / "hardlink.csv",
        tmp_path / "NewWiki.DuckDB",
        tmp_path / "sub" / ".." / "newwiki.duckdb",
        tmp_path / "elsewhere" / "newwiki.duckdb.wal",
        Path("newwiki.duckdb"),
        Path("./sub/../newwiki.duckdb.wal"),
    ]


def contents(folder: Path) -> dict[str, str]:
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files_in(folder)}


def states(folder: Path) -> dict[str, tuple[int, int, int]]:
    """What no write leaves as it is, and is sooner read than what is written."""
    found = {str(file): file.stat() for file in files_in(folder)}
    return {name: (state.st_ino, state.st_size, state.st_mtime_ns) for name, state in found.items()}


def files_in(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file() and file.name != "there"]


def test_every_path_of_a_command_is_declared_as_read_or_written() -> None:
    """So that a new option cannot be forgotten below. `type=click.Path` says neither."""
    paths = [(path, one) for path, command in commands() for one in command.params if isinstance(one.type, click.Path)]
    assert [(path, one.name) for path, one in paths if not isinstance(one.type, Input | Output)] == []
    named_like_one = {"out", "output", "summary", "write", "to_file"}
    named = [(path, one) for path, command in commands() for one in command.params if one.name in named_like_one]
    assert [(path, one.name) for path, one in named if not isinstance(one.type, Output)] == []
    assert len(list(outputs())) >= 12


def named(parameter: click.Parameter) -> list[str]:
    """What stands before its value on the command line."""
    return [] if isinstance(parameter, click.Argument) else [parameter.opts[0]]


@pytest.mark.parametrize(
    ("path", "command", "parameter"),
    [pytest.param(*one, id=f"{' '.join(one[0])} {one[2].opts[0]}") for one in outputs()],
)
def test_no_output_goes_over_what_belongs_to_the_database(
    path: Command, command: click.Command, parameter: click.Parameter, database: Path, forms: list[Path],
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    given = arguments(command, parameter, tmp_path)
    before, written = states(tmp_path), contents(tmp_path)
    monkeypatch.chdir(tmp_path)
    for form in forms:
        asked = ["newwiki", *path, *given, *named(parameter), str(form), "--db", str(database), "--quiet"]
        monkeypatch.setattr("sys.argv", asked)
        status, (_, told) = main(), capsys.readouterr()
        refused = "cannot be written" in told or "is a file" in told  # where a folder is wanted
        assert (status, refused, told.count("\n")) == (2, True, 1), (form, told)
        assert states(tmp_path) == before, form
    assert contents(tmp_path) == written
    if isinstance(parameter.type, OwnDatabase):
        return
    (tmp_path / "other").mkdir()
    shutil.copy(database, tmp_path / "other" / "theirs.db")
    for other in (tmp_path / "other" / "theirs.db", tmp_path / "other" / "theirs.db.wal"):
        asked = ["newwiki", *path, *given, *named(parameter), str(other), "--db", str(database), "--quiet"]
        monkeypatch.setattr("sys.argv", asked)
        status, (_, told) = main(), capsys.readouterr()
        assert (status, "DuckDB database" in told or "is a file" in told) == (2, True), told


def test_no_function_of_the_api_writes_over_what_belongs_to_the_database(
    database: Path, forms: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.flows.scored import RULES, add_run, score

    score(Database(database), add_run(Database(database), "a"), {"rep_4": [[0.1]]}, RULES)
    signing = tmp_path / "key"
    make_pair(signing, database)
    calls: dict[str, Callable[[Path], object]] = {
        "build_evidence": lambda out: newwiki.build_evidence(snapshot="latest", out=out, db=database, quiet=True),
        "export_snapshot": lambda out: newwiki.export_snapshot("latest", out=out, format="jsonl", db=database),
        "export_runs": lambda out: newwiki.export_runs(out=out, format="jsonl", db=database),
        "export_every_eval_ever": lambda out: newwiki.export_every_eval_ever(
            "a", organization="x", relationship="other", out=out, db=database, quiet=True
        ),
        "export_hub_results": lambda out: newwiki.export_hub_results(
            "a", dataset="x/y", out=out, db=database, quiet=True
        ),
        "export_pairs": lambda out: newwiki.export_pairs("a", "b", batch="x", out=out, db=database),
        "export_results": lambda out: newwiki.export_results("a", out=out, db=database),
        "export_task": lambda out: newwiki.export_task(out=out, metrics="rep_4", db=database, quiet=True),
        "finetune": lambda out: newwiki.finetune("gpt2", snapshot="latest", out=out, db=database, quiet=True),
        "report": lambda out: newwiki.report(out=out, db=database, quiet=True),
        "reproduce": lambda out: newwiki.reproduce("003", out=out, db=database, quiet=True),
        "site": lambda out: newwiki.site(out=out, db=database, quiet=True),
        "submit": lambda out: newwiki.submit("a", key=signing, out=out, db=database),
        "train_scorer": lambda out: newwiki.train_scorer("graded.csv", out=out, db=database, quiet=True),
    }
    names = {"out", "path", "folder", "file"}
    functions = {name: getattr(newwiki, name) for name in newwiki.__all__ if name != "VerdictCallback"}
    writing = {
        name
        for name, one in functions.items()
        if inspect.isfunction(one) and names & set(inspect.signature(one).parameters)
    }
    assert writing == set(calls)
    before, written = states(tmp_path), contents(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name, call in calls.items():
        for form in forms:
            with pytest.raises(UsageError, match="cannot be written"):
                call(form)
            assert states(tmp_path) == before, (name, form)
    assert contents(tmp_path) == written


def test_a_shared_folder_is_no_file_of_a_database(database: Path, forms: list[Path]) -> None:
    for form in [one for one in forms if one.is_absolute()]:
        with pytest.raises(UsageError, match="cannot be written"):
            SharedFolder(str(form)).apart_from(database)
        with pytest.raises(UsageError, match="cannot be written"):
            SharedFolder(f"file://{form}").apart_from(database)
    assert SharedFolder("memory://x").apart_from(database)


def test_a_file_that_is_written_first_under_another_name_goes_over_no_database(database: Path, tmp_path: Path) -> None:
    """`answer.csv` stands as `answer.csv.part` until it is whole."""
    hidden = database.rename(tmp_path / "answer.csv.part")
    before = contents(tmp_path)
    for write in (lambda: write_text(tmp_path / "answer.csv", "x"), lambda: safe(tmp_path / "answer.csv", hidden)):
        with pytest.raises(UsageError, match="cannot be written"):
            write()
    assert contents(tmp_path) == before


def test_a_file_in_an_exported_folder_goes_over_no_database(database: Path, tmp_path: Path) -> None:
    export(Database(database), "latest", "parquet", tmp_path / "out")
    (tmp_path / "out" / "articles.parquet").unlink()
    moved = database.rename(tmp_path / "out" / "articles.parquet")
    before = contents(tmp_path)
    with pytest.raises(UsageError, match="cannot be written"):
        export(Database(moved), "latest", "parquet", tmp_path / "out")
    assert contents(tmp_path) == before


def test_a_folder_without_a_name_is_a_path_too(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(database.parent)
    for name in (".", "..", "/"):
        assert safe(Path(name), database) == Path(name)


def test_other_files_are_written_as_ever(tmp_path: Path) -> None:
    for name in ("a.csv", "newwiki.duckdb.csv", "newwiki.csv", "notes.wal"):
        with whole(tmp_path / name) as part:
            part.write_text("x")
        assert safe(tmp_path / name, tmp_path / "newwiki.duckdb").read_text() == "x"
