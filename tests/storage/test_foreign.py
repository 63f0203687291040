import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newwiki.errors import TerminalError
from storage import definitions, migrate
from storage.attached import attached
from storage.database import Database
from storage.fences import MEMORY, connect
from storage.foreign import foreign

EXAMPLES = int(os.environ.get("NEWWIKI_EXAMPLES", "15"))
PLACE = Path("newwiki.duckdb")
SECRET = "the content of a private file"
BODIES = (
    "select content as title from read_text('{secret}')",
    "select error('executed') as title",
    "select 1 as title",
)
EXPRESSIONS = ("error('executed')", "42", "(select content from read_text('{secret}'))")
FUNCTIONS = (
    "count", "max", "sum", "coalesce", "current_database", "current_setting", "now", "json_object", "if", "abs",
    "is_reference", "interval_low", "protocol_of", "newest_run", "a_new_one", 'with " a quote',
)  # fmt: skip
COMPUTING = (
    "alter table scores add column extra double default (random())",
    "create sequence numbers",
    "create type verdict as enum ('a', 'b')",
    "create schema other",
    "create index by_run on runs (run_id)",
    "drop view articles; create table articles as select 'x' as title",
    "create table copied as from metrics; drop table metrics; create view metrics as from copied",
    "drop table topics; create table topics (snapshot_id varchar, a bigint, b bigint generated always as (a + 1))",
    "drop table topics; create table topics (snapshot_id varchar, a bigint check (a > 0))",
    "drop table topics; create table topics (snapshot_id varchar default ('a' || random()))",
    "drop table topics; create table topics (snapshot_id varchar primary key)",
)


@pytest.fixture(scope="module")
def ours() -> list[tuple[str, str]]:
    """The kinds and names of what our files of views define."""
    texts = [text for text, _ in migrate._view_texts([])]
    return sorted({(one.kind, one.name) for one in definitions._written(texts)})


@st.composite
def tampering(draw: st.DrawFn) -> tuple[str, str]:
    """How somebody changes a definition: what of, with `{view}` for a view of ours, and how."""
    kind = draw(st.sampled_from(["view", "extra view", "macro", "table macro", "drop view", "drop macro"]))
    body, function = draw(st.sampled_from(BODIES)), draw(st.sampled_from(FUNCTIONS)).replace('"', '""')
    parameters = draw(st.sampled_from(["", "x", "x, y", "run_id", "x integer", "x, y := 2"]))
    if kind == "view":
        return kind, f"create or replace view {{name}} as {body}"
    if kind == "extra view":
        return kind, f"create view a_new_one as {body}"
    if kind == "macro":
        made = f'create or replace macro "{function}"({parameters}) as {draw(st.sampled_from(EXPRESSIONS))}'
        return kind, made
    if kind == "table macro":
        return kind, f'create or replace macro "{function}"({parameters}) as table {body}'
    return kind, f"{kind} {{name}}"


@pytest.fixture(scope="module")
def written(empty: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a database of ours, which tests change in transactions and roll back."""
    path = Path(shutil.copy(empty, tmp_path_factory.mktemp("written") / "newwiki.duckdb"))
    with attached(path, read_only=False) as connection:
        yield connection


@given(tampered=tampering(), place=st.integers(0, 1000))
@settings(max_examples=EXAMPLES)
def test_a_definition_that_is_not_ours_is_noticed_and_not_carried_out(
    written: duckdb.DuckDBPyConnection, ours: list[tuple[str, str]], tampered: tuple[str, str], place: int
) -> None:
    """Whatever the record of the schema in the file says; and once all are dropped, nothing of them is left."""
    kind, statement = tampered
    names = [name for of_kind, name in ours if of_kind == kind.removeprefix("drop ")]
    statement = statement.replace("{name}", names[place % len(names)] if names else "")
    written.begin()
    try:
        written.execute(statement.replace("{secret}", "/nowhere"))
    except duckdb.Error:
        written.rollback()  # DuckDB refuses to make it, in a fence
        return
    assert migrate._is_current(written, PLACE) == (kind == "extra view")
    definitions.drop(written, [text for text, _ in migrate._view_texts([])])
    held = definitions.catalogue(written)
    assert held.views.keys() == ({"a_new_one"} if kind == "extra view" else set())
    assert not [*definitions._macros(written, held.name)]
    written.rollback()


@pytest.mark.parametrize("statements", COMPUTING)
def test_what_no_version_has_written_is_refused(written: duckdb.DuckDBPyConnection, statements: str) -> None:
    written.begin()
    written.execute(statements)
    with pytest.raises(TerminalError, match="is not as New-Wiki Eval writes a database: "):
        migrate._is_current(written, PLACE)
    written.rollback()


def test_what_no_version_has_written_is_refused_however_it_is_opened(database: Database) -> None:
    with duckdb.connect(str(database.path)) as connection:
        connection.execute("create index by_run on runs (run_id)")
    before = database.path.read_bytes()
    for open_it in (Database(database.path).read, Database(database.path).write, Database(database.path).fenced):
        with pytest.raises(TerminalError, match="is not as New-Wiki Eval writes a database: "), open_it():
            pass
    with pytest.raises(TerminalError, match="is not as New-Wiki Eval writes a database: "):
        foreign(database.path, database.path.parent / "copy")
    assert database.path.read_bytes() == before


def test_an_invalid_metric_in_a_database_is_named_and_nothing_is_run(database: Database, tmp_path: Path) -> None:
    name = f"]; copy (select 1) to '{tmp_path}/written.csv'; --"
    with duckdb.connect(str(database.path)) as connection:
        connection.execute(
            "insert into metrics (metric, unit, direction, definition, source) values (?, '', 'none', '', '')", [name]
        )
    before = database.path.read_bytes()
    for open_it in (Database(database.path).read, Database(database.path).write, Database(database.path).fenced):
        with pytest.raises(TerminalError, match=r"has a metric named \"]; copy \(select 1\)"), open_it():
            pass
    assert database.path.read_bytes() == before
    assert not (tmp_path / "written.csv").exists()


@pytest.fixture
def tampered(database: Database, tmp_path: Path) -> Path:
    """A database whose views read a private file, and whose macros stand in the place of DuckDB's own functions."""
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    with duckdb.connect(str(database.path)) as connection:
        for view in ("articles", "leaderboard", "texts", "latest_snapshots"):
            connection.execute(f"create or replace view {view} as {BODIES[0].replace('{secret}', str(secret))}")
        for function in ("max", "count", "current_setting", "current_database"):
            connection.execute(f"create macro {function}(x) as error('executed')")
        connection.execute("create or replace macro is_reference(run_id) as false")
    return database.path


@pytest.mark.parametrize("is_foreign", [True, False])
def test_views_and_macros_of_somebody_elses_are_replaced_by_ours(tampered: Path, is_foreign: bool) -> None:
    before = tampered.read_bytes()
    database = foreign(tampered, tampered.parent / "copy") if is_foreign else Database(tampered)
    with database.read() as connection:
        for view in ("articles", "leaderboard", "texts", "latest_snapshots"):
            assert SECRET not in str(connection.execute(f"from {view}").fetchall())
        assert connection.execute("select count(*), max(1), is_reference('reference:s')").fetchall() == [(1, 1, True)]
    with database.fenced() as connection:
        assert connection.execute("select title from articles").fetchall() == []
    assert (tampered.read_bytes() == before) == is_foreign


def test_a_database_with_our_views_is_read_where_it_is(database: Database, tmp_path: Path) -> None:
    assert foreign(database.path, tmp_path / "copy").path == database.path
    assert not (tmp_path / "copy").exists()


def test_a_file_that_cannot_be_written_says_what_to_do(tampered: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # root can write to any
    with pytest.raises(TerminalError, match="copy it to a folder where you can write, and name the copy"):
        Database(tampered).rows("snapshot_list")


def test_what_is_written_is_current_for_whoever_opens_it_next(database: Database, tmp_path: Path) -> None:
    """A view that DuckDB writes in more than one way would be written anew each time: a chain of more than two `union
    all`, `1e-6`, a type in small letters in a macro."""
    with database.write() as connection:
        connection.execute(
            "insert into metrics (metric, unit, direction, definition, source, scope) "
            "values ('share', '', 'none', '', '', 'text'), ('Select', '', 'none', '', '', 'run')"
        )
        migrate.create_views(connection, only_metrics=True)
    copy = Path(shutil.copy(database.path, tmp_path / "copy.duckdb"))
    for number in range(3):  # each time DuckDB writes all definitions anew, and names that it excludes in another order
        with attached(copy, read_only=True) as connection:
            assert migrate._is_current(connection, copy)
        with duckdb.connect(str(copy)) as connection:
            connection.execute(f"create view own_{number} as select 1 as one")


def test_reading_definitions_runs_in_a_fence() -> None:
    with connect(MEMORY) as connection, pytest.raises(duckdb.Error, match="disabled by configuration"):
        connection.execute("select content from read_text('/etc/hostname')")
