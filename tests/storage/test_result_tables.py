"""A result table is declared on the dataclass of its rows: storage, view, comments and key follow."""

import math
import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from flows.experiments.cutoff.result_tables import CutoffFinding
from flows.experiments.linking.result_tables import LinkedMean
from flows.health_checks import examine_database
from newwiki.registry import Registry
from storage import experiments, result_tables
from storage.database import Database
from storage.experiments import StoredExperiment
from storage.keys import repeated
from storage.public_copy import public_copy
from storage.result_tables import column, declared_tables, mistyped, result_table, table_of

FINDING = CutoffFinding(
    model="gpt2", decoder="likelihood", metric="bits_per_byte", evaluator_id="e", control=None, months=24, left_out=0,
    articles=900, month=date(2026, 3, 1), low=None, high=date(2026, 5, 1), change=0.1, width=1, p=0.01, p_holm=0.02,
    verdict="found", stated=None, agrees=None,
)  # fmt: skip
MEAN = LinkedMean(
    run_id="r", model="gpt2", decoder="greedy", snapshot_id="s", to_snapshot="t", metric="bleu", evaluator_id="e",
    protocol=None, articles=9, mean=0.5, linked=None, low=None, high=None, no_link="none", via=[],
)  # fmt: skip


def answer(experiment_id: str) -> StoredExperiment:
    return StoredExperiment(
        experiment_id=experiment_id, name="cutoff", version="1", snapshot_id="s", request="{}", read="{}", verdict="v",
        generalizes_over=None, words=["w"], made_at=datetime(2026, 10, 1, tzinfo=UTC),
    )  # fmt: skip


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return Database(tmp_path_factory.mktemp("results") / "newwiki.duckdb")


def view(database: Database, question: str) -> list[tuple[Any, ...]]:
    with database.read() as connection:
        return connection.execute(question).fetchall()


def doubles() -> Iterator[float]:
    yield from (math.nan, math.inf, -math.inf, -0.0, 5e-324, 1.7976931348623157e308, 0.1, 1e16, 1 / 3)
    draw = random.Random(7)
    yield from (number for number in (draw.random() * 10 ** draw.randint(-300, 300) for _ in range(500)))


def test_every_double_comes_back_with_the_same_bits_and_rows_in_their_order(database: Database) -> None:
    numbers = list(doubles())
    stored = [replace(FINDING, metric=f"m{place}", change=number) for place, number in enumerate(numbers)]
    experiments.keep(database, answer("doubles"), [stored, []])
    read = experiments.rows(database, CutoffFinding, "doubles")
    assert [struct.pack("d", one.change) for one in read if one.change is not None] == [
        struct.pack("d", number) for number in numbers
    ]
    question = "select change from cutoff_findings where experiment_id = 'doubles' order by ltrim(metric, 'm')::int"
    assert [struct.pack("d", number) for (number,) in view(database, question)] == [
        struct.pack("d", number) for number in numbers
    ]
    assert [one.metric for one in read] == [one.metric for one in stored]
    assert [replace(one, change=0.0) for one in read] == [replace(one, change=0.0) for one in stored]


def test_view_has_the_declared_columns_and_types(database: Database) -> None:
    experiments.keep(database, answer("typed"), [[FINDING, replace(FINDING, model="other", agrees=False)]])
    kinds = [kind[:2] for kind in view(database, "describe cutoff_findings")]
    assert kinds[:2] == [("experiment_id", "VARCHAR"), ("model", "VARCHAR")]
    assert dict(kinds) | {"months": "BIGINT", "month": "DATE", "change": "DOUBLE", "agrees": "BOOLEAN"} == dict(kinds)
    asked = "select model, months, month, low, change, agrees from cutoff_findings where experiment_id = 'typed'"
    assert view(database, asked) == [
        ("gpt2", 24, date(2026, 3, 1), None, 0.1, None),
        ("other", 24, date(2026, 3, 1), None, 0.1, False),
    ]


@pytest.mark.parametrize("texts", [[], ["a, b", "[c]", 'q"', "\\", "é\n\u2028", "null", ""]])
def test_texts_and_lists_of_texts_come_back_as_they_are(database: Database, texts: list[str]) -> None:
    experiments.keep(database, answer(f"texts{len(texts)}"), [[replace(MEAN, via=texts, model="".join(texts))]])
    [read] = experiments.rows(database, LinkedMean, f"texts{len(texts)}")
    assert (read.via, read.model) == (texts, "".join(texts))


def test_value_that_a_column_cannot_have_is_refused_and_nothing_is_stored(database: Database) -> None:
    without: Any = replace(FINDING, model=None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a row of cutoff_findings has no model"):
        experiments.keep(database, answer("refused"), [[FINDING, without]])
    with pytest.raises(pa.ArrowException):
        experiments.keep(database, answer("refused"), [[replace(FINDING, months=2.5)]])  # type: ignore[arg-type]
    assert view(database, "select * from experiments where experiment_id = 'refused'") == []


def test_field_that_an_older_version_had_not_is_null(database: Database) -> None:
    experiments.keep(database, answer("older"), [[MEAN]])
    with database.write() as connection:
        connection.execute("update experiment_rows set row = '{\"run_id\": \"r\"}' where experiment_id = 'older'")
    assert view(database, "select run_id, mean, via from linked_means where experiment_id = 'older'") == [
        ("r", None, None)
    ]


@pytest.mark.parametrize("row", ['{"mean": "much"}', '{"via": "a"}'])
def test_value_of_another_type_fails_the_answer_and_is_counted(database: Database, row: str) -> None:
    with database.write() as connection:
        assert mistyped(connection) == []
        connection.execute("insert into experiment_rows values ('odd', 'linked_means', 0, ?)", [row])
        assert mistyped(connection) == [("rows of linked_means with a value of another type", 1)]
    checked = examine_database(database.path)[0]
    assert checked[1] == "problem" and "1 rows of linked_means with a value of another type" in checked[2]
    with pytest.raises(Exception, match="Conversion Error"):
        experiments.rows(database, LinkedMean, "odd")
    with database.write() as connection:
        connection.execute("delete from experiment_rows where experiment_id = 'odd'")


def test_every_result_table_has_its_key_checked(database: Database) -> None:
    with database.write() as connection:
        assert repeated(connection) == []
        for one in declared_tables():
            kinds = {column.name: column.sql_type for column in one.columns}
            row = {name: "2026-10-01" if kinds[name] == "DATE" else 1 for name in one.key}
            for place in range(2):
                connection.execute("insert into experiment_rows values ('twice', ?, ?, ?)", [one.name, place, row])
        assert {(f"{one.name} that are there twice", 1) for one in declared_tables()} <= set(repeated(connection))
        connection.execute("delete from experiment_rows where experiment_id = 'twice'")


def test_public_copy_has_no_private_path_in_a_row_and_the_same_numbers(database: Database, tmp_path: Path) -> None:
    private = replace(FINDING, model="/home/me/models/gpt2", change=0.1 + 0.2)
    experiments.keep(database, answer("private"), [[private, replace(private, change=math.nan)]])
    copy = public_copy(database, tmp_path / "copy")
    asked = "select model, change from cutoff_findings where experiment_id = 'private'"
    assert list(map(repr, view(copy, asked))) == [f"('gpt2', {0.1 + 0.2!r})", "('gpt2', nan)"]
    assert view(database, asked)[0][0] == private.model


def test_declaration_names_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_tables, "_TABLES", Registry("result table", "newwiki.none"))

    @dataclass(frozen=True)
    class Described:
        """What is   stored."""

        name: str = column("The name.")
        value: float | None = column("The value, in bits; NULL where it cannot be told.")

    with pytest.raises(ValueError, match="the key of some_rows names no field: other"):
        result_table("some_rows", key=("name", "other"))(Described)
    made = table_of(result_table("some_rows", key=("name",))(Described))
    assert (made.comment, made.key, [one.optional for one in made.columns]) == (
        "What is stored.",
        ("name",),
        [False, True],
    )

    @dataclass(frozen=True)
    class Bare:
        name: str

    with pytest.raises(TypeError, match=r"Bare.name has no description: give it `= column\(…\)`"):
        result_table("bare", key=("name",))(Bare)

    @dataclass(frozen=True)
    class Odd:
        name: bytes = column("The name.")

    with pytest.raises(TypeError, match=r"Odd.name is .*bytes.*: a column holds text, a number"):
        result_table("odd", key=("name",))(Odd)
