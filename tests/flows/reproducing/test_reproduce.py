"""A paper's tables filled by a toy, and what of them cannot be."""

import json
import shutil
from pathlib import Path

import pytest

from flows.progress import Silent
from flows.report.reproduction import exhibits_shown, write_reproduction
from flows.reproducing.chosen_models import ChosenModel, choose_models
from flows.reproducing.matching import FAILS, HOLDS, NOT_RUN, UNKNOWN
from flows.reproducing.records import plan_rows
from flows.reproducing.reproduce import ReproducedPaper, carry_out, plan, plan_paper
from flows.reproducing.step import Reproduction
from newwiki.errors import UsageError
from newwiki.papers import published
from newwiki.papers.published import Exhibit, papers
from newwiki.reproduce_request import ReproduceRequest
from newwiki.settings import Settings
from storage import snapshots
from storage.database import Database
from tests.flows.conftest import Run

COLUMNS = ("FK-Score", "Essay scoring", "Entity overlap", "Distinct-n")
OLD, NEW = "samplewiki-2026-08", "samplewiki-2026-09"


@pytest.fixture(scope="module")
def database(two_months: Path, tmp_path_factory: pytest.TempPathFactory) -> Database:
    return Database(Path(shutil.copy(two_months, tmp_path_factory.mktemp("reproduced") / "newwiki.duckdb")))


def narrowed(exhibit: Exhibit, rows: int | None = None) -> Exhibit:
    """With a few of its columns, and its first rows."""
    places = [place for place, title in enumerate(exhibit.columns) if title in COLUMNS]
    kept = [
        row.model_copy(update={"values": tuple(row.values[place] for place in places)}) for row in exhibit.rows[:rows]
    ]
    columns = tuple(exhibit.columns[place] for place in places)
    return exhibit.model_copy(update={"columns": columns, "rows": tuple(kept)})


@pytest.fixture(scope="module")
def reproduction(database: Database, toy_checkpoint: Path) -> Reproduction:
    """Table 3 and two rows of table 4 with the toy as GPT-2, August as the old articles."""
    paper = papers()["003"]
    exhibits = (narrowed(paper.table("3")), narrowed(paper.table("4"), 2), paper.figure("5"))
    request = ReproduceRequest(paper="003", stand_in=(f"GPT-2={toy_checkpoint}",), scale=0.01)
    return Reproduction(
        paper.model_copy(update={"exhibits": exhibits}),
        request,
        Settings(db=str(database.path), entities="rules-v1"),
        database,
        choose_models(paper, request.stand_ins, {}),
        snapshots.resolve(database, NEW),
        snapshots.resolve(database, OLD),
    )


@pytest.fixture(scope="module")
def done(reproduction: Reproduction) -> ReproducedPaper:
    return carry_out(plan_paper(reproduction), Silent())


def test_all_rows_and_columns_of_a_loaded_model_are_filled(done: ReproducedPaper) -> None:
    """What needs a model or a scorer that is not at hand is not run, and nothing else."""
    of_toy = [one for one in done.matches if one.number.model and one.number.model.name == "GPT-2"]
    filled = {one.number.metric.title for one in of_toy if one.ours}
    assert filled == {"FK-Score", "Entity overlap", "Distinct-n"}
    assert {one.number.metric.title for one in of_toy} - filled == {"Essay scoring"}
    assert all(one.ours for one in of_toy if one.number.metric.title in filled)
    assert {one.standing for one in of_toy} <= {HOLDS, FAILS, UNKNOWN, NOT_RUN}


def test_the_articles_own_row_is_filled(done: ReproducedPaper) -> None:
    own = {one.number.metric.title: one for one in done.matches if one.number.model and one.number.model.articles}
    overlap = own["Entity overlap"]
    assert overlap.ours and (overlap.ours.value, overlap.ours.whose, overlap.standing) == (1.0, "Wikipedia", HOLDS)


def test_each_number_says_whose_it_is(done: ReproducedPaper, toy_checkpoint: Path) -> None:
    whose = {one.ours.whose for one in done.matches if one.ours}
    assert whose == {"Wikipedia", f"{toy_checkpoint}, in the place of GPT-2"}


def test_what_is_not_run_has_a_reason(done: ReproducedPaper) -> None:
    why = {one.number.model.name: one.why for one in done.matches if one.number.model and one.standing == NOT_RUN}
    assert why["GPT-3 Davinci"].startswith("a service that cannot be asked any more; name one in its place")
    assert why["OPT-66B"].startswith("facebook/opt-66b is not on this machine")
    assert why["BART"].startswith("fine-tuned for 10 epochs")
    assert all(one.why for one in done.matches if one.ours is None)


def test_old_articles_are_those_of_the_old_snapshot(done: ReproducedPaper, database: Database) -> None:
    found = {
        one.ours.source: one.number.labels["articles"]
        for one in done.matches
        if one.exhibit.name == "table 4" and one.number.metric.title == "FK-Score" and one.ours
    }
    with database.read() as connection:
        places = dict(connection.execute("select run_id, snapshot_id from runs").fetchall())
    assert len(found) == 2
    assert all(places[run_id] == (OLD if label == "old" else NEW) for run_id, label in found.items())


def test_the_prose_is_answered_by_experiments(done: ReproducedPaper) -> None:
    answered = {task.name: outcome.answer for task, outcome in done.tasks if task.experiment}
    assert set(answered) == {"models", "leakage"}
    assert all(answered.values())


def test_asked_again_it_is_the_same_and_nothing_is_written(done: ReproducedPaper, reproduction: Reproduction) -> None:
    database = reproduction.database

    def stored() -> list[object]:
        tables = ("completions", "scores", "runs", "experiments")
        with database.read() as connection:
            return [connection.table(one).count("*").fetchall() for one in tables]

    before = stored()
    again = carry_out(plan_paper(reproduction), Silent())
    assert again.matches == done.matches
    assert stored() == before


def test_the_page_has_every_exhibit_and_colours_what_an_interval_decides(
    done: ReproducedPaper, database: Database, tmp_path: Path
) -> None:
    shown = exhibits_shown(done)
    assert [one.exhibit.name for one in shown] == ["table 3", "table 4", "figure 5"]
    tones = {cell.tone for one in shown for row in one.rows for cell in row.cells if cell and cell.ours}
    assert tones <= {"good", "bad", ""}
    page = write_reproduction([done], tmp_path / "page.html", database.path).read_text()
    assert "60.5" in page and "a service that cannot be asked any more" in page
    assert "in the place of GPT-2" in page and "http" not in page.partition("<main")[0].replace("http-equiv", "")


@pytest.mark.parametrize("paper", ["000", "001", "002", "003", "004"])
def test_what_cannot_be_had_is_told_before_anything_runs(paper: str, database: Database) -> None:
    """Without a stand-in nothing of these papers is on this machine."""
    request = ReproduceRequest(paper=paper, scale=0.01)
    rows, notes = plan_rows(plan(database, request, Settings(db=str(database.path))), database)
    assert rows == []
    named = {one.name for of_paper in published.named(paper) for one in of_paper.models if not one.articles}
    assert all(any(f"{name}: not run: " in note for note in notes) for name in named)


def test_a_dry_run_tells_and_does_nothing(
    two_months: Path, tmp_path: Path, toy_checkpoint: Path, in_process: Run
) -> None:
    database = shutil.copy(two_months, tmp_path / "newwiki.duckdb")
    asked = ("reproduce", "003", "--stand-in", f"GPT-2={toy_checkpoint}", "--scale", "0.01", "--dry-run")
    told = in_process(*asked, "--db", database, "--format", "json")
    planned = json.loads(told.stdout)
    assert planned[0]["task"].split()[-2:] == ["new", "articles"]
    assert {one["runs"] for one in planned if one["task"] == "decoder-grid"} == {50}
    assert all("2,000 in the paper" in one["scale"] for one in planned)
    assert "GPT-3: not run: a service" in told.stderr
    with Database(Path(database)).read() as connection:
        assert connection.execute("select count(*) from runs").fetchone() == (0,)


def test_a_stand_in_is_of_the_papers_models(database: Database, toy_checkpoint: Path) -> None:
    for asked, told in (
        (f"GPT2={toy_checkpoint}", "did you mean 'GPT-2'"),
        ("GPT-2=nowhere/at-all", "nowhere/at-all"),
    ):
        request = ReproduceRequest(paper="003", stand_in=(asked,))
        with pytest.raises(Exception, match=told):
            plan(database, request, Settings(db=str(database.path)))
    with pytest.raises(UsageError, match="NAME=MODEL"):
        ReproduceRequest(paper="003", stand_in=("gpt2",))
    with pytest.raises(UsageError, match="at most 1"):
        ReproduceRequest(paper="003", scale=2.0)


def test_an_amateur_has_a_stand_in_too(toy_checkpoint: Path) -> None:
    chosen = choose_models(papers()["000-2"], {"gpt2": str(toy_checkpoint)}, {})
    assert isinstance(chosen.amateurs["gpt2"], ChosenModel)
    decoder = "contrastive-decoding:alpha=0.1,amateur=gpt2,num_beams=5"
    assert chosen.decoder(decoder) == f"contrastive-decoding:alpha=0.1,amateur={toy_checkpoint},num_beams=5"
