"""What a model can have seen, by its user, newwiki.toml, its training here or its card: it is kept in the run."""

import json
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from flows.evaluating.evaluate_all import evaluate_all
from flows.progress import Silent
from flows.scoring.score_all import score_all
from flows.training.finetuning import finetune
from newwiki.errors import TerminalError, UsageError
from newwiki.request import EvaluationRequest, ScoringRequest
from newwiki.settings import Settings
from newwiki.training.record import read
from storage import snapshots
from storage.database import Database
from tests.flows.trained import AUGUST, SEPTEMBER, request

SMALL: dict[str, Any] = {"decoder": ("greedy",), "prompts": 2, "max_new_tokens": 4, "metrics": "rep_4"}


class Notes(Silent):
    def __init__(self) -> None:
        self.told: list[str] = []

    def note(self, text: str) -> None:
        self.told.append(text)


@pytest.fixture
def model(toy_checkpoint: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(toy_checkpoint, tmp_path / "toy"))


@pytest.fixture
def evaluate(database: Path) -> Callable[..., list[str]]:
    def run(model: Path, *, cutoffs: Any = (), **asked: Any) -> list[str]:
        notes = Notes()
        evaluate_all(
            Database(database),
            EvaluationRequest(models=(str(model),), snapshot=SEPTEMBER, **SMALL, **asked),
            Settings(knowledge_cutoffs=cutoffs),
            notes,
        )
        return notes.told

    return run


def stored(database: Path) -> list[tuple[Any, ...]]:
    with Database(database).read() as connection:
        return connection.execute(
            "select knowledge_cutoff, knowledge_cutoff_from, seen_share from runs left join seen_shares using (run_id)"
        ).fetchall()


def completions(database: Path) -> list[tuple[Any, ...]]:
    with Database(database).read() as connection:
        return connection.execute("from completions order by all").fetchall()


def test_asked_again_with_another_cutoff_it_is_the_same_run_and_nothing_is_written_anew(
    evaluate: Callable[..., list[str]], model: Path, database: Path
) -> None:
    evaluate(model)
    assert [row[:2] for row in stored(database)] == [(None, None)]
    texts = completions(database)
    (model / "README.md").write_text("---\nknowledge_cutoff: 2026-08\n---\n")
    told = evaluate(model)
    assert stored(database) == [(date(2026, 8, 31), "model card", 0.0)]
    assert any("has the knowledge cutoff 2026-08-31 (model card)" in note for note in told)
    named = ((str(model), date(2026, 12, 31)),)
    evaluate(model, cutoffs=named)
    assert stored(database) == [(date(2026, 12, 31), "newwiki.toml", 1.0)]
    told = evaluate(model, cutoffs=named, knowledge_cutoff="2026-07")
    assert stored(database) == [(date(2026, 7, 31), "asked", 0.0)]
    assert any("2026-07-31 (asked), no longer 2026-12-31 (newwiki.toml)" in note for note in told)
    assert any("all 2 completions are stored already" in note for note in told)
    evaluate(model)
    assert stored(database) == [(date(2026, 7, 31), "asked", 0.0)], "what was asked for stays"
    assert completions(database) == texts


def test_a_card_that_cannot_be_understood_is_told_before_anything_is_written(
    evaluate: Callable[..., list[str]], model: Path, database: Path
) -> None:
    (model / "README.md").write_text("---\nknowledge_cutoff: last summer\n---\n")
    with pytest.raises(TerminalError, match=r"README\.md': knowledge_cutoff: 'last summer' is neither a month"):
        evaluate(model)
    assert stored(database) == []
    evaluate(model, knowledge_cutoff="2026-06-17")
    assert stored(database) == [(date(2026, 6, 17), "asked", 0.0)]


def test_a_model_that_was_fine_tuned_here_knows_its_own(
    two_months: Path, model: Path, tmp_path: Path, evaluate: Callable[..., list[str]], database: Path
) -> None:
    """The day of the latest revision that it has read, as its base is known to have seen nothing later."""
    latest = max(one.revised_at for one in snapshots.articles(Database(two_months), AUGUST)).date()
    (model / "README.md").write_text("---\nknowledge_cutoff: 2026-05\n---\n")
    finetune(Database(two_months), request(model, epochs=1), Settings(), tmp_path / "tuned", Silent())
    made = read(tmp_path / "tuned")
    assert made and (made.base_cutoff, made.latest_text) == (date(2026, 5, 31), latest)
    evaluate(tmp_path / "tuned")
    assert stored(database) == [(latest, "training", 0.0)]
    with pytest.raises(UsageError, match=f"it was trained here on texts up to {latest}"):
        evaluate(tmp_path / "tuned", knowledge_cutoff="2026-05")


def test_texts_from_elsewhere_have_what_is_said_of_who_wrote_them(database: Path, tmp_path: Path) -> None:
    articles = snapshots.articles(Database(database), SEPTEMBER)[:2]
    file = tmp_path / "texts.jsonl"
    file.write_text("".join(json.dumps({"page_id": one.page_id, "text": "a b c d e"}) + "\n" for one in articles))
    for cutoffs, said, expected in (
        ((("gpt", date(2026, 8, 31)),), None, (date(2026, 8, 31), "newwiki.toml", 0.0)),
        ((), "2026-09", (date(2026, 9, 30), "asked", 1.0)),
    ):
        asked = ScoringRequest(files=(file,), model="gpt", metrics="rep_4", knowledge_cutoff=said)
        score_all(Database(database), asked, Settings(knowledge_cutoffs=cutoffs), Silent())
        assert stored(database) == [expected]
