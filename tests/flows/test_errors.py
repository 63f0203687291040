"""Every mistake gets one line that says what is wrong and what to do, the right exit status, and no change stored."""

import bz2
import hashlib
from pathlib import Path

import pytest

from flows.cli import main
from flows.demonstration import wiki
from tests.flows.conftest import Run

_SCORED = ("--snapshot", "latest", "--entities", "rules-v1")


def content(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("evaluate", "no-such-dir", "--decoder", "greedy", *_SCORED), 1, "there is no model 'no-such-dir'"),
        (("evaluate", "no-such-dir", "--decoder", "gready", *_SCORED), 2, "there is no decoder 'gready'"),
        (("evaluate", "x", "--decoder", "contrastive-decoding", *_SCORED), 2, "needs amateur=…, the folder or hub id"),
        (("evaluate", "x", "--decoder", "group-beam:num_beams=5", *_SCORED), 2, "num_beam_groups"),
        (("evaluate", "x", "--decoder", "greedy", "--stop", "", *_SCORED), 2, "--stop"),
        (("evaluate", "no-such-dir", "--decoder", "sample:top_q=1", *_SCORED), 2, "did you mean 'top_p'?"),
        (("evaluate", "x", "--decoder", "greedy", "--metrics", "sberd", *_SCORED), 2, "there is no metric 'sberd'"),
        (("evaluate", "x", "--decoder", "greedy", "--snapshot", "enwiki-1999-01"), 2, "there is no snapshot"),
        (("evaluate", "x", "--decoder", "greedy", "--samples", "5", *_SCORED), 2, "lower --keep or raise --samples"),
        (("evaluate", "x", "--decoder", "greedy", "--backend", "abacus", *_SCORED), 2, "there is no backend 'abacus'"),
        (("evaluate", "x", "--decoder", "greedy", "--dtype", "int3", *_SCORED), 2, "there is no dtype 'int3'"),
        (
            ("evaluate", "x", "--decoder", "greedy", "--model-args", "revison=a", *_SCORED),
            2,
            "it takes: dtype, revision",
        ),
        (("evaluate", "x"), 2, "--decoder"),
        (("refresh", "--dump", wiki(), "--month", "2099-01"), 2, "is not over"),
        (("refresh", "--dump", wiki(), "--month", "2026-13"), 2, "write it as 2026-10"),
        (("refresh", "--dump", wiki(), "--from", "2026-08-02", "--to", "2026-08-01"), 2, "swap them"),
        (
            ("refresh", "--quiet", "--dump", wiki(), "--month", "2020-01"),
            1,
            "no page of the main namespace was created",
        ),
        (("refresh", "--dump", "no-such.xml", "--month", "2026-09"), 2, "no-such.xml"),
        (("refresh", "--month", "2026-09"), 2, "give one of --api URL, --wiki enwiki, --dump FILE"),
        (("refresh", "--wiki", "enwiki", "--month", "2026-09"), 1, "set NEWWIKI_CONTACT"),
        (("refresh", "--dump", wiki()), 2, "give --month 2026-10, or --from and --to"),
        (("sql", "drop table runs"), 1, "refused"),
        (("sql", "selec 1"), 1, "refused"),
        (("sql", "select * from read_text('/etc/hostname')"), 1, "refused"),
        (("leaderboard", "--config", "no-such.toml"), 2, "--config 'no-such.toml' does not exist"),
        (("leaderboard", "--plugin", "no-such.py"), 2, "there is no plug-in file"),
        (("snapshots", "show", "nothing"), 2, "there is no snapshot 'nothing'"),
        (("refresh", "--dump", wiki(), "--kind", "old"), 2, "give --kind old --before 2020-01-01"),
        (("refresh", "--dump", wiki(), "--before", "2020-01-01"), 2, "give --kind old --before 2020-01-01"),
        (
            ("refresh", "--dump", wiki(), "--month", "2026-09", "--kind", "old", "--before", "2020-01-01"),
            2,
            "without other dates",
        ),
        (("refresh", "--dump", wiki(), "--kind", "old", "--before", "2099-01-01"), 2, "is not over"),
        (("snapshots", "export", "nothing", "--format", "jsonl", "--out", "out"), 2, "there is no snapshot 'nothing'"),
        (("snapshots", "export", "latest", "--format", "jsonl", "--out", "."), 1, "holds something else"),
        (("snapshots", "rebuild", "no-such.json"), 2, "no-such.json"),
        (("snapshots", "rebuild", wiki()), 2, "is not a snapshot's manifest"),
        (("snapshot",), 2, "snapshot"),
    ],
    ids=lambda value: " ".join(map(str, value[:4])) if isinstance(value, tuple) else "",
)
def test_a_mistake_gets_one_line_and_changes_nothing(
    database: Path, arguments: tuple[str, ...], status: int, words: str,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    before = content(database)
    monkeypatch.chdir(database.parent)
    monkeypatch.setenv("NEWWIKI_DB", str(database))
    monkeypatch.delenv("NEWWIKI_CONTACT", raising=False)
    monkeypatch.setattr("sys.argv", ["newwiki", *map(str, arguments)])
    assert main() == status
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.startswith("newwiki: ")
    assert err.count("\n") == 1, err
    assert content(database) == before
    assert [file.name for file in database.parent.iterdir()] == [database.name]


def test_what_scores_is_missed_before_anything_is_written(newwiki: Run, database: Path, toy_checkpoint: Path) -> None:
    before = content(database)
    ended = newwiki("evaluate", toy_checkpoint, "--decoder", "greedy", "--db", database, "--entities", "spacy:xx_none")
    assert ended.returncode == 1
    assert "python -m spacy download xx_none" in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert content(database) == before


def test_a_second_model_that_is_not_there_is_missed_before_the_first_one_writes(
    newwiki: Run, database: Path, toy_checkpoint: Path
) -> None:
    before = content(database)
    ended = newwiki("evaluate", toy_checkpoint, "no-such-dir", "--decoder", "greedy", *_SCORED, "--db", database)
    assert ended.returncode == 1
    assert "there is no model 'no-such-dir'" in ended.stderr
    assert content(database) == before


@pytest.mark.parametrize("kind", ["cut off", "not XML", "cut off bz2", "empty"])
def test_a_broken_export_leaves_the_database_as_it_was(newwiki: Run, database: Path, tmp_path: Path, kind: str) -> None:
    whole = wiki().read_bytes()
    broken = {
        "cut off": whole[: len(whole) // 2],
        "not XML": whole[:900_000] + b"<<<" + whole[900_000:],
        "cut off bz2": bz2.compress(whole)[:-1000],
        "empty": b"",
    }[kind]
    (tmp_path / "broken.xml").write_bytes(broken)
    before = content(database)
    ended = newwiki("refresh", "--dump", "broken.xml", "--month", "2026-08", "--db", database, "--quiet")
    assert ended.returncode == 1
    assert ended.stderr.startswith("newwiki: 'broken.xml' is not a readable MediaWiki XML export")
    assert ended.stderr.count("\n") == 1
    assert content(database) == before
    assert {file.name for file in tmp_path.iterdir()} == {database.name, "broken.xml"}


def test_reading_a_database_that_is_not_there_makes_none(newwiki: Run, tmp_path: Path) -> None:
    ended = newwiki("leaderboard")
    assert ended.returncode == 1
    assert "there is no database 'newwiki.duckdb'" in ended.stderr
    assert not list(tmp_path.iterdir())


def test_a_file_of_another_kind_is_not_taken_for_a_database(newwiki: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database\n" * 500)
    ended = newwiki("leaderboard", "--db", "notes.txt")
    assert ended.returncode == 1
    assert "cannot be opened" in ended.stderr
    assert (tmp_path / "notes.txt").read_text() == "not a database\n" * 500
