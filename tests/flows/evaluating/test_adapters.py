"""`newwiki evaluate` of adapters: their base is read once for all of them, and what is ambiguous is said."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from transformers import AutoModelForCausalLM

from flows.cli import cli
from tests.adapters import lora, write_adapter


@pytest.fixture(scope="module")
def adapters(toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two adapters of the toy, neither of which has a tokenizer."""
    home = tmp_path_factory.mktemp("adapters")
    return [write_adapter(toy_checkpoint, home / f"a{seed}", lora(), seed=seed) for seed in (0, 1)]


@pytest.fixture
def database(two_months: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(two_months, tmp_path / "evaluated.duckdb"))


def evaluate(database: Path, *models: Path, more: tuple[str, ...] = ()) -> Result:
    how = ["--decoder", "greedy", "--prompts", "2", "--max-new-tokens", "8", "--metrics", "rep_4", *more]
    done = CliRunner().invoke(cli, ["evaluate", *map(str, models), *how, "--db", str(database)])
    return done


def texts(database: Path) -> dict[str, list[str]]:
    query = "select model, list(text order by page_id) as texts from completions join runs using (run_id) group by 1"
    asked = CliRunner().invoke(cli, ["sql", query, "--format", "json", "--db", str(database)])
    return {row["model"]: row["texts"] for row in json.loads(asked.stdout)}


def test_two_adapters_of_one_base_are_two_runs_and_it_is_read_once(
    adapters: list[Path], toy_checkpoint: Path, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    before = AutoModelForCausalLM.from_pretrained

    def noted(place: Any, *rest: Any, **options: Any) -> Any:
        read.append(str(place))
        return before(place, *rest, **options)

    monkeypatch.setattr(AutoModelForCausalLM, "from_pretrained", noted)
    other = Path(shutil.copy(database, tmp_path / "alone.duckdb"))
    together = evaluate(database, *adapters)
    assert together.exit_code == 0, together.output
    assert len(read) == 1
    for one in (toy_checkpoint, *adapters):
        assert evaluate(other, one).exit_code == 0
    assert len(read) == 4
    alone = texts(other)
    assert texts(database) == {str(one): alone[str(one)] for one in adapters}
    assert len({tuple(one) for one in alone.values()}) == 3


def test_an_adapter_beside_a_whole_model_is_said(
    adapters: list[Path], toy_checkpoint: Path, database: Path, tmp_path: Path
) -> None:
    both = Path(shutil.copytree(toy_checkpoint, tmp_path / "both"))
    for file in adapters[0].iterdir():
        shutil.copy(file, both)
    done = evaluate(database, both, adapters[0])
    assert done.exit_code == 0, done.output
    assert done.stderr.count("holds a whole model and an adapter; newwiki applies the adapter to that model") == 1
    assert list(texts(database)) == [str(both)], "the same files are the same run, wherever they lie"


def test_a_base_that_is_nowhere_ends_it_before_anything_is_written(
    adapters: list[Path], database: Path, tmp_path: Path
) -> None:
    lost = Path(shutil.copytree(adapters[1], tmp_path / "lost"))
    config = json.loads((lost / "adapter_config.json").read_text())
    (lost / "adapter_config.json").write_text(json.dumps({**config, "base_model_name_or_path": "/nowhere"}))
    done = evaluate(database, adapters[0], lost)
    assert done.exit_code == 1
    assert str(done.exception).endswith("name its base model with --model-args base=FOLDER")
    assert texts(database) == {}
    named = evaluate(database, lost, more=("--model-args", f"base={config['base_model_name_or_path']}"))
    assert named.exit_code == 0, named.output
