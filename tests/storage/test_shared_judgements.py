"""Judgements in a shared folder: they keep their origin, and nobody's answer changes but by its own database."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flows.admitting.gate import admit
from newwiki.errors import TerminalError
from newwiki.judging.judgement import Judgement
from newwiki.judging.rubric import read_rubric
from newwiki.records import Fingerprint
from storage import judgements, runs, shared_judgements
from storage.database import Database
from storage.foreign_judgements import UntrueAnswers
from storage.keys import repeated
from storage.pull import pull
from storage.push import push
from storage.shared import GatheredParts, SharedFolder, SharedPart
from storage.shared_judgements import database_id
from tests.storage.conftest import Filled, publish_pages
from tests.storage.machines import judged, texts, with_own_id, write

PAIR = ("reference:testwiki-2026-09", "run-a")
RUBRIC = read_rubric()
FORGED = "0123456789ab"
Row = dict[str, Any]


@pytest.fixture
def folder() -> GatheredParts:
    return GatheredParts("elsewhere")


@pytest.fixture
def shared(first: Database, folder: GatheredParts, filled: Filled) -> GatheredParts:
    """A folder with Ada's answers on two articles, which she gave in the first database."""
    answers = [judged(*PAIR, "Ada", RUBRIC, page) for page in (1, 2)]
    filled("answered", first, lambda: judgements.keep(first, RUBRIC, answers))
    give(first, folder)
    return folder


@pytest.fixture
def other(first: Database, tmp_path: Path) -> Database:
    """Another machine, with the same results and no answers."""
    return with_own_id(Database(shutil.copy(first.path, tmp_path / "other.duckdb")))


def give(database: Database, folder: GatheredParts) -> int:
    """Push the answers on the pair alone, and return their number."""
    given, refused = shared_judgements.push(database, folder, folder.notes(), PAIR)
    assert not refused
    return given


def take(database: Database, folder: GatheredParts) -> int:
    """Pull the answers on the pair alone, and return their number. Raises UntrueAnswers where they are refused."""
    taken, refused = shared_judgements.pull(database, folder, folder.notes(), PAIR)
    if refused:
        raise UntrueAnswers("; ".join(refused))
    return taken


def said(database: Database) -> list[tuple[str, str, int, str]]:
    return sorted((one.origin, one.judge, one.page_id, one.answer) for one in judgements.every(database, *PAIR))


def part_of(folder: GatheredParts) -> SharedPart:
    [part] = [part for part in folder.notes() if part.table == "judgements"]
    return part


def forge(folder: GatheredParts, change: Callable[[list[Row]], object], **keys: str) -> None:
    """Writes the folder's answers again, changed, under an origin or other keys."""
    part = part_of(folder)
    table = folder.read(folder.notes()[part])
    named = {**dict(part.keys), "origin": FORGED, **keys}
    rows = [row | named for row in table.to_pylist()]
    change(rows)
    folder.write(SharedPart("judgements", tuple(named.items())), pa.Table.from_pylist(rows, schema=table.schema), {})


def test_answers_go_round_without_duplicates_and_come_home_as_ones_own(
    first: Database, second: Database, shared: GatheredParts
) -> None:
    home = database_id(first)
    push(first, shared, print)
    assert pull(second, admit(shared, "pull"), print).judgements == 2
    assert said(second) == [(home, "Ada", 1, "first"), (home, "Ada", 2, "first")]
    judgements.keep(second, RUBRIC, [judged(*PAIR, "Bob", RUBRIC)])
    relayed = GatheredParts("relayed")
    for folder in (shared, relayed):
        give(second, folder)
        take(first, folder)
    assert said(first) == [("", "Ada", 1, "first"), ("", "Ada", 2, "first"), (database_id(second), "Bob", 1, "first")]
    for database in (first, second):
        assert give(database, relayed) == take(database, shared) == 0
        with database.read() as connection:
            assert repeated(connection) == []


def test_later_answer_comes_from_its_own_origin_alone(first: Database, other: Database, shared: GatheredParts) -> None:
    home = database_id(first)
    take(other, shared)
    judgements.keep(other, RUBRIC, [judged(*PAIR, "Ada", RUBRIC, minute=9, answer="second")])
    give(other, shared)
    take(first, shared)
    both = {("Ada", 1, "first"), ("Ada", 2, "first"), ("Ada", 1, "second")}
    assert {one[1:] for one in said(first)} == {one[1:] for one in said(other)} == both
    judgements.keep(first, RUBRIC, [judged(*PAIR, "Ada", RUBRIC, minute=3, answer="tie")])
    give(first, shared)
    assert take(other, shared) == 1
    assert (home, "Ada", 1, "tie") in said(other) and ("", "Ada", 1, "second") in said(other)
    assert len(said(other)) == 3


def test_person_has_one_answer_whatever_the_order_of_the_texts(
    first: Database, other: Database, folder: GatheredParts
) -> None:
    """A pair that was shown in one order before, and in another now."""
    for answer in (judged(*PAIR, "Ada", RUBRIC), replace(judged(*PAIR, "Ada", RUBRIC, minute=1), first="b")):
        judgements.keep(first, RUBRIC, [answer])
        give(first, folder)
        take(other, folder)
    for database in (first, other):
        assert [one.first for one in judgements.every(database, *PAIR)] == ["b"]


def test_model_that_judged_is_described_and_pairs_that_are_not_shared_stay(
    first: Database, other: Database, folder: GatheredParts
) -> None:
    judge = Fingerprint("judge-1", "pairwise_judge", "1", model="judge-model")
    runs.register(first, [judge], [])
    by_model = [
        replace(judged(*pair, judge.evaluator_id, RUBRIC), judge_kind="model", said="A", first=order)
        for pair in (PAIR, ("run-a", "unfinished"))
        for order in ("a", "b")
    ]
    judgements.keep(first, RUBRIC, by_model)
    give(first, folder)
    take(other, folder)
    from_first = [replace(one, origin=database_id(first)) for one in by_model[:2]]
    assert judgements.every(other, *PAIR) == from_first
    assert judgements.every(other, "run-a", "unfinished") == []
    assert judgements.names_of_models(other) == {"judge-1": "judge-model"}


def _all(**values: object) -> Callable[[list[Row]], object]:
    return lambda rows: [row.update(values) for row in rows]


@pytest.fixture(scope="module")
def answered(
    empty: Path, selected: Callable[..., Any], run_of: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Database, GatheredParts]:
    """A database with Ada's answers, and a folder of them. It refuses all others, so that tests share it."""
    database = Database(shutil.copy(empty, tmp_path_factory.mktemp("answered") / "newwiki.duckdb"))
    folder = GatheredParts("elsewhere")
    publish_pages(database, *(selected(page) for page in (1, 2, 3)))
    write(database, run_of("run-a"), texts())
    judgements.keep(database, RUBRIC, [judged(*PAIR, "Ada", RUBRIC, page) for page in (1, 2)])
    give(database, folder)
    return database, folder


@pytest.mark.parametrize(
    ("change", "keys", "told"),
    [
        (_all(judged_at=datetime(2126, 1, 1, tzinfo=UTC)), {}, r"judged_at is in the future \(2126-01-01"),
        (_all(judged_at=datetime.now(UTC) + timedelta(hours=12)), {}, "judged_at is in the future"),
        (_all(answer="unanswered"), {}, "'unanswered' is no answer; they are first, second, tie, unreadable"),
        (_all(first="c"), {}, "must be a or b"),
        (_all(page_id=77), {}, "has no kept text of sample 0"),
        (_all(sample_b=9), {}, "run run-a has no kept text of sample 9"),
        (_all(criterion="beauty"), {}, "the rubric has no such criterion"),
        (_all(said="B"), {}, "a person has none"),
        (_all(answer=None), {}, "answer is NULL"),
        (_all(judge="Bob"), {}, "judge is 'Bob' in a file of 'Ada'"),
        (_all(origin="another"), {}, f"origin is 'another' in a file of '{FORGED}'"),
        (lambda rows: rows.append(rows[0]), {}, "page 1 has two answers to coherence"),
        (_all(), {"origin": "../evil"}, "is no id of a database"),
        (_all(), {"judge": "Ada\x1b[2J"}, "is not a valid judge name"),
        (_all(), {"judge_kind": "god"}, "'god' is no kind of judge"),
        (_all(said="B"), {"judge_kind": "model"}, "the model that judged, Ada, is not described"),
        (_all(), {"rubric_sha256": "f" * 64}, "the rubric f+ that they answer is not in the folder"),
    ],
)
def test_answer_that_cannot_be_true_is_refused_in_one_line(
    answered: tuple[Database, GatheredParts], change: Callable[[list[Row]], object], keys: dict[str, str], told: str
) -> None:
    database, folder = answered
    before = said(database)
    forged = GatheredParts("forged")
    forged.held = {**folder.held}
    forge(forged, change, **keys)
    with pytest.raises(UntrueAnswers, match=told) as refused:
        take(database, forged)
    assert str(refused.value).isprintable()
    assert said(database) == before


def test_answers_that_claim_to_be_from_this_database_are_refused(first: Database, shared: GatheredParts) -> None:
    before = said(first)
    push(first, shared, print)
    forge(shared, _all(answer="second", judged_at=datetime.now(UTC)), origin=database_id(first))
    with pytest.raises(TerminalError, match="claim to be from this database"):
        pull(first, admit(shared, "pull"), print)
    with pytest.raises(TerminalError, match="claim to be from this database"):
        push(first, shared, print)
    assert said(first) == before
    forge(shared, _all(judge="Eve"), judge="Eve", origin=database_id(first))
    with pytest.raises(UntrueAnswers, match=r"judge=Eve.* claim to be from this database"):
        take(first, shared)
    assert said(first) == before


def _without_origin(folder: GatheredParts, change: Callable[[list[Row]], object]) -> GatheredParts:
    """A folder that an earlier version has written."""
    part = part_of(folder)
    table = folder.read(folder.notes()[part]).drop_columns(["origin"])
    rows = table.to_pylist()
    change(rows)
    folder.write(SharedPart("judgements", part.keys[:-1]), pa.Table.from_pylist(rows, schema=table.schema), {})
    del folder.held[part]
    return folder


def test_answers_that_an_earlier_version_pushed_are_not_taken_twice(
    first: Database, other: Database, shared: GatheredParts
) -> None:
    before, old = said(first), _without_origin(shared, _all())
    for _ in range(2):
        take(other, old)
        take(first, old)
    assert said(first) == before
    assert said(other) == [("unnamed", "Ada", 1, "first"), ("unnamed", "Ada", 2, "first")]
    part = SharedPart("judgements", part_of(old).keys)
    table = old.read(old.notes()[part])
    rows = table.to_pylist()
    _all(answer="tie", judged_at=datetime(2026, 10, 6, tzinfo=UTC))(rows)
    old.write(part, pa.Table.from_pylist(rows, schema=table.schema), {})
    with pytest.raises(UntrueAnswers, match="an earlier version pushed them without the id of their database"):
        take(first, old)
    assert said(first) == before


_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "page_id": st.integers(-2, 4),
    "sample_a": st.integers(-1, 1),
    "sample_b": st.integers(-1, 3),
    "judge": st.sampled_from(["Ada", "Bob", "", "A\x00", "x" * 100]),
    "judge_kind": st.sampled_from(["person", "model", "x"]),
    "criterion": st.sampled_from([*RUBRIC.names, "", "x"]),
    "first": st.sampled_from(["a", "b", "", "c"]),
    "answer": st.sampled_from(["first", "second", "tie", "unreadable", "", "win"]),
    "said": st.none() | st.text(max_size=3),
    "origin": st.sampled_from(["", "own", "unnamed", FORGED, "x"]),
    "judged_at": st.sampled_from([datetime(year, 1, 1, tzinfo=UTC) for year in (1, 1970, 2026, 2126, 9999)]),
}


@settings(
    max_examples=int(os.environ.get("NEWWIKI_EXAMPLES", "12")),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.fixed_dictionaries({}, optional=_VALUES), min_size=1, max_size=3), st.data())
def test_no_part_changes_an_answer_that_was_given_here(
    first: Database, shared: GatheredParts, changes: list[Row], data: st.DataObject
) -> None:
    mine = {judged(*PAIR, "Ada", RUBRIC, page) for page in (1, 2)}
    keys = {name: data.draw(_VALUES[name]) for name in ("judge", "judge_kind", "origin")}
    own = database_id(first)
    keys = {name: own if value == "own" else value for name, value in keys.items()}
    copied = GatheredParts("copied")
    copied.held = {**shared.held}

    def change(rows: list[Row]) -> None:
        rows[:] = [row | keys | changed for row, changed in zip(rows * 2, changes, strict=False)]

    forge(copied, change, **keys)
    _, refused = shared_judgements.pull(first, copied, copied.notes(), PAIR)
    assert all(line.isprintable() for line in refused)
    stored = judgements.every(first, *PAIR)
    assert {one for one in stored if one.origin == ""} == mine
    assert all(_is_possible(one) for one in stored)


def _is_possible(one: Judgement) -> bool:
    return one.judged_at < datetime.now(UTC) and one.origin in ("", FORGED, "unnamed") and one.page_id in (1, 2, 3)


def test_secrets_stay_in_the_database(first: Database, tmp_path: Path) -> None:
    blinding = judgements.begin_blinding(first, *PAIR, RUBRIC)
    assert judgements.begin_blinding(Database(first.path), *PAIR, RUBRIC) == blinding
    assert judgements.blinding(first, *PAIR, RUBRIC) == blinding
    judgements.keep(first, RUBRIC, [judged(*PAIR, "Ada", RUBRIC)])
    push(first, SharedFolder((tmp_path / "folder").as_uri()), print)
    written = [file for file in (tmp_path / "folder").rglob("*") if file.is_file()]
    assert written
    assert not [file for file in written if "secret" in file.name or blinding.secret in file.read_bytes()]
