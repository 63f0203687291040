"""The Python API says what the command line says, in Arrow tables, and raises what it says on stderr."""

import json
import shutil
import typing
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner

import flows.api
import newwiki
from flows.cli import cli
from flows.commands.refresh import refresh
from flows.jobs.job import Answer, Here
from flows.jobs.python_function import python_function
from newwiki.errors import TerminalError, UsageError
from newwiki.request import RefreshRequest
from storage.database import Database
from tests.flows.conftest import Run
from tests.flows.scored import RULES, SNAPSHOT, add_run, score

NUMBERS = {"greedy": [0.4, 0.5, 0.6, 0.5, 0.45, 0.55, 0.5] * 2, "sample": [0.1, 0.2, 0.2, 0.1, 0.2, 0.2, 0.1] * 2}


@pytest.fixture(scope="module")
def two_runs(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample wiki's September with two runs that differ by rep_4."""
    stored = Database(shutil.copy(published, tmp_path_factory.mktemp("two-runs") / "newwiki.duckdb"))
    for run_id, numbers in NUMBERS.items():
        score(stored, add_run(stored, run_id, run_id, prompts=14), {"rep_4": numbers}, RULES, "lower")
    return stored.path


@pytest.fixture
def db(two_runs: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(two_runs, tmp_path / "newwiki.duckdb"))


def test_what_the_package_hands_on_is_the_api() -> None:
    handed_on = {name for name in newwiki.__all__ if name not in vars(newwiki)}
    assert handed_on == set(flows.api.__all__)
    for name in handed_on - {"VerdictCallback"}:  # which loads transformers
        assert getattr(newwiki, name) is getattr(flows.api, name)
        assert name in dir(newwiki)
    with pytest.raises(AttributeError, match="module 'newwiki' has no attribute 'evaluator_s'"):
        newwiki.evaluator_s  # noqa: B018


@pytest.mark.parametrize("name", sorted(set(flows.api.__all__) - {"DocumentScorer", "VerdictCallback"}))
def test_every_function_of_the_api_is_described_and_typed(name: str) -> None:
    function = getattr(flows.api, name)
    assert function.__doc__
    assert "return" in typing.get_type_hints(function)


@pytest.mark.parametrize(
    ("function", "arguments", "command"),
    [
        ("snapshots", (), ("snapshots", "list")),
        ("leaderboard", (), ("leaderboard",)),
        ("compare", ("greedy", "sample"), ("compare", "greedy", "sample")),
        ("query", ("select run_id, decoder from runs",), ("sql", "select run_id, decoder from runs")),
        ("metrics", (), ("metrics",)),
        ("plan", (), ("plan",)),
    ],
)
def test_a_function_answers_what_its_command_prints(
    in_process: Run, db: Path, function: str, arguments: tuple[str, ...], command: tuple[str, ...]
) -> None:
    table = getattr(flows.api, function)(*arguments, db=db)
    assert isinstance(table, pa.Table)
    ended = in_process(*command, "--db", db, "--format", "json")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(json.dumps(table.to_pylist(), default=lambda time: time.isoformat())) == json.loads(ended.stdout)


def test_a_plan_names_what_it_cannot_meet(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = flows.api.plan(machines=1, deadline=0.001, tokens=100, tokens_per_second=1, db=db)
    assert table["amount"][0].as_py() == 1
    assert "1 machines are not done in 0.001 hours" in capsys.readouterr().err


@pytest.mark.slow
def test_a_report_gives_its_path(db: Path, tmp_path: Path) -> None:
    path = flows.api.report(out=tmp_path / "report.html", db=db, quiet=True)
    assert path == tmp_path / "report.html"
    assert "greedy" in path.read_text("utf-8")


def test_a_gate_gives_outcomes_and_raises_nothing(db: Path) -> None:
    table = flows.api.gate(baseline="sample", candidate="greedy", fail_if="rep_4 > 0.1", db=db)
    assert table.select(["fails_if", "outcome"]).to_pylist() == [{"fails_if": "rep_4 > +0.1", "outcome": "failed"}]
    [passed] = flows.api.gate(baseline="greedy", candidate="sample", fail_if="rep_4 > 0.1", db=db).to_pylist()
    assert passed["outcome"] == "passed"


def test_a_refresh_gives_the_snapshots_row_and_again_the_same(sample_wiki: Path, tmp_path: Path) -> None:
    db = tmp_path / "made.duckdb"
    month = {"from_": date(2026, 9, 1), "to": date(2026, 9, 30)}
    asked: dict[str, Any] = {"dump": sample_wiki, **month, "db": db, "quiet": True}
    [row] = flows.api.refresh(**asked).to_pylist()
    assert flows.api.refresh(**asked).to_pylist() == [row]
    assert flows.api.articles(row["snapshot_id"], db=db).num_rows == row["articles"]
    assert flows.api.candidates(row["snapshot_id"], db=db).num_rows == row["candidates"]
    assert flows.api.verify(row["snapshot_id"], db=db) == []


def test_a_runs_scores_long_and_wide(db: Path) -> None:
    long, wide = flows.api.scores("greedy", db=db), flows.api.scores("greedy", wide=True, db=db)
    assert long["value"].to_pylist() == wide["rep_4"].to_pylist() == NUMBERS["greedy"]
    assert set(long["evaluator_id"].to_pylist()) == {RULES.evaluator_id}
    assert flows.api.runs(db=db)["run_id"].to_pylist() == ["greedy", "sample"]
    assert flows.api.completions("greedy", db=db).num_rows == 0


def test_notes_go_to_stderr_unless_quiet(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flows.api.leaderboard(rank="rep_4", db=db)
    assert "share a letter" in capsys.readouterr().err
    flows.api.leaderboard(rank="rep_4", db=db, quiet=True)
    assert capsys.readouterr() == ("", "")


def test_errors_are_those_of_the_command_line(db: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no run 'gredy'; did you mean 'greedy'"):
        flows.api.scores("gredy", db=db)
    with pytest.raises(UsageError, match=f"there is no snapshot 'x'; there are: {SNAPSHOT}"):
        flows.api.articles("x", db=db)
    with pytest.raises(TerminalError, match="there is no database"):
        flows.api.snapshots(db=tmp_path / "nowhere.duckdb")
    with pytest.raises(TerminalError, match="the query is refused"):
        flows.api.query("delete from runs", db=db)
    with pytest.raises(TerminalError, match="the query is refused"):
        flows.api.query("select * from read_text('/etc/passwd')", db=db)
    with pytest.raises(UsageError, match="one statement, and this is 2"):
        flows.api.query("select 1; select 2", db=db)
    with pytest.raises(UsageError, match="there is no format 'xlsx'; there are: parquet, jsonl, datasets"):
        flows.api.export_runs(out=tmp_path / "out", format="xlsx", db=db)
    with pytest.raises(UsageError, match="name what to score"):
        flows.api.score(db=db)
    with pytest.raises(UsageError, match="there is no runner 'dusk'"):
        flows.api.score(missing=True, runner="dusk", db=db)
    with pytest.raises(UsageError, match="there is no runner 'dusk'"):
        flows.api.evaluate("toy", decoder="greedy", runner="dusk", db=db)


def test_prefect_runs_a_command_where_a_server_is_configured_and_no_function(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:1/api")
    seen: list[bool] = []

    def run(request: RefreshRequest, here: Here, *, prefect: bool = False) -> Answer:
        seen.append(prefect)
        return Answer(lambda: None, lambda form: None)

    monkeypatch.setattr(refresh, "run", run)
    assert CliRunner().invoke(cli, ["refresh", "--month", "2026-09", "--db", str(db)]).exit_code == 0
    python_function(refresh)(month="2026-09", db=db)
    assert seen == [True, False]


def test_an_answer_without_rows_is_a_table_with_columns(db: Path) -> None:
    found = flows.api.query("select title, topic from articles where topic = 'Nothing'", db=db)
    assert (found.num_rows, found.column_names) == (0, ["title", "topic"])


def test_exports_give_their_files(db: Path, tmp_path: Path) -> None:
    written = [
        *flows.api.export_snapshot("latest", out=tmp_path / "snapshot", format="jsonl", db=db),
        *flows.api.export_runs("greedy", out=tmp_path / "runs", format="jsonl", db=db),
        *flows.api.export_results("greedy", "sample", out=tmp_path / "results", db=db),
        *flows.api.export_task(out=tmp_path / "task", metrics=["rep_4"], db=db),
        *flows.api.export_every_eval_ever(
            "greedy", organization="A lab", relationship="other", instances=True, out=tmp_path / "records", db=db
        ),
        *flows.api.export_hub_results("greedy", dataset="lab/new-wiki", metrics=["rep_4"], out=tmp_path / "hub", db=db),
    ]
    assert all(path.is_file() for path in written)
    results = sorted((tmp_path / "results").rglob("*.json"))
    assert [path.parent.name for path in results] == ["models__toy"] * 2
    assert [
        json.loads(path.read_text())["results"]["newwiki_samplewiki_2026_09"]["rep_4,none"] for path in results
    ] == [
        pytest.approx(0.5),
        pytest.approx(1.1 / 7),
    ]
