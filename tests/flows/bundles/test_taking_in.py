"""Bundles come into a database whole or not at all, and two that contradict each other are both named."""

import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

import newwiki
from flows.bundles.keys import trusted_keys
from flows.bundles.taking_in import bundle_files, take_in
from newwiki.errors import TerminalError, UsageError
from storage.database import Database
from storage.public_rows import public_rows
from tests.flows.bundles.conftest import NUCLEUS
from tests.flows.bundles.forging import Forged
from tests.storage.test_shared import everything

pytestmark = pytest.mark.slow


def as_shared(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Everything, with runs as they leave a machine: without its paths."""
    with duckdb.connect(str(database.path), read_only=True) as connection:
        runs = public_rows(connection.sql("from runs").to_arrow_table()).to_pylist()
    return everything(database) | {"runs": sorted((tuple(one.values()) for one in runs), key=repr)}


@pytest.fixture
def target(tmp_path: Path) -> Database:
    return Database(tmp_path / "target.duckdb")


@pytest.fixture(scope="module")
def halves(evaluated: Path, key: Path, other_key: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which each run has a bundle of its own, by two submitters."""
    folder = tmp_path_factory.mktemp("halves")
    newwiki.submit("greedy", key=key, out=folder / "a.newwiki", db=evaluated)
    newwiki.submit(NUCLEUS, key=other_key, out=folder / "b.newwiki", db=evaluated)
    return folder


def test_a_folder_of_bundles_becomes_the_database_that_they_are_of(
    halves: Path, key: Path, evaluated: Path, target: Database
) -> None:
    signed = take_in(target, bundle_files(halves), None)
    assert as_shared(target) == as_shared(Database(evaluated))
    assert sorted(len(by) for by in signed.values()) == [1, 1]
    assert newwiki.leaderboard(db=target.path, quiet=True).num_rows == 3


def test_a_run_has_all_of_its_signers_by_name_where_they_are_trusted(
    bundle: Path, halves: Path, key: Path, other_key: Path, target: Database
) -> None:
    names = trusted_keys([Path(f"{key}.pub"), Path(f"{other_key}.pub")])
    signed = take_in(target, [bundle, *bundle_files(halves)], names)
    assert sorted(", ".join(map(str, by)) for by in signed.values()) == ["alice", "alice, mallory"]


def test_only_trusted_keys_are_let_in(halves: Path, key: Path, target: Database) -> None:
    with pytest.raises(TerminalError, match=r"b\.newwiki' is signed by SHA256:.*none of the keys that are trusted"):
        take_in(target, bundle_files(halves), trusted_keys([Path(f"{key}.pub")]))
    assert len(everything(target)["runs"]) == 1, "what came before it stays"


@pytest.mark.parametrize(("column", "value", "agrees"), [("started_at", "2026-11-01", True), ("model", "x", False)])
def test_two_submit_runs_of_one_model_that_each_has_let_read(
    evaluated: Path, toy_checkpoint: Path, key: Path, other_key: Path, target: Database, tmp_path: Path,
    column: str, value: str, agrees: bool,
) -> None:  # fmt: skip
    """Its likelihood run is in both bundles, made at another time, and under no other name."""
    one = Path(shutil.copy(evaluated, tmp_path / "one.duckdb"))
    newwiki.evaluate(str(toy_checkpoint), likelihood_only=True, prompts=3, db=one, quiet=True)
    other = Path(shutil.copy(one, tmp_path / "other.duckdb"))
    with duckdb.connect(str(other)) as connection:
        connection.execute(f"update runs set {column} = ? where samples = 0", [value])  # noqa: S608 (our own names)
    newwiki.submit("greedy", key=key, out=tmp_path / "a.newwiki", db=one)
    newwiki.submit(NUCLEUS, key=other_key, out=tmp_path / "b.newwiki", db=other)
    if not agrees:
        with pytest.raises(
            TerminalError, match=r"contradict each other: run \w+ is not the same \(model is .* and 'x'"
        ):
            take_in(target, bundle_files(tmp_path), None)
        return
    signed = take_in(target, bundle_files(tmp_path), None)
    assert sorted(len(by) for by in signed.values()) == [1, 1, 2]


def contradicting(what: str, bundle: Path, evaluated: Path, key: Path, tmp_path: Path) -> Path:
    """A bundle that says something else, and is sound by itself."""
    if what == "snapshot":
        path = Path(shutil.copy(evaluated, tmp_path / "other.duckdb"))
        with duckdb.connect(str(path)) as connection:
            connection.execute("update stored_articles set sha1 = repeat('0', 40)")
            connection.execute("delete from snapshot_hashes where table_name = 'stored_articles'")
        return newwiki.submit("greedy", key=key, out=tmp_path / "other.newwiki", db=path)
    forged = Forged(bundle)
    if what == "texts":
        forged.change(forged.path("/completions.jsonl"), lambda row: row | {"text": f" {row['text']}"})
    elif what == "metric":
        name = next(one for one in forged.members if "metric=bleu/" in one)
        forged.change(name, lambda row: row | {"direction": "lower"})
    else:
        forged.change(forged.path(f"/{what}.jsonl"), lambda row: row | {"value": 0.777, "status": "ok"})
    return forged.rehash().sign(key).write(tmp_path / "other.newwiki")


@pytest.fixture(scope="module")
def taken(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that has taken the bundle in."""
    path = tmp_path_factory.mktemp("taken") / "taken.duckdb"
    take_in(Database(path), [bundle])
    return path


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("snapshot", r"snapshot samplewiki-2026-09 is not the same"),
        ("texts", r"run \w{16} is not the same"),
        ("scores", r"the scores of run \w{16} by evaluator \w{16} is not the same"),
        ("run_scores", r"the scores of run \S+ by evaluator \w{16} is not the same"),
        ("metric", r"the metric bleu is another one"),
    ],
)
def test_two_that_contradict_each_other_are_both_named_and_the_first_stays(
    what: str, told: str, bundle: Path, evaluated: Path, key: Path, taken: Path, tmp_path: Path
) -> None:
    target = Database(shutil.copy(taken, tmp_path / "target.duckdb"))
    other = contradicting(what, bundle, evaluated, key, tmp_path)
    with pytest.raises(TerminalError, match=told) as refused:
        take_in(target, [bundle, other])
    assert f"'{bundle}' and '{other}' contradict each other" in str(refused.value)
    assert as_shared(target) == as_shared(Database(evaluated))


def test_what_is_refused_on_the_way_leaves_nothing_behind(
    bundle: Path, key: Path, target: Database, tmp_path: Path
) -> None:
    forged = Forged(bundle)
    forged.change(forged.path("/candidates.jsonl"), lambda row: row | {"revisions": 99})
    broken = forged.rehash().sign(key).write(tmp_path / "broken.newwiki")
    with pytest.raises(TerminalError, match=r"candidates\.revisions is not what") as refused:
        take_in(target, [broken])
    assert "contradict" not in str(refused.value)
    assert not any(everything(target).values())


def test_where_there_is_no_bundle_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(UsageError, match=r"there is no bundle '.*'; a folder of them has files"):
        bundle_files(tmp_path)
    with pytest.raises(UsageError, match="there is no bundle"):
        bundle_files(tmp_path / "nowhere.newwiki")
