"""`newwiki watch`: each checkpoint is evaluated once, when it is whole, in the order of steps."""

import json
import os
import re
import shutil
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainerCallback, TrainingArguments

import newwiki
from flows.progress import Silent
from flows.report.page import render
from flows.training.checkpoints import Watch
from newwiki.comparison_requests import ReportRequest
from newwiki.errors import NewWikiError, TerminalError, TransientError, UsageError
from storage.database import Database
from tests import processes
from tests.adapters import lora, write_adapter
from tests.flows.conftest import Run, environment

Put = Callable[..., Path]
_ASKED = ["--decoder", "greedy", "--prompts", "2", "--max-new-tokens", "8", "--metrics", "rep_4,distinct_2"]


class Notes(Silent):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


class Evaluations:
    """What was asked for; the checkpoints that are named in `failing` fail so, in turn."""

    def __init__(self, failing: Mapping[str, list[NewWikiError]] | None = None) -> None:
        self.asked: list[tuple[str, Mapping[str, str]]] = []
        self._failing = failing or {}

    def __call__(self, checkpoint: Path, arguments: Mapping[str, str]) -> None:
        self.asked.append((checkpoint.name, arguments))
        if self._failing.get(checkpoint.name):
            raise self._failing[checkpoint.name].pop(0)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.asked]


@pytest.fixture
def put(toy_checkpoint: Path, tmp_path: Path) -> Put:
    """Puts a whole checkpoint, written an hour ago, under a name into the folder of the training."""

    def write(name: str, without: tuple[str, ...] = (), home: str = "out") -> Path:
        folder = Path(shutil.copytree(toy_checkpoint, tmp_path / home / name, ignore=shutil.ignore_patterns(*without)))
        for file in folder.iterdir():
            os.utime(file, (time.time() - 3600,) * 2)
        return folder

    return write


def test_checkpoints_are_evaluated_in_the_order_of_steps_and_once(put: Put, tmp_path: Path) -> None:
    for name in ("checkpoint-100", "checkpoint-20", "step_3"):
        put(name)
    evaluations = Evaluations()
    watch = Watch(tmp_path / "out", evaluations, Silent(), 10)
    watch.once()
    assert evaluations.names == ["step_3", "checkpoint-20", "checkpoint-100"]
    put("checkpoint-50")
    watch.once()
    assert evaluations.names[3:] == ["checkpoint-50"]


def test_a_half_written_checkpoint_is_left_until_it_is_whole(put: Put, tmp_path: Path) -> None:
    half = put("checkpoint-1")
    weights = (half / "model.safetensors").read_bytes()
    (half / "model.safetensors").write_bytes(weights[:-1])
    put("checkpoint-2")
    evaluations, notes = Evaluations(), Notes()
    watch = Watch(tmp_path / "out", evaluations, notes, 0)
    watch.once()
    watch.once()
    assert evaluations.names == ["checkpoint-2"]
    told = f"{half} is left until it is whole: its model.safetensors is incomplete"
    assert notes.notes == [told], "and that is said once"
    (half / "model.safetensors").write_bytes(weights)
    watch.once()
    assert evaluations.names == ["checkpoint-2", "checkpoint-1"]


def test_one_that_fails_is_reported_and_the_others_go_on(put: Put, tmp_path: Path) -> None:
    for step in (1, 2, 3):
        put(f"checkpoint-{step}")
    evaluations, notes = Evaluations({"checkpoint-2": [TerminalError("it lacks weights")]}), Notes()
    with pytest.raises(
        TerminalError, match=r"1 of 3 checkpoints in '.*out' cannot be evaluated: checkpoint-2; see the"
    ):
        Watch(tmp_path / "out", evaluations, notes, 10).once()
    assert evaluations.names == ["checkpoint-1", "checkpoint-2", "checkpoint-3"]
    assert notes.notes == [f"{tmp_path / 'out' / 'checkpoint-2'} cannot be evaluated: it lacks weights"]


def test_what_may_go_through_later_is_tried_again_and_a_wrong_request_ends_it(put: Put, tmp_path: Path) -> None:
    put("checkpoint-1")
    locked = Evaluations({"checkpoint-1": [TransientError("the database is locked")]})
    Watch(tmp_path / "out", locked, Silent(), 0).once()
    assert locked.names == ["checkpoint-1"] * 2
    with pytest.raises(UsageError, match="no decoder 'gredy'"):
        Watch(tmp_path / "out", Evaluations({"checkpoint-1": [UsageError("no decoder 'gredy'")]}), Silent(), 0).once()


def test_a_tokenizer_is_found_in_the_checkpoint_then_beside_it_then_where_one_says(put: Put, tmp_path: Path) -> None:
    without = put("checkpoint-1", without=("tokenizer*",))
    given, lost, found = Evaluations(), Evaluations(), Evaluations()
    Watch(tmp_path / "out", given, Silent(), 10, {"tokenizer": "mine", "device": "cpu"}).once()
    assert given.asked == [("checkpoint-1", {"tokenizer": "mine", "device": "cpu"})]
    notes = Notes()
    with pytest.raises(TerminalError, match="cannot be evaluated"):
        Watch(tmp_path / "out", lost, notes, 10).once()
    assert lost.asked == []
    assert re.search(r"it has no tokenizer, nor has '.*out'; add --model-args tokenizer=FOLDER", notes.notes[0])
    shutil.copy(put("checkpoint-2") / "tokenizer.json", without.parent)
    Watch(tmp_path / "out", found, Silent(), 10).once()
    assert found.asked == [("checkpoint-1", {"tokenizer": str(without.parent)}), ("checkpoint-2", {})]


def test_an_adapter_without_a_tokenizer_has_its_bases(toy_checkpoint: Path, tmp_path: Path) -> None:
    write_adapter(toy_checkpoint, tmp_path / "out" / "checkpoint-1", lora())
    alone, beside = Evaluations(), Evaluations()
    Watch(tmp_path / "out", alone, Silent(), 0).once()
    shutil.copy(toy_checkpoint / "tokenizer.json", tmp_path / "out")
    Watch(tmp_path / "out", beside, Silent(), 0).once()
    assert alone.asked == [("checkpoint-1", {})]
    assert beside.asked == [("checkpoint-1", {"tokenizer": str(tmp_path / "out")})]


def test_a_training_that_is_not_finished_is_watched_where_it_is(
    put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("checkpoint-1", home="out.unfinished")
    evaluations = Evaluations()
    watch = Watch(tmp_path / "out", evaluations, Silent(), 10)
    watch.once()
    (tmp_path / "out.unfinished").rename(tmp_path / "out")
    put("checkpoint-2")
    watch.once()
    assert evaluations.names == ["checkpoint-1", "checkpoint-2"]
    monkeypatch.chdir(tmp_path / "out")
    here = Evaluations()
    Watch(Path("."), here, Silent(), 10).once()
    assert here.names == evaluations.names
    with pytest.raises(UsageError, match=r"there is no folder '.*nowhere'"):
        Watch(tmp_path / "nowhere", evaluations, Silent(), 10).once()


def wait_for(file: Path, words: str) -> None:
    deadline = time.monotonic() + 60
    while not file.exists() or words not in file.read_text():
        assert time.monotonic() < deadline, f"nobody said '{words}'"
        time.sleep(0.1)


def test_a_training_is_watched_until_ctrl_c_and_its_curve_is_in_the_report(
    put: Put, in_process: Run, database: Path, tmp_path: Path
) -> None:
    put("checkpoint-5", without=("tokenizer*",))
    given = ["--model-args", f"tokenizer={put('elsewhere', home='.')}", "--settle", "0"]
    asked = ["watch", tmp_path / "out", *_ASKED, *given, "--db", database]
    said = tmp_path / "err"
    process = processes.start([*asked, "--poll", "0.1"], tmp_path, environment(), err=said)
    try:
        wait_for(said, "evaluated: 1; waiting")
        late = put("checkpoint-10", home="aside")
        change(late)  # other weights are another model
        late.rename(tmp_path / "out" / "checkpoint-10")
        wait_for(said, "evaluated: 2; waiting")
        assert process.pid
        os.kill(process.pid, signal.SIGINT)
        process.join(60)
        assert process.exitcode == 0, said.read_text()
    finally:
        process.kill()

    again = in_process(*asked, "--once")
    assert again.returncode == 0, again.stderr
    assert again.stderr.count("all 2 completions are stored already") == 2
    query = "select versions->>'training_step' as step from runs order by step::int"
    steps = json.loads(in_process("sql", query, "--format", "json", "--db", database).stdout)
    assert steps == [{"step": "5"}, {"step": "10"}]
    html, _ = render(Database(database), Silent(), ReportRequest())
    assert '<h2 id="training-title">Training</h2>' in html
    assert "rep_4 against the training step, means: out · greedy: 5 " in html


def change(checkpoint: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(checkpoint / "model.safetensors")
    save_file({name: one * 1.01 for name, one in weights.items()}, checkpoint / "new", metadata={"format": "pt"})
    (checkpoint / "new").rename(checkpoint / "model.safetensors")


class Logged(TrainerCallback):
    """In the place of Weights & Biases, MLflow or trackio, which get the same from the Trainer."""

    def __init__(self) -> None:
        self.logs: list[dict[str, float]] = []

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float], **_: Any) -> None:
        self.logs.append({"step": state.global_step, **logs})


def trained(checkpoint: Path, folder: Path, database: Path | None) -> tuple[list[dict[str, float]], dict[int, str]]:
    """Train the toy for four steps, and save it twice; with a database, judge the second checkpoint by the first."""
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    tokenizer.pad_token = tokenizer.eos_token
    tokens = tokenizer("The river Lumen flows through Ostrel. " * 8)["input_ids"][:64]
    logged = Logged()
    trainer = Trainer(
        AutoModelForCausalLM.from_pretrained(checkpoint),
        TrainingArguments(
            output_dir=str(folder), max_steps=4, save_steps=2, logging_steps=1, learning_rate=1e-2, use_cpu=True,
            report_to="none", disable_tqdm=True, per_device_train_batch_size=2, seed=0, save_only_model=True,
        ),
        train_dataset=[{"input_ids": tokens, "labels": tokens}] * 8,
        processing_class=tokenizer,
        callbacks=[logged],
    )  # fmt: skip
    callback = newwiki.VerdictCallback(
        trainer, db=database, prompts=13, max_new_tokens=16, samples=1, keep=1, metrics="rep_4,distinct_2"
    )
    if database:
        trainer.add_callback(callback)
    trainer.train()
    return logged.logs, callback.sentences


def test_a_callback_judges_each_checkpoint_and_the_training_stays_the_same(
    published: Path, toy_checkpoint: Path, tmp_path: Path
) -> None:
    database = Path(shutil.copy(published, tmp_path / "newwiki.duckdb"))
    logs, sentences = trained(toy_checkpoint, tmp_path / "judged", database)
    judged = [log for log in logs if "newwiki/verdict" in log]
    assert [log["step"] for log in judged] == [4], "the first checkpoint is what the others are judged against"
    assert judged[0]["newwiki/verdict"] in (-1, 0, 1)
    [metric] = [name.removesuffix("_difference") for name in judged[0] if name.endswith("_difference")]
    assert metric in ("newwiki/rep_4", "newwiki/distinct_2") and metric in judged[0]
    assert "checkpoint-4/greedy" in sentences[4] and "checkpoint-2/greedy" in sentences[4]
    alone, _ = trained(toy_checkpoint, tmp_path / "alone", None)
    losses = [[log["loss"] for log in found if "loss" in log] for found in (logs, alone)]
    assert losses[0] == losses[1] and len(losses[0]) == 4
