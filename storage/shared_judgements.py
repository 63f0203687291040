"""Push and pull judges' answers on pairs of texts.

A part holds one judge's answers on two runs by one rubric, given in one database. Each answer keeps its origin, the id
of the database in which it was given. A part from elsewhere can add answers of its own origin and replace earlier
answers of this origin. It changes no other answers: only this database changes the answers that were given in it.
"""

from collections.abc import Collection, Iterable, MutableMapping
from typing import Any

import pyarrow as pa

from newwiki.errors import TerminalError
from newwiki.visible import visible
from storage.database import Database, insert_arrow, insert_new
from storage.foreign_judgements import ForeignAnswers, Row, UntrueAnswers, in_our_columns, question
from storage.held import held
from storage.keys import KEYS
from storage.queries import query
from storage.shared import Note, Parts, ReadableParts, SharedPart, rows_sha256

_PART = ("run_a", "run_b", "judge", "judge_kind", "rubric_sha256")
# The origin of answers that earlier versions pushed without an origin.
UNNAMED = "unnamed"

Notes = MutableMapping[SharedPart, Note]


def push(
    database: Database, folder: Parts, notes: Notes, shared: Collection[str], without: Collection[str] = ()
) -> tuple[int, list[str]]:
    """Push answers that the folder lacks, on pairs of `shared` runs and by judges that are not in `without`.

    Returns the number of pushed answers, and a line for each part that was refused.
    """
    pushed, refused = 0, list[str]()
    our_id = database_id(database)
    for *values, origin in database.rows("judged_parts"):
        keys = tuple(zip(_PART, values, strict=True))
        part = SharedPart("judgements", (*keys, ("origin", origin or our_id)))
        if not {part["run_a"], part["run_b"]} <= set(shared) or part["judge"] in without:
            continue
        rows = _under(held(database, SharedPart("judgements", (*keys, ("origin", origin)))), part["origin"])
        try:
            known = in_our_columns(_read(folder, notes[part]), rows.schema) if part in notes else rows.slice(0, 0)
            if origin == "" and (strange := _later(rows, known)):
                raise UntrueAnswers(_not_ours(our_id, len(strange)))
        except UntrueAnswers as error:
            refused.append(
                f"answers of {part['judge']} are not pushed, as those in {_file(folder, part)} are wrong: {error}"
            )
            continue
        if not (new := _later(known, rows)):
            continue
        for described in _described_by(part):
            if described not in notes:
                notes[described] = folder.write(described, held(database, described), {})
        notes[part] = folder.write(part, _together(known, new, rows.schema), {})
        pushed += len(new)
    return pushed, refused


def pull(database: Database, folder: ReadableParts, notes: Notes, shared: Collection[str]) -> tuple[int, list[str]]:
    """Store answers that the database lacks, on pairs of `shared` runs, each part in one transaction.

    Returns the number of stored answers, and a line for each part that was refused.
    """
    pulled, refused = 0, list[str]()
    our_id = database_id(database)
    foreign = ForeignAnswers(database)
    for part in sorted((part for part in notes if part.table == "judgements"), key=lambda part: part.keys):
        named = dict(part.keys)
        if not {named.get("run_a"), named.get("run_b")} <= set(shared):
            continue
        try:
            if {*named} - {"origin"} != {*_PART}:
                raise UntrueAnswers(
                    f"they are filed under {', '.join(map(visible, named))}, not {', '.join(_PART)}, origin"
                )
            pulled += _take(database, folder, notes, part, foreign, our_id)
        except UntrueAnswers as error:
            refused.append(f"answers in {_file(folder, part)} are not taken in: {error}")
    return pulled, refused


def database_id(database: Database) -> str:
    """Return the random id of this database, which its answers carry.

    Raises TerminalError unless it has exactly one id.
    """
    rows = database.rows("database_id")
    if len(rows) != 1:
        raise TerminalError(
            f"'{database.path}' has {len(rows)} ids in this_database, and must have one; restore a backup"
        )
    return str(rows[0][0])


def _take(
    database: Database, folder: ReadableParts, notes: Notes, part: SharedPart, foreign: ForeignAnswers, our_id: str
) -> int:
    """Store the new and the later answers of a part, and return their number.

    Raises UntrueAnswers for invalid answers.
    """
    origin = dict(part.keys).get("origin", UNNAMED)
    stored_as = "" if origin == our_id else origin
    here_part = SharedPart("judgements", (*((name, part[name]) for name in _PART), ("origin", stored_as)))
    here = held(database, here_part)
    if rows_sha256(_under(here, origin)) == notes[part].sha256:
        return 0
    answers = _read(folder, notes[part])
    if origin == UNNAMED and "origin" not in answers.column_names:
        answers = answers.append_column("origin", pa.array([UNNAMED] * answers.num_rows, pa.string()))
    described = {
        described_part.table: _read(folder, notes[described_part])
        for described_part in _described_by(part)
        if described_part in notes
    }
    rows = foreign.checked(answers, here.schema, {**dict(here_part.keys), "origin": origin}, described)
    if origin == our_id:
        if strange := _later(here, _under(rows, "")):
            raise UntrueAnswers(_not_ours(our_id, len(strange)))
        return 0
    answered_here = held(database, SharedPart(part.table, (*here_part.keys[:-1], ("origin", ""))))
    new = _later(here, rows)
    if origin == UNNAMED:
        new = _unnamed(new, here, answered_here)
    same = {_without_origin(row) for row in answered_here.to_pylist()}
    new = [row for row in new if _without_origin(row) not in same]
    if not new:
        return 0
    with database.write() as connection:
        for table, description in described.items():
            insert_new(connection, table, description)
        incoming = pa.Table.from_pylist(new, schema=here.schema)
        connection.register("incoming", incoming)
        connection.execute(query("forget_answers"))
        connection.unregister("incoming")
        insert_arrow(connection, "judgements", incoming)
    return len(new)


def _unnamed(new: list[Row], here: pa.Table, given_here: pa.Table) -> list[Row]:
    """Return the answers without origin to questions that this judge has not answered in this database.

    Answers to other questions are left out if they are earlier than the stored answers. Raises UntrueAnswers for a
    later answer, because its origin cannot be determined.
    """
    answered = {question(row | {"origin": UNNAMED}): row for row in (*here.to_pylist(), *given_here.to_pylist())}
    if any((before := answered.get(question(row))) and before["judged_at"] < row["judged_at"] for row in new):
        raise UntrueAnswers(
            "an earlier version pushed them without the id of their database, and this judge's earlier answers to the "
            "same questions are here; push them with this version from the database in which they were given"
        )
    return [row for row in new if question(row) not in answered]


def _read(folder: ReadableParts, note: Note) -> pa.Table:
    """Return the rows of a part.

    Raises UntrueAnswers for values that Python cannot represent, such as the year 29,000.
    """
    try:
        return folder.read(note)
    except (ValueError, OverflowError) as error:
        raise UntrueAnswers(f"a value cannot be read ({visible(str(error))[:80]})") from None


def _under(rows: pa.Table, origin: str) -> pa.Table:
    place = rows.schema.get_field_index("origin")
    return rows.set_column(place, rows.schema.field(place), pa.array([origin] * rows.num_rows, pa.string()))


def _later(known: pa.Table, answers: pa.Table) -> list[Row]:
    """Return the `answers` to questions to which `known` has no answer, or only an earlier answer."""
    known_answers = {question(row): row for row in known.to_pylist()}
    return [
        row
        for row in answers.to_pylist()
        if (before := known_answers.get(question(row))) is None or before["judged_at"] < row["judged_at"]
    ]


def _together(known: pa.Table, new: list[Row], schema: pa.Schema) -> pa.Table:
    """Return all answers in the order of their key. Answers in `new` replace `known` answers to the same questions."""
    answers = {question(row): row for row in [*known.to_pylist(), *new]}
    key = KEYS["judgements"]
    rows = sorted(answers.values(), key=lambda row: tuple(row[name] for name in key))
    return pa.Table.from_pylist(rows, schema=schema)


def _without_origin(row: Row) -> tuple[Any, ...]:
    """Return an answer without its origin. Two answers that are equal to the microsecond are the same answer."""
    return tuple(sorted((name, str(value)) for name, value in row.items() if name != "origin"))


def _described_by(part: SharedPart) -> Iterable[SharedPart]:
    """Yield the parts that describe the rubric and, if the judge is a model, the model."""
    yield SharedPart("rubrics", (("rubric_sha256", part["rubric_sha256"]),))
    if part["judge_kind"] == "model":
        yield SharedPart("evaluators", (("evaluator_id", part["judge"]),))


def _not_ours(our_id: str, answers: int) -> str:
    return (
        f"{answers:,} of them claim to be from this database ({our_id}), which does not hold them; remove the file "
        "from the folder. A copy of a database has the same id: begin on other machines with `newwiki sync pull`"
    )


def _file(folder: ReadableParts, part: SharedPart) -> str:
    return f"'{folder.url}/{visible(part.path)}'"
