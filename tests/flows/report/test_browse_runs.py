"""Which runs `newwiki browse` shows and in which order, and what it says of one that is not complete."""

import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from flows.presenting.material import gather
from flows.presenting.page_tables import best_first, in_order
from flows.report.browser.app import application
from flows.report.browser.live import Live
from flows.report.browser.run_progress import RunProgress, duration
from newwiki.models.backend import NUMERICS
from newwiki.records import Completion, Score
from newwiki.settings import Settings
from storage import runs
from storage.cookbook import question
from storage.database import Database
from storage.schema import relations
from tests.flows.comparing.many_runs import RUNS
from tests.flows.scored import RULES, SNAPSHOT, add_run

_HERE = f"/snapshots/{SNAPSHOT}"
_LIVE, _DEAD, _RESUMED, _FAILED = "aa11fe", "bb22dead", "cc33again", "dd44failed"
_DIRECTIONS = {"flesch_reading_ease": "none", "gunning_fog": "none", "gunning_fog_newwiki": "none", "rep_4": "lower"}


@pytest.fixture(scope="module")
def database(fourteen_runs: Path, pages: list[int], tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Fourteen scored runs, and four that are not complete: each took 13 minutes for a quarter of its texts."""
    path = Path(shutil.copy(fourteen_runs, tmp_path_factory.mktemp("runs") / "newwiki.duckdb"))
    filled = Database(path)
    for run_id in (_LIVE, _DEAD, _RESUMED, _FAILED, _RESUMED):
        add_run(
            filled, run_id, "sample:top_p=0.9", samples=4, keep=2, prompts=len(pages), max_new_tokens=64,
            prompt_template=Settings.template, numerics=NUMERICS, versions='{"bos": "no", "chat": "no"}',
        )  # fmt: skip
        runs.add_completions(filled, run_id, [Completion(page, 0, "A town.", 3, 2, "stop", False) for page in pages])
    runs.add_scores(filled, _DEAD, [Score(page, 0, "bleu", 1.0, "ok", RULES.evaluator_id) for page in pages])
    runs.interrupt(filled, _DEAD)
    runs.fail(filled, _FAILED)
    with filled.write() as connection:
        for metric, direction in _DIRECTIONS.items():
            connection.execute("update metrics set direction = ? where metric = ?", [direction, metric])
        connection.execute("update runs set started_at = heard_at - interval 13 minutes where status <> 'complete'")
    return filled


@pytest.fixture(scope="module")
def client(database: Database) -> Iterator[TestClient]:
    with TestClient(application(Live(database)), "http://127.0.0.1") as found:
        yield found


def page(client: TestClient, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return unescape(answer.text)


def shown(client: TestClient, asked: str = "") -> list[str]:
    """The ids of the runs in the table, in its order."""
    table = page(client, f"{_HERE}{asked}").partition('<table class="board">')[2].partition("</table>")[0]
    return re.findall(r'<th scope="row">(?:<input [^>]*> )?<a href="/runs/(\w+)">', table)


def test_runs_stand_as_in_the_report_and_those_without_numbers_last(client: TestClient, database: Database) -> None:
    material = gather(database, SNAPSHOT)
    column = next(column for column in material.board.columns if column.metric == "sbert")
    in_report = [record["run_id"] for record in best_first(material, column)]
    found = shown(client)
    assert found[: len(RUNS)] == in_report
    assert {*found[len(RUNS) :]} == {_LIVE, _DEAD, _RESUMED, _FAILED}
    heads = re.findall(r'order=(\w+)&first=\w+#runs">\1</a>', page(client, _HERE))
    assert heads == [one.name for one in in_order(material, column)]


def test_a_head_sorts_the_better_end_first_and_then_the_other(client: TestClient) -> None:
    for order, first, other in (("rep_4", "lowest", "highest"), ("bleu", "highest", "lowest")):
        [(address, begins)] = re.findall(rf'"(/[^"]+order={order}&first=(\w+))#runs"', page(client, _HERE))
        assert begins == first
        one_way = shown(client, address.removeprefix(_HERE))
        [turned] = re.findall(rf'"(/[^"]+order={order}&first={other})#runs"', page(client, address))
        assert shown(client, turned.removeprefix(_HERE))[: len(RUNS)] == one_way[: len(RUNS)][::-1]
    by_model = [name for name, run in RUNS.items() if str(run["model"]).startswith("/data/")]
    assert shown(client, "?order=model")[: len(by_model)] == sorted(
        by_model, key=lambda name: str(RUNS[name]["decoder"])
    )


def test_only_the_runs_that_are_asked_for_are_shown(client: TestClient) -> None:
    assert shown(client, "?model=models/gpt2&decoder=greedy") == [next(iter(RUNS))]
    assert shown(client, "?state=interrupted") == [_DEAD]
    assert {*shown(client, "?model=models/toy")} == {_LIVE, _DEAD, _RESUMED, _FAILED}
    kept = page(client, f"{_HERE}?model=models/gpt2")
    assert f'"{_HERE}?model=models%2Fgpt2&order=rep_4&first=lowest#runs"' in kept  # sorting leaves the choice
    assert "None of the 18 runs matches" in page(client, f"{_HERE}?model=models/gpt2&state=failed")


@pytest.mark.parametrize(
    ("asked", "status", "words"),
    [
        ("order=sbrt", 404, "runs cannot be sorted by 'sbrt'; did you mean 'sbert'"),
        ("first=best", 400, "first=best is neither lowest nor highest"),
        ("model=models/gpt3", 404, "no run here has the model 'models/gpt3'; did you mean 'models/gpt2'"),
        ("state=dead", 404, "no run here has the state 'dead'"),
    ],
)
def test_what_is_wrong_with_an_address_is_said(client: TestClient, asked: str, status: int, words: str) -> None:
    answer = client.get(f"{_HERE}?{asked}")
    assert (answer.status_code, words in unescape(answer.text)) == (status, True), answer.text


def test_the_best_of_a_column_is_bold_and_none_where_no_end_is_better(client: TestClient) -> None:
    found = page(client, f"{_HERE}?decoder=greedy")
    assert found.count('<strong title="best of the runs shown">') == 6  # of nine metrics
    assert found.count('title="lower is better"') == 1


def test_a_live_run_says_how_far_it_is_how_fast_and_how_long_still(client: TestClient) -> None:
    for address in ("/", _HERE, f"/runs/{_LIVE}"):
        assert "13 of 52 texts (25\xa0%), 1 texts per minute, about 39 min left" in page(client, address)
    assert "To resume the run" not in page(client, f"/runs/{_LIVE}")


def test_the_pace_of_a_run_that_was_gone_on_with_is_not_known(client: TestClient) -> None:
    told = page(client, f"/runs/{_RESUMED}")
    assert "13 of 52 texts (25\xa0%), rate unknown because the run was resumed." in told


def test_a_dead_run_says_since_when_and_what_goes_on_with_it(client: TestClient, database: Database) -> None:
    told = page(client, f"/runs/{_DEAD}")
    assert "13 of 52 texts (25\xa0%), 1 texts per minute." in told
    assert re.search(r"The run was interrupted: its last heartbeat was at [-\d]+ [:\d]+ UTC, \d+ s ago", told)
    assert (
        "<pre><code>newwiki evaluate models/toy --decoder sample:top_p=0.9 --model-args bos=no "
        f"--snapshot {SNAPSHOT} --samples 4 --keep 2 --max-new-tokens 64 --db {database.path}</code></pre>"
    ) in told
    assert "The run failed" in page(client, f"/runs/{_FAILED}")


def test_a_scoring_that_is_not_through_is_told(client: TestClient) -> None:
    told = page(client, f"/runs/{_DEAD}")
    assert "density 1 rules-v1 has scored 13 texts of this run and is not finished" in told
    assert "not finished" not in page(client, f"/runs/{_LIVE}")


@pytest.mark.parametrize(
    ("done", "seconds", "rate", "left"),
    [
        (200, 10.0, "20 texts per second", "40 s"),
        (200, 1000.0, "12 texts per minute", "1 h 7 min"),
        (200, 90_000.0, "8 texts per hour", "4 d 4 h"),
        (1, 90_000.0, None, "1040 d 15 h"),
        (0, None, None, None),
    ],
)
def test_rates_and_times_are_told_in_units_that_are_seen(
    done: int, seconds: float | None, rate: str | None, left: str | None
) -> None:
    one = RunProgress("running", done, 1000, "texts", seconds, None)
    assert (one.rate, one.left) == (rate, left)


def test_no_unit_is_full_of_a_smaller_one() -> None:
    assert [duration(seconds) for seconds in (59.4, 59.6, 3599, 172_799)] == ["59 s", "1 min", "1 h 0 min", "2 d 0 h"]


def test_what_is_internal_is_not_offered(client: TestClient, database: Database) -> None:
    offered = {*re.findall(r"<summary><code>(\w+)</code>", page(client, "/sql"))}
    with database.read() as connection:
        everything = {one.name: one.comment or "" for one in relations(connection)}
    assert offered == {name for name, comment in everything.items() if not comment.startswith("Internal.")}
    assert {name for name in offered if name.endswith("_anew") or name.startswith(("stored_", "whole_"))} == set()
    assert {"leaderboard", "texts", "runs", "scores"} <= offered


def test_an_example_about_one_metric_takes_the_first_that_has_a_better_end(database: Database) -> None:
    beginning, _, _ = question("numbers_by_length").query.partition("select words")
    chosen = beginning.replace("newest_run()", f"'{next(iter(RUNS))}'") + "select metric from chosen"  # noqa: S608
    with database.write() as connection:
        connection.execute("update metrics set direction = 'none' where metric = 'bleu'")
        assert connection.execute(chosen).fetchall() == [("distinct_2",)]
        shown = sorted(mean for _, mean, *_ in connection.execute(question("means").query).fetchall())
        connection.execute("update metrics set direction = 'higher' where metric = 'bleu'")
        means = (
            "select mean from metric_summaries where metric = 'distinct_2' and not is_reference(run_id) order by mean"
        )
        assert shown == [mean for (mean,) in connection.execute(means).fetchall()]


def test_an_answer_is_shown_as_scored_with_its_thinking_and_markup_folded(
    fourteen_runs: Path, pages: list[int], tmp_path: Path
) -> None:
    """The first completion was cleaned, the second has no answer, and the server hides the thinking of the third."""
    thinks = Database(shutil.copy(fourteen_runs, tmp_path / "thinks.duckdb"))
    add_run(thinks, "thinks", samples=3, prompts=1, prompt_template=Settings.template)
    thought: dict[str, Any] = {"thinking": "<b>Hm</b>", "thinking_tokens": 1200}
    completions = [
        Completion(pages[0], 0, "**A town.**", 3, 2, "stop", False, prose="A town.", **thought),
        Completion(pages[0], 1, "", 0, 0, "length", True, no_answer="refused: <i>no</i>", **thought),
        Completion(pages[0], 2, "A city.", 3, 2, "stop", False, prose="A city.", thinking=""),
    ]
    runs.add_completions(thinks, "thinks", completions)
    runs.complete(thinks, "thinks", 1)
    with TestClient(application(Live(thinks)), "http://127.0.0.1") as client:
        html = client.get(f"/runs/thinks/{pages[0]}").text
        first, second, third = re.findall(r'<article class="completion.*?</article>', html, re.DOTALL)
        assert "without an answer" in page(client, "/runs/thinks")
    folded = '<details class="folded"><summary>{}</summary><div class="text" dir="auto">{}</div></details>'
    thinking = folded.format("Thinking, 1,200 tokens", "&lt;b&gt;Hm&lt;/b&gt;")
    answer = '<div class="text" dir="auto">A town.</div>'
    assert first.index(thinking) < first.index(answer) < first.index(folded.format("As written", "**A town.**"))
    assert thinking in second and "No answer: refused: &lt;i&gt;no&lt;/i&gt;" in second and "empty text" not in second
    assert "Thinking, which the server does not show" in third and "<details" not in third and "A city." in third
