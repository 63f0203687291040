"""The flows on a real Prefect server: they run, retry what may pass, leave artifacts, and a schedule really fires."""

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest

import flows.demonstration as demo
from flows.commands.experiment import run_experiment
from flows.demonstration import wiki
from flows.experiments.experiment import named
from flows.experiments.leakage.request import LeakageRequest
from flows.jobs.job import Here
from flows.progress import Silent
from flows.schedule.catch_up import MonthsFailed
from flows.schedule.webhook import address
from newwiki.errors import TerminalError, TransientError, UsageError
from newwiki.registrations import Evaluation, Notify
from newwiki.request import RefreshRequest
from newwiki.settings import Settings
from newwiki.sources.dump import DumpSource
from storage.database import Database
from tests import endpoint
from tests.docs.blocks import ROOT
from tests.flows.conftest import Run, command, environment
from tests.flows.registered import TOKEN, register, webhook, write_models
from tests.flows.serving import PrefectServer, running, wait_for

pytestmark = pytest.mark.slow

_SEPTEMBER = RefreshRequest(month="2026-09", dump=(str(wiki()),))


@pytest.fixture
def connected(server: PrefectServer) -> Iterator[None]:
    """Flows of this process run on the server, and leave their files in its folder."""
    from prefect.settings import PREFECT_API_URL, PREFECT_HOME, temporary_settings

    with temporary_settings({PREFECT_API_URL: server.api, PREFECT_HOME: Path(server.env["PREFECT_HOME"])}):
        yield


@pytest.fixture(scope="module")
def models(toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_models(toy_checkpoint, tmp_path_factory.mktemp("models"))


@pytest.mark.usefixtures("connected")
class TestInProcess:
    def test_a_task_is_tried_again_only_where_that_may_help(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import flows.refreshing.flow

        patient = flows.refreshing.flow.gather.with_options(retry_delay_seconds=0)
        monkeypatch.setattr(flows.refreshing.flow, "gather", patient)
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
        snapshot = flows.refreshing.flow.refresh(_SEPTEMBER, Settings(db=str(tmp_path / "a.duckdb")))
        assert snapshot.articles == 13
        assert len(calls) == 3
        calls.clear()
        monkeypatch.setattr(DumpSource, "site", failing(TerminalError))
        with pytest.raises(TerminalError):
            flows.refreshing.flow.refresh(_SEPTEMBER, Settings(db=str(tmp_path / "b.duckdb")))
        assert len(calls) == 1

    def test_an_error_in_a_flow_reaches_the_caller_as_it_is(self, tmp_path: Path) -> None:
        from flows.refreshing.flow import refresh

        with pytest.raises(TerminalError, match="nothing to publish"):
            refresh(replace(_SEPTEMBER, month="2020-01"), Settings(db=str(tmp_path / "a.duckdb")))

    def test_a_webhooks_address_is_taken_from_a_secret_block(self, server: PrefectServer) -> None:
        from prefect.blocks.system import Secret

        place = f"https://hooks.example.org/{TOKEN}"
        Secret(value=place).save("notices")
        assert address(Notify(webhook_block="notices")) == place
        stored = b"".join(file.read_bytes() for file in Path(server.env["PREFECT_HOME"]).glob("prefect.db*"))
        assert b"notices" in stored
        assert TOKEN.encode() not in stored
        with pytest.raises(UsageError, match="the Secret block 'nobody', which Prefect does not have"):
            address(Notify(webhook_block="nobody"))

    def test_a_month_with_a_model_that_fails_is_a_failed_flow_run(
        self, server: PrefectServer, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """And no artifact leads to a file that only this machine has."""
        from flows.schedule.flow import monthly

        config = register(tmp_path, models, since="2026-09", **{"other": "nowhere", '"sample"': '"broken"'})
        monkeypatch.chdir(tmp_path)
        with webhook() as hook:
            monkeypatch.setenv("THE_WEBHOOK", hook.url)
            with pytest.raises(MonthsFailed, match="there is no model"):
                monthly(str(config), str(tmp_path / "newwiki.duckdb"), today=date(2026, 10, 16))
        assert [notice["complete"] for notice in hook.taken] == [False]
        states = {run["name"]: run["state_type"] for run in server.runs()}
        assert states["broken 2026-09"] == states["due on 2026-10-16"] == "FAILED"
        (shown,) = [one["data"] for one in server.artifacts_of("month-broken-2026-09")]
        assert "samplewiki-2026-09" in shown
        assert "file:" not in shown

    def test_an_experiment_is_a_flow_with_the_answer_of_its_steps(
        self, server: PrefectServer, two_months: Path, toy_checkpoint: Path, tmp_path: Path
    ) -> None:
        from flows.experiments.flow import flow_of

        settings = Settings(db=str(shutil.copy(two_months, tmp_path / "newwiki.duckdb")))
        old, new = "samplewiki-2026-08", "samplewiki-2026-09"
        asked = LeakageRequest(models=(str(toy_checkpoint),), old=old, snapshot=new)
        answer = flow_of(named("leakage"))(asked, settings, quiet=True)
        assert server.ended("newwiki-experiment-leakage") == ["COMPLETED"]
        assert run_experiment(named("leakage"), asked, Here(settings, quiet=True)) == answer

    def test_the_demo_ends_with_a_leaderboard_and_a_funnel_of_every_reason(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(demo, "EVALUATION", Evaluation(samples=1, keep=1, max_new_tokens=8))
        monkeypatch.setattr(demo, "dump", lambda: (str(wiki()),))
        monkeypatch.setattr(demo, "find_spec", lambda name: None)  # no real model
        settings = Settings()
        demo.run(tmp_path, settings, Silent())
        first = capsys.readouterr().out
        before = stored(tmp_path / "demo.duckdb")
        demo.run(tmp_path, settings, Silent())
        for verdict in (
            "selected",
            "redirect",
            "disambiguation",
            "few_words",
            "few_revisions",
            "hidden",
        ):
            assert f"\n{verdict} " in first
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
        assert "toy-gpt2 cannot be shown to have read August: its bits per byte on August's articles are " in first
        assert "Where next" in first
        (report,) = tmp_path.glob("reports/*.html")
        assert f"open {report} in a browser" in first
        assert "Leaderboard" in report.read_text("utf-8")
        assert capsys.readouterr().out == first
        assert stored(tmp_path / "demo.duckdb") == before


def stored(path: Path) -> dict[str, list[Any]]:
    """All rows of all tables. An experiment commits again, without a change."""
    with duckdb.connect(str(path), read_only=True) as connection:
        tables = "select table_name from duckdb_tables() where table_name != 'commit_counter'"
        return {
            name: connection.execute(f"select * from {name} order by all").fetchall()  # noqa: S608 (our own names)
            for (name,) in connection.execute(tables).fetchall()
        }


class TestSchedule:
    """`newwiki schedule` and prefect.yaml on the server: the same flows, by a cron of every minute and by a worker."""

    def test_publishes_a_missed_month_and_then_nothing(
        self, server: PrefectServer, connected: None, models: Path, tmp_path: Path
    ) -> None:
        """A served cron starts the flow by itself. It has broken with newer SQLAlchemy; see pyproject.toml."""
        from flows.schedule.flow import monthly

        config = register(tmp_path, models, since="2026-09")
        log = tmp_path / "schedule.log"
        serve = command("schedule", "--cron", "* * * * *", "--today", "2026-10-16")
        told_before = server.events("newwiki.snapshot.published")
        others = Counter(server.ended("newwiki-monthly"))

        def ended() -> Counter[str]:
            return Counter(server.ended("newwiki-monthly")) - others

        with webhook() as hook, running(serve, log, server.env | {"THE_WEBHOOK": hook.url}):
            wait_for(lambda: ended().total() >= 1, 180, log)
            states = {*ended()}
        assert states == {"COMPLETED"}, log.read_text()[-3000:]
        assert "leaked" not in log.read_text()
        assert [notice["month"] for notice in hook.taken] == ["2026-09"]
        assert published(tmp_path) == (2, {("2026-09", 3)})
        reports = sorted(tmp_path.glob("reports/*.html"))
        assert [report.name[:18] for report in reports] == ["samplewiki-2026-09"]
        tagged = [set(run["tags"]) for run in server.runs() if run["name"] == "sample 2026-09"]
        assert any({"newwiki", "sample", "2026-09"} <= tags for tags in tagged)
        wait_for(lambda: server.events("newwiki.snapshot.published") == told_before + 1, 30, log)
        assert {name.split("-")[1] for name in server.limits()} == {"refresh", "writer"}
        assert {"month-sample-2026-09", "progress-sample-2026-09"} <= server.artifacts()
        everything = [log, server.folder, *tmp_path.glob("newwiki.duckdb*"), *reports]
        assert [place for place in everything if holds(place, TOKEN)] == []
        assert holds(server.folder, "THE_WEBHOOK"), "what is looked through is what Prefect stores"
        before = (tmp_path / "newwiki.duckdb").read_bytes()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("THE_WEBHOOK", hook.url)
            assert monthly(str(config), str(tmp_path / "newwiki.duckdb"), today=date(2026, 10, 16)) == []
        assert (tmp_path / "newwiki.duckdb").read_bytes() == before

    def test_is_deployed_to_a_work_pool(self, server: PrefectServer, tmp_path: Path) -> None:
        """No month is due on that day. Without the registrations of the folder the flow run would fail."""
        register(tmp_path, tmp_path, since="2026-09")
        env = server.env | {"NEWWIKI_WORK_POOL": "ours", "NEWWIKI_FOLDER": str(tmp_path), "PYTHONPATH": str(ROOT)}
        server.create_work_pool("ours")
        prefect(["deploy", "--all", "--no-prompt", "--prefect-file", str(ROOT / "prefect.yaml")], tmp_path, env)
        before = Counter(server.ended("newwiki-monthly"))
        server.run_deployment("newwiki-monthly/newwiki-pool", today="2026-10-14")
        work = ["worker", "start", "--pool", "ours", "--run-once", "--type", "process"]
        prefect(work, tmp_path, env | {"THE_WEBHOOK": "https://hooks.example.org"})
        assert Counter(server.ended("newwiki-monthly")) - before == {"COMPLETED": 1}


def published(folder: Path) -> tuple[int, set[tuple[str, int]]]:
    """How many models have runs there, and the months with the number of their articles."""
    with Database(folder / "newwiki.duckdb").read() as connection:
        ((models,),) = connection.execute("select count(distinct model) from runs where status = 'complete'").fetchall()
        months = connection.execute("select strftime(window_start, '%Y-%m'), articles from snapshots").fetchall()
    return models, set(months)


def holds(place: Path, text: str) -> bool:
    """Whether the text stands in the file, or in one of the folder's."""
    files = [place] if place.is_file() else [file for file in place.rglob("*") if file.is_file()]
    return any(text.encode() in file.read_bytes() for file in files)


def prefect(arguments: list[str], folder: Path, env: dict[str, str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "prefect", *arguments], cwd=folder, env=environment(**env), capture_output=True,
        text=True, timeout=180,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_command_line_goes_through_the_server_that_is_configured(newwiki: Run, server: PrefectServer) -> None:
    asked = ("--kind", "old", "--before", "2026-09-20", "--min-words", "400", "--sample", "5")
    ended = newwiki("refresh", "--dump", wiki(), *asked, "--format", "json", "--quiet", **server.env)
    assert ended.returncode == 0, ended.stderr
    assert "leaked" not in ended.stderr
    (snapshot,) = json.loads(ended.stdout)
    assert (snapshot["articles"], snapshot["kind"]) == (5, "old")
    assert newwiki("snapshots", "verify", snapshot["snapshot_id"]).returncode == 0
    states = {run["name"]: run["state_type"] for run in server.runs()}
    assert states[f"refresh old-before-2026-09-20 from {wiki()}"] == "COMPLETED"


@pytest.mark.usefixtures("connected")
def test_no_secret_is_left_anywhere(server: PrefectServer, in_process: Run, database: Path, tmp_path: Path) -> None:
    """Not after a run with a key, nor where a server repeats the key in its error, nor of a password in the address."""
    key, password = "sk-of-nobody-0123456789", "hush-hush"
    asked = ("evaluate", "small", "--backend", "openai", "--decoder", "greedy", "--prompts", "2", "--metrics", "rep_4")
    env = {**server.env, "OPENAI_API_KEY": key}

    def refuse(path: str, body: dict[str, Any]) -> endpoint.Said:
        wrong = {"error": {"message": f"Incorrect API key provided: {key}"}}
        return (401, wrong) if body else endpoint.words(path, body)

    with endpoint.endpoint(endpoint.words, key=key) as told, endpoint.endpoint(refuse) as refusing:
        ended = [
            in_process(*asked, "--model-args", f"base_url={address}", "--db", database, **env)
            for address in (told.url, refusing.url, told.url.replace("//", f"//me:{password}@"))
        ]
    report = in_process("report", "--db", database, "--out", tmp_path / "report.html")
    assert [one.returncode for one in (*ended, report)] == [0, 1, 2, 0], ended
    assert {one.authorization for one in told.asked} == {f"Bearer {key}"}
    assert "rejects the key in OPENAI_API_KEY: Incorrect API key provided: …" in ended[1].stderr
    (tmp_path / "said").write_text("".join(one.stdout + one.stderr for one in (*ended, report)))
    folders = (tmp_path, Path(server.env["PREFECT_HOME"]).parent)
    left = {file: file.read_bytes() for folder in folders for file in folder.rglob("*") if file.is_file()}
    for secret in (key, password):
        assert [file for file, content in left.items() if secret.encode() in content] == []
    findable = {file.name for file, content in left.items() if told.url.encode() in content}
    assert {"newwiki.duckdb", "report.html", "said"} <= findable
    assert any(name.startswith("prefect.db") for name in findable), "what is no secret is there, and is found"
