import ast
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import storage
from newwiki.errors import TerminalError
from newwiki.registry import can_name_a_metric
from storage.attached import attached
from storage.database import Database, insert_arrow
from storage.held import held
from storage.migrate import create_views
from storage.pull import _describe
from storage.queries import filled, query, require_identifier
from storage.shared import SharedPart

ROOT = Path(str(storage.__file__)).parents[1]

STARTING = [f"duckdb.{name}" for name in ("connect", "sql", "query", "execute", "from_query", "default_connection")]

Open = Callable[[Database], AbstractContextManager[duckdb.DuckDBPyConnection]]

WAYS: dict[str, Open] = {
    "read": lambda database: database.read(),
    "write": lambda database: database.write(),
    "fenced": lambda database: database.fenced(),
    "attached": lambda database: attached(database.path, read_only=False),
    "beside": lambda database: database.beside(database.path.with_name("own.duckdb")),
}
PIECES = st.sampled_from(
    [
        "{value_of_each_metric}", "{parts_of_each_metric}", "'", '"', "]", ".mean as x from runs;", "--", "/*", "*/",
        "\n", ";", "copy (select 1) to 'PATH'", "(select content from read_text('PATH'))", "attach 'PATH' as other;",
        "\x00", "mean", "bleu", "é", "\u202e", " ", "_low", "model", ",", "1", "x",
    ]
)  # fmt: skip
NAMES = st.one_of(st.lists(PIECES, min_size=1, max_size=8).map("".join), st.text(max_size=20))


def test_duckdb_is_started_in_one_place_only() -> None:
    """Whoever needs a connection of another kind adds it to storage/fences.py, with its fence."""
    found = set()
    for room in ("newwiki", "evaluators", "storage", "flows"):
        texts = {file: file.read_text("utf-8") for file in (ROOT / room).rglob("*.py")}
        for file, text in texts.items():
            for node in ast.walk(ast.parse(text)) if "duckdb" in text else ():
                if isinstance(node, ast.Attribute) and ast.unparse(node) in STARTING:
                    found.add((file.relative_to(ROOT).as_posix(), node.attr))
                if isinstance(node, ast.ImportFrom) and node.module == "duckdb":
                    found |= {(file.relative_to(ROOT).as_posix(), one.name) for one in node.names}
    assert found == {("storage/fences.py", "connect"), ("storage/allowed_statements.py", "StatementType")}


@pytest.mark.parametrize("way", WAYS)
def test_no_connection_reaches_another_file(database: Database, tmp_path: Path, way: str) -> None:
    secret, written = tmp_path / "secret.txt", tmp_path / "written.csv"
    secret.write_text("secret")
    with duckdb.connect(str(tmp_path / "other.duckdb")) as other:
        other.execute("create table numbers as select 1 as number")
    for statement in (
        f"select content from read_text('{secret}')",  # noqa: S608
        f"select * from read_csv('{secret}')",  # noqa: S608
        f"select * from glob('{tmp_path}/*')",  # noqa: S608
        f"copy (select 1) to '{written}'",
        f"attach '{tmp_path}/other.duckdb' as other",
        "set enable_external_access = true",
        f"set allowed_paths = ['{secret}']",
    ):
        with pytest.raises(duckdb.Error), WAYS[way](database) as connection:
            connection.execute(statement)
    assert not written.exists()


def test_a_file_behind_a_link_is_opened(database: Database, tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "it's a link.duckdb"
    link.symlink_to(database.path)
    with Database(link).write() as connection:
        connection.execute("insert into scorings values ('r', 'e', now())")
    assert Database(link).rows("share_scorings") == Database(database.path).rows("share_scorings")


@pytest.fixture(scope="module")
def unchanged(empty: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database without a row, in a folder of its own. All changes are rolled back."""
    return Path(shutil.copy(empty, tmp_path_factory.mktemp("unchanged") / "newwiki.duckdb"))


@given(name=NAMES, scope=st.sampled_from(["text", "run"]), definition=NAMES, is_pulled=st.booleans())
def test_a_metric_is_a_quoted_column_or_a_named_error(
    unchanged: Path, name: str, scope: str, definition: str, is_pulled: bool
) -> None:
    """Of a name that cannot be a column nothing is run, whoever has put it into `metrics`."""
    beside, secret = set(unchanged.parent.iterdir()), unchanged.parent / "PATH"
    row = {"metric": name, "unit": "", "direction": "none", "definition": definition, "source": "", "scope": scope}
    rows = pa.Table.from_pylist([row])
    with attached(unchanged, read_only=False) as connection:
        connection.begin()
        try:
            if is_pulled:
                _describe(connection, [("metrics", rows)])
            else:
                insert_arrow(connection, "metrics", rows)
                create_views(connection, only_metrics=True)
        except TerminalError as error:
            refused = str(error)
        else:
            refused = ""
            asked = "select column_name from (describe leaderboard)"
            assert (name,) in connection.execute(asked).fetchall()
        connection.rollback()
    assert bool(refused) != can_name_a_metric(name)
    if refused:
        plain = str.maketrans("", "", "'\"\\")  # how quotes are written depends on what else the name holds
        assert ascii(name)[1:20].translate(plain) in refused.translate(plain)
        assert refused.isprintable()
    assert set(unchanged.parent.iterdir()) == beside
    assert not secret.exists()


@given(parts=st.dictionaries(st.sampled_from(["{a}", "{b}", "{c}"]), st.text("{abc} '"), max_size=3))
def test_marks_are_filled_in_one_pass(parts: dict[str, str]) -> None:
    text = "1 {a} 2 {b} 3 {c} 4 {a}"
    assert filled(text, parts) == " ".join(parts.get(piece, piece) for piece in text.split(" "))


@given(part=st.one_of(NAMES, st.text(" =?,andx_1;-'", max_size=30)))
def test_a_part_of_a_query_is_names_and_conditions_and_nothing_else(part: str) -> None:
    words = set(part.replace(",", " ").split())
    try:
        query("part_rows", table="runs", part=part, key="run_id")
    except ValueError:
        return
    assert all(word in ("=", "?") or (word.isascii() and f"x{word}".isidentifier()) for word in words)
    assert not set(part) & set("'\";()-/*\\")


@given(table=NAMES)
def test_a_part_of_no_table_is_refused(tmp_path_factory: pytest.TempPathFactory, table: str) -> None:
    nowhere = Database(tmp_path_factory.getbasetemp() / "none.duckdb")
    with pytest.raises(TerminalError, match="no table is shared as"):
        held(nowhere, SharedPart(table, (("run_id", "r"),)))
    with pytest.raises(TerminalError, match="no table is shared as"):
        held(nowhere, SharedPart("runs", ((table, "r"),)))
    if not (table.isascii() and table.isidentifier()):
        with pytest.raises(ValueError, match="no name of a table"):
            require_identifier(table)
