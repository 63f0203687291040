"""What goes into a bundle: complete runs on published snapshots, the same bytes always, and nothing of the key."""

import json
import shutil
from pathlib import Path

import duckdb
import pytest

import newwiki
from newwiki.errors import TerminalError, UsageError
from storage.database import Database
from tests.flows.bundles.conftest import NUCLEUS
from tests.flows.bundles.forging import Forged
from tests.flows.scored import add_run

pytestmark = pytest.mark.slow


def test_the_same_runs_are_the_same_bytes(bundle: Path, evaluated: Path, key: Path, tmp_path: Path) -> None:
    again = newwiki.submit(NUCLEUS, "greedy", key=key, out=tmp_path / "b.newwiki", db=evaluated)
    assert again.read_bytes() == bundle.read_bytes()


def test_the_private_key_is_not_in_it(bundle: Path, key: Path) -> None:
    secret = [line for line in key.read_bytes().splitlines() if not line.startswith(b"-")]
    assert secret and not any(line in content for content in Forged(bundle).members.values() for line in secret)


def test_it_says_what_it_is(bundle: Path) -> None:
    told = json.loads(Forged(bundle).members["bundle.json"])
    assert told["format"] == "newwiki bundle 1"
    assert {run["decoder"].partition(":")[0] for run in told["runs"]} == {"greedy", "sample"}
    assert all(len(sha256) == 64 for run in told["runs"] for *_, sha256 in run["texts"])
    [manifest] = told["manifests"]
    held = Forged(bundle)
    assert json.loads(held.members[held.path("manifest.json")])["content_sha256"] == manifest["content_sha256"]


@pytest.fixture
def changed(evaluated: Path, tmp_path: Path) -> Database:
    return Database(shutil.copy(evaluated, tmp_path / "changed.duckdb"))


def test_what_cannot_be_submitted_is_told_and_leaves_no_file(changed: Database, key: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.newwiki"
    add_run(changed, "unfinished", "unfinished")
    with changed.write() as connection:
        elsewhere = "select * replace ('elsewhere' as run_id, 'file:abc' as snapshot_id) from runs limit 1"
        connection.execute(f"insert into runs by name {elsewhere}")
    for name, expected in {
        "reference:samplewiki-2026-09": "are articles, which go along with the runs on them",
        "unfinished": "is not complete; finish it",
        "elsewhere": "is on no published snapshot",
        "nobody": "there is no run 'nobody'",
    }.items():
        with pytest.raises(UsageError, match=expected):
            newwiki.submit(name, key=key, out=out, db=changed.path)
    with pytest.raises(UsageError, match="is the key itself"):
        newwiki.submit("greedy", key=key, out=f"{key}.pub", db=changed.path)
    assert not out.exists()


def test_a_run_that_was_changed_in_the_database_is_not_signed(changed: Database, key: Path, tmp_path: Path) -> None:
    with duckdb.connect(str(changed.path)) as connection:
        connection.execute("update completions set words = words + 1")
    with pytest.raises(TerminalError, match=r"nobody would take this in: '.*changed.duckdb': run .* and it says"):
        newwiki.submit("greedy", key=key, out=tmp_path / "out.newwiki", db=changed.path)
    assert not list(tmp_path.glob("out.newwiki*"))
