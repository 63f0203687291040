"""Two runs on invented articles, whose texts say which of them is better."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from benchmarks.cutoff_seeds import articles
from flows.judging.pairing import Pairing, pair_up
from newwiki.judge_request import PairsRequest
from newwiki.judging.judgement import Answer, Judgement, Run
from newwiki.records import Completion
from storage import judgements, runs
from storage.database import Database
from tests.flows.experiments.invented import publish_month
from tests.flows.scored import add_run
from tests.once import once

GREEDY, NUCLEUS = "aaaa0123", "bbbb4567"
MODEL = "org/secret-model"
PAGES = 128
SNAPSHOT = "inventedwiki-2026-10"
# The words by which a judge knows the better text; run a's is better on three pairs of four.
BETTER, WORSE = "It is a fine text", "It is a poor text"

AddAnswers = Callable[[str, Callable[[int, str], Answer | Run]], None]


def better(page_id: int) -> Run:
    return "b" if page_id % 4 == 0 else "a"


@pytest.fixture(scope="session")
def two_runs(shared_folder: Path) -> Path:
    """Published, written and complete. Tests read it, and change a copy."""
    return once(shared_folder / "judged", lambda folder: _write(Database(folder / "newwiki.duckdb"))) / "newwiki.duckdb"


def _write(database: Database) -> None:
    snapshot = publish_month(database, "2026-10", articles(np.random.default_rng(0), 0, PAGES, 2), 1)
    for run, run_id, decoder in (("a", GREEDY, "greedy"), ("b", NUCLEUS, "sample:top_p=0.9")):
        add_run(database, run_id, decoder, model=MODEL, snapshot_id=snapshot.snapshot_id, prompts=PAGES)
        texts = {page: f"{BETTER if better(page) == run else WORSE}, number {page}." for page in range(1, PAGES + 1)}
        written = [Completion(page, 0, text, 8, len(text.split()), "stop", False) for page, text in texts.items()]
        runs.add_completions(database, run_id, written)
        runs.complete(database, run_id, 1)


@pytest.fixture
def database(two_runs: Path, tmp_path: Path) -> Database:
    return Database(shutil.copy(two_runs, tmp_path / "newwiki.duckdb"))


@pytest.fixture
def pairing(database: Database) -> Pairing:
    return pair_up(database, PairsRequest(run_a=GREEDY, run_b=NUCLEUS))


@pytest.fixture
def add_answers(database: Database, pairing: Pairing) -> AddAnswers:
    return answers_by(database, pairing)


def answers_by(database: Database, pairing: Pairing) -> AddAnswers:
    """Stores a person's answers on all pairs, by page and criterion: the run that is better, or what is said; none
    where that is `unreadable`."""

    def add(judge: str, says: Callable[[int, str], Answer | Run]) -> None:
        blinding = judgements.begin_blinding(database, *pairing.ids, pairing.rubric)
        begun = datetime(2026, 11, 1, tzinfo=UTC)
        asked = [(pair, criterion) for pair in pairing.pairs for criterion in pairing.rubric.names]
        said = [(pair, criterion, says(pair.page_id, criterion)) for pair, criterion in asked]
        found = [
            Judgement(
                run_a=pair.run_a,
                run_b=pair.run_b,
                page_id=pair.page_id,
                sample_a=pair.sample_a,
                sample_b=pair.sample_b,
                judge=judge,
                judge_kind="person",
                rubric_sha256=pairing.rubric.sha256,
                criterion=criterion,
                first=blinding.first(pair, judge),
                answer=_as_seen(answer, blinding.first(pair, judge)),
                said=None,
                judged_at=begun + timedelta(seconds=place),
            )
            for place, (pair, criterion, answer) in enumerate(said)
            if answer != "unreadable"
        ]
        judgements.keep(database, pairing.rubric, found)

    return add


def _as_seen(said: Answer | Run, first: Run) -> Answer:
    if said == "a" or said == "b":
        return "first" if said == first else "second"
    return said
