"""Toy models that have read an invented wiki's months up to one of them, or none, as `newwiki experiment cutoff` finds.

The wiki, its models and what is right are those of `benchmarks/cutoff_seeds.py`, which does the same for twenty seeds.
"""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks import cutoff_seeds as toys
from evaluators.change_point import UNFINISHED
from flows.cli import cli
from flows.experiments.evaluations import Evaluations
from storage.database import Database
from tests.flows.experiments.cutoff.recomputed import Month, cutoff
from tests.flows.experiments.invented import publish_month
from tests.flows.experiments.recomputed import close, recomputes
from tests.once import once

SEED = 3
FIRST_YEAR = 2025


@pytest.fixture(scope="session")
def models(shared_folder: Path, well_read: Path) -> Path:
    """A folder with the model that has read the months up to its cutoff, and the one that has read none."""
    return once(shared_folder / "cutoff-models", lambda folder: toys.trained_on_months(SEED, well_read, folder))


def publish_months(path: Path, articles: Sequence[toys.Article]) -> Path:
    """A snapshot for each month of an invented wiki."""
    for month in range(toys.MONTHS):
        of_month = [one for one in articles if one.month == month]
        publish_month(Database(path), name_of(month), of_month, 1 + month * toys.EACH)
    return path


def name_of(month: int) -> str:
    return f"{FIRST_YEAR + month // 12}-{month % 12 + 1:02d}"


def asked(path: Path, *arguments: str | Path) -> list[str]:
    return ["experiment", "cutoff", *map(str, arguments), "--db", str(path), "--format", "json", "--quiet"]


def ask(path: Path, *arguments: str | Path) -> None:
    done = CliRunner().invoke(cli, asked(path, *arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output


STATED = ("--knowledge-cutoff", name_of(toys.cutoff_of(SEED) + 3))


@pytest.fixture(scope="module")
def answered(models: Path, well_read: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wiki on which the models and the control have been asked. Tests that change it copy it."""
    path = tmp_path_factory.mktemp("answered") / "newwiki.duckdb"
    publish_months(path, toys.wiki(SEED))
    ask(path, models / f"seen-{SEED}", models / f"unseen-{SEED}", "--control", well_read)
    return path


@pytest.fixture(scope="module")
def alone(models: Path, answered: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same wiki, on which the first model has been asked again, without the control and with a stated cutoff. The
    page of the answer is beside it."""
    path = Path(shutil.copy(answered, tmp_path_factory.mktemp("alone") / "newwiki.duckdb"))
    ask(path, models / f"seen-{SEED}", *STATED, "--out", path.with_suffix(".html"))
    return path


def test_the_month_up_to_which_a_model_has_read_is_named_and_none_where_it_has_read_none(
    models: Path, answered: Path
) -> None:
    found = "select model, verdict, low, high, month, p from cutoff_findings where metric = 'bits_per_byte'"
    by_model = {model: row for model, *row in rows(answered, found)}
    verdict, low, high, _, _ = by_model[str(models / f"seen-{SEED}")]
    assert verdict == "found"
    assert f"{low:%Y-%m}" <= name_of(toys.cutoff_of(SEED)) <= f"{high:%Y-%m}"
    verdict, _, _, month, p = by_model[str(models / f"unseen-{SEED}")]
    assert verdict == "no change" and month is None and p > 0.05
    assert rows(answered, "select count(*), min(articles) from cutoff_months where metric = 'bits_per_byte'") == [
        (3 * toys.MONTHS, toys.EACH)
    ]


def test_without_a_control_it_is_named_too_and_no_run_is_made_again(answered: Path, alone: Path) -> None:
    [(verdict, low, high)] = rows(
        alone, "select verdict, low, high from cutoff_findings where metric = 'bits_per_byte' and stated is not null"
    )
    assert verdict == "found"
    assert f"{low:%Y-%m}" <= name_of(toys.cutoff_of(SEED)) <= f"{high:%Y-%m}"
    assert rows(alone, "select count(*) from runs") == rows(answered, "select count(*) from runs")


def test_killed_between_two_runs_it_takes_what_is_there_and_gives_the_same_answer(
    models: Path, alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = publish_months(tmp_path / "killed.duckdb", toys.wiki(SEED))
    made, make = list[str](), Evaluations.make

    def dies(*arguments: Any, **instead: Any) -> Any:
        if len(made) == 5:
            raise KeyboardInterrupt
        made.append(instead["snapshot"])
        return make(*arguments, **instead)

    with monkeypatch.context() as patched:
        patched.setattr(Evaluations, "make", dies)
        assert CliRunner().invoke(cli, asked(path, models / f"seen-{SEED}", *STATED)).exit_code != 0
    before = rows(path, "select run_id, started_at, finished_at from runs order by all")
    assert len(before) == 5 and rows(path, "select * from experiments") == []
    ask(path, models / f"seen-{SEED}", *STATED)
    assert set(before) < set(rows(path, "select run_id, started_at, finished_at from runs"))
    for table in ("cutoff_findings", "cutoff_months"):
        answer = "select experiment_id from experiments where request->>'control' is null"
        of_answer = f"select * from {table} where experiment_id in ({answer}) order by all"  # noqa: S608
        assert rows(path, of_answer) == rows(alone, of_answer) != []


def test_a_model_s_stated_cutoff_is_drawn_and_judged_in_the_page(models: Path, alone: Path) -> None:
    assert rows(alone, "select agrees from cutoff_findings where stated is not null and metric = 'bits_per_byte'") == [
        (False,)
    ]
    html, stated = alone.with_suffix(".html").read_text(), STATED[1]
    assert f"is said to know of nothing after {stated}, which does not agree with its numbers" in html
    assert "The last month that was seen" in html and "stated knowledge cutoff" in html
    assert html.count("<svg") == 1 and "no control was given" in html
    assert ">seen-3</text>" in html and str(models)[:20] not in html, "a name that the legend would cut has no folder"


def test_the_answer_counts_the_months_that_its_verdict_generalizes_over(answered: Path) -> None:
    told = rows(answered, "select generalizes_over, methods->>'unit', methods->>'units' from experiments")
    assert {(over, unit, json.loads(units)[0]) for over, unit, units in told} == {("months", "months", toys.MONTHS)}


@recomputes("cutoff_findings")
def test_month_interval_and_p_are_those_of_the_stored_scores(answered: Path, models: Path, well_read: Path) -> None:
    scores = rows(
        answered,
        "select r.model, a.page_id, year(a.created_at) * 12 + month(a.created_at) - 1, a.words, s.value from scores s "
        "join runs r using (run_id) join articles a on a.snapshot_id = r.snapshot_id and a.page_id = s.page_id "
        "where s.metric = 'bits_per_byte'",
    )
    of_control = {page: value for model, page, _, _, value in scores if model == str(well_read)}
    found = rows(answered, "select model, p, month, low, high, change, verdict from cutoff_findings where "
                           "metric = 'bits_per_byte' and control is not null")  # fmt: skip
    assert {str(models / name) for name in ("seen-3", "unseen-3")} == {model for model, *_ in found}
    for model, p, month, low, high, change, verdict in found:
        by_month: dict[int, list[tuple[float, float]]] = {}
        for name, page, when, words, value in scores:
            if name == model:
                by_month.setdefault(when, []).append((value - of_control[page], words))
        ours = cutoff([Month(when, *zip(*by_month[when], strict=True)) for when in sorted(by_month)])
        assert close(p, ours.p)
        assert (verdict == "no change") == (ours.p > 0.05)
        if verdict != "no change":
            assert (verdict == UNFINISHED) == (max(by_month) in ours.interval)
        if verdict == "found":
            numbers = [day.year * 12 + day.month - 1 for day in (month, low, high)]
            assert numbers == [ours.month, ours.interval[0], ours.interval[-1]]
            assert change == pytest.approx(ours.change, rel=1e-6)


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with Database(path).read() as connection:
        return connection.execute(sql).fetchall()
