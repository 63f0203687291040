"""Whatever brings rows, a changed one is refused in one line or is a claim that nothing here can recompute."""

import contextlib
import functools
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from flows.admitting.answers import require_answers
from flows.admitting.gate import admit, articles_of
from newwiki.errors import NewWikiError, TerminalError
from newwiki.snapshot import Article, Snapshot
from newwiki.text.answers import CLEANING
from storage import hashes
from storage.admitted import Row
from storage.database import Database, insert_arrow
from storage.pull import Contradiction, pull
from storage.push import SNAPSHOT_TABLES, gather
from storage.shared import GatheredParts, SharedPart
from storage.table_shapes import conforming
from tests.flows.scored import made_up_run

pytestmark = pytest.mark.slow

# What only the one who made a run knows; the gate bounds it, and origins say whose claim it is.
CLAIMS: Mapping[str, set[str]] = {
    "runs": {"model", "versions", "started_at", "finished_at", "heard_at", "knowledge_cutoff", "knowledge_cutoff_from"},
    "completions": {"text", "tokens", "token_ids", "prompt_tokens", "served_by"},
    "scores": {"value", "status"},
    "run_scores": {"value", "spread", "status", "texts"},
}
# Without a known backend and decoder no run id can be computed again, so that these are claims as well, and `pull`
# says so.
CLAIMS_OF_AN_UNKNOWN = {"backend", "decoder", "decoder_short"}
# What every database counts itself
OWN = {"decoder_short", "kept_prompts", "kept_texts", "no_answers", "truncated_texts"}
HOSTILE = [
    "",
    " ",
    "Wikipedia",
    "reference:x",
    "a\u202eb",
    "a\0b",
    "x" * 100_000,
    "\x1b[31m",
    "../x",
    "e\u0301",
    "{}",
    "[" * 999,
]
VALUES: list[Any] = [None, True, -5, 0, 9999, 2**62, 0.999, -1e300, 1e300, float("nan"), *HOSTILE]

OF_RUNS = ("runs", "completions")
OF_TEXTS = {*SNAPSHOT_TABLES, *OF_RUNS}


@pytest.fixture(scope="module")
def genuine(evaluated: Path) -> GatheredParts:
    database, parts = Database(evaluated), GatheredParts("genuine")
    gather(
        database, parts, [run_id for (run_id,) in rows_of(database, "select run_id from runs where samples > 1")], print
    )
    return parts


@pytest.fixture(scope="module")
def nothing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    database = Database(tmp_path_factory.mktemp("nothing") / "newwiki.duckdb")
    with database.write():
        return database.path


@pytest.fixture(scope="module")
def unscored(genuine: GatheredParts, nothing: Path) -> Path:
    """A database with the run and none of its scores."""
    target = Database(shutil.copy(nothing, nothing.with_name("unscored.duckdb")))
    pull(target, admit(genuine.only(OF_TEXTS), "pull"), lambda text: None)
    return target.path


@pytest.fixture(scope="module")
def without(genuine: GatheredParts, nothing: Path, unscored: Path) -> Mapping[str, Path]:
    """By table, a database with all that a part of it rests on: nothing, a snapshot, or a snapshot with its run."""
    unwritten = Database(shutil.copy(nothing, nothing.with_name("unwritten.duckdb")))
    pull(unwritten, admit(genuine.only(SNAPSHOT_TABLES), "pull"), lambda text: None)
    of_snapshots, of_runs = dict.fromkeys(SNAPSHOT_TABLES, nothing), dict.fromkeys(OF_RUNS, unwritten.path)
    return dict.fromkeys({part.table for part in genuine.held}, unscored) | of_snapshots | of_runs


def rows_of(database: Database, asked: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(database.path), read_only=True) as connection:
        return connection.execute(asked).fetchall()


def changed(parts: GatheredParts, part: SharedPart, rows: pa.Table) -> GatheredParts:
    """The parts with one of them changed, whose note vouches for it, as its forger's would. A change of texts goes
    without scores, which take most of the time."""
    forged = parts.only(OF_TEXTS if part.table in OF_TEXTS else {one.table for one in parts.held})
    forged.write(part, rows, parts.held[part][0].facts)
    return forged


def within_reach(parts: GatheredParts, part: SharedPart) -> GatheredParts:
    """Return what a change of one part can reach: a snapshot, a run with its texts, or the scorings of an evaluator."""
    reached = GatheredParts(parts.url)
    reached.held = {other: held for other, held in parts.held.items() if _is_within_reach(other, part)}
    return reached


def _is_within_reach(other: SharedPart, part: SharedPart) -> bool:
    for tables in (SNAPSHOT_TABLES, OF_RUNS):
        if part.table in tables:
            return other.table in tables and other.keys == part.keys
    evaluator = dict(part.keys).get("evaluator_id")
    return other.table not in OF_TEXTS and evaluator in (None, dict(other.keys).get("evaluator_id", evaluator))


def put(parts: GatheredParts, table: str, **values: Any) -> GatheredParts:
    """The parts with the first row of a table changed."""
    part = next(one for one in parts.held if one.table == table and not one.path.count("reference"))
    rows = parts.held[part][1]
    first, *others = rows.to_pylist()
    return changed(parts, part, pa.Table.from_pylist([first | values, *others], schema=rows.schema))


@st.composite
def mutated(draw: st.DrawFn, rows: pa.Table) -> pa.Table:
    """The rows with one value, row or column that is another."""
    kind = draw(st.sampled_from(["value", "value", "value", "type", "again", "less", "column", "no column"]))
    entries, name = rows.to_pylist(), draw(st.sampled_from(rows.column_names))
    place = draw(st.integers(0, max(0, len(entries) - 1)))
    if kind == "column":
        return rows.append_column("more", pa.nulls(len(entries), pa.string()))
    if kind == "no column":
        return rows.drop_columns([name])
    if kind == "type":
        return rows.set_column(rows.column_names.index(name), name, pa.array(["x"] * len(entries)))
    if not entries:
        return rows
    if kind == "again":
        return pa.concat_tables([rows, rows.slice(place, 1)])
    if kind == "less":
        return pa.concat_tables([rows.slice(0, place), rows.slice(place + 1)])
    value = draw(st.sampled_from(VALUES) | st.text(max_size=20) | st.integers(-(2**63), 2**63 - 1) | st.floats())
    try:
        column = pa.array(
            [*(row[name] for row in entries[:place]), value, *(row[name] for row in entries[place + 1 :])]
        )
    except (pa.ArrowException, ValueError, OverflowError):
        return rows
    with_type = column
    with contextlib.suppress(pa.ArrowException):
        with_type = column.cast(rows.schema.field(name).type)
    return rows.set_column(rows.column_names.index(name), name, with_type)


TABLES = (
    "snapshots", "candidates", "stored_articles", "article_structure", "article_facts", "article_citations",
    "article_tags", "deletions", "requests",
    "novelty", "topics", "runs", "completions", "evaluators", "metrics", "scores", "run_scores",
)  # fmt: skip


Rows = Mapping[str, list[Row]]


def stored(database: Path) -> Rows:
    """The rows of TABLES."""
    with duckdb.connect(str(database), read_only=True) as connection:
        return {table: connection.execute(f"from {table}").to_arrow_table().to_pylist() for table in TABLES}


@pytest.fixture(scope="module")
def expected(evaluated: Path) -> Rows:
    return stored(evaluated)


def differing(rows: Rows, expected: Rows) -> dict[str, list[tuple[set[str], str]]]:
    """By table, of each row that is only in the first: in which columns it differs from the nearest of the other."""
    different: dict[str, list[tuple[set[str], str]]] = {}
    for table, mine in rows.items():
        theirs = expected[table]
        assert len(mine) <= len(theirs), table
        known = {repr(row) for row in theirs}
        for row in mine:
            if repr(row) not in known:
                nearest = min(({n for n in row if row[n] != other[n]} for other in theirs), key=len)
                different.setdefault(table, []).append((nearest, repr(row)))
    return different


@settings(
    max_examples=int(os.environ.get("NEWWIKI_EXAMPLES", "5")),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_a_changed_part_is_refused_or_a_claim(
    data: st.DataObject, genuine: GatheredParts, without: Mapping[str, Path], expected: Rows
) -> None:
    part = data.draw(st.sampled_from(sorted(genuine.held, key=lambda one: (one.table, one.path))))
    forged = data.draw(mutated(genuine.held[part][1]))
    target = Database(shutil.copy(without[part.table], without["runs"].with_name("target.duckdb")))
    refusal, notes = "", list[str]()
    try:
        pull(target, admit(changed(within_reach(genuine, part), part, forged), "pull"), notes.append)
    except NewWikiError as error:
        refusal = str(error)
    assert "\n" not in refusal and len(refusal) < 5_000
    of_an_unknown = CLAIMS_OF_AN_UNKNOWN if any("cannot be computed again" in note for note in notes) else set()
    claims = {**CLAIMS, "runs": CLAIMS["runs"] | of_an_unknown}
    for table, rows in differing(stored(target.path), expected).items():
        for columns, row in rows:
            assert columns - OWN <= claims.get(table, set()), (table, columns, row)
    origins = rows_of(target, "select run_id from origins where evaluator_id = ''")
    assert sorted(origins) == sorted(rows_of(target, "select run_id from runs"))


@dataclass(frozen=True, repr=False)
class Checks:
    """What `pull` checks of a part before it writes, without a database of its own for every example."""

    genuine: GatheredParts
    rows: Mapping[SharedPart, list[Row]]
    hashed: duckdb.DuckDBPyConnection  # holds the genuine snapshot and its hashes

    def stored(self, part: SharedPart, forged: pa.Table) -> tuple[list[Row], bool]:
        """Return the rows that `pull` would store of a changed part, and whether the run's id was computed again.

        Raises NewWikiError or ValueError where `pull` would refuse the part.
        """
        parts = GatheredParts("forged")
        parts.write(part, forged, self.genuine.held[part][0].facts)
        admitted = admit(parts, "pull")
        table = admitted.read(admitted.notes()[part])
        rows, gate = table.to_pylist(), admitted.gate
        if part.table in SNAPSHOT_TABLES:
            tables = {other.table: entries for other, entries in self.rows.items() if other.table in SNAPSHOT_TABLES}
            gate.snapshot({**tables, part.table: rows})
            self.require_hashes(part, table)
        elif part.table in OF_RUNS:
            of_run = {name: self.rows[SharedPart(name, part.keys)] for name in OF_RUNS} | {part.table: rows}
            is_known = gate.run(of_run["runs"][0], of_run["completions"], *self.snapshot())
            protocol = self.rows[SharedPart("runs", part.keys)][0]["protocol"]  # which `pull` fills where there is none
            return [{**row, "protocol": protocol} if row.get("protocol", "") is None else row for row in rows], is_known
        elif part.table == "evaluators":
            gate.evaluator(rows[0])
        elif part.table == "metrics":
            return [gate.metric(rows[0], [])], True
        else:
            described = {entry["metric"]: entry for [entry] in self.of_table("metrics")}
            if unknown := {row["metric"] for row in rows if "metric" in row} - set(described):
                raise ValueError(f"the metric {min(unknown)[:60]!a} is not there")
            gate.scoring(part, rows, list(described.values()), self.texts(part["run_id"]))
        return rows, True

    def require_hashes(self, part: SharedPart, forged: pa.Table) -> None:
        self.hashed.execute("begin")
        self.hashed.execute(f"delete from {part.table}")  # noqa: S608 (a name of ours)
        insert_arrow(self.hashed, part.table, forged)
        differences = hashes.changes(self.hashed, part["snapshot_id"])
        self.hashed.execute("rollback")
        if differences:
            raise ValueError(differences[0])

    def of_table(self, name: str) -> list[list[Row]]:
        return [entries for part, entries in self.rows.items() if part.table == name]

    def snapshot(self) -> tuple[Snapshot, list[Article]]:
        [[row]], [articles] = self.of_table("snapshots"), self.of_table("stored_articles")
        return Snapshot(**{field.name: row[field.name] for field in fields(Snapshot)}), articles_of(articles)

    def texts(self, run_id: str) -> set[tuple[int, int]]:
        if run_id.startswith("reference:"):
            return {(article.page_id, 0) for article in self.snapshot()[1]}
        [texts] = [entries for part, entries in self.rows.items() if part.table == "completions"]
        return {(text["page_id"], text["sample"]) for text in texts if text["kept"]}


@pytest.fixture(scope="module")
def checks(genuine: GatheredParts) -> Iterator[Checks]:
    admitted = admit(genuine, "pull")
    tables = {part: admitted.read(note) for part, note in admitted.notes().items()}
    with duckdb.connect() as connection:
        for part, table in tables.items():
            if part.table in SNAPSHOT_TABLES:
                connection.register("genuine", table)
                connection.execute(f"create table {part.table} as from genuine")
        yield Checks(genuine, {part: table.to_pylist() for part, table in tables.items()}, connection)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_what_passes_every_check_differs_in_claims_alone(data: st.DataObject, checks: Checks) -> None:
    part = data.draw(st.sampled_from(sorted(checks.rows, key=lambda part: (part.table, part.path))))
    forged = data.draw(mutated(checks.genuine.held[part][1]))
    refusal = ""
    try:
        rows, is_known = checks.stored(part, forged)
    except (NewWikiError, ValueError) as error:
        rows, is_known, refusal = [], True, str(error)
    event(f"{part.table} {'refused' if refusal else 'passed'}")
    assert "\n" not in refusal and len(refusal) < 5_000
    claims = CLAIMS.get(part.table, set()) | (set() if is_known else CLAIMS_OF_AN_UNKNOWN)
    for columns, row in differing({part.table: rows}, {part.table: checks.rows[part]}).get(part.table, []):
        assert columns - OWN <= claims, (part.table, columns, row)


@pytest.mark.parametrize("backend", ["another", "vllm"])
def test_a_run_of_an_unknown_backend_is_a_claim_and_one_of_a_known_backend_is_refused(
    backend: str, genuine: GatheredParts, nothing: Path, tmp_path: Path
) -> None:
    target, notes = Database(shutil.copy(nothing, tmp_path / "target.duckdb")), list[str]()
    taking = functools.partial(pull, target, admit(put(genuine, "runs", backend=backend), "pull"), notes.append)
    if backend == "vllm":
        with pytest.raises(TerminalError, match="its id is not the hash of what it says it is"):
            taking()
        assert not notes
        return
    taking()
    [note] = notes
    assert "cannot be computed again, as its backend or decoder is unknown here" in note


@pytest.mark.parametrize(
    ("table", "values", "told"),
    [
        ("run_scores", {"texts": None}, "it is of None texts"),
        ("metrics", {"maximum": 1e9}, "is another one: maximum is"),
        ("snapshots", {"licence_url": "javascript:alert(1)"}, "is no address of a web page"),
    ],
)  # fmt: skip
def test_what_was_changed_in_a_shared_folder_is_refused(
    table: str, values: dict[str, Any], told: str, genuine: GatheredParts, nothing: Path, unscored: Path, tmp_path: Path
) -> None:
    """The forgeries of tests/bundles cover the other refusals."""
    target = Database(shutil.copy(nothing if table in OF_TEXTS else unscored, tmp_path / "target.duckdb"))
    with pytest.raises(TerminalError, match=told):
        pull(target, admit(put(genuine, table, **values), "pull"), lambda text: None)


def test_a_run_ends_after_its_snapshots_window_and_in_the_past(
    genuine: GatheredParts, nothing: Path, tmp_path: Path
) -> None:
    part = next(one for one in genuine.held if one.table == "runs")
    [row] = genuine.held[part][1].to_pylist()
    for told, ended in (("before the window", -10), ("in the future", 100)):
        moment = row["finished_at"].replace(year=row["finished_at"].year + ended)
        target = Database(shutil.copy(nothing, tmp_path / "target.duckdb"))
        with pytest.raises(TerminalError, match=told):
            pull(target, admit(put(genuine, "runs", finished_at=moment), "pull"), lambda text: None)


@pytest.mark.parametrize(
    ("signer", "values"),
    [
        ("", {"model": "another"}),
        ("SHA256:key", {"model": "another"}),
        ("SHA256:key", {"versions": '{"device": "another"}'}),
    ],
)  # fmt: skip
def test_a_row_that_differs_is_a_contradiction_that_names_field_and_values(
    signer: str, values: dict[str, Any], genuine: GatheredParts, evaluated: Path, tmp_path: Path
) -> None:
    target = Database(shutil.copy(evaluated, tmp_path / "target.duckdb"))
    forged = admit(put(genuine, "runs", **values), "bundle" if signer else "pull", signer)
    with pytest.raises(
        Contradiction, match=rf"run \w{{16}} is another one here than there \({next(iter(values))} is .* and .*another"
    ):
        pull(target, forged, lambda text: None)
    assert rows_of(target, "select distinct model from runs") == rows_of(
        Database(evaluated), "select distinct model from runs"
    )
    assert rows_of(target, "from origins") == [], "what was made here has no origin"


def test_a_time_that_no_calendar_has_is_refused(genuine: GatheredParts) -> None:
    """Whether a bundle brings it, whose parts are gathered, or a folder, whose rows are checked against their table."""
    part = next(part for part in genuine.held if part.table == "runs")
    rows = genuine.held[part][1]
    place, kind = rows.column_names.index("started_at"), rows.schema.field("started_at").type
    forged = rows.set_column(place, "started_at", pa.array([2**62], pa.int64()).cast(kind))
    with pytest.raises(TerminalError, match=r"runs/.* cannot be read: date value out of range"):
        changed(genuine, part, forged)
    with pytest.raises(ValueError, match="its column started_at cannot be read: date value out of range"):
        conforming("runs", forged, dict(part.keys))


def test_all_of_a_snapshot_is_compared(genuine: GatheredParts, evaluated: Path, tmp_path: Path) -> None:
    target = Database(shutil.copy(evaluated, tmp_path / "target.duckdb"))
    for table, values in (
        ("snapshots", {"licence_url": "https://evil.example"}),
        ("article_facts", {"value": "another"}),
    ):
        if any(one.table == table and rows.num_rows for one, (_, rows) in genuine.held.items()):
            name = next(iter(values))
            with pytest.raises(Contradiction, match=rf"\({table}.{name} is .* here and .* there\)"):
                pull(target, admit(put(genuine, table, **values), "pull"), lambda text: None)


def test_a_signer_is_credited_for_what_the_key_signed(genuine: GatheredParts, nothing: Path, tmp_path: Path) -> None:
    target = Database(shutil.copy(nothing, tmp_path / "target.duckdb"))
    texts = genuine.only({one.table for one in genuine.held} - {"scores", "run_scores"})
    pull(target, admit(texts, "bundle", "SHA256:first"), lambda text: None)
    pull(target, admit(genuine, "bundle", "SHA256:second"), lambda text: None)
    pull(target, admit(texts, "bundle", "SHA256:third"), lambda text: None)
    asked = "select distinct signer from origins where evaluator_id {} '' order by signer"
    assert rows_of(target, asked.format("=")) == [("SHA256:first",), ("SHA256:second",), ("SHA256:third",)]
    assert rows_of(target, asked.format("<>")) == [("SHA256:second",)]


def test_no_pull_goes_past_the_gate(genuine: GatheredParts, nothing: Path, tmp_path: Path) -> None:
    target = Database(shutil.copy(nothing, tmp_path / "target.duckdb"))
    with pytest.raises((TypeError, AttributeError)):
        pull(target, genuine, lambda text: None)  # type: ignore[arg-type]
    assert rows_of(target, "from runs") == []


def completion(**changes: Any) -> dict[str, Any]:
    answer = {"page_id": 1, "sample": 0, "text": "It is **old**.", "prose": "It is old.", "no_answer": None}
    return {**answer, "thinking": "Hm.", "thinking_tokens": 2, "thinking_ids": [5, 6], **changes}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prose": "It is the article itself."}, "the prose that is scored is not that of its text"),
        ({"prose": None}, "the prose that is scored is not that of its text"),
        ({"no_answer": "refused"}, "cannot be without an answer"),
        ({"thinking_tokens": 3}, "3 tokens of thinking, which cannot be"),
        ({"thinking_tokens": None}, "tokens of thinking, which cannot be"),
        ({"thinking": None}, "tokens of thinking, which cannot be"),
    ],
)
def test_what_is_scored_of_an_answer_is_made_again(changes: dict[str, Any], message: str) -> None:
    """Nobody can have other prose scored than that of the text, or drop a bad text as no answer."""
    run = made_up_run("a", "greedy", versions=f'{{"chat": "yes", "cleaning": "{CLEANING}"}}', numerics=3)
    wiki = {"language": "en", "wiki": "samplewiki"}
    require_answers(run, [completion()], wiki)
    require_answers(run, [completion(text="", prose="", no_answer="thinking was not closed")], wiki)
    with pytest.raises(ValueError, match=message):
        require_answers(run, [completion(**changes)], wiki)
    base = replace(run, versions="{}")
    require_answers(base, [completion(prose=None)], wiki)
    with pytest.raises(ValueError, match="cannot be without an answer"):
        require_answers(base, [completion(text="", prose=None, no_answer="refused")], wiki)
    with pytest.raises(ValueError, match="a rule that is unknown here"):
        require_answers(replace(run, versions='{"cleaning": "prose-v9"}'), [], wiki)
