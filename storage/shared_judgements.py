"""What judges said of pairs of texts, in a shared folder: a part holds one judge's answers on two runs by one rubric.

Of two answers to one question the later stands, on whichever machine it was given.
"""

from collections.abc import Collection, Iterable, MutableMapping
from typing import Any

import duckdb
import pyarrow as pa

from storage.database import Database, insert_new
from storage.held import held
from storage.keys import KEYS
from storage.shared import Note, Parts, ReadableParts, SharedPart, rows_sha256

_PART = ("run_a", "run_b", "judge", "judge_kind", "rubric_sha256")

Notes = MutableMapping[SharedPart, Note]


def push(database: Database, folder: Parts, there: Notes, shared: Collection[str]) -> int:
    """How many answers the folder lacked; they are on pairs of runs that are both `shared`."""
    pushed = 0
    for values in database.rows("judged_parts"):
        part = SharedPart("judgements", tuple(zip(_PART, values, strict=True)))
        if not {part["run_a"], part["run_b"]} <= set(shared):
            continue
        noted = there.get(part)
        known = folder.read(noted) if noted else None
        rows, new = _later(known, held(database, part))
        if not new:
            continue
        for described in _described_by(part):
            if described not in there:
                there[described] = folder.write(described, held(database, described), {})
        there[part] = folder.write(part, rows, {})
        pushed += new
    return pushed


def pull(database: Database, folder: ReadableParts, there: Notes, shared: Collection[str]) -> int:
    """How many answers were lacking here, each judge's taken in at once; they are on pairs of `shared` runs."""
    pulled = 0
    for part in sorted((one for one in there if one.table == "judgements"), key=lambda one: one.keys):
        here = held(database, part)
        if not {part["run_a"], part["run_b"]} <= set(shared) or rows_sha256(here) == there[part].sha256:
            continue
        found = folder.read(there[part])
        if not (new := _later(here, found)[1]):
            continue
        described = {one.table: folder.read(there[one]) for one in _described_by(part)}
        with database.write() as connection:
            for table, description in described.items():
                insert_new(connection, table, description)
            _take(connection, found)
        pulled += new
    return pulled


def _take(connection: duckdb.DuckDBPyConnection, found: pa.Table) -> None:
    """As far as they are new or later: a judge may be answering meanwhile."""
    same = " and ".join(f"judgements.{name} = incoming.{name}" for name in KEYS["judgements"])
    connection.register("incoming", found)
    connection.execute(
        f"delete from judgements using incoming where {same} and judgements.judged_at < incoming.judged_at"  # noqa: S608
    )
    connection.unregister("incoming")
    insert_new(connection, "judgements", found)


def _described_by(part: SharedPart) -> Iterable[SharedPart]:
    """What was asked, and of a model, who that is."""
    yield SharedPart("rubrics", (("rubric_sha256", part["rubric_sha256"]),))
    if part["judge_kind"] == "model":
        yield SharedPart("evaluators", (("evaluator_id", part["judge"]),))


def _later(known: pa.Table | None, found: pa.Table) -> tuple[pa.Table, int]:
    """Both, with the later one of two answers to a question, in the order of their key; and how many of the `found` are
    new or later."""
    key = KEYS["judgements"]
    answers: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in known.to_pylist() if known else ():
        answers[tuple(row[name] for name in key)] = row
    new = 0
    for row in found.to_pylist():
        before = answers.get(named := tuple(row[name] for name in key))
        if before is None or before["judged_at"] < row["judged_at"]:
            answers[named] = row
            new += 1
    return pa.Table.from_pylist([answers[named] for named in sorted(answers)], schema=found.schema), new
