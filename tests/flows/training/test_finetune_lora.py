"""`newwiki finetune --lora`: an adapter that is a checkpoint, goes on to the same bytes, and is watched on its way."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from flows.cli import cli
from flows.progress import Silent
from flows.training.finetuning import finetune
from newwiki.errors import TerminalError
from newwiki.models.adapters import CONFIG, WEIGHTS
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.models.seq2seq import Seq2SeqModel
from newwiki.settings import Settings
from newwiki.training.record import FILE, read
from newwiki.training.steps import by_step, lacking
from storage.database import Database
from tests.flows.conftest import Run
from tests.flows.trained import SHORT, asked, request
from tests.flows.training.test_finetune import curve, files, kill_after
from tests.toys import write_toy

_RESULT = {WEIGHTS, CONFIG, "tokenizer.json", "tokenizer_config.json", FILE, "loss.csv", "loss.svg"}
_LORA: dict[str, Any] = {"lora": 4, "epochs": 2, "checkpoint_every": 2, "keep_checkpoints": 3}


@pytest.fixture(scope="module")
def tuned(toy_checkpoint: Path, two_months: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An adapter of the toy, fitted to August by the command, with its checkpoints."""
    folder = tmp_path_factory.mktemp("lora") / "tuned"
    done = CliRunner().invoke(cli, [*asked(toy_checkpoint, folder, **_LORA), "--db", str(two_months)])
    assert done.exit_code == 0, done.output
    return folder


def test_what_is_written_is_an_adapter_with_its_tokenizer_and_record(tuned: Path, toy_checkpoint: Path) -> None:
    assert {file.name for file in tuned.iterdir() if file.is_file()} == _RESULT
    config = json.loads((tuned / CONFIG).read_text())
    assert (config["r"], config["lora_alpha"], config["peft_type"]) == (4, 8, "LORA")
    assert config["target_modules"] == sorted(config["target_modules"])
    assert config["base_model_name_or_path"] == str(toy_checkpoint.resolve())
    record, base = read(tuned), HuggingFaceModel(str(toy_checkpoint))
    assert record and (record.request["lora"], record.request["base_sha256"]) == (4, base.sha256)
    learnt = curve(tuned, "training")
    assert learnt[-1][1] < learnt[0][1]


def test_it_is_a_checkpoint_like_any_other(tuned: Path, toy_checkpoint: Path) -> None:
    model = HuggingFaceModel(str(tuned))
    assert model.training == read(tuned)
    told = model.versions
    assert (told["training_step"], told["adapter"]) == ("6", "LORA")
    assert told["base_sha256"] == told["adapter_base_sha256"] == HuggingFaceModel(str(toy_checkpoint)).sha256
    assert [one.name for one in by_step(tuned)] == ["checkpoint-2", "checkpoint-4", "checkpoint-6"]
    assert all(lacking(one, 10) is None for one in by_step(tuned))
    last = HuggingFaceModel(str(tuned / "checkpoint-6"))
    assert last.sha256 == model.sha256
    assert len({HuggingFaceModel(str(one)).sha256 for one in by_step(tuned)}) == 3


def test_a_request_without_it_is_the_training_that_it_was(toy_checkpoint: Path, two_months: Path) -> None:
    from flows.training import training_set
    from flows.training.finetuning import plan_training
    from tests.flows.trained import AUGUST

    chosen = training_set.choose(Database(two_months), (AUGUST,), Silent())
    whole, lora = (
        plan_training(request(toy_checkpoint, **one), Settings(), Settings.template, chosen, []).record
        for one in ({}, {"lora": 4})
    )
    assert "lora" not in whole.request
    assert {**whole.request, "lora": 4} == lora.request


def test_an_adapter_on_an_adapter_is_not_trained(tuned: Path, two_months: Path, tmp_path: Path) -> None:
    with pytest.raises(TerminalError, match="is an adapter, and one on another cannot be evaluated; leave --lora out"):
        finetune(Database(two_months), request(tuned, lora=4), Settings(), tmp_path / "second", Silent())


def test_the_merged_model_can_be_trained_on(tuned: Path, two_months: Path, tmp_path: Path) -> None:
    done = finetune(Database(two_months), request(tuned, epochs=1), Settings(), tmp_path / "second", Silent())
    assert done.training_record.before == read(tuned)
    assert (tmp_path / "second" / "model.safetensors").is_file() and not (tmp_path / "second" / CONFIG).exists()
    losses = [one.validation for one in done.curve if one.validation is not None]
    assert losses[0] == pytest.approx(curve(tuned, "validation")[-1][1], rel=1e-3), "it begins where the other ended"
    assert HuggingFaceModel(str(tmp_path / "second")).sha256


def test_an_encoder_decoder_is_fitted_so_too(toy_checkpoint: Path, two_months: Path, tmp_path: Path) -> None:
    base = write_toy("t5", toy_checkpoint, tmp_path / "t5")
    changes = {**SHORT, "backend": "seq2seq", "lora": 4, "epochs": 2}
    done = finetune(Database(two_months), request(base, **changes), Settings(), tmp_path / "tuned", Silent())
    losses = [one.validation for one in done.curve if one.validation is not None]
    assert losses[-1] < losses[0]
    assert Seq2SeqModel(str(tmp_path / "tuned")).versions["adapter"] == "LORA"


@pytest.mark.slow
def test_a_training_that_is_killed_ends_with_the_same_bytes(
    in_process: Run, tuned: Path, toy_checkpoint: Path, two_months: Path, tmp_path: Path
) -> None:
    arguments = [*asked(toy_checkpoint, "killed", **_LORA), "--db", str(two_months)]
    kill_after(arguments, tmp_path, 2)
    ended = in_process(*arguments)
    assert ended.returncode == 0, ended.stderr
    assert files(tmp_path / "killed") == files(tuned)


@pytest.mark.slow
def test_its_checkpoints_are_watched_and_its_base_is_step_0(
    tuned: Path, toy_checkpoint: Path, in_process: Run, two_months: Path, tmp_path: Path
) -> None:
    from flows.report.page import render
    from newwiki.comparison_requests import ReportRequest

    database = Path(shutil.copy(two_months, tmp_path / "watched.duckdb"))
    how = ["--decoder", "greedy", "--prompts", "2", "--max-new-tokens", "8", "--metrics", "rep_4", "--db", database]
    watched = in_process("watch", tuned, *how, "--once")
    assert watched.returncode == 0, watched.stderr
    assert in_process("evaluate", toy_checkpoint, *how).returncode == 0
    query = "select versions->>'training_step' as step, versions->>'adapter' as adapter from runs order by 1"
    found = json.loads(in_process("sql", query, "--format", "json", "--db", database).stdout)
    assert [(row["step"], row["adapter"]) for row in found] == [
        ("2", "LORA"), ("4", "LORA"), ("6", "LORA"), (None, None),
    ]  # fmt: skip
    html, _ = render(Database(database), Silent(), ReportRequest())
    assert "rep_4 against the training step, means: tuned · greedy: 0 " in html
