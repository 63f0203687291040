"""Runs on the sample wiki with texts of its articles, and numbers of several evaluators."""

import shutil
from pathlib import Path

import pytest
from numpy.typing import ArrayLike

from newwiki.records import Completion, Score
from newwiki.text.prompts import DEFAULT_TEMPLATE
from storage import runs, snapshots
from storage.database import Database
from tests.flows.scored import RULES, SNAPSHOT, SPACY, add_run, score
from tests.once import once


@pytest.fixture(scope="session")
def stored_once(published: Path, shared_folder: Path) -> Path:
    """`first`, of three prompts and two texts each: `rep_4` lacks one number, `sbert` all, `bleu` has those of one
    prompt alone, `density` those of two evaluators, and of `novelty` neither more nor less is better. `many`, of 18
    prompts, has an interval, and so has `rival`, of another model asked alike. `written` has texts."""

    def store(path: Path) -> None:
        _store(Database(shutil.copy(published, path)))

    return once(shared_folder / "exported-runs.duckdb", store)


def _store(found: Database) -> None:
    parameters = '{"temperature": 0.7, "top_k": 0, "top_p": 0.9}'
    run = add_run(found, "first", "sample:top_p=0.9", prompts=3, samples=2, keep=2, decoder_parameters=parameters)
    nan = float("nan")
    numbers: dict[str, ArrayLike] = {
        "rep_4": [[0.1, 0.3], [0.5, 0.7], [0.9, nan]],
        "sbert": [[nan, nan]] * 3,
        "bleu": [[1.0, 2.0], [nan, nan], [nan, nan]],
        "density": [[1, 1], [1, 1], [1, 1]],
    }
    score(found, run, numbers)
    score(found, run, {"density": [[3, 3], [3, 3], [3, 4]]}, SPACY)
    score(found, run, {"novelty": [[1, 1], [1, 1], [1, 1]]}, direction="none")
    for run, model, shift in (("many", "models/toy", 0.0), ("rival", "lab/rival", 0.05)):
        found_run = add_run(found, run, model=model, prompts=18)
        score(found, found_run, {"rep_4": [[0.1 + shift], [0.5 + shift], [0.9 + shift]] * 6})
    _write(found)


def _write(found: Database) -> None:
    """Two texts each on the first two articles of the snapshot, one of which has no number."""
    run = add_run(found, "written", "sample", prompt_template=DEFAULT_TEMPLATE, prompts=2, samples=2, keep=2)
    places = [(one.page_id, sample) for one in snapshots.articles(found, SNAPSHOT)[:2] for sample in (0, 1)]
    texts = [Completion(page, sample, f"Text {page}/{sample} é", 3, 2, "stop", False) for page, sample in places]
    runs.add_completions(found, run, texts)
    runs.complete(found, run, 2)
    scores = [
        Score(page, sample, "rep_4", value, "no_number" if value is None else "ok", RULES.evaluator_id)
        for (page, sample), value in zip(places, [0.25, None, 0.5, 0.75], strict=True)
    ]
    runs.add_scores(found, run, scores)
    runs.finish_scoring(found, run, {RULES.evaluator_id})


@pytest.fixture
def stored(stored_once: Path, tmp_path: Path) -> Database:
    """A copy of it, to be changed."""
    return Database(shutil.copy(stored_once, tmp_path / "newwiki.duckdb"))
