"""Pairs of texts, and what people and models said of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from newwiki.judging.judgement import Answer, JudgeKind, Judgement, Pair, Run
from newwiki.judging.rubric import Rubric
from storage.database import Database, insert, insert_new
from storage.keys import KEYS


@dataclass(frozen=True, kw_only=True)
class Answered:
    """An answer of one judge, by the pair and the criterion that it is to."""

    page_id: int
    sample_a: int
    sample_b: int
    criterion: str
    first: Run
    answer: Answer


@dataclass(frozen=True)
class _StoredRubric:
    rubric_sha256: str
    criteria: str


def pairs(database: Database, run_a: str, run_b: str, snapshot_id: str) -> list[Pair]:
    """One of each prompt that both runs have, in a drawn order that is always the same."""
    return database.records(Pair, "pairs_to_judge", run_a, run_b, snapshot_id)


def keep(database: Database, rubric: Rubric, judgements: Sequence[Judgement]) -> None:
    """Stores them in one transaction. Who is asked again by the same key has changed their mind: the later answer
    stands."""
    if not judgements:
        return
    key = KEYS["judgements"]
    same = " and ".join(f"judgements.{name} = incoming.{name}" for name in key)
    incoming = pa.table({name: [getattr(one, name) for one in judgements] for name in key})
    with database.write() as connection:
        insert_new(connection, "rubrics", [_StoredRubric(rubric.sha256, rubric.criteria_json)])
        connection.register("incoming", incoming)
        connection.execute(f"delete from judgements using incoming where {same}")  # noqa: S608 (our own names)
        connection.unregister("incoming")
        insert(connection, "judgements", judgements)


def every(database: Database, run_a: str, run_b: str) -> list[Judgement]:
    """All on pairs of these runs, by whatever rubric."""
    return database.records(Judgement, "judgements_of", run_a, run_b)


def answered(database: Database, run_a: str, run_b: str, judge: str, kind: JudgeKind, rubric: Rubric) -> list[Answered]:
    return database.records(Answered, "answers_of_judge", run_a, run_b, judge, kind, rubric.sha256)


def names_of_models(database: Database) -> dict[str, str]:
    """By the ids under which they judge."""
    return dict(database.rows("judging_models"))
