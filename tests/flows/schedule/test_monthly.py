"""What is due, what is done of it, and what is told: the road of `newwiki schedule`, without Prefect."""

import csv
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from evaluators import statistics
from flows.progress import Progress, Silent
from flows.schedule import month as steps
from flows.schedule.board_health import examine_board
from flows.schedule.catch_up import MonthsFailed, catch_up, start_of
from flows.schedule.due import Month, newest_due, settled, to_do
from flows.schedule.notice import MonthEnding
from flows.site.build import build
from newwiki.comparison_requests import ReportRequest
from newwiki.errors import TerminalError, TransientError, UsageError
from newwiki.registrations import Model, Registrations, Wiki, load_registrations
from newwiki.settings import Settings, load_settings
from newwiki.snapshot import Window
from newwiki.sources.backoff import Backoff
from storage import months
from storage.database import Database
from tests.docs.world import write_checkpoint
from tests.flows.conftest import Run
from tests.flows.registered import TOKEN, Webhook, register, webhook, write_models

OCTOBER = datetime(2026, 10, 16, tzinfo=UTC)
WIKI = Wiki(name="mine", dump="wiki.xml", since="2026-07")
MINE = Registrations(wikis=(WIKI,))


@pytest.mark.parametrize(
    ("now", "month"),
    [
        (datetime(2026, 11, 14, 23, 59, 59, tzinfo=UTC), "2026-09"),
        (datetime(2026, 11, 15, tzinfo=UTC), "2026-10"),
        (datetime(2026, 11, 30, 23, tzinfo=UTC), "2026-10"),
        (datetime(2027, 1, 1, tzinfo=UTC), "2026-11"),
        (datetime(2027, 1, 31, tzinfo=UTC), "2026-12"),
        (datetime(2024, 3, 15, tzinfo=UTC), "2024-02"),
    ],
)
def test_a_month_is_due_on_the_fifteenth_of_the_next(now: datetime, month: str) -> None:
    assert newest_due(now) == Window.month(month)


def test_a_month_is_cut_on_the_fifteenth_of_the_next() -> None:
    assert settled(Window.month("2026-12")) == datetime(2027, 1, 15, tzinfo=UTC)


def test_a_day_stands_for_its_end() -> None:
    assert newest_due(start_of(date(2026, 10, 15))) == Window.month("2026-09")


def test_a_chat_model_has_a_template_of_its_own_beside_base_models() -> None:
    base, chat = Model(name="base", decoders=("greedy",)), Model(name="it", decoders=("greedy",), template="chat")
    settings = Settings(template="{title}: {first_sentence}")
    month = Month(WIKI, "2026-08", Registrations(wikis=(WIKI,), models=(base, chat)), settings)
    assert month.settings_of(base) == settings
    assert month.settings_of(chat) == replace(settings, template="chat")


def ended(month: Month, *, complete: bool = True) -> months.MonthRecord:
    key = f"{month}{month.registered_sha256}{complete}"
    at = datetime(2026, 10, 1, tzinfo=UTC)
    return months.MonthRecord(key, month.wiki.name, month.label, month.registered_sha256, None, complete, at, None)


class TestToDo:
    def labels(self, database: Database, registered: Registrations = MINE, now: datetime = OCTOBER) -> list[str]:
        (wiki,) = registered.wikis
        return [month.label for month in to_do(database, registered, Settings(), wiki, now)]

    def test_is_every_due_month_since_the_first_that_is_wanted(self, tmp_path: Path) -> None:
        database = Database(tmp_path / "a.duckdb")
        assert self.labels(database) == ["2026-07", "2026-08", "2026-09"]
        assert self.labels(database, now=datetime(2026, 10, 14, tzinfo=UTC)) == ["2026-07", "2026-08"]
        assert self.labels(database, now=datetime(2026, 8, 14, tzinfo=UTC)) == []
        assert not database.path.exists()

    def test_goes_over_the_end_of_a_year(self, tmp_path: Path) -> None:
        registered = Registrations(wikis=(Wiki(name="mine", dump="d", since="2025-11"),))
        found = self.labels(Database(tmp_path / "a.duckdb"), registered, datetime(2026, 2, 15, tzinfo=UTC))
        assert found == ["2025-11", "2025-12", "2026-01"]

    def test_leaves_out_what_is_complete_for_what_is_registered(self, tmp_path: Path) -> None:
        database = Database(tmp_path / "a.duckdb")
        first, second, _ = to_do(database, MINE, Settings(), WIKI, OCTOBER)
        months.record(database, ended(first))
        months.record(database, ended(second, complete=False))
        assert self.labels(database) == ["2026-08", "2026-09"]
        other = Registrations.model_validate({"wikis": [{**WIKI.model_dump(), "min_words": 400}]})
        assert self.labels(database, other) == ["2026-07", "2026-08", "2026-09"]
        moved = Registrations.model_validate({"wikis": [{**WIKI.model_dump(), "dump": "elsewhere.xml"}]})
        assert self.labels(database, moved) == ["2026-08", "2026-09"], "where a wiki is read from decides nothing"
        by_openvino = to_do(database, MINE, Settings(embedder_backend="openvino"), WIKI, OCTOBER)
        assert [month.label for month in by_openvino] == ["2026-07", "2026-08", "2026-09"]

    def test_begins_with_the_newest_month_where_none_is_named_and_remembers_it(self, tmp_path: Path) -> None:
        database = Database(tmp_path / "a.duckdb")
        registered = Registrations(wikis=(Wiki(name="mine", dump="d"),))
        assert self.labels(database, registered) == ["2026-09"]
        (month,) = to_do(database, registered, Settings(), registered.wikis[0], OCTOBER)
        months.record(database, ended(month, complete=False))
        december = datetime(2026, 12, 20, tzinfo=UTC)
        assert self.labels(database, registered, december) == ["2026-09", "2026-10", "2026-11"]


def test_a_wiki_that_fails_for_now_holds_up_its_own_later_months_and_no_others(tmp_path: Path) -> None:
    registered = Registrations(wikis=(WIKI, Wiki(name="other", dump="d", since="2026-09")))
    tried: list[str] = []

    def do(month: Month) -> MonthEnding:
        tried.append(str(month))
        failures = {"mine 2026-07": "no page passed", "mine 2026-08": "it is down"}.get(str(month))
        told = {"refresh": failures} if failures else {}
        return MonthEnding(month, None, None, None, (), told, held_up=str(month) == "mine 2026-08")

    with pytest.raises(MonthsFailed) as raised:
        catch_up(Database(tmp_path / "a.duckdb"), registered, Settings(), OCTOBER, do)
    assert tried == ["mine 2026-07", "mine 2026-08", "other 2026-09"]
    assert str(raised.value) == "mine 2026-07: refresh: no page passed | mine 2026-08: refresh: it is down"


def test_two_schedules_do_not_work_on_one_database(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.duckdb")
    with (
        FileLock(tmp_path / "a.duckdb.schedule-lock"),
        pytest.raises(TransientError, match=r"another schedule is at work on '.*a\.duckdb'"),
    ):
        catch_up(database, MINE, Settings(), OCTOBER, lambda month: pytest.fail("nothing is to be done"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"greedy"', '"greedly"', "there is no decoder 'greedly'"),
        ('decoders = ["greedy"]', 'decoders = ["greedy"]\nbackend = "hg"', "there is no backend 'hg'"),
        ("words,rep_4", "words,rep_5", "rep_5"),
        ("words > +200", "words > much", "'words > much' is no such bound"),
        ("words > +200", "wordz > +200", "'wordz', which .evaluation. does not measure; did you mean 'words'"),
        ("words > +200", "sbert < -1", "'sbert', which .evaluation. does not measure"),
        ("small/greedy", "smal/greedy", "'smal/greedy' is no run of this file"),
        ("small/greedy", "greedy", "'greedy' may be 2 runs of this file"),
        ("[notify]", '[report]\nout = "/dev/null/reports"\n[notify]', "no report can be written"),
        ("prompts = 2", "prompts = 2\nsamples = 2\nkeep = 3", r"\[evaluation\]: --keep 3 is more than --samples 2"),
        ("dump = ", "# dump = ", "'sample' is not the database name of a Wikipedia"),
        ("THE_WEBHOOK", "ANOTHER_WEBHOOK", "ANOTHER_WEBHOOK, which is not set"),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, message: str
) -> None:
    monkeypatch.setenv("THE_WEBHOOK", "https://hooks.example/x")
    registered = load_registrations(register(tmp_path, tmp_path, **{old: new}))
    with pytest.raises(UsageError, match=message):
        catch_up(
            Database(tmp_path / "a.duckdb"), registered, Settings(), OCTOBER, lambda month: pytest.fail("too late")
        )
    assert not (tmp_path / "a.duckdb").exists()


@pytest.fixture(scope="module")
def models(toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_models(toy_checkpoint, tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def hook() -> Iterator[Webhook]:
    with webhook() as hook:
        yield hook


@dataclass(frozen=True)
class Finished:
    """A folder with two months of the sample wiki published and evaluated, and what the webhook heard of it."""

    folder: Path
    notices: list[dict[str, Any]]
    asked: int


@pytest.fixture(scope="module")
def finished(models: Path, hook: Webhook, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder = tmp_path_factory.mktemp("finished")
    register(folder, models)
    hook.answers = [503]
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("THE_WEBHOOK", hook.url)
        patched.chdir(folder)
        patched.setattr(steps, "Backoff", lambda: Backoff(attempts=2, first_wait=0.001))
        assert [str(ending.month) for ending in once()] == ["sample 2026-08", "sample 2026-09"]
    return Finished(folder, hook.taken, hook.asked)


def once() -> list[MonthEnding]:
    """Do what the command does in this folder, but write one line as the report, because a page takes a second."""
    database = Database("newwiki.duckdb")
    work = steps.MonthSteps(database, Silent(), write_line, build)
    settings = replace(load_settings(None), db="newwiki.duckdb")
    registered = load_registrations(None)
    return list(
        catch_up(
            database, registered, settings, OCTOBER, lambda month: steps.run(month, work),
            lambda: steps.update_site(registered, settings, work),
        )
    )  # fmt: skip


def write_line(database: Database, progress: Progress, request: ReportRequest, path: Path) -> Path:
    path.write_text(f"report on {request.snapshot}", "utf-8")
    return path


@pytest.fixture
def folder(finished: Finished, hook: Webhook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it to work in, and a webhook that has heard nothing."""
    shutil.copytree(finished.folder, tmp_path, dirs_exist_ok=True)
    hook.answers, hook.taken, hook.asked = [], [], 0
    monkeypatch.setenv("THE_WEBHOOK", hook.url)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def change(folder: Path, old: str, new: str, count: int = -1) -> None:
    text = (folder / "newwiki.toml").read_text()
    assert old in text
    (folder / "newwiki.toml").write_text(text.replace(old, new, count))


class TestTwoMissedMonths:
    def test_are_published_in_order_and_evaluated_by_every_model(self, finished: Finished) -> None:
        with Database(finished.folder / "newwiki.duckdb").read() as connection:
            published = connection.execute(
                "select strftime(window_start, '%Y-%m'), cutoff, articles from snapshots order by published_at"
            ).fetchall()
            board = connection.execute("select snapshot_id, model, decoder, prompts from leaderboard").fetchall()
            records = connection.execute("select month, complete, notified_at is not null from months").fetchall()
        cut = [datetime(2026, 9, 15, tzinfo=UTC), datetime(2026, 10, 15, tzinfo=UTC)]
        assert published == [("2026-08", cut[0], 3), ("2026-09", cut[1], 3)]
        models = {(model.rpartition("/")[2], decoder, prompts) for _, model, decoder, prompts in board}
        assert models == {("Wikipedia", "reference", 2), ("small", "greedy", 2), ("other", "greedy", 2)}
        assert len(board) == 6
        assert records == [("2026-08", True, True), ("2026-09", True, True)]

    def test_have_a_report_each(self, finished: Finished) -> None:
        reports = {file.stem: file.read_text("utf-8") for file in finished.folder.glob("reports/*.html")}
        assert sorted(name[:18] for name in reports) == ["samplewiki-2026-08", "samplewiki-2026-09"]
        assert all(text == f"report on {name}" for name, text in reports.items())

    def test_are_told_of_once_each_though_the_webhook_was_busy(self, finished: Finished) -> None:
        assert finished.asked == 3
        first, second = finished.notices
        assert (first["month"], second["month"]) == ("2026-08", "2026-09")
        assert (second["complete"], second["failures"]) == (True, [])
        assert second["funnel"]["selected"] == 3
        assert second["snapshot"]["snapshot_id"].startswith("samplewiki-2026-09")
        models = [row["model"] for row in second["leaderboard"]]
        assert sorted(models) == ["Wikipedia", "other", "small"], "not the folders that they lie in"
        assert all("words" in row["means"] for row in second["leaderboard"])
        assert [(gate["outcome"], gate["no_interval"]) for gate in second["gates"]] == [("not sure", "too few prompts")]
        assert Path(second["report"]).is_file()

    def test_are_complete(self, folder: Path, hook: Webhook) -> None:
        before = (folder / "newwiki.duckdb").read_bytes()
        assert once() == []
        assert (folder / "newwiki.duckdb").read_bytes() == before
        assert hook.asked == 0


def test_a_model_that_fails_stops_no_other_and_is_told_of_once(
    folder: Path, toy_checkpoint: Path, hook: Webhook
) -> None:
    change(folder, "[[models]]", '[[models]]\nname = "nowhere"\ndecoders = ["greedy"]\n\n[[models]]', count=1)
    change(folder, 'since = "2026-08"', 'since = "2026-09"')
    for _ in range(2):
        with pytest.raises(MonthsFailed, match="sample 2026-09: model nowhere: there is no model 'nowhere'") as raised:
            once()
        (ending,) = raised.value.endings
        assert not ending.complete
        assert ending.report
    (notice,) = hook.taken
    assert [failure["what"] for failure in notice["failures"]] == ["model nowhere"]
    assert len(notice["leaderboard"]) == 3, "the others stand there"
    write_checkpoint(toy_checkpoint, folder / "nowhere", shift=0.02)
    assert [ending.complete for ending in once()] == [True]
    assert [notice["complete"] for notice in hook.taken] == [False, True]


def test_a_notice_that_was_sent_before_the_power_failed_bears_the_same_key(
    folder: Path, hook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(folder, "words > +200", "words > +201")
    change(folder, 'since = "2026-08"', 'since = "2026-09"')

    def fail(database: Database, ended: months.MonthRecord) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(months, "record", fail)
        with pytest.raises(KeyboardInterrupt):
            once()
    assert len(once()) == 1
    assert len(hook.keys) == 2
    assert len(set(hook.keys)) == 1
    assert once() == []


def test_a_webhook_that_takes_nothing_leaves_the_month_to_be_told_of(folder: Path, hook: Webhook) -> None:
    change(folder, "words > +200", "words > +202")
    change(folder, 'since = "2026-08"', 'since = "2026-09"')
    hook.answers = [404]
    with pytest.raises(MonthsFailed, match="notice: the webhook answered 404"):
        once()
    assert [ending.complete for ending in once()] == [True]
    assert len(hook.taken) == 1


def test_a_closed_gate_is_a_result_that_fails_once(
    folder: Path, hook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if two prompts were as many as it takes to be sure: the sample wiki's month has too few."""
    monkeypatch.setattr(statistics, "FEWEST", 2)
    change(folder, "other/greedy", "Wikipedia/reference")
    change(folder, 'since = "2026-08"', 'since = "2026-09"')
    closed = "the gate is closed: Wikipedia/reference against small/greedy: words > +200 failed"
    with pytest.raises(MonthsFailed, match=re.escape(closed)):
        once()
    (notice,) = hook.taken
    assert (notice["complete"], notice["gates"][0]["outcome"]) == (True, "failed")
    assert closed in notice["text"]
    assert once() == []


BOARD = """
[linking]

[site]
address = "https://lab.example/board"
sources = ["newwiki.duckdb", "bundles"]
key = ["keys"]

[publish]
to = ["www"]
"""


@pytest.fixture
def board(folder: Path) -> Path:
    """A folder whose months are complete, and whose site was just registered. Nobody has submitted a bundle yet."""
    with (folder / "newwiki.toml").open("a") as file:
        file.write(BOARD)
    (folder / "bundles").mkdir()
    return folder


class TestBoard:
    def test_is_written_and_published_though_no_month_is_due(self, board: Path, hook: Webhook) -> None:
        before = (board / "newwiki.duckdb").read_bytes()
        assert once() == []
        for place in ("board", "www"):
            assert "September 2026" in (board / place / "index.html").read_text("utf-8")
            assert (board / place / "fresh.svg").is_file()
        assert hook.asked == 0
        assert {"2026-09"} == set(re.findall(r"\d{4}-\d{2}(?=</text>)", (board / "www/fresh.svg").read_text()))
        assert once() == []
        with Database("newwiki.duckdb").read() as connection:
            ((linked,),) = connection.execute("select count(*) from experiments where name = 'linking'").fetchall()
        assert linked in (0, 1), "linking an unchanged month again adds nothing"
        assert linked or (board / "newwiki.duckdb").read_bytes() == before

    def test_says_what_models_can_have_seen_once_their_cutoffs_are_written_down(self, board: Path) -> None:
        assert "is unknown, as no knowledge cutoff is known" in self.first_page(board)
        [name] = re.findall(r'name = "(.*/small)"', (board / "newwiki.toml").read_text())
        text = (board / "newwiki.toml").read_text()
        (board / "newwiki.toml").write_text(f'{text}\n[knowledge_cutoffs]\n"{name}" = "2026-12"\n')
        assert "Models that can have seen a part of these articles: small 100" in self.first_page(board)

    def first_page(self, board: Path) -> str:
        assert once() == []
        return re.sub(r"<[^>]*>", "", (board / "www" / "index.html").read_text("utf-8"))

    def test_is_told_with_the_month_that_it_shows(self, board: Path, hook: Webhook) -> None:
        change(board, "words > +200", "words > +204")
        change(board, 'since = "2026-08"', 'since = "2026-09"')
        assert [ending.complete for ending in once()] == [True]
        (notice,) = hook.taken
        assert notice["site"] == "https://lab.example/board"
        assert (board / "www" / "site.json").read_bytes() == (board / "board" / "site.json").read_bytes()

    def test_that_cannot_be_published_leaves_the_month_incomplete_until_it_can(
        self, board: Path, hook: Webhook
    ) -> None:
        change(board, "words > +200", "words > +205")
        change(board, 'since = "2026-08"', 'since = "2026-09"')
        (board / "www").mkdir()
        (board / "www" / "index.html").write_text("mine")
        with pytest.raises(MonthsFailed, match="publishing to www: 'www' holds another site"):
            once()
        assert (board / "www" / "index.html").read_text() == "mine"
        (board / "www" / "index.html").unlink()
        assert [ending.complete for ending in once()] == [True]
        assert [notice["complete"] for notice in hook.taken] == [False, True]

    def test_that_cannot_be_published_between_two_months_is_told_too(self, board: Path) -> None:
        (board / "www").write_text("mine")
        with pytest.raises(TerminalError, match="publishing to www: 'www' cannot be written"):
            once()

    def test_is_examined(self, board: Path, in_process: Run) -> None:
        def asked() -> dict[str, str]:
            ended = in_process("doctor", "--board", "--format", "csv", THE_WEBHOOK="https://hooks.example")
            return {
                row["what"]: f"{row['state']}: {row['in words']}" for row in csv.DictReader(ended.stdout.splitlines())
            }

        registered, settings = load_registrations(None), replace(load_settings(None), db="newwiki.duckdb")
        rows = {name: (state, words) for name, state, words in examine_board(registered, settings, OCTOBER)}
        assert rows["sample"] == ("ok", "the newest month is 2026-09, 15 days old; 2026-10 is due on 2026-11-15")
        assert rows["site"] == ("problem", "'board' holds no site yet: run `newwiki schedule --once`")
        once()
        fresh = examine_board(registered, settings, OCTOBER)
        assert {state for _, state, _ in fresh} == {"ok"}
        assert [name for name, _, _ in fresh] == ["sample", "site", "www"]
        (board / "www" / "site.json").unlink()
        (board / "www" / "index.html").unlink()
        assert examine_board(registered, settings, OCTOBER)[2][1] == "problem"
        due = examine_board(registered, settings, datetime(2026, 11, 17, tzinfo=UTC))[0]
        assert due[1:] == (
            "note",
            "the newest month is 2026-09, 47 days old; 2026-10 is due since 2026-11-15, run `newwiki schedule --once`",
        )
        late = examine_board(registered, settings, datetime(2026, 12, 16, tzinfo=UTC))[0]
        assert late[1:] == (
            "problem",
            "the newest month is 2026-09, 76 days old; 2026-10 and 2026-11 are late: due since 2026-11-15, run "
            "`newwiki schedule --once` and read which step fails",
        )
        assert in_process("doctor", "--today", "2026-10-16").returncode == 2
        assert in_process("doctor", "--board", "--model", "small").returncode == 2
        assert asked()["site"] == "ok: board"
        (board / "bundles" / "new.newwiki").write_text("")
        waits = "'board' is older than 'bundles/new.newwiki': run `newwiki schedule --once`"
        assert asked()["site"] == f"note: {waits}"
        long_ago = (datetime.now(UTC) - timedelta(days=2)).timestamp()
        os.utime(board / "board" / "site.json", (long_ago - 9, long_ago - 9))
        os.utime(board / "bundles" / "new.newwiki", (long_ago, long_ago))
        assert asked()["site"] == f"problem: {waits} and read what holds it up"

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("[publish]", "[publishing]", "publishing"),
            ('to = ["www"]', 'to = ["nowhere://x"]', "'nowhere://x' cannot be reached"),
            ('to = ["www"]', 'to = ["hf://lab/board"]', "is no place on the Hub"),
            ('address = "https://lab.example/board"', 'address = "lab"', "'lab' is not an http or https address"),
            ("[site]", '[site]\nout = "/dev/null/board"', r"\[site\]: out is '/dev/null/board', where no site"),
        ],
    )
    def test_that_cannot_be_is_told_before_anything_is_done(
        self, board: Path, old: str, new: str, message: str
    ) -> None:
        change(board, old, new)
        with pytest.raises(UsageError, match=message):
            once()
        assert not (board / "board").exists()

    def test_needs_a_site_to_publish(self, board: Path) -> None:
        text = (board / "newwiki.toml").read_text()
        (board / "newwiki.toml").write_text(text[: text.index("[site]")] + text[text.index("[publish]") :])
        with pytest.raises(UsageError, match=r"\[publish\] copies the site: add a table \[site\]"):
            once()


def test_the_command_does_what_is_due_and_lists_it(in_process: Run, folder: Path, hook: Webhook) -> None:
    change(folder, "words > +200", "words > +203")
    change(folder, 'since = "2026-08"', 'since = "2026-09"')
    asked = ("schedule", "--once", "--format", "csv", "--today", "2026-10-16")
    ended = in_process(*asked, THE_WEBHOOK=hook.url)
    assert ended.returncode == 0, ended.stderr
    (row,) = csv.DictReader(ended.stdout.splitlines())
    assert (row["wiki"], row["month"], row["complete"]) == ("sample", "2026-09", "True")
    assert "Leaderboard" in Path(row["report"]).read_text("utf-8")
    assert TOKEN not in ended.stdout + ended.stderr
    again = in_process(*asked, THE_WEBHOOK=hook.url)
    assert (again.returncode, again.stdout) == (0, "wiki,month,snapshot,complete,report\n")
    assert "no month is due" in again.stderr
    assert len(hook.taken) == 1


def test_the_command_without_registrations_is_misuse(in_process: Run) -> None:
    ended = in_process("schedule")
    assert ended.returncode == 2
    assert (
        ended.stderr
        == "newwiki: no wiki is registered: 'newwiki.toml' does not exist; write one with a table [[wikis]]\n"
    )
