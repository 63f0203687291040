"""Check judges' answers from another database before any of them is stored."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pyarrow as pa

from newwiki.errors import UsageError
from newwiki.judging.judgement import Answer, JudgeKind, Run, require_judge_name
from newwiki.judging.rubric import criteria_names
from newwiki.visible import visible
from storage.database import Database

Row = dict[str, Any]

_SKEW = timedelta(minutes=5)  # how far another machine's clock may be ahead
_ORIGIN = re.compile(r"[0-9a-f]{12}|unnamed")
_QUESTION = ("run_a", "run_b", "page_id", "sample_a", "sample_b", "judge", "judge_kind", "rubric_sha256", "criterion")


class UntrueAnswers(Exception):
    """Raised for answers that cannot be true, with the reason."""


def question(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the key of an answer: the question, the judge and the origin.

    For a model, the order of the texts is part of the key, because models are asked in both orders and people once.
    """
    return (*(row[name] for name in _QUESTION), row["first"] if row["judge_kind"] == "model" else "", row["origin"])


class ForeignAnswers:
    """Checks parts with answers against the runs and texts in this database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._texts: dict[tuple[str, str], frozenset[tuple[str, int, int]]] = {}

    def checked(
        self, answers: pa.Table, schema: pa.Schema, part: Mapping[str, str], described: Mapping[str, pa.Table]
    ) -> pa.Table:
        """Return the rows with the columns of `schema`, in its order.

        Raises UntrueAnswers for the first row that cannot be true. `part` has the values that all rows share.
        `described` has the folder's tables about the rubric and the model.
        """
        answers = in_our_columns(answers, schema)
        criteria = self._criteria(part["rubric_sha256"], described)
        self._require_judge(part, described)
        texts, latest, seen = self._texts_of(part["run_a"], part["run_b"]), datetime.now(UTC) + _SKEW, set()
        for row in answers.to_pylist():
            if wrong := _wrong(row, part, criteria, texts, latest):
                raise UntrueAnswers(f"{wrong} (page {row['page_id']}, {visible(str(row['criterion']))[:80]})")
            if question(row) in seen:
                raise UntrueAnswers(f"page {row['page_id']} has two answers to {row['criterion']}")
            seen.add(question(row))
        return answers

    def _criteria(self, sha256: str, described: Mapping[str, pa.Table]) -> frozenset[str]:
        stored = self._database.rows("rubric_criteria", sha256)
        known = [criteria for (criteria,) in stored]
        if not known and "rubrics" in described:
            known = [row.get("criteria") for row in described["rubrics"].to_pylist() if len(row) == 2]
        if len(known) != 1:
            raise UntrueAnswers(f"the rubric {visible(sha256)[:64]} that they answer is not in the folder")
        try:
            return frozenset(criteria_names(known[0], sha256))
        except ValueError as error:
            raise UntrueAnswers(str(error)) from None

    def _require_judge(self, part: Mapping[str, str], described: Mapping[str, pa.Table]) -> None:
        if not _ORIGIN.fullmatch(part["origin"]):
            raise UntrueAnswers(f"their origin '{visible(part['origin'])[:80]}' is no id of a database")
        if part["judge_kind"] not in get_args(JudgeKind):
            raise UntrueAnswers(f"'{visible(part['judge_kind'])[:80]}' is no kind of judge; they are person and model")
        if part["judge_kind"] == "person":
            try:
                require_judge_name(part["judge"])
            except UsageError as error:
                raise UntrueAnswers(str(error)) from None
            return
        ids = (
            {row.get("evaluator_id") for row in described["evaluators"].to_pylist()}
            if "evaluators" in described
            else ()
        )
        if part["judge"] not in ids and not self._database.rows("has_evaluator", part["judge"]):
            raise UntrueAnswers(f"the model that judged, {visible(part['judge'])[:80]}, is not described in the folder")

    def _texts_of(self, run_a: str, run_b: str) -> frozenset[tuple[str, int, int]]:
        if (run_a, run_b) not in self._texts:
            self._texts[run_a, run_b] = frozenset(self._database.rows("texts_of_pairs", run_a, run_b))
        return self._texts[run_a, run_b]


def in_our_columns(answers: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return the rows with the columns of `schema`, in its order. Raises UntrueAnswers if names or types differ."""
    if sorted(answers.column_names) != sorted(schema.names):
        raise UntrueAnswers(f"their columns are not {', '.join(schema.names)}")
    answers = answers.select(schema.names)
    for field in schema:
        if (column_type := answers.schema.field(field.name).type) not in (field.type, *_SAME.get(field.type, ())):
            raise UntrueAnswers(f"the column {field.name} is of the type {column_type}, and must be {field.type}")
    return answers.cast(schema)


# Writers of Parquet, DuckDB among them, use different types for the same values.
_SAME: dict[pa.DataType, tuple[pa.DataType, ...]] = {pa.string(): (pa.large_string(), pa.null())}


def _wrong(
    row: Row,
    part: Mapping[str, str],
    criteria: frozenset[str],
    texts: frozenset[tuple[str, int, int]],
    latest: datetime,
) -> str | None:
    """Return the reason why an answer cannot be true; None if there is none."""
    if missing := [name for name, value in row.items() if value is None and name != "said"]:
        return f"{missing[0]} is NULL"
    for name, value in part.items():
        if row[name] != value:
            return f"{name} is '{visible(str(row[name]))[:80]}' in a file of '{visible(value)[:80]}'"
    if row["run_a"] >= row["run_b"]:
        return "run_a must come before run_b in the alphabet"
    if row["answer"] not in get_args(Answer):
        return f"'{visible(row['answer'])[:80]}' is no answer; they are {', '.join(get_args(Answer))}"
    if row["first"] not in get_args(Run):
        return f"the first text is that of '{visible(row['first'])[:80]}', and must be a or b"
    if row["criterion"] not in criteria:
        return "the rubric has no such criterion"
    if row["judged_at"] > latest:
        return f"judged_at is in the future ({row['judged_at']:%Y-%m-%d %H:%M} UTC); set the clock of the machine right"
    if (row["said"] is None) != (row["judge_kind"] == "person"):
        return "`said` is what a model said, and a person has none"
    for run, sample in ((row["run_a"], row["sample_a"]), (row["run_b"], row["sample_b"])):
        if (run, row["page_id"], sample) not in texts:
            return f"run {visible(run)[:80]} has no kept text of sample {sample}"
    return None
