"""What others have put into a shared folder, taken into a database: what is missing, whole and checked, and no more."""

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import duckdb
import pyarrow as pa

from newwiki.errors import TerminalError
from newwiki.snapshot import Article
from storage import hashes, knowledge_cutoffs, newest, runs, shared_judgements, short_forms, snapshots, summaries
from storage.database import Database, insert_arrow, insert_new
from storage.held import held
from storage.migrate import create_views
from storage.push import SNAPSHOT_TABLES, Moved, claims_of, of_snapshot
from storage.queries import first_row, query
from storage.shared import Note, Parts, SharedPart, is_same, rows_sha256

# Two machines' processors round differently; scores of one evaluator that lie farther apart are not of the same text.
_ROUNDING = 1e-3
# Which older versions have not pushed
_LATER = frozenset({"snapshot_hashes", "article_structure", "article_facts", "article_citations"})

Notes = dict[SharedPart, Note]


class Contradiction(TerminalError):
    """What is here and what is there contradict each other; `parts` are those of there."""

    def __init__(self, told: str, parts: Sequence[SharedPart]) -> None:
        super().__init__(told)
        self.parts = parts


def pull(database: Database, folder: Parts, note: Callable[[str], None]) -> Moved:
    """Takes in snapshots, runs, scorings and judgements that are missing here, each in one transaction, so that it goes
    on after an interruption.

    Raises Contradiction in the end, with all else taken in, where something here contradicts what is there.
    """
    there, moved, contradicting = folder.notes(), Moved(), list[SharedPart]()
    if not database.path.exists():
        with database.write():  # which makes it
            pass
    if not there:
        raise TerminalError(f"nothing has been pushed to '{folder.url}' yet; push to it with `newwiki push`")
    others: set[tuple[str, str]] = set()
    for table, take in (("snapshots", _snapshot), ("runs", _run), ("scores", _scores), ("run_scores", _run_scores)):
        for part in sorted((part for part in there if part.table == table), key=lambda part: part.keys):
            if others.isdisjoint(part.keys) and (refused := take(database, folder, there, moved, part)):
                moved.refused += (refused,)
                others.add(part.keys[-1])
                contradicting.append(part)
    agreed = {part["run_id"] for part in there if part.table == "runs" and others.isdisjoint(part.keys)}
    names = {part["snapshot_id"] for part in there if part.table == "snapshots" and others.isdisjoint(part.keys)}
    shared = agreed | {f"reference:{name}" for name in names}
    moved.judgements = shared_judgements.pull(database, folder, there, shared)
    if moved.refused:
        raise Contradiction(f"{'; '.join(moved.refused)}; all else is here ({moved.told()} taken in)", contradicting)
    return moved


def _snapshot(database: Database, folder: Parts, there: Notes, moved: Moved, part: SharedPart) -> str | None:
    name = part["snapshot_id"]
    if snapshots.find(database, name):
        here = rows_sha256(held(database, of_snapshot("stored_articles", name)))
        return None if here == there[of_snapshot("stored_articles", name)].sha256 else _other(f"snapshot '{name}'")
    parts = {table: of_snapshot(table, name) for table in SNAPSHOT_TABLES}
    tables = {table: folder.read(there[one]) for table, one in parts.items() if one in there or table not in _LATER}
    [row] = tables["snapshots"].to_pylist()
    columns = ("snapshot_id", "permalink")
    articles = [
        Article(**{key: value for key, value in one.items() if key not in columns})
        for one in tables["stored_articles"].to_pylist()
    ]
    if snapshots.content_sha256(articles, row["parameters"], row["extractor_version"]) != row["content_sha256"]:
        return f"snapshot '{name}' in '{folder.url}' is not what its content hash says"
    try:
        moved.snapshots += _take_in(database, folder, name, tables)
    except _Changed as error:
        return str(error)
    return None


class _Changed(Exception):
    """A snapshot is not what its hashes say."""


def _take_in(database: Database, folder: Parts, name: str, tables: dict[str, pa.Table]) -> bool:
    """Whether it was not here yet: another process may have taken it in meanwhile. Raises _Changed."""
    with database.write() as connection:
        if first_row(connection.execute("select 1 from snapshots where snapshot_id = ?", [name])):
            return False
        for table, rows in tables.items():
            insert_arrow(connection, table, rows)
        hashes.take(connection, name, "taken in")  # of what older versions have pushed without
        changed = hashes.changes(connection, name)
        if changed:
            raise _Changed(f"snapshot '{name}' in '{folder.url}' is not what its hashes say: {'; '.join(changed)}")
    return True


def _run(database: Database, folder: Parts, there: Notes, moved: Moved, part: SharedPart) -> str | None:
    run_id = part["run_id"]
    written = SharedPart("completions", part.keys)
    noted, here = there[written], held(database, written)
    if runs.status(database, run_id) == "complete":
        if not is_same(here, noted, folder):
            return _other(f"run {run_id}")
        cutoff = knowledge_cutoffs.of_facts(there[part].facts)
        if cutoff and knowledge_cutoffs.goes_before(cutoff, knowledge_cutoffs.of_run(database, run_id)):
            knowledge_cutoffs.enter(database, run_id, cutoff)
        return None
    row, completions = folder.read(there[part]), folder.read(noted)
    texts = {(one["page_id"], one["sample"]): one["text"] for one in completions.to_pylist()}
    if any(texts.get((one["page_id"], one["sample"])) != one["text"] for one in here.to_pylist()):
        return _other(f"the unfinished run {run_id}")
    with database.write() as connection:
        for table, rows in (("runs", row), ("completions", completions)):
            connection.execute(f"delete from {table} where run_id = ?", [run_id])  # noqa: S608 (our own names)
            insert_arrow(connection, table, rows)
        connection.execute(query("fill_protocol"), [run_id])
        connection.execute(query("count_kept"), [run_id])
        short_forms.enter(connection, run_id)
        newest.enter(connection)
    moved.runs += 1
    return None


def _scores(database: Database, folder: Parts, there: Notes, moved: Moved, part: SharedPart) -> str | None:
    here = held(database, part)
    finished = part["evaluator_id"] in runs.finished_scorings(database, part["run_id"])
    if finished and rows_sha256(here) == there[part].sha256:
        return None
    scores = folder.read(there[part])
    stored = {_key(one): one for one in here.to_pylist()}
    found = scores.to_pylist()
    if not all(_agree(one, stored[_key(one)]) for one in found if _key(one) in stored):
        return _other(f"the scores of run {part['run_id']} by evaluator {part['evaluator_id']}")
    if finished and all(_key(one) in stored for one in found):
        return None
    unknown, claims = _unknown(database, folder, there, part), _claims(folder, there, part, scores)
    with database.write() as connection:
        _describe(connection, unknown)
        for table, rows in (("scores", scores), *claims):
            insert_new(connection, table, rows, run_id=part["run_id"], evaluator_id=part["evaluator_id"])
        _finish(connection, there[part])
    moved.scorings += 1
    return None


def _claims(folder: Parts, there: Notes, part: SharedPart, scores: pa.Table) -> list[tuple[str, pa.Table]]:
    """The claims of the texts that were scored, by their table: of a push that is under way there may be more."""
    if not (noted := there.get(claims_of(part))):
        return []
    text = ["page_id", "sample"]
    return [("claims", folder.read(noted).join(scores.select(text), text, join_type="left semi"))]


def _run_scores(database: Database, folder: Parts, there: Notes, moved: Moved, part: SharedPart) -> str | None:
    run_id, evaluator_id = part["run_id"], part["evaluator_id"]
    here = {one["metric"]: one for one in held(database, part).to_pylist()}
    rows = folder.read(there[part])
    same = [one for one in rows.to_pylist() if one["metric"] in here and here[one["metric"]]["texts"] == one["texts"]]
    if not all(_agree(one, here[one["metric"]]) for one in same):
        return _other(f"the scores of run {run_id} as a whole by evaluator {evaluator_id}")
    if min((one["texts"] for one in here.values()), default=-1) >= there[part].facts["texts"]:
        return None
    unknown = _unknown(database, folder, there, part)
    with database.write() as connection:
        _describe(connection, unknown)
        connection.execute("delete from run_scores where run_id = ? and evaluator_id = ?", [run_id, evaluator_id])
        insert_arrow(connection, "run_scores", rows)
        _finish(connection, there[part])
    moved.scorings += 1
    return None


def _unknown(database: Database, folder: Parts, there: Notes, part: SharedPart) -> list[tuple[str, pa.Table]]:
    """The evaluator and its metrics as far as they are new here, by table; read before anything is locked."""
    wanted = [SharedPart("metrics", (("metric", name),)) for name in there[part].facts["metrics"]]
    wanted.append(SharedPart("evaluators", (("evaluator_id", part["evaluator_id"]),)))
    new = [one for one in wanted if not held(database, one).num_rows]
    return [(one.table, folder.read(there[one])) for one in new]


def _describe(connection: duckdb.DuckDBPyConnection, unknown: list[tuple[str, pa.Table]]) -> None:
    for table, rows in unknown:
        insert_new(connection, table, rows)
    if unknown:
        create_views(connection, of_metrics=True)


def _finish(connection: duckdb.DuckDBPyConnection, note: Note) -> None:
    """Enters that the scoring was finished, when that was, and what it amounts to."""
    run_id, evaluator_id = note.part["run_id"], note.part["evaluator_id"]
    entered = first_row(
        connection.execute("select 1 from scorings where run_id = ? and evaluator_id = ?", [run_id, evaluator_id])
    )
    if entered:
        summaries.renew_finished(connection, run_id, [evaluator_id])
        return
    moment = datetime.fromisoformat(note.facts["finished_at"])
    connection.execute("insert into scorings values (?, ?, ?)", [run_id, evaluator_id, moment])
    summaries.store(connection, run_id, [evaluator_id])


def _key(row: dict[str, Any]) -> tuple[int, int, str]:
    return row["page_id"], row["sample"], row["metric"]


def _agree(one: dict[str, Any], other: dict[str, Any]) -> bool:
    a, b = one["value"], other["value"]
    if a is None or b is None:
        return bool(a is b and one["status"] == other["status"])
    return math.isclose(a, b, rel_tol=_ROUNDING, abs_tol=_ROUNDING)


def _other(what: str) -> str:
    return f"{what} is another one here than there, so it is left as it is"
