"""`newwiki sql` as people and programs use it."""

import csv
import io
import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import duckdb
import pexpect
import pyarrow.parquet as pq
import pytest

from flows import cli
from storage.schema import documented
from tests.flows.conftest import Run, command, environment


@pytest.fixture
def newwiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line in this process, which is all that a query needs."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", ["newwiki", *map(str, arguments)])
        monkeypatch.setattr("sys.stdin", io.StringIO())
        status = cli.main()
        return subprocess.CompletedProcess(arguments, status, *capsys.readouterr())

    return run


ROOT = Path(__file__).parents[3]
ASKED = "select snapshot_id, articles, published_at, parameters from snapshots"


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown", "parquet"])
def test_an_answer_in_every_format(newwiki: Run, database: Path, tmp_path: Path, form: str) -> None:
    ended = newwiki("sql", ASKED, "--db", database, "--format", form, "--out", "answer")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "wrote answer\n")
    written = tmp_path / "answer"
    if form == "parquet":
        [row] = pq.read_table(written).to_pylist()
    elif form == "json":
        [row] = json.loads(written.read_text("utf-8"))
    elif form == "csv":
        [row] = csv.DictReader(written.open(encoding="utf-8"))
    else:
        assert "samplewiki-2026-09" in written.read_text("utf-8")
        return
    assert row["snapshot_id"] == "samplewiki-2026-09"
    assert json.loads(row["parameters"])["kind"] == "new"


def test_hard_values_stay_what_they_are(newwiki: Run, database: Path) -> None:
    asked = """select 1 as a, 2 as a, 'a,"b"' || chr(10) as text, [1, null] as list, map {'k': 1} as map,
        null as nothing, 'nan'::double as nan, sum(9007199254740993) as whole, interval 90 minute as time, true as yes,
        'שלום' as word"""
    ended = newwiki("sql", asked, "--db", database, "--format", "json")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == [
        {"a": 1, "a_1": 2, "text": 'a,"b"\n', "list": [1, None], "map": {"k": 1}, "nothing": None, "nan": None,
         "whole": 9007199254740993, "time": "1:30:00", "yes": True, "word": "שלום"}
    ]  # fmt: skip
    ended = newwiki("sql", "select 'a,\"b' as x, 1.5 as y, null as z", "--db", database, "--format", "csv")
    assert ended.stdout == 'x,y,z\n"a,""b",1.5,\n'


def test_an_empty_answer_has_its_columns(newwiki: Run, database: Path) -> None:
    for form, words in (("json", "[]\n"), ("csv", "a\n"), ("markdown", "| a |\n| --- |\n")):
        assert newwiki("sql", "select 1 as a where false", "--db", database, "--format", form).stdout == words


def test_several_statements_are_answered_one_after_the_other(newwiki: Run, database: Path) -> None:
    ended = newwiki("sql", "select 1 as a; -- ';'\nselect ';' as b;", "--db", database, "--format", "csv")
    assert ended.stdout == "a\n1\n\nb\n;\n"
    ended = newwiki("sql", "select 1; select 2", "--db", database, "--format", "parquet", "--out", "x")
    assert (ended.returncode, ended.stdout) == (2, "")


def test_a_long_table_says_that_it_is_cut_and_no_other_format_is(newwiki: Run, database: Path) -> None:
    asked = "select range as number from range(250000)"
    ended = newwiki("sql", asked, "--db", database)
    assert ended.stdout.splitlines()[-2].strip() == "999"
    assert "the first 1,000 rows" in ended.stderr
    ended = newwiki("sql", asked, "--db", database, "--format", "csv")
    assert (ended.stdout.count("\n"), ended.stderr) == (250_001, "")


@pytest.mark.slow
def test_queries_are_piped_in_and_answers_piped_out(database: Path, tmp_path: Path) -> None:
    def piped(text: str, *arguments: str) -> bytes:
        asked = command("sql", "--db", database, *arguments)
        return subprocess.run(asked, input=text.encode(), capture_output=True, env=environment(), check=True).stdout

    assert piped("select 1 as a;\nselect 2 as b\n", "--format", "csv") == b"a\n1\n\nb\n2\n"
    (tmp_path / "piped.parquet").write_bytes(piped("from range(3)", "--format", "parquet"))
    assert pq.read_table(tmp_path / "piped.parquet").num_rows == 3


def test_an_example_is_a_question_of_the_cookbook(newwiki: Run, database: Path) -> None:
    ended = newwiki("sql", "--example", "funnel", "--db", database, "--format", "json")
    assert {row["verdict"] for row in json.loads(ended.stdout)} >= {"selected", "few_words"}


@pytest.fixture(scope="module")
def beside_a_secret(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file, and with a database of which a view reads that file."""
    folder = tmp_path_factory.mktemp("secret")
    (folder / "secret.csv").write_text("secret\n1\n")
    with duckdb.connect(shutil.copy(published, folder / "newwiki.duckdb")) as connection:
        connection.execute(f"create view leak as from '{folder}/secret.csv'")
    return folder


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("insert into runs select * from runs", "INSERT"),
        ("select * from read_csv('{folder}/secret.csv')", "disabled"),
        ("explain analyze copy runs to '{folder}/newwiki.duckdb' (use_tmp_file false)", "disabled"),
        ("select getenv('HOME')", "getenv does not exist"),
        ("select * from leak", "disabled"),
        ("select 1; drop table runs", "DROP"),
    ],
)
def test_what_is_not_reading_is_refused_in_a_line(
    newwiki: Run, beside_a_secret: Path, tmp_path: Path, query: str, words: str
) -> None:
    """One of each kind; `tests/storage/test_database.py` tries every statement."""
    before = {file.name: file.read_bytes() for file in beside_a_secret.iterdir()}
    ended = newwiki("sql", query.format(folder=beside_a_secret), "--db", beside_a_secret / "newwiki.duckdb")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("newwiki: the query is refused: ") and words in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert {file.name: file.read_bytes() for file in beside_a_secret.iterdir()} == before
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "there is no query"),
        (("",), "there is no query"),
        (("select 1", "--example", "funnel"), "QUERY and --example exclude each other"),
        (("--example", "funel"), "did you mean 'funnel'?"),
        (("select 1", "--out", "no/such/folder"), "cannot write 'no/such/folder': No such file"),
        (("select interval 1 month", "--format", "parquet", "--out", "x"), "cast it in the query"),
        (("select 1", "--write", "newwiki.duckdb"), "name another file"),
    ],
)
def test_misuse_is_told(newwiki: Run, database: Path, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    ended = newwiki("sql", *arguments, "--db", database)
    assert (ended.returncode, ended.stdout) == (2, ""), ended.stderr
    assert words in ended.stderr and ended.stderr.count("\n") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["newwiki.duckdb"]


def test_a_query_that_fails_leaves_the_former_answer(newwiki: Run, database: Path, tmp_path: Path) -> None:
    (tmp_path / "answer.csv").write_text("former\n")
    asked = "select case when range = 30000 then error('late') else range end from range(40000)"
    ended = newwiki("sql", asked, "--db", database, "--format", "csv", "--out", "answer.csv")
    assert ended.returncode == 1 and "late" in ended.stderr
    assert (tmp_path / "answer.csv").read_text() == "former\n"


def test_tables_of_ones_own_are_kept_in_a_file_of_ones_own(newwiki: Run, database: Path) -> None:
    before = database.read_bytes()
    asked = ("sql", "--db", database, "--write", "mine.duckdb", "--format", "csv")
    made = newwiki(
        *asked, "create table names as select title from newwiki.articles; insert into names values ('Mine')"
    )
    assert made.returncode == 0, made.stderr
    counted = "select count(*) - (select count(*) from newwiki.articles) as more from names"
    assert newwiki(*asked, counted).stdout == "more\n1\n"
    half = newwiki(*asked, "delete from names; select * from nowhere")
    assert half.returncode == 1
    assert newwiki(*asked, counted).stdout == "more\n1\n", "all together or not at all"
    refused = newwiki(*asked, "delete from newwiki.runs")
    assert refused.returncode == 1 and "read-only" in refused.stderr
    assert database.read_bytes() == before


@pytest.fixture
def prompt(database: Path, tmp_path: Path) -> Callable[[], pexpect.spawn]:
    def start() -> pexpect.spawn:
        program, *arguments = command("sql", "--db", database)
        env = environment(XDG_STATE_HOME=str(tmp_path / "state"), PROMPT_TOOLKIT_NO_CPR="1", TERM="xterm")
        return pexpect.spawn(program, arguments, env=env, encoding="utf-8", timeout=60, dimensions=(40, 160))

    return start


def leave(shell: pexpect.spawn) -> None:
    """By Ctrl-D, said until it is heard: what is typed between two prompts is the terminal's and not the prompt's."""
    for _ in range(20):
        shell.sendeof()
        if shell.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=3) == 0:
            break
    shell.close()


@pytest.mark.slow
def test_the_prompt_goes_on_after_errors_and_remembers(prompt: Callable[[], pexpect.spawn], tmp_path: Path) -> None:
    shell = prompt()
    shell.expect("newwiki>")
    shell.send("select 6 *\r")
    shell.expect("->")
    shell.send("7 as answer;\r")
    shell.expect(r"42\s")
    shell.expect("newwiki>")
    shell.send("selec 1;\r")
    shell.expect("the query is refused: Parser Error")
    shell.expect("newwiki>")
    shell.send("select sum(pages) as from_the_funnel from funn\t")
    shell.expect("funnel")
    shell.send(";\r")
    shell.expect(r"from_the_funnel\W[\s\S]*\d+")
    shell.expect("newwiki>")
    leave(shell)
    assert shell.exitstatus == 0
    assert "7 as answer;" in (tmp_path / "state" / "newwiki" / "sql_history").read_text("utf-8")
    again = prompt()
    again.expect("newwiki>")
    again.send("\x1b[A")
    again.expect("funnel")
    again.send("\x03")
    again.expect("newwiki>")
    leave(again)
    again.close()


def test_every_table_view_and_column_says_what_it_is() -> None:
    found = documented()
    assert len(found) > 25
    assert [one.name for one in found if not one.comment] == []
    assert [f"{one.name}.{column.name}" for one in found for column in one.columns if not column.comment] == []


def test_a_table_or_a_column_is_described_once() -> None:
    """Of two comments the later would hide the other."""
    texts = [file.read_text("utf-8") for file in (ROOT / "storage" / "sql").rglob("*.sql")]
    named = [name for text in texts for name in re.findall(r"^comment on \w+ (\S+) is", text, re.MULTILINE)]
    assert len(named) > 700 and [name for name, times in Counter(named).items() if times > 1] == []


def test_the_descriptions_are_in_the_database(newwiki: Run, database: Path) -> None:
    asked = "select comment from duckdb_columns() where table_name = 'runs' and column_name = 'run_id'"
    assert newwiki("sql", asked, "--db", database, "--format", "csv").stdout == (
        "comment\nThe id of the run: a hash of everything that determines its completions.\n"
    )
