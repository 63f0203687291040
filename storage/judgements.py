"""Store pairs of texts, and the judgments of people and models on them."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from newwiki.judging.blinding import SECRET_BYTES, Blinding
from newwiki.judging.judgement import Answer, JudgeKind, Judgement, Pair, Run
from newwiki.judging.rubric import Rubric
from storage.database import Database, insert, insert_new
from storage.keys import KEYS
from storage.queries import query


@dataclass(frozen=True, kw_only=True)
class Answered:
    """An answer of one judge, with the pair and the criterion that it answers."""

    page_id: int
    sample_a: int
    sample_b: int
    criterion: str
    first: Run
    answer: Answer


@dataclass(frozen=True)
class StoredRubric:
    rubric_sha256: str
    criteria: str


def pairs(database: Database, run_a: str, run_b: str, snapshot_id: str) -> list[Pair]:
    """Return one pair for each prompt that both runs have, in a random order that is always the same."""
    return database.records(Pair, "pairs_to_judge", run_a, run_b, snapshot_id)


def keep(database: Database, rubric: Rubric, judgements: Sequence[Judgement]) -> None:
    """Store answers that were given in this database, in one transaction.

    A judge's later answer replaces the earlier answer.
    """
    if not judgements:
        return
    assert all(judgement.origin == "" for judgement in judgements), (
        "answers from elsewhere come by storage.shared_judgements"
    )
    key = KEYS["judgements"]
    incoming = pa.table({name: [getattr(judgement, name) for judgement in judgements] for name in key})
    with database.write() as connection:
        insert_new(connection, "rubrics", [StoredRubric(rubric.sha256, rubric.criteria_json)])
        connection.register("incoming", incoming)
        connection.execute(query("forget_answers"))
        connection.unregister("incoming")
        insert(connection, "judgements", judgements)


def blinding(database: Database, run_a: str, run_b: str, rubric: Rubric) -> Blinding | None:
    """Return the secret that blinds judges of these runs in this database; None if no judge has been asked yet."""
    rows = database.rows("judging_secret", run_a, run_b, rubric.sha256)
    return Blinding(rows[0][0]) if rows else None


def begin_blinding(database: Database, run_a: str, run_b: str, rubric: Rubric) -> Blinding:
    """Return the secret that blinds judges of these runs. The first call draws and stores it."""
    with database.write() as connection:
        drawn = secrets.token_bytes(SECRET_BYTES)
        connection.execute(query("keep_judging_secret"), [run_a, run_b, rubric.sha256, drawn])
        stored = blinding(database, run_a, run_b, rubric)
    assert stored
    return stored


def every(database: Database, run_a: str, run_b: str) -> list[Judgement]:
    """Return all judgments on pairs of these runs, by any rubric and from any database."""
    return database.records(Judgement, "judgements_of", run_a, run_b)


def answered(database: Database, run_a: str, run_b: str, judge: str, kind: JudgeKind, rubric: Rubric) -> list[Answered]:
    """Return the answers that this judge has given in this database."""
    return database.records(Answered, "answers_of_judge", run_a, run_b, judge, kind, rubric.sha256)


def names_of_models(database: Database) -> dict[str, str]:
    """Return the names of the judging models, by the ids under which they judge."""
    return dict(database.rows("judging_models"))
