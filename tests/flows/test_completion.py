"""A shell completes commands, options and values, at once, and changes nothing by it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from flows.cli import cli
from storage.database import Database
from tests.flows.comparing.many_runs import METRICS, RUNS
from tests.flows.conftest import environment
from tests.flows.scored import SNAPSHOT, add_run, score
from tests.quick import ROOT


def offered(*words: str) -> list[str]:
    """In the place of the last word."""
    found = ShellComplete(cli, {}, "newwiki", "_NEWWIKI_COMPLETE").get_completions([*words[:-1]], words[-1])
    return [one.value for one in found]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_commands_options_and_formats() -> None:
    assert offered("leader") == ["leaderboard"]
    assert offered("leaderboard", "--by") == ["--by-evaluator", "--by"]
    assert offered("leaderboard", "--format", "") == ["table", "csv", "json", "markdown"]
    assert "keep" in offered("compare", "--across", "")


def test_decoders_and_their_parameters() -> None:
    assert offered("evaluate", "--decoder", "s") == ["sample", "sibling-beam"]
    truncations = {"sample:top_k=", "sample:top_p=", "sample:top_h=", "sample:top_n_sigma="}
    assert {*offered("evaluate", "--decoder", "sample:top")} == truncations
    assert offered("evaluate", "--decoder", "sample:top_p=0.9,temp") == ["sample:top_p=0.9,temperature="]
    assert offered("evaluate", "--decoder", "no:top") == []


def test_examples_of_sql() -> None:
    assert offered("sql", "--example", "worst") == ["worst_texts"]


def test_what_a_database_holds(fourteen_runs: Path) -> None:
    db = ("--db", str(fourteen_runs))
    assert offered("leaderboard", *db, "--snapshot", "") == ["latest", SNAPSHOT]
    assert offered("snapshots", "show", *db, "sample") == [SNAPSHOT]
    assert offered("leaderboard", *db, "--rank", "gunning") == ["gunning_fog", "gunning_fog_newwiki"]
    assert offered("leaderboard", *db, "--metrics", "sbert,b") == ["sbert,bleu"]
    assert {*offered("leaderboard", *db, "--metrics", "")} == {"all", *METRICS}
    assert len(offered("compare", *db, "")) == len(RUNS) + 1
    assert offered("compare", *db, "models/gpt2/s") == [
        "models/gpt2/sample:top_p=0.9", "models/gpt2/sample:temperature=0.9,top_k=20,top_p=0.9"
    ]  # fmt: skip
    assert offered("compare", *db, "00c0") == [next(iter(RUNS))]


def test_the_database_is_the_one_that_the_environment_or_the_file_of_settings_names(
    fourteen_runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("newwiki.toml").write_text(f'db = "{fourteen_runs}"\n')
    assert offered("leaderboard", "--snapshot", "s") == [SNAPSHOT]
    monkeypatch.setenv("NEWWIKI_DB", "no-such.duckdb")
    assert offered("leaderboard", "--snapshot", "s") == []


def test_metrics_that_nothing_is_scored_by_yet_are_offered_too() -> None:
    assert "mauve" in offered("evaluate", "--metrics", "mau")


def test_what_is_wrong_is_not_told_and_no_database_is_made(tmp_path: Path) -> None:
    assert offered("snapshots", "show", "--db", "no-such.duckdb", "") == ["latest"]
    Path("notes.txt").write_text("no database")
    assert offered("snapshots", "show", "--db", "notes.txt", "") == ["latest"]
    Path("newwiki.toml").write_text("no = [toml")
    assert offered("compare", "") == []
    assert sorted(os.listdir(tmp_path)) == ["newwiki.toml", "notes.txt"]


def test_a_name_that_a_shell_would_obey_is_not_offered(database: Path) -> None:
    stored = Database(database)
    for run_id, model in (("harmless", "gpt2"), ("harmful", "$(touch owned)"), ("other", "a b")):
        score(stored, add_run(stored, run_id, model=model), {"bleu": [1.0]})
    assert offered("compare", "--db", str(database), "g") == ["gpt2/greedy"]
    assert offered("compare", "--db", str(database), "") == ["gpt2/greedy", f"reference:{SNAPSHOT}"]


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell(shell: str) -> None:
    ended = CliRunner().invoke(cli, ["completion", shell])
    assert ended.exit_code == 0
    assert f"_NEWWIKI_COMPLETE={shell}_complete" in ended.output


@pytest.mark.slow
def test_bash_completes_a_line_without_loading_what_takes_long(fourteen_runs: Path, tmp_path: Path) -> None:
    if not shutil.which("bash"):
        pytest.skip("needs bash")
    before = fourteen_runs.stat()
    place = tmp_path / "newwiki"
    place.write_text(f'#!/bin/sh\nexec "{sys.executable}" -X importtime -m newwiki "$@"\n')
    place.chmod(0o755)
    script = CliRunner().invoke(cli, ["completion", "bash"]).output
    begun = f"newwiki leaderboard --db {fourteen_runs} --snapshot s"
    several = f"newwiki compare --db {fourteen_runs} models/gpt2/sample : tem"  # as bash breaks what has a colon
    asked = "".join(
        f"COMPREPLY=() COMP_WORDS=({line}) COMP_CWORD={len(line.split()) - 1} COMP_LINE='{line.replace(' : ', ':')}'\n"
        '_newwiki_completion newwiki\necho "${COMPREPLY[@]}"\n'
        for line in (begun, several)
    )
    asked = f"{script}\n{asked}"
    env = environment(PATH=f"{tmp_path}:{os.environ['PATH']}", PYTHONPATH=str(ROOT))
    ended = subprocess.run(["bash", "-c", asked], env=env, capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout.splitlines() == [SNAPSHOT, "temperature=0.9,top_k=20,top_p=0.9"]
    loaded = set(re.findall(r"^import time:.*\| +(\w+)", ended.stderr, re.MULTILINE))
    assert "duckdb" in loaded
    assert loaded & {"evaluators", "numpy", "pandas", "prefect", "pyarrow", "rich", "scipy", "torch"} == set()
    after = fourteen_runs.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
