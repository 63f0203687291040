"""What the world does is one line at the command line; a traceback is shown to whoever asks for it."""

import errno
import json
import os
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click
import duckdb
import pytest

from flows import cli
from flows.options import debug_option
from newwiki.errors import TerminalError, TransientError
from storage.database import Database
from storage.staging import Staging

Front = Callable[..., tuple[int, str]]


@pytest.fixture
def front(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Front:
    """Runs the command line in this process and an empty folder, and gives its exit status and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NEWWIKI_DEBUG", "")

    def run(*arguments: str | Path) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["newwiki", *map(str, arguments)])
        return cli.main(), capsys.readouterr().err

    return run


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Makes a command `broken` that fails with an error of our choice."""

    def put(error: BaseException) -> None:
        @click.command("broken")
        @debug_option
        def command() -> NoReturn:
            raise error

        monkeypatch.setitem(cli.cli.commands, "broken", command)

    return put


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device", "out.html"),
            "the disk is full at 'out.html': free some space",
        ),
        (OSError(errno.EROFS, "Read-only file system", "out.html"), "no permission to read or write 'out.html'"),
        (PermissionError(errno.EACCES, "Permission denied", "x"), "no permission to read or write 'x'"),
        (OSError(errno.EIO, "Input/output error", "x"), "'x': Input/output error"),
        (MemoryError(), "out of memory: close other programs"),
        (RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"), "out of memory (CUDA out of memory."),
        (ModuleNotFoundError("No module named 'gptqmodel.x'", name="gptqmodel.x"), "pip install gptqmodel"),
        (
            ModuleNotFoundError("No module named 'click.kinds'", name="click.kinds"),
            "'click' is too old or too new: it has no kinds; install another version",
        ),
        (ImportError("Using `bitsandbytes` requires version 1"), "cannot be imported (Using `bitsandbytes`"),
        (RecursionError("maximum recursion depth exceeded"), "nested too deeply"),
        (OverflowError("int too big to convert"), "an unexpected OverflowError"),
        (KeyError("strange"), "this is a defect; run the command again with --debug"),
        (Exception("a\nb\n" * 83), "an unexpected Exception"),
        (Exception(), "an unexpected Exception"),
    ],
    ids=repr,
)
def test_whatever_happens_is_one_line(
    front: Front, broken: Callable[[BaseException], None], error: Exception, words: str
) -> None:
    broken(error)
    status, said = front("broken")
    assert status == 1
    assert said.startswith("newwiki: ") and said.count("\n") == 1, said
    assert words in said


def test_the_traceback_is_there_for_whoever_asks(front: Front, broken: Callable[[BaseException], None]) -> None:
    broken(KeyError("strange"))
    assert "Traceback" not in front("broken")[1]
    status, said = front("broken", "--debug")
    assert status == 1
    assert said.startswith("Traceback")
    assert said.splitlines()[-1].startswith("newwiki: an unexpected KeyError")


def test_every_command_takes_debug() -> None:
    def leaves(group: click.Group) -> list[click.Command]:
        found = []
        for command in group.commands.values():
            found += leaves(command) if isinstance(command, click.Group) else [command]
        return found

    without = [one.name for one in leaves(cli.cli) if "--debug" not in [name for p in one.params for name in p.opts]]
    assert without == []


def flipped(path: Path, content: bytes, seed: int) -> None:
    """One byte of the file is another."""
    place = random.Random(seed).randrange(len(content))
    path.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])


def test_a_flipped_byte_in_the_database_is_said_to_be_damage(front: Front, database: Path) -> None:
    """Or does no harm, where nothing is stored; DuckDB keeps a checksum of every block."""
    content, told = database.read_bytes(), set()
    for seed in range(6):
        flipped(database, content, seed)
        status, said = front("leaderboard", "--db", database)
        told.add(said)
        assert status in (0, 1) and said.count("\n") == 1, said
        assert status == 0 or "is damaged: " in said or "cannot be opened" in said
        database.with_name(f"{database.name}.wal").unlink(missing_ok=True)
    assert [said for said in told if "is damaged: " in said]


def test_a_flipped_byte_in_the_log_is_said_to_be_damage(front: Front, database: Path, tmp_path: Path) -> None:
    """What a killed process leaves beside the database, DuckDB's write-ahead log."""
    with duckdb.connect(str(database)) as connection:
        connection.execute("set checkpoint_threshold = '1GB'")
        connection.execute("create table other as select range number, repeat('x', 50) words from range(2000)")
        log = database.with_name(f"{database.name}.wal")
        written, stored = log.read_bytes(), database.read_bytes()
    database.write_bytes(stored)
    flipped(log, written, 3)
    status, said = front("leaderboard", "--db", database)
    assert (status, said.count("\n")) == (1, 1)
    assert "is damaged: " in said


def limited(bytes_a_file: int, work: Callable[[], Any]) -> str:
    """What the work says in a process whose files may not grow beyond so many bytes: a full disk that needs no disk."""
    import resource
    import signal

    here, there = os.pipe()
    if (child := os.fork()) == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_a_file, bytes_a_file))
        try:
            work()
            said = "nothing"
        except Exception as error:  # noqa: BLE001 (it is what the test is about)
            said = f"{type(error).__name__}: {error}"
        os.write(there, said.encode())
        os._exit(0)
    os.close(there)
    os.waitpid(child, 0)
    return os.read(here, 10_000).decode()


def test_a_full_disk_is_no_other_program(database: Path) -> None:
    def grow() -> None:
        with Database(database).write() as connection:
            connection.execute("create table other as select range number, random() chance from range(200000)")

    before = database.stat().st_size
    assert limited(before + 20_000, grow).startswith(f"TransientError: the disk of '{database}' is full: ")
    with Database(database).read() as connection:
        assert connection.execute("select count(*) from duckdb_tables() where table_name = 'other'").fetchone() == (0,)


def test_a_full_disk_under_a_refresh_is_no_other_process(tmp_path: Path) -> None:
    from datetime import UTC, datetime

    said = limited(5_000, lambda: Staging.open(tmp_path / "d.duckdb", "x", datetime(2026, 10, 1, tzinfo=UTC)))
    assert said.startswith("TransientError: the disk of ")


def test_a_memory_limit_is_said_to_be_one(database: Path) -> None:
    def ask() -> None:
        with Database(database).read() as connection:
            connection.execute("set memory_limit = '3MB'")
            connection.execute("select list(completion || title) from articles, range(100000)").fetchall()

    with pytest.raises(TransientError, match="out of memory while using "):
        ask()


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("update extensions", "a statement of a kind that is not known here"),
        ("select date '290000-01-01' far", "cast it: ::varchar"),
        ("select timestamp '290000-01-01' far", "cast it: ::varchar"),
    ],
)
def test_strange_sql_is_one_line(front: Front, database: Path, query: str, words: str) -> None:
    status, said = front("sql", query, "--db", database)
    assert status in (1, 2)
    assert said.count("\n") == 1 and words in said


@pytest.fixture
def checkpoint(toy_checkpoint: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(toy_checkpoint, tmp_path / "checkpoint"))


def evaluate(front: Front, checkpoint: Path, database: Path) -> tuple[int, str]:
    return front(
        "evaluate", checkpoint, "--decoder", "greedy", "--prompts", 1, "--max-new-tokens", 4, "--entities", "rules-v1",
        "--metrics", "words", "--db", database, "--quiet",
    )  # fmt: skip


def test_a_quantised_checkpoint_names_the_package_that_is_missing(
    front: Front, checkpoint: Path, database: Path
) -> None:
    config = json.loads((checkpoint / "config.json").read_text())
    config["quantization_config"] = {"quant_method": "gptq", "bits": 4}
    (checkpoint / "config.json").write_text(json.dumps(config))
    status, said = evaluate(front, checkpoint, database)
    assert (status, said.count("\n")) == (1, 1), said
    assert "quantized (gptq)" in said and "pip install optimum gptqmodel" in said


def test_a_checkpoint_without_a_tokenizer_says_so(front: Front, checkpoint: Path, database: Path) -> None:
    for file in [*checkpoint.glob("tokenizer*"), *checkpoint.glob("vocab.*")]:
        file.unlink()
    status, said = evaluate(front, checkpoint, database)
    assert (status, said.count("\n")) == (1, 1), said
    assert "holds no tokenizer" in said and "--model-args tokenizer=FOLDER" in said


def test_a_tokenizer_that_is_larger_than_the_embedding_says_so(front: Front, checkpoint: Path, database: Path) -> None:
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(checkpoint)
    model.resize_token_embeddings(50)
    model.save_pretrained(checkpoint)
    status, said = evaluate(front, checkpoint, database)
    assert (status, said.count("\n")) == (1, 1), said
    assert "but the model's vocabulary has 50" in said


def test_a_wiki_whose_name_is_a_path_is_refused(
    front: Front, export: Callable[..., bytes], page: Callable[..., str], revision: Callable[..., str], tmp_path: Path
) -> None:
    """The name becomes part of a snapshot's name, and so of a file's."""
    one = page(1, "A page", [revision(1, "2026-09-02T00:00:00Z", "Some words.")])
    (tmp_path / "wiki.xml").write_bytes(export(one, dbname="../../evil"))
    status, said = front("refresh", "--dump", "wiki.xml", "--month", "2026-09", "--quiet")
    assert (status, said.count("\n")) == (1, 1), said
    assert "the wiki's database is named '../../evil'" in said
    assert [file.name for file in tmp_path.iterdir()] == ["wiki.xml"]


@pytest.mark.parametrize(
    "dates",
    [
        ("--from", "9999-12-30", "--to", "9999-12-31"), ("--month", "9999-12"), ("--month", "0001-01"),
        ("--kind", "old", "--before", "0001-01-01"), ("--kind", "old", "--before", "9999-12-31"),
        ("--month", "2026-09", "--cutoff", "9999-12-31"), ("--month", "2026-09", "--cutoff", "0001-01-01"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_dates_beyond_reach_are_one_line(front: Front, sample_wiki: Path, dates: tuple[str, ...]) -> None:
    status, said = front("refresh", "--dump", sample_wiki, *dates, "--quiet")
    assert (status, said.count("\n")) == (2, 1), said
    assert "unexpected" not in said


def test_errors_of_our_own_stay_what_they_say(front: Front, broken: Callable[[BaseException], None]) -> None:
    broken(TerminalError("nothing is to be had; look elsewhere"))
    assert front("broken") == (1, "newwiki: nothing is to be had; look elsewhere\n")
