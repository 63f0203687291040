"""Pull data from a shared folder into a database. Only complete and checked parts that are missing are stored."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import duckdb
import pyarrow as pa

from newwiki.errors import TerminalError
from newwiki.snapshot import Article, Snapshot
from newwiki.visible import in_message
from storage import (
    hashes,
    knowledge_cutoffs,
    newest,
    origins,
    run_changes,
    runs,
    shared_judgements,
    short_forms,
    snapshots,
    summaries,
)
from storage.admitted import Admitted, Refused, finished_at
from storage.database import Database, insert_arrow, insert_new
from storage.held import held
from storage.migrate import create_views
from storage.public_rows import public_rows
from storage.push import SNAPSHOT_TABLES, Moved, claims_of, of_snapshot
from storage.queries import first_row, query
from storage.shared import Note, SharedPart, is_same, rows_sha256
from storage.table_shapes import shape_of

# Processors round differently. Larger differences mean that one evaluator has scored different texts.
_ROUNDING = 1e-3
# Tables that older versions did not push.
_LATER = frozenset(
    {
        "snapshot_hashes",
        "snapshot_templates",
        "article_structure",
        "article_facts",
        "article_citations",
        "article_tags",
        "deletions",
    }
)
# Columns that each database derives or looks up itself.
_OWN = frozenset(
    {"decoder_short", "heard_at", "kept_prompts", "kept_texts", "no_answers", "process", "status", "truncated_texts"}
)
# Columns that differ when two machines have made the same run, or published the same snapshot, independently. In a
# signed bundle they must agree, because the signature covers them.
_CIRCUMSTANCES = frozenset({"started_at", "finished_at", "versions"})
_CUTOFF = frozenset({"knowledge_cutoff", "knowledge_cutoff_from"})
_PUBLISHING = frozenset({("snapshots", "published_at"), ("snapshot_hashes", "taken"), ("snapshot_hashes", "taken_at")})
_OF_PUBLISHING = frozenset({"requests", "snapshot_hashes"})
# The number of refusals that an error lists.
_MOST_SPELT_OUT = 5

Notes = dict[SharedPart, Note]


class Contradiction(TerminalError):
    """Raised if parts of the shared folder contradict the database. `parts` maps each of them to the difference."""

    def __init__(self, message: str, parts: Mapping[SharedPart, str]) -> None:
        super().__init__(message)
        self.parts = parts


class _Differs(Exception):
    """Raised if a part differs from the stored rows, which stay unchanged. `where` states the difference."""

    def __init__(self, what: str, where: str = "") -> None:
        super().__init__(f"{what} is another one here than there{where}, so it is left as it is")
        self.where = where


class _Pulled:
    """The state of one pull."""

    def __init__(self, database: Database, folder: Admitted, note: Callable[[str], None]) -> None:
        self.database = database
        self.folder = folder
        self.note = note
        self.notes = folder.notes()
        self.moved = Moved()
        self._articles: tuple[str, Snapshot, Sequence[Article]] | None = None

    @property
    def is_bundle(self) -> bool:
        """Return whether the parts are one bundle, which is pulled completely in one transaction around the pull."""
        return bool(self.folder.signer)

    def read(self, part: SharedPart) -> pa.Table:
        if part not in self.notes:
            raise Refused(f"'{self.folder.url}' lacks {part.path[:300]}")
        return self.folder.read(self.notes[part])

    def articles(self, name: str) -> tuple[Snapshot, Sequence[Article]]:
        """Return a stored snapshot with its articles. Raises Refused if the snapshot is not stored."""
        if not self._articles or self._articles[0] != name:
            if not (snapshot := snapshots.find(self.database, name)):
                raise Refused(f"'{self.folder.url}' has runs on the snapshot '{name[:200]}', which is not there")
            self._articles = name, snapshot, snapshots.articles(self.database, name)
        return self._articles[1:]

    @contextmanager
    def checking(self, what: str) -> Iterator[None]:
        """Turn a ValueError of the gate into Refused, with a message of one line."""
        try:
            yield
        except ValueError as error:
            raise Refused(f"'{self.folder.url}': {what}: {error}") from None

    def record(self, connection: duckdb.DuckDBPyConnection, run_id: str, evaluator_id: str = "") -> None:
        origins.record(connection, run_id, evaluator_id, self.folder.source, self.folder.signer)

    def record_again(self, run_id: str, evaluator_id: str = "") -> None:
        """Record the signer for rows that are stored with the same content. Without a signer, nothing is written."""
        if self.folder.signer:
            with self.database.write() as connection:
                origins.record_again(connection, run_id, evaluator_id, self.folder.source, self.folder.signer)


def pull(database: Database, folder: Admitted, note: Callable[[str], None]) -> Moved:
    """Pull the snapshots, runs, scorings and judgments that the database lacks.

    Each is stored in its own transaction, so that an interrupted pull resumes. At the end, after everything else has
    been stored, raises Contradiction if parts contradict the database, or TerminalError if the gate refused parts.
    """
    if not database.is_there:
        with database.write():  # creates the database
            pass
    pulled = _Pulled(database, folder, note)
    notes, moved = pulled.notes, pulled.moved
    if not notes:
        raise TerminalError(f"nothing has been pushed to '{folder.url}' yet; push to it with `newwiki sync push`")
    others: set[tuple[str, str]] = set()
    contradicting: dict[SharedPart, str] = {}
    for table, take in (("snapshots", _snapshot), ("runs", _run), ("scores", _scores), ("run_scores", _run_scores)):
        for part in sorted((part for part in notes if part.table == table), key=lambda part: part.keys):
            if not others.isdisjoint(part.keys):
                continue
            try:
                take(pulled, part)
            except (_Differs, Refused) as error:
                moved.refused += (str(error),)
                if table in ("snapshots", "runs"):
                    others |= {part.keys[-1], ("run_id", f"reference:{part.keys[-1][1]}")}
                if isinstance(error, _Differs):
                    contradicting[part] = error.where
    if pulled.is_bundle and moved.scorings:
        with database.write() as connection:
            summaries.choose_columns(connection)
    agreed = {part["run_id"] for part in notes if part.table == "runs" and others.isdisjoint(part.keys)}
    names = {part["snapshot_id"] for part in notes if part.table == "snapshots" and others.isdisjoint(part.keys)}
    shared = agreed | {f"reference:{name}" for name in names}
    moved.judgements, refused = shared_judgements.pull(database, folder.parts, notes, shared)
    moved.refused += tuple(refused)
    if moved.refused:
        refusals = list(dict.fromkeys(moved.refused))
        more = f"; and {len(refusals) - _MOST_SPELT_OUT} more" if len(refusals) > _MOST_SPELT_OUT else ""
        message = f"{'; '.join(refusals[:_MOST_SPELT_OUT])}{more}; all else is here ({moved.words()} taken in)"
        raise Contradiction(message, contradicting) if contradicting else TerminalError(message)
    return moved


def _snapshot(pulled: _Pulled, part: SharedPart) -> None:
    name = part["snapshot_id"]
    parts = {table: of_snapshot(table, name) for table in SNAPSHOT_TABLES}
    if snapshots.find(pulled.database, name):
        with pulled.database.read():
            here = {
                table_part: held(pulled.database, table_part)
                for table_part in parts.values()
                if table_part in pulled.notes
            }
        for table_part, rows in here.items():
            _require_same_part(pulled, table_part, rows, f"snapshot '{name}'")
        return
    tables = {
        table: pulled.read(table_part)
        for table, table_part in parts.items()
        if table_part in pulled.notes or table not in _LATER
    }
    with pulled.checking(f"snapshot {name}"):
        pulled.folder.gate.snapshot({table: rows.to_pylist() for table, rows in tables.items()})
    pulled.moved.snapshots += _take_in(pulled, name, tables)


def _require_same_part(pulled: _Pulled, part: SharedPart, here: pa.Table, what: str) -> None:
    """Raise _Differs unless the stored rows of a snapshot equal the shared part in the columns that both have."""
    if not pulled.folder.signer and part.table in _OF_PUBLISHING:
        return  # when and how the wiki was read, which differs between machines
    if rows_sha256(here) == pulled.notes[part].sha256 or (part.table == "topics" and not here.num_rows):
        return
    shared_rows = pulled.read(part)
    for name in here.column_names:
        ours, theirs = here[name].to_pylist(), shared_rows[name].to_pylist()
        if (
            shared_rows[name].null_count == shared_rows.num_rows
            and ours != theirs
            and not shape_of(part.table).required & {name}
        ):
            continue  # an older version lacks the column
        if ours == theirs or (not pulled.folder.signer and (part.table, name) in _PUBLISHING):
            continue
        pairs = (
            (our_value, their_value)
            for our_value, their_value in zip(ours, theirs, strict=False)
            if our_value != their_value
        )
        our_value, their_value = next(pairs, (f"{len(ours)} rows", f"{len(theirs)} rows"))
        raise _Differs(
            what, f" ({part.table}.{name} is {in_message(our_value)} here and {in_message(their_value)} there)"
        )


def _take_in(pulled: _Pulled, name: str, tables: dict[str, pa.Table]) -> bool:
    """Store a snapshot, and return whether it was missing: another process may have stored it meanwhile.

    Raises Refused if the rows do not match the hashes of the snapshot, or contradict each other.
    """
    with pulled.database.write() as connection:
        if first_row(connection.execute("select 1 from snapshots where snapshot_id = ?", [name])):
            return False
        for table, rows in tables.items():
            insert_arrow(connection, table, rows)
        hashes.take(connection, name, "taken in")  # for the tables that older versions pushed without hashes
        changed = hashes.changes(connection, name)
        if changed:
            raise Refused(
                f"snapshot '{name}' in '{pulled.folder.url}' is not what its hashes say: {'; '.join(changed)}"
            )
        if problems := snapshots.verify(pulled.database, name):
            raise Refused(f"'{pulled.folder.url}': snapshot {name}: {problems[0]}")
    return True


def _run(pulled: _Pulled, part: SharedPart) -> None:
    database, folder, notes, run_id = pulled.database, pulled.folder, pulled.notes, part["run_id"]
    written = SharedPart("completions", part.keys)
    with database.read():
        here, status = held(database, written), runs.status(database, run_id)
    if written not in notes:
        raise Refused(f"'{folder.url}' lacks {written.path[:300]}")
    if status == "complete":
        if not is_same(here, notes[written], folder):
            raise _Differs(f"run {run_id}")
        _require_same_run(pulled, part)
        pulled.record_again(run_id)
        return
    row, completions = pulled.read(part), pulled.read(written)
    snapshot, articles = pulled.articles(part["snapshot_id"])
    entries = completions.to_pylist()
    with pulled.checking(f"run {run_id}"):
        if not folder.gate.run(row.to_pylist()[0], entries, snapshot, articles):
            pulled.note(
                f"the id of run {run_id} cannot be computed again, as its backend or decoder is unknown here; its "
                "settings are what others say of it"
            )
    texts = {(entry["page_id"], entry["sample"]): entry["text"] for entry in entries}
    if any(texts.get((stored["page_id"], stored["sample"])) != stored["text"] for stored in here.to_pylist()):
        raise _Differs(f"the unfinished run {run_id}")
    with database.write() as connection:
        for table, rows in (("runs", row), ("completions", completions)):
            connection.execute(f"delete from {table} where run_id = ?", [run_id])  # noqa: S608 (our own names)
            insert_arrow(connection, table, rows)
        connection.execute(query("fill_protocol"), [run_id])
        connection.execute(query("count_texts"), [run_id])
        pulled.record(connection, run_id)
        short_forms.enter(connection, run_id)
        newest.enter(connection)
    pulled.moved.runs += 1


def _require_same_run(pulled: _Pulled, part: SharedPart) -> None:
    """Raise _Differs unless the row of a run is the same in the database and in the folder.

    Two people may have made a likelihood run at different times. A folder may know a renamed run by a former name. If
    the stored run has no knowledge cutoff, the cutoff is taken from a folder, but never from a bundle.
    """
    here = public_rows(held(pulled.database, part))
    if rows_sha256(here) == pulled.notes[part].sha256:
        return
    [ours], [theirs] = here.to_pylist(), public_rows(pulled.read(part)).to_pylist()
    mine = _OWN | (frozenset() if pulled.folder.signer else _CIRCUMSTANCES | _CUTOFF)
    if not ours["samples"]:
        mine |= _CIRCUMSTANCES  # a likelihood run is in the bundle of each run of its model, by whoever made that run
    former = run_changes.former_models(pulled.database, part["run_id"])
    missing = {"protocol"} if theirs["protocol"] is None else set()
    for name in ours.keys() - mine - missing:
        if ours[name] != theirs[name] and not (name == "model" and theirs[name] in former):
            where = f" ({name} is {in_message(ours[name])} here and {in_message(theirs[name])} there)"
            raise _Differs(f"run {part['run_id']}", where)
    if not pulled.folder.signer and theirs["knowledge_cutoff"]:
        _cutoff(pulled, part["run_id"], ours, theirs)


def _cutoff(pulled: _Pulled, run_id: str, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    if ours["knowledge_cutoff"] is None:
        cutoff = knowledge_cutoffs.of_facts(
            {
                "knowledge_cutoff": theirs["knowledge_cutoff"].isoformat(),
                "knowledge_cutoff_from": theirs["knowledge_cutoff_from"],
            }
        )
        if cutoff and (message := knowledge_cutoffs.enter(pulled.database, run_id, cutoff)):
            pulled.note(message)
    elif ours["knowledge_cutoff"] != theirs["knowledge_cutoff"]:
        days = f"{ours['knowledge_cutoff']} here and {theirs['knowledge_cutoff']} there"
        raise _Differs(f"run {run_id}", f" (knowledge_cutoff is {days}; --knowledge-cutoff changes it)")


def _scores(pulled: _Pulled, part: SharedPart) -> None:
    database, run_id, evaluator_id = pulled.database, part["run_id"], part["evaluator_id"]
    with database.read():
        here = held(database, part)
        finished = evaluator_id in runs.finished_scorings(database, run_id)
    if finished and rows_sha256(here) == pulled.notes[part].sha256:
        pulled.record_again(run_id, evaluator_id)
        return
    scores = pulled.read(part)
    stored = {_key(score): score for score in here.to_pylist()}
    entries = scores.to_pylist()
    unknown, finished_then = _described(pulled, part, entries)
    claims = _claims(pulled, part, scores)
    if not all(_agree(entry, stored[_key(entry)]) for entry in entries if _key(entry) in stored):
        raise _Differs(f"the scores of run {run_id} by evaluator {evaluator_id}")
    if finished and all(_key(entry) in stored for entry in entries):
        return
    with database.write() as connection:
        _describe(connection, unknown)
        for table, rows in (("scores", scores), *claims):
            insert_new(connection, table, rows, run_id=run_id, evaluator_id=evaluator_id)
        # first, so that a claimed score does not replace other scores in the metric's column
        pulled.record(connection, run_id, evaluator_id)
        _finish(connection, part, finished_then, choose=not pulled.is_bundle)
    pulled.moved.scorings += 1


def _claims(pulled: _Pulled, part: SharedPart, scores: pa.Table) -> list[tuple[str, pa.Table]]:
    """Return the claims of the scored texts, by table. An unfinished push may hold claims of more texts."""
    if claims_of(part) not in pulled.notes:
        return []
    text = ["page_id", "sample"]
    claims = pulled.read(claims_of(part)).join(scores.select(text), text, join_type="left semi")
    with pulled.checking(f"the claims of run {part['run_id']} by evaluator {part['evaluator_id']}"):
        pulled.folder.gate.scoring(claims_of(part), claims.to_pylist(), (), _texts(pulled, part))
    return [("claims", claims)]


def _run_scores(pulled: _Pulled, part: SharedPart) -> None:
    run_id, evaluator_id = part["run_id"], part["evaluator_id"]
    stored = held(pulled.database, part)
    if stored.num_rows and rows_sha256(stored) == pulled.notes[part].sha256:
        pulled.record_again(run_id, evaluator_id)
        return
    here = {score["metric"]: score for score in stored.to_pylist()}
    rows = pulled.read(part)
    entries = rows.to_pylist()
    unknown, finished_then = _described(pulled, part, entries)
    same = [entry for entry in entries if entry["metric"] in here and here[entry["metric"]]["texts"] == entry["texts"]]
    if not all(_agree(entry, here[entry["metric"]]) for entry in same):
        raise _Differs(f"the scores of run {run_id} as a whole by evaluator {evaluator_id}")
    if min((score["texts"] for score in here.values()), default=-1) >= min(
        (entry["texts"] for entry in entries), default=0
    ):
        return
    with pulled.database.write() as connection:
        _describe(connection, unknown)
        connection.execute("delete from run_scores where run_id = ? and evaluator_id = ?", [run_id, evaluator_id])
        insert_arrow(connection, "run_scores", rows)
        if here:  # their signers have signed other scores
            origins.forget(connection, run_id, evaluator_id)
        pulled.record(connection, run_id, evaluator_id)
        _finish(connection, part, finished_then, choose=not pulled.is_bundle)
    pulled.moved.scorings += 1


def _described(
    pulled: _Pulled, part: SharedPart, entries: Sequence[Mapping[str, Any]]
) -> tuple[list[tuple[str, pa.Table]], datetime]:
    """Check a scoring against the gate.

    Returns its evaluator and metrics, by table, as far as they are not stored yet, and when the scoring was finished.
    """
    names = sorted({entry["metric"] for entry in entries})
    evaluator = SharedPart("evaluators", (("evaluator_id", part["evaluator_id"]),))
    with pulled.database.read():
        here: dict[str, Mapping[str, Any]] = {
            metric_row["metric"]: metric_row for metric_row in pulled.database.records(dict[str, Any], "metric_rows")
        }
        described, texts = held(pulled.database, evaluator), _texts(pulled, part)
    known = set(here)
    tables, metrics = [], []
    for name in names:
        metric_part = SharedPart("metrics", (("metric", name),))
        if metric_part in pulled.notes:
            rows = pulled.read(metric_part)
            with pulled.checking(f"metric {name[:60]!a}"):
                row = pulled.folder.gate.metric(rows.to_pylist()[0], here.values())
            here.setdefault(name, row)
            tables.append(("metrics", pa.Table.from_pylist([row], schema=rows.schema), name not in known))
        elif name not in here:
            raise Refused(f"'{pulled.folder.url}' lacks {metric_part.path[:300]}")
        metrics.append(here[name])
    if not described.num_rows:
        described = pulled.read(evaluator)
        with pulled.checking(f"evaluator {part['evaluator_id'][:60]}"):
            pulled.folder.gate.evaluator(described.to_pylist()[0])
        tables.append(("evaluators", described, True))
    with pulled.checking(f"the scores of run {part['run_id']} by evaluator {part['evaluator_id']}"):
        pulled.folder.gate.scoring(part, entries, metrics, texts)
        moment = finished_at(pulled.notes[part])
    return [(table, rows) for table, rows, is_new in tables if is_new], moment


def _texts(pulled: _Pulled, part: SharedPart) -> Collection[tuple[int, int]]:
    """Return the texts that can be scored, as (page id, sample) pairs.

    For a run these are its kept completions, or the articles that it has read; for a reference, all articles of the
    snapshot. Raises Refused if the run is not stored, or is on another snapshot.
    """
    run_id, name = part["run_id"], part["snapshot_id"]
    _, articles = pulled.articles(name)
    if run_id == f"reference:{name}":
        return {(article.page_id, 0) for article in articles}
    row = held(pulled.database, SharedPart("runs", (("run_id", run_id),))).to_pylist()
    if not row or row[0]["snapshot_id"] != name:
        raise Refused(f"'{pulled.folder.url}' has scores of run {run_id[:200]!a}, which is not there")
    if row[0]["samples"] == 0:
        return {(article.page_id, 0) for article in articles[: row[0]["prompts"]]}
    return set(pulled.database.rows("scorable_texts", run_id))


def _describe(connection: duckdb.DuckDBPyConnection, unknown: list[tuple[str, pa.Table]]) -> None:
    for table, rows in unknown:
        insert_new(connection, table, rows)
    if any(table == "metrics" for table, _ in unknown):
        create_views(connection, only_metrics=True)


def _finish(connection: duckdb.DuckDBPyConnection, part: SharedPart, moment: datetime, *, choose: bool) -> None:
    """Record that the scoring was finished at `moment`, and store its summaries."""
    run_id, evaluator_id = part["run_id"], part["evaluator_id"]
    entered = first_row(
        connection.execute("select 1 from scorings where run_id = ? and evaluator_id = ?", [run_id, evaluator_id])
    )
    if entered:
        summaries.renew_finished(connection, run_id, [evaluator_id], choose=choose)
        return
    connection.execute("insert into scorings values (?, ?, ?)", [run_id, evaluator_id, moment])
    summaries.store(connection, run_id, [evaluator_id], choose=choose)


def _key(row: dict[str, Any]) -> tuple[int, int, str]:
    return row["page_id"], row["sample"], row["metric"]


def _agree(score: dict[str, Any], other: dict[str, Any]) -> bool:
    a, b = score["value"], other["value"]
    if a is None or b is None:
        return bool(a is b and score["status"] == other["status"])
    return math.isclose(a, b, rel_tol=_ROUNDING, abs_tol=_ROUNDING)
