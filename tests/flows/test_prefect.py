"""The flows on a real Prefect server: they run, retry what may pass, leave artifacts, and a schedule really fires."""

import dataclasses
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import flows.demo as demo
from flows.demo import wiki
from flows.progress import Silent
from flows.steps.evaluate import EvaluationRequest
from flows.steps.refresh import RefreshRequest
from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError, TransientError
from newwiki.records import Selection, Window
from newwiki.sample import toy
from newwiki.settings import Settings
from newwiki.sources.dump import DumpSource
from storage.database import Database
from tests import endpoint
from tests.flows.conftest import Run, command, environment
from tests.flows.serving import PrefectServer, prefect_server, running, wait_for

pytestmark = pytest.mark.slow

_SEPTEMBER = RefreshRequest(Window.month("2026-09"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrefectServer]:
    with prefect_server(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture
def connected(server: PrefectServer) -> Iterator[None]:
    """Flows of this process run on the server."""
    from prefect.settings import PREFECT_API_URL, temporary_settings

    with temporary_settings({PREFECT_API_URL: server.api}):
        yield


@pytest.mark.usefixtures("connected")
class TestInProcess:
    def test_the_monthly_flow_publishes_scores_and_leaves_tables(self, tmp_path: Path, toy_checkpoint: Path) -> None:
        from prefect.artifacts import Artifact

        from flows.monthly import monthly

        path = tmp_path / "newwiki.duckdb"
        request = EvaluationRequest(prompts=2, samples=2, keep=1, max_new_tokens=20)
        arguments = (str(path), "dump", str(wiki()), "2026-09", [str(toy_checkpoint)], ["greedy", "sample:top_k=5"])
        options: dict[str, Any] = {
            "settings": Settings(entities="rules-v1"),
            "selection": Selection(sample=5),
            "request": request,
        }
        name = monthly(*arguments, **options)
        with Database(path).read() as connection:
            board = connection.execute("select decoder, prompts, completions from leaderboard").fetchall()
        expected = [("reference", 2, 2), ("greedy", 2, 2), (parse("sample:top_k=5")[0].canonical, 2, 2)]
        assert sorted(board) == sorted(expected)
        funnel = Artifact.get(f"funnel-{name}")
        leaderboard = Artifact.get(f"leaderboard-{name}")
        assert funnel
        assert '"verdict": "selected", "pages": 5' in str(funnel.data)
        assert leaderboard
        assert "flesch_reading_ease" in str(leaderboard.data)

        before = path.read_bytes()
        assert monthly(*arguments, **options) == name
        assert path.read_bytes() == before, "a month that is done changes nothing"

    def test_a_task_is_tried_again_only_where_that_may_help(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import flows.refresh

        monkeypatch.setattr(flows.refresh, "gather", flows.refresh.gather.with_options(retry_delay_seconds=0))
        calls: list[type[Exception]] = []

        def failing(error: type[Exception]) -> Any:
            def site(source: DumpSource) -> Any:
                calls.append(error)
                if error is TransientError and len(calls) == 3:
                    return original(source)
                raise error("the wiki is down")

            return site

        original = DumpSource.site
        monkeypatch.setattr(DumpSource, "site", failing(TransientError))
        snapshot = flows.refresh.refresh(str(tmp_path / "a.duckdb"), "dump", str(wiki()), _SEPTEMBER)
        assert snapshot.articles == 13
        assert len(calls) == 3
        calls.clear()
        monkeypatch.setattr(DumpSource, "site", failing(TerminalError))
        with pytest.raises(TerminalError):
            flows.refresh.refresh(str(tmp_path / "b.duckdb"), "dump", str(wiki()), _SEPTEMBER)
        assert len(calls) == 1

    def test_an_error_in_a_flow_reaches_the_caller_as_it_is(self, tmp_path: Path) -> None:
        from flows.refresh import refresh

        with pytest.raises(TerminalError, match="nothing to publish"):
            refresh(str(tmp_path / "a.duckdb"), "dump", str(wiki()), RefreshRequest(Window.month("2020-01")))

    def test_the_demo_ends_with_a_leaderboard_and_a_funnel_of_every_reason(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        train = toy.train
        monkeypatch.setattr(toy, "train", lambda texts, folder, report: train(texts, folder, steps=30, report=report))
        monkeypatch.setattr(demo, "REQUEST", dataclasses.replace(demo.REQUEST, prompts=2, max_new_tokens=30))
        settings = Settings(entities="rules-v1")
        demo.run(tmp_path, settings, Silent())
        first = capsys.readouterr().out
        before = (tmp_path / "demo.duckdb").read_bytes()
        demo.run(tmp_path, settings, Silent())
        for verdict in (
            "selected",
            "not_sampled",
            "redirect",
            "disambiguation",
            "few_words",
            "few_revisions",
            "hidden",
        ):
            assert f" {verdict} " in first
        for metric in (
            "flesch_reading_ease",
            "gunning_fog_newwiki",
            "sbert",
            "bleu",
            "Wikipedia",
            "greedy",
            "top_k=20",
        ):
            assert metric in first
        assert "Where next" in first
        assert f"open {tmp_path / 'report.html'} in a browser" in first
        assert "Leaderboard" in (tmp_path / "report.html").read_text("utf-8")
        assert capsys.readouterr().out == first
        assert (tmp_path / "demo.duckdb").read_bytes() == before


def test_a_schedule_really_fires(server: PrefectServer, tmp_path: Path) -> None:
    """A served cron starts the refresh by itself. It has broken with newer SQLAlchemy; see pyproject.toml."""
    before = {run["id"] for run in server.runs()}
    database, script = tmp_path / "newwiki.duckdb", Path(__file__).with_name("served.py")
    serve = [sys.executable, str(script), str(database), str(wiki())]
    with running(serve, tmp_path / "serve.log", server.env):
        wait_for(database.exists, 180, tmp_path / "serve.log")
        runs = [run for run in server.runs() if run["id"] not in before]
    started = [run for run in runs if run["start_time"]]
    assert started
    assert all(run["auto_scheduled"] for run in started)
    assert all(datetime.fromisoformat(run["expected_start_time"]).second == 0 for run in started)


def test_the_command_line_goes_through_the_server_that_is_configured(newwiki: Run, server: PrefectServer) -> None:
    asked = ("--kind", "old", "--before", "2026-09-20", "--min-words", "400", "--sample", "5")
    ended = newwiki("refresh", "--dump", wiki(), *asked, "--format", "json", "--quiet", **server.env)
    assert ended.returncode == 0, ended.stderr
    (snapshot,) = json.loads(ended.stdout)
    assert (snapshot["articles"], snapshot["kind"]) == (5, "old")
    assert newwiki("snapshots", "verify", snapshot["snapshot_id"]).returncode == 0
    states = {run["name"]: run["state_type"] for run in server.runs()}
    assert states[f"refresh old-before-2026-09-20 from {wiki()}"] == "COMPLETED"


def test_the_command_line_goes_through_prefect_where_asked(tmp_path: Path) -> None:
    arguments = ("refresh", "--prefect", "--dump", wiki(), "--month", "2026-09", "--format", "json", "--db", "a.duckdb")
    ended = subprocess.run(
        command(*arguments), cwd=tmp_path, env=environment(PREFECT_HOME=str(tmp_path / "prefect")),
        capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert "Flow run 'refresh 2026-09 from" in ended.stderr
    assert '"articles": 13' in ended.stdout
    assert "leaked" not in ended.stderr


def test_no_secret_is_left_anywhere(server: PrefectServer, newwiki: Run, database: Path, tmp_path: Path) -> None:
    """Not after a run with a key, nor where a server repeats the key in its error, nor of a password in the address."""
    key, password = "sk-of-nobody-0123456789", "hush-hush"
    asked = ("evaluate", "small", "--backend", "openai", "--decoder", "greedy", "--prompts", "2", "--metrics", "rep_4")
    env = {**server.env, "OPENAI_API_KEY": key}

    def refuse(path: str, body: dict[str, Any]) -> endpoint.Said:
        wrong = {"error": {"message": f"Incorrect API key provided: {key}"}}
        return (401, wrong) if body else endpoint.words(path, body)

    with endpoint.endpoint(endpoint.words, key=key) as told, endpoint.endpoint(refuse) as refusing:
        ended = [
            newwiki(*asked, "--model-args", f"base_url={address}", "--db", database, **env)
            for address in (told.url, refusing.url, told.url.replace("//", f"//me:{password}@"))
        ]
    report = newwiki("report", "--db", database, "--out", tmp_path / "report.html")
    assert [one.returncode for one in (*ended, report)] == [0, 1, 2, 0], ended
    assert {one.authorization for one in told.asked} == {f"Bearer {key}"}
    assert "does not accept the key in OPENAI_API_KEY: Incorrect API key provided: …" in ended[1].stderr
    (tmp_path / "said").write_text("".join(one.stdout + one.stderr for one in (*ended, report)))
    folders = (tmp_path, Path(server.env["PREFECT_HOME"]).parent)
    left = {file: file.read_bytes() for folder in folders for file in folder.rglob("*") if file.is_file()}
    for secret in (key, password):
        assert [file for file, content in left.items() if secret.encode() in content] == []
    findable = {file.name for file, content in left.items() if told.url.encode() in content}
    assert {"newwiki.duckdb", "report.html", "said"} <= findable
    assert any(name.startswith("prefect.db") for name in findable), "what is no secret is there, and is found"
