"""What stands in the report: the right numbers in the right place, and what is missing said."""

import json
import re
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from flows.experiments.metrics.result_tables import MetricSight
from flows.presenting import page_tables
from flows.presenting.charts import PageSigns
from flows.presenting.material import gather
from flows.progress import Silent
from flows.report import figures, models
from flows.report.example_texts import column_for, examples
from flows.report.marked_text import Finders, marked, marks
from flows.report.metrics import distributions, matrix
from flows.report.page import render
from newwiki.comparison_requests import ReportRequest
from newwiki.records import Metric
from storage import experiments, runs
from storage.database import Database
from storage.experiments import StoredExperiment
from tests.flows.report.conftest import METRICS, add_scores, add_texts, rules
from tests.flows.scored import SNAPSHOT, SPACY, add_run, score

SAMPLE = {"frequency_penalty": 0, "presence_penalty": 0, "repetition_penalty": 1, "typical_p": 1}


@pytest.fixture
def database(scored: Path, tmp_path: Path) -> Database:
    return Database(shutil.copy(scored, tmp_path / "newwiki.duckdb"))


def values(database: Database, run_id: str, metric: str) -> np.ndarray:
    with database.read() as connection:
        found = connection.execute(
            "select value from scores where run_id = ? and metric = ? order by page_id, sample", [run_id, metric]
        ).fetchall()
    return np.array(found).ravel()


def test_the_leaderboard_has_the_best_first_and_the_strip_where_the_interval_is(scored: Path) -> None:
    material = gather(Database(scored), "latest")
    column = column_for(material, None)
    assert column and column.metric == "sbert"
    records = page_tables.best_first(material, column)
    means = [record["sbert"] for record in records]
    assert means == sorted(means, reverse=True) and len(means) == 5
    cells = [row.cells[0] for row in page_tables.rows(material, records, [column])]
    assert [cell.best for cell in cells] == [True, False, False, False, False]
    low, high = min(r["sbert_low"] for r in records), max(r["sbert_high"] for r in records)
    for cell, record in zip(cells, records, strict=True):
        assert cell.left == pytest.approx(100 * (record["sbert_low"] - low) / (high - low), abs=0.1)
        assert cell.left + cell.width == pytest.approx(100 * (record["sbert_high"] - low) / (high - low), abs=0.15)


def test_table_3_has_the_decoder_that_most_models_share(scored: Path) -> None:
    material = gather(Database(scored), "latest")
    assert [record["run_id"] for record in models.alike(material)] == ["greedy-0", "greedy-1"]


def test_two_checkpoints_of_one_name_are_told_apart(database: Database) -> None:
    run = gather(database, "latest").entries["greedy-0"].run
    for number, model in enumerate(("a/step-1", "b/step-1", "b/step-1")):
        runs.start(
            database,
            replace(
                run,
                run_id=f"x{number}",
                model=model,
                model_sha256=f"{number}" * 64,
            ),
        )
    names = gather(database, "latest").names
    assert [names[f"x{number}"] for number in range(3)] == [
        f"{m} ({str(n) * 8})" for n, m in enumerate(("a/step-1", "b/step-1", "b/step-1"))
    ]


def test_a_figure_is_of_runs_that_differ_in_its_parameter_alone(scored: Path) -> None:
    material = gather(Database(scored), "latest")
    sweep = figures.sweep(material, "top_p", PageSigns())
    (family,) = sweep.families
    assert [value for value, _ in family.points] == ["0.5", "0.9", "1"]
    assert [row.record["run_id"] for _, row in family.points] == ["sample-0", "sample-1", "sample-2"]
    assert [panel.title for panel in sweep.panels] == [
        "FK-Score", "Entity overlap", "S-BERT", "Info density", "Gunning fog", "Distinct-n", "Rep-n",
    ]  # fmt: skip
    assert [panel.title for panel in sweep.rescaled] == [panel.title for panel in sweep.panels]
    means = [f"{values(Database(scored), f'sample-{number}', 'gunning_fog_newwiki').mean():.4g}" for number in range(3)]
    assert all(mean in sweep.panels[4].image for mean in means)  # in its own unit
    fog = sweep.panels[4].column
    assert (fog.rescaled(10), fog.rescaled(25)) == (0, 1)  # the paper's range
    other = figures.sweep(material, "top_k", PageSigns())
    assert not other.panels
    assert "--decoder 'sample:top_p=1.0,top_k=[20,50,100,500],temperature=0.9'" in other.command
    assert other.command.endswith(f"--snapshot {SNAPSHOT} --entities rules-v1")


def test_top_k_that_is_off_is_the_largest(database: Database, pages: list[int]) -> None:
    for top_k in (0, 100, 20):
        parameters = json.dumps(SAMPLE | {"temperature": 1, "top_p": 1, "top_k": top_k})
        add_run(database, f"k{top_k}", f"sample:top_k={top_k}", decoder_parameters=parameters)
        add_scores(database, f"k{top_k}", rules(), [(page, 0) for page in pages], top_k, METRICS[1:2])
    (family,) = figures.sweep(gather(database, "latest"), "top_k", PageSigns()).families
    assert [value for value, _ in family.points] == ["20", "100", "off"]


def test_the_matrix_is_that_of_numpy_and_leaves_the_articles_out(scored: Path) -> None:
    database = Database(scored)
    material = gather(database, "latest")
    found = matrix(database, material)
    assert found
    names = [column.metric for column in found.columns]
    ids = [record["run_id"] for record in material.records]
    table = np.array([np.concatenate([values(database, run_id, name) for run_id in ids]) for name in names])
    np.testing.assert_allclose(np.array(found.cells, float), np.corrcoef(table), atol=1e-9)
    assert found.texts == found.total == table.shape[1]


def test_a_metric_that_does_not_vary_has_no_correlation(database: Database, pages: list[int]) -> None:
    for run_id in ("greedy-0", "greedy-1", "sample-0", "sample-1", "sample-2"):
        score(database, run_id, {"flat": [[0.5]] * 3}, by=replace(SPACY, model=None))
    found = matrix(database, gather(database, "latest"))
    assert found
    place = [column.metric for column in found.columns].index("flat")
    assert {cell for number, cell in enumerate(found.cells[place]) if number != place} == {None}


def test_bins_are_shared_and_hold_every_text(scored: Path) -> None:
    database = Database(scored)
    material = gather(database, "latest")
    found = distributions(database, material)
    column = next(column for column in material.text_columns if column.metric == "rep_4")
    own = [found[record["run_id"], column] for record in material.records]
    assert len({(one.low, one.high) for one in own}) == 1
    assert own[0].quartiles == pytest.approx(
        np.quantile(values(database, material.records[0]["run_id"], "rep_4"), [0.25, 0.5, 0.75])
    )
    sbert = next(column for column in material.text_columns if column.metric == "sbert")
    articles = found[f"reference:{SNAPSHOT}", sbert]
    assert not found["greedy-0", sbert].holds(articles)  # 1, far from what was written


@pytest.mark.slow
def test_worst_median_and_best_are_those_of_the_scores(scored: Path) -> None:
    database = Database(scored)
    found = gather(database, "latest")
    two = tuple(one for one in found.board.records if one["run_id"] in ("sample-1", "sample-2"))
    material = replace(found, board=replace(found.board, records=two))
    for metric, ranks in (
        ("sbert", ["worst", "median", "best"]),
        ("flesch_reading_ease", ["lowest", "median", "highest"]),
    ):
        column = column_for(material, metric)
        assert column
        shown = examples(database, material, column, Silent())["sample-1"].shown
        sorted_values = np.sort(values(database, "sample-1", metric))
        middle = sorted_values[(len(sorted_values) + 1) // 2 - 1]
        assert [one.rank for one in shown] == ranks
        assert [one.value for one in shown] == [sorted_values[0], middle, sorted_values[-1]]
    column = column_for(material, "rep_4")
    assert column
    shown = examples(database, material, column, Silent())["sample-1"].shown
    assert [one.rank for one in shown] == ["worst", "median", "best"]
    assert shown[0].value > shown[1].value > shown[2].value


@pytest.mark.slow
def test_long_texts_are_cut_and_say_so(written: Path) -> None:
    html = written.read_text("utf-8")
    assert "Shown: 1," in html


def test_entities_are_marked_where_they_stand_and_told_apart() -> None:
    text = "A stone at Halmeck, one of <b>Halmeck</b>'s. In 1352, Görl."
    shown = len(text) - 3
    found = marks(text, ["Halmeck", "one", "Halmeck", "1352", "Görl"], ["HALMECK", "1788"], shown)
    seen = marked(text, found, 0, shown)
    assert seen == (
        'A stone at <mark class="both">Halmeck</mark>, <mark>one</mark> of &lt;b&gt;<mark class="both">Halmeck</mark>'
        "&lt;/b&gt;&#39;s. In <mark>1352</mark>, Gö"
    )


@pytest.mark.slow
def test_another_finder_than_the_run_had_marks_nothing_and_says_so(database: Database, pages: list[int]) -> None:
    keys = [(page, 0) for page in pages]
    for number, by in enumerate((replace(rules(), evaluator_id="old-rules", model_sha256="0" * 64), SPACY)):
        run_id = add_run(database, f"other-{number}")
        add_texts(database, run_id, dict.fromkeys(keys, "Halmeck"))
        add_scores(database, run_id, replace(by, evaluator_id=f"by-{number}"), keys, number)
    material = gather(database, "latest")
    finders, by_id = Finders(), {record["run_id"]: record for record in material.records}
    assert finders.of_run(material, by_id["greedy-0"]).model == "rules-v1"  # type: ignore[union-attr]
    assert "rules-v1 has different weights here" in str(finders.of_run(material, by_id["other-0"]))
    assert "spacy:en_two_cities-1.0, which scored this run, is not available" in str(
        finders.of_run(material, by_id["other-1"])
    )
    assert any("numbers of different evaluators cannot stand in one column" in note for note in material.board.notes)
    assert len([column for column in material.board.columns if column.metric == "sbert"]) == 3
    column = column_for(material, "sbert")
    assert column
    of_run = examples(database, material, replace(column, evaluator_id="by-1"), Silent())["other-1"]
    assert of_run.entities.startswith("are not marked: spacy:en_two_cities-1.0")


@pytest.mark.slow
def test_table_4_pairs_the_same_request_on_old_and_new_articles(database: Database, pages: list[int]) -> None:
    material = gather(database, "latest")
    assert models.old_and_new(database, material) is None
    with database.write() as connection:
        connection.execute(
            "insert into snapshots select * replace ('old' as kind, 'old-one' as snapshot_id) from snapshots"
        )
    run = material.entries["sample-1"].run
    runs.start(database, replace(run, run_id="on-old", snapshot_id="old-one"))
    runs.start(database, replace(run, run_id="longer", snapshot_id="old-one", max_new_tokens=9, protocol=None))
    for run_id in ("on-old", "longer"):
        add_scores(database, run_id, rules(), [(page, 0) for page in pages], 77, METRICS[1:])
    found = models.old_and_new(database, gather(database, SNAPSHOT))
    assert found and (found.new_id, found.old_id) == (SNAPSHOT, "old-one")
    (pair,) = found.pairs
    assert (pair.new.record["run_id"], pair.old.record["run_id"]) == ("sample-1", "on-old")
    of_old = models.old_and_new(database, gather(database, "old-one"))
    assert of_old and [p.new.record["run_id"] for p in of_old.pairs] == ["sample-1"]
    with database.write() as connection:
        connection.execute(
            "insert into topics select snapshot_id, page_id, 'Q1', ['Q5'], 'Human', now() from stored_articles"
        )
    html, _ = render(database, Silent(), ReportRequest(snapshot=SNAPSHOT))
    assert "Table 4.</b> The same models" in html
    assert "Table 1.</b>" in html and "Human" in html


@pytest.mark.slow
def test_what_a_metric_sees_stands_beside_its_definition(database: Database) -> None:
    page, _ = render(database, Silent(), ReportRequest(snapshot=SNAPSHOT))
    assert '<th scope="col">sees</th>' not in page
    sight = MetricSight(
        metric="rep_4", evaluator_id=rules().evaluator_id, direction="higher", articles=13, sees=["content", "order"],
        prefers=[], length="rises", length_gap=None,
    )  # fmt: skip
    answer = StoredExperiment(
        experiment_id="e", name="metrics", version="1", snapshot_id="samplewiki-2026-08", request="{}", read="{}",
        verdict="rep_4 sees", generalizes_over="articles", words=["words"], made_at=datetime.now(UTC),
    )  # fmt: skip
    experiments.keep(database, answer, [[sight]])
    page, _ = render(database, Silent(), ReportRequest(snapshot=SNAPSHOT))
    words = "content, order (samplewiki-2026-08, 13 articles)"
    assert f'<th scope="row">rep_4</th><td class="prose">{words}</td>' in page
    assert '<th scope="row">distinct_2</th><td class="prose">–</td>' in page


@pytest.mark.slow
def test_what_is_missing_is_said(written: Path) -> None:
    html = written.read_text("utf-8")
    assert "broken (<bdi>one</bdi> · greedy, failed)" in html
    lacking = html[html.index('id="lacking"') :]
    assert f"newwiki snapshots topics {SNAPSHOT}" in lacking
    assert "--kind old --before 2020-01-01" in lacking
    assert "Figure 2</b> needs two runs that differ only in top_k" in lacking


@pytest.mark.slow
def test_a_section_without_data_is_neither_there_nor_among_the_links(written: Path) -> None:
    shown = sections_of(written.read_text("utf-8"))
    assert shown == [
        "leaderboard", "quality-and-diversity", "models", "decoding", "strata", "metrics", "snapshot", "runs",
    ]  # fmt: skip


def sections_of(html: str) -> list[str]:
    """Their ids, which are those of the links, too."""
    found = re.findall(r'<section id="([\w-]+)"', html)
    assert re.findall(r'<li><a href="#([\w-]+)"', html) == [*found, "provenance"]
    return found


def test_one_run_with_one_metric_is_a_report_too(published: Path, tmp_path: Path) -> None:
    database = Database(shutil.copy(published, tmp_path / "newwiki.duckdb"))
    with database.read() as connection:
        (page,) = connection.execute("select min(page_id) from articles").fetchall()[0]
    add_run(database, "only", "nucleus 0.9", backend="outside", seed=None, max_new_tokens=None)
    add_texts(database, "only", {(page, 0): ""})
    add_scores(
        database, "only", replace(rules(), model=None), [(page, 0)], 0, [Metric("mine", "", None, None, "none", "", "")]
    )
    html, _ = render(database, Silent(), ReportRequest())
    assert "none of the paper’s metrics has scores" in html
    assert "Figure 4</b> needs two text-level metrics" in html
    assert "no entity metric has scored this run" not in html
    assert sections_of(html) == ["leaderboard", "strata", "snapshot", "runs"]
