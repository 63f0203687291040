"""A snapshot with runs to report on, one browser, and runs made up where many are needed."""

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

from flows.progress import Silent
from flows.report import page as report
from newwiki.comparison_requests import ReportRequest
from newwiki.decoding.grammar import parse
from newwiki.records import Completion, Fingerprint, Metric, RunScore, Score
from storage import runs
from storage.database import Database, insert
from tests.browser import chromium
from tests.flows.scored import SNAPSHOT, add_run
from tests.once import once

HOSTILE = '<script>console.error("run")</script> "><img onerror=console.error(1) src=x> {{ 7 * 7 }} </style> \x00\u202e'
SENTENCES = (
    "Halmeck is a town on the river Arve. It was founded in 1352 by Hans Görl. A second bridge was built in 1788. "
)
METRICS = (
    Metric("bleu", "points", 0, 100, "higher", "BLEU", "Papineni"),
    Metric("distinct_2", "ratio", 0, 1, "higher", "different bigrams / words", "Li"),
    Metric("entity_overlap", "ratio", 0, 1, "higher", "entities in both / in either", "paper"),
    Metric("flesch_reading_ease", "points", None, None, "none", "206.835 - …", "Flesch"),
    Metric("gunning_fog_newwiki", "points", 0, None, "none", "0.4 words/sentences + …", "paper"),
    Metric("information_density", "ratio", 0, 1, "higher", "mentions / words", "paper"),
    Metric("rep_4", "ratio", 0, 1, "lower", "1 - different 4-grams / 4-grams", "Welleck"),
    Metric("sbert", "cosine", -1, 1, "higher", "inner product", "Reimers"),
)
_SCALES = {"bleu": (3, 1), "flesch_reading_ease": (55, 12), "gunning_fog_newwiki": (18, 3)}


def rules() -> Fingerprint:
    """An evaluator that had its entities found by this rules-v1."""
    from evaluators.rules import rules_sha256

    return Fingerprint("evaluator-all", "everything", "1", "rules-v1", rules_sha256(), {"analysis": "1"})


def add_texts(database: Database, run_id: str, texts: dict[tuple[int, int], str]) -> None:
    written = [
        Completion(page, sample, text, 9, len(text.split()), "stop", False) for (page, sample), text in texts.items()
    ]
    with database.write():
        runs.add_completions(database, run_id, written)
        runs.complete(database, run_id, keep=20)


def add_scores(
    database: Database,
    run_id: str,
    by: Fingerprint,
    keys: Sequence[tuple[int, int]],
    seed: int,
    metrics: Sequence[Metric] = METRICS,
) -> None:
    """Numbers drawn about where the metric's own are, in place of those that an evaluation takes hours for."""
    draw = np.random.default_rng(seed)
    rows = []
    for metric in metrics:
        mean, spread = _SCALES.get(metric.name, (0.5, 0.1))
        if metric.name == "sbert" and run_id.startswith("reference:"):
            mean, spread = 1.0, 0.0
        for (page_id, sample), value in zip(keys, draw.normal(mean, spread, len(keys)), strict=True):
            rows.append(Score(page_id, sample, metric.name, float(value), "ok", by.evaluator_id))
    with database.write() as connection:
        runs.register(database, [by], metrics)
        insert(connection, "scores", rows, run_id=run_id)
        runs.finish_scoring(database, run_id, {by.evaluator_id})


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """For one module alone: while it runs, Prefect takes this thread for one of asyncio's."""
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def pages(published: Path) -> list[int]:
    with Database(published).read() as connection:
        return [page for (page,) in connection.execute("select page_id from articles order by 1").fetchall()]


@pytest.fixture(scope="session")
def scored(published: Path, pages: list[int], shared_folder: Path) -> Path:
    """Six runs: a sweep of top_p by a model with a hostile name, greedy by two models, one that failed. The articles'
    titles and what greedy wrote are hostile too. Tests read it and change a copy."""

    def fill(folder: Path) -> None:
        folder.mkdir()
        add_six_runs(Database(shutil.copy(published, folder / "newwiki.duckdb")), pages)

    return once(shared_folder / "report", fill) / "newwiki.duckdb"


def add_six_runs(database: Database, pages: list[int]) -> None:
    by = rules()
    for number, top_p in enumerate((0.5, 0.9, 1)):
        decoder = parse(f"sample:top_p={top_p},top_k=50,temperature=0.9")[0]
        run_id = add_run(
            database, f"sample-{number}", decoder.canonical, decoder_parameters=json.dumps(dict(decoder.parameters)),
            model="evil <img onerror=console.error(3) src=x>", samples=2, keep=2, prompts=len(pages),
        )  # fmt: skip
        keys = [(page, sample) for page in pages for sample in (0, 1)]
        add_texts(database, run_id, {key: f"{SENTENCES * 15}{HOSTILE} {key}" for key in keys})
        add_scores(database, run_id, by, keys, number)
    for number, model in enumerate(("org/one", "org/two")):
        run_id = add_run(database, f"greedy-{number}", model=model, model_sha256=str(number) * 64, prompts=len(pages))
        add_texts(database, run_id, {(page, 0): HOSTILE * 3 for page in pages})
        add_scores(database, run_id, by, [(page, 0) for page in pages], 10 + number)
    runs.add_run_scores(database, "greedy-0", [RunScore("mauve", 0.7, 0.02, "ok", by.evaluator_id, len(pages))])
    runs.register(database, [], [Metric("mauve", "area", 0, 1, "higher", "MAUVE", "Pillutla", scope="run")])
    runs.fail(database, add_run(database, "broken", model="org/one"))
    add_scores(database, f"reference:{SNAPSHOT}", by, [(page, 0) for page in pages], 20)
    with database.write() as connection:
        connection.execute("update stored_articles set title = ?, permalink = 'javascript:console.error(2)'", [HOSTILE])
        connection.execute("update candidates set title = ? where page_id = ?", [HOSTILE, pages[0]])
        connection.execute("update runs set finished_at = null where run_id = 'sample-0'")


@pytest.fixture(scope="session")
def written(scored: Path, shared_folder: Path) -> Path:
    """The report on it."""

    def write(folder: Path) -> None:
        folder.mkdir()
        report.write(Database(scored), Silent(), ReportRequest(), folder / "report.html")

    return once(shared_folder / "report-page", write) / "report.html"
