"""Metrics that need a model of their own: asked for by name, sampled, and told of where they are left out."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from flows.progress import Bar, Silent
from flows.scoring.score_run import choose
from newwiki.settings import Settings
from tests.evaluators.classifiers import bert, described
from tests.flows.conftest import Run

SHARES = ("not_enough_info", "refuted", "supported")


class Notes(Silent):
    def __init__(self) -> None:
        self.notes: list[str] = []

    @contextmanager
    def stretch(self, title: str, unit: str) -> Iterator[Bar]:
        raise AssertionError(title)
        yield  # type: ignore[unreachable]

    def note(self, text: str) -> None:
        self.notes.append(text)


def names(metrics: str, settings: Settings, notes: Notes) -> set[str]:
    return {metric.name for evaluator in choose(metrics, settings, notes) for metric in evaluator.metrics}


def test_all_leaves_out_what_would_have_to_be_downloaded_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, toy_checkpoint: Path
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    notes = Notes()
    without = names("all", Settings(entities="rules-v1"), notes)
    assert not without & {"likelihood_coherence", "educational_value", "negative_regard", "toxicity", "quality"}
    assert {"sbert", "rep_4"} <= without
    (note,) = notes.notes
    claims = [f"{kind}_{share}" for kind in ("claims_article", "claims_wiki") for share in SHARES]
    left_out = (
        "educational_value",
        "likelihood_coherence",
        "negative_regard",
        "negative_words",
        "quality",
        "specificity",
        "toxicity",
    )
    assert note.startswith(f"all leaves out {', '.join([*claims, *left_out])}: ")
    with_toy = names("all", Settings(entities="rules-v1", likelihood_model=str(toy_checkpoint)), notes)
    assert with_toy - without == {"likelihood_coherence"}
    no_pipeline = names("all", Settings(entities="spacy:xx_not_installed"), notes)
    of_entities = {"entity_overlap", "entity_precision", "entity_recall", "entities_per_sentence"}
    of_kinds = {f"entity_overlap_{kind}" for kind in ("people", "places", "organizations")}
    of_new = {"entity_precision_new", "entity_recall_new"}
    assert without - no_pipeline == {"information_density", *of_entities, *of_kinds, *of_new}
    assert "entity_overlap" in notes.notes[-1]


def test_what_is_asked_for_by_name_stays() -> None:
    notes = Notes()
    assert names("toxicity,rep_4", Settings(), notes) == {"toxicity", "rep_4"}
    assert names("core", Settings(), notes)
    assert not notes.notes


def test_a_sample_of_the_texts_is_scored_by_name(
    in_process: Run, database: Path, tmp_path: Path, toy_checkpoint: Path
) -> None:
    rows = [
        {"prompt": f"Town {n}\n\nTown {n} is old.", "reference": "It stands.", "text": " It is good."} for n in range(5)
    ]
    (tmp_path / "texts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    bert(tmp_path / "model", ["bad", "good"], logits=[0, 0])
    described(tmp_path / "mine.toml", output="softmax", label="good", minimum=0, maximum=1)
    models = ("--likelihood-model", toy_checkpoint, "--scorer", "mine.toml")
    asked = ("score", "texts.jsonl", "--metrics", "likelihood_coherence,mine,words", "--budget", "3", *models)
    done = in_process(*asked)
    assert done.returncode == 0, done.stderr
    with duckdb.connect(str(database), read_only=True) as connection:
        counted = (
            "select metric, count(*), min(value), max(value) from scores where run_id not like 'reference:%' group by 1"
        )
        read = connection.execute("select part, count(*) from reference_parts group by 1").fetchall()
        found = {metric: rest for metric, *rest in connection.execute(counted).fetchall()}
    assert sorted(read) == [("likelihood", 3), ("mine", 3)]
    assert found["mine"] == [3, 0.5, 0.5]
    assert found["words"][0] == 5
    assert found["likelihood_coherence"][0] == 3
    assert found["likelihood_coherence"][1] < 0


def test_a_scorer_of_ones_own_is_in_the_catalogue(in_process: Run, tmp_path: Path) -> None:
    described(tmp_path / "mine.toml", unit="stars")
    (tmp_path / "newwiki.toml").write_text('scorers = "mine.toml"\n')
    for flags in (("--scorer", "mine.toml"), ()):
        done = in_process("metrics", "--format", "csv", *flags)
        assert (
            "mine,,stars,…,none,mine,1,no,text,what a test says,a scorer of the user's own," in done.stdout.splitlines()
        )


def test_a_wrong_scorer_is_one_line_of_misuse(in_process: Run, tmp_path: Path) -> None:
    described(tmp_path / "mine.toml", output="logits")
    done = in_process("metrics", "--scorer", "mine.toml")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert (
        "'mine.toml', output: must be 'raw', 'sigmoid', 'softmax', 'expected' or 'likeliest', not 'logits'"
        in done.stderr
    )
