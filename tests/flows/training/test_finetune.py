"""`newwiki finetune`: the loss falls, what is killed goes on to the same bytes, and what is evaluated is not learnt."""

import csv
import json
import os
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from click.testing import CliRunner

import flows.api
from flows.cli import cli
from flows.evaluating.generate import load_model
from flows.evaluating.leak import exposure
from flows.evaluating.write_shard import ShardedModel
from flows.progress import Silent
from flows.training.finetuning import Finetuned, finetune
from flows.workers.shards import Executor
from newwiki.errors import TerminalError, TransientError, UsageError
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.models.seq2seq import Seq2SeqModel
from newwiki.settings import Settings
from newwiki.training.record import FILE, read
from newwiki.training_requests import FinetuneRequest
from storage import snapshots
from storage.database import Database
from tests import processes
from tests.flows.conftest import Run, environment
from tests.flows.trained import AUGUST, CAUSAL, SEPTEMBER, SHORT, asked, request
from tests.toys import write_toy

Fit = Callable[..., Finetuned]
_RESULT = {"model.safetensors", "config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"}
_RESULT |= {FILE, "loss.csv", "loss.svg"}


@pytest.fixture(scope="module")
def toys(toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    home = tmp_path_factory.mktemp("toys")
    return {"hf": toy_checkpoint} | {kind: write_toy(kind, toy_checkpoint, home / kind) for kind in ("t5", "bart")}


@pytest.fixture(scope="module")
def tuned(toys: dict[str, Path], two_months: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A causal model, a T5 and a BART, each fitted to August by the command."""
    home = tmp_path_factory.mktemp("tuned")
    for kind, model in toys.items():
        changes = CAUSAL if kind == "hf" else {"backend": "seq2seq"}
        done = CliRunner().invoke(cli, [*asked(model, home / kind, **changes), "--db", str(two_months)])
        assert done.exit_code == 0, done.output
        (home / f"{kind}.said").write_text(done.output)
    return {kind: home / kind for kind in toys}


@pytest.fixture
def fit(two_months: Path, tmp_path: Path) -> Fit:
    def run(asked: FinetuneRequest, folder: Path = tmp_path / "tuned", **settings: Any) -> Finetuned:
        return finetune(Database(two_months), asked, Settings(**settings), folder, Silent())

    return run


def curve(folder: Path, name: str) -> list[tuple[int, float]]:
    with (folder / "loss.csv").open() as stream:
        return [(int(row["step"]), float(row[name])) for row in csv.DictReader(stream) if row[name]]


@pytest.mark.parametrize("kind", ["hf", "t5", "bart"])
def test_the_loss_falls_on_what_is_learnt_and_on_what_is_held_out(tuned: dict[str, Path], kind: str) -> None:
    learnt, apart = curve(tuned[kind], "training"), curve(tuned[kind], "validation")
    assert [step for step, _ in learnt] == list(range(1, 13)), "12 articles in batches of 4, four times"
    assert [step for step, _ in apart] == list(range(0, 13, 3))
    assert learnt[-1][1] < learnt[0][1] - 0.05
    assert apart[-1][1] < apart[0][1] - 0.02, "less than what is learnt: the toy was trained on August itself"
    said = tuned[kind].with_name(f"{kind}.said").read_text()
    assert f"{apart[0][1]:.3f} at first, {apart[-1][1]:.3f} after 12 steps" in said
    assert f"newwiki evaluate {tuned[kind]} --backend {'hf' if kind == 'hf' else 'seq2seq'}" in said


@pytest.mark.parametrize("kind", ["hf", "t5", "bart"])
def test_a_finished_training_is_a_checkpoint_and_nothing_else(tuned: dict[str, Path], kind: str) -> None:
    assert {file.name for file in tuned[kind].iterdir()} == _RESULT
    assert not tuned[kind].with_name(f"{kind}.unfinished").exists()
    loaded = (HuggingFaceModel if kind == "hf" else Seq2SeqModel)(str(tuned[kind]))
    assert loaded.training == read(tuned[kind])
    assert loaded.versions["training_step"] == "12"
    picture = (tuned[kind] / "loss.svg").read_text()
    assert picture.startswith("<svg") and "training step" in picture


def test_the_record_says_what_was_learnt_from_what_and_how(
    tuned: dict[str, Path], toys: dict[str, Path], two_months: Path
) -> None:
    record = read(tuned["hf"])
    assert record
    articles = snapshots.articles(Database(two_months), AUGUST)
    assert {(one.page_id, one.text_sha256) for one in record.articles} == {
        (one.page_id, one.text_sha256) for one in articles
    }
    assert record.request["base_sha256"] == HuggingFaceModel(str(toys["hf"])).sha256
    assert [one["snapshot_id"] for one in record.request["snapshots"]] == [AUGUST]
    assert (record.request["template"], record.request["epochs"]) == ("{title}\n\n{first_sentence}", 4)
    assert record.checked_against == [SEPTEMBER]
    assert (record.facts["learnt"], record.facts["held_out"], record.facts["cut"]) == (12, 1, 13)


def test_a_causal_model_and_an_encoder_decoder_stand_in_one_leaderboard(
    tuned: dict[str, Path], in_process: Run, two_months: Path, tmp_path: Path
) -> None:
    database = shutil.copy(two_months, tmp_path / "board.duckdb")
    said = ""
    both = {kind: tuned[kind] for kind in ("hf", "t5")}
    for kind, folder in both.items():
        ended = in_process(
            "evaluate", folder, "--backend", "hf" if kind == "hf" else "seq2seq", "--decoder", "sample:top_p=0.9",
            "--prompts", "2", "--samples", "1", "--keep", "1", "--max-new-tokens", "16",
            "--metrics", "rep_4,distinct_2", "--format", "csv", "--db", database,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr
        assert "remembers" not in ended.stderr, "none has read what it writes"
        said = ended.stdout
    rows = list(csv.DictReader(said.splitlines()))
    assert {row["model"] for row in rows} == {"Wikipedia", *map(str, both.values())}
    assert all(0 <= float(row["distinct_2"]) <= 1 for row in rows)
    assert len({row["distinct_2_scored_by"] for row in rows}) == 1, "they can be compared"


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def kill_after(arguments: list[str], folder: Path, step: int) -> None:
    process = processes.start(arguments, folder, environment())
    deadline = time.monotonic() + 120
    while not (folder / f"killed.unfinished/checkpoint-{step}/trainer_state.json").exists():
        assert process.exitcode is None, "it ended before it could be killed"
        assert time.monotonic() < deadline, "it never got so far"
        time.sleep(0.01)
    process.kill()
    process.join()


def test_a_training_that_is_killed_ends_with_the_same_bytes(
    fit: Fit, in_process: Run, toys: dict[str, Path], two_months: Path, tmp_path: Path
) -> None:
    """BART draws random numbers for its dropout, and every fourth step is in the midst of an epoch of three."""
    changes = {"backend": "seq2seq", "epochs": 6}
    whole = fit(request(toys["bart"], checkpoint_every=4, **changes), tmp_path / "whole")
    assert whole.curve[-1].step == 18
    arguments = [*asked(toys["bart"], "killed", checkpoint_every=4, **changes), "--db", str(two_months)]
    kill_after(arguments, tmp_path, 4)
    left = tmp_path / "killed.unfinished"
    newest = max(left.glob("checkpoint-*"), key=lambda one: int(one.name.partition("-")[2]))
    torn = Path(shutil.copytree(newest, left / "checkpoint-17", dirs_exist_ok=True))
    os.truncate(torn / "model.safetensors", 1000)  # as if it had been killed while it wrote
    (torn / "trainer_state.json").unlink()
    assert not (tmp_path / "killed").exists()
    kill_after(arguments, tmp_path, 12)
    ended = in_process(*arguments)
    assert ended.returncode == 0, ended.stderr
    assert files(tmp_path / "killed") == files(tmp_path / "whole")
    assert not left.exists()


def test_a_training_that_is_killed_before_its_folder_appears_ends_so_too(
    fit: Fit, toys: dict[str, Path], tmp_path: Path
) -> None:
    asked = request(toys["t5"], backend="seq2seq", epochs=1, checkpoint_every=2)
    first = fit(replace(asked, keep_checkpoints=1))
    assert [(one.step, one.validation is None) for one in first.curve] == [
        (0, False),
        (1, True),
        (2, False),
        (3, False),
    ]
    before = files(tmp_path / "tuned")
    (tmp_path / "tuned").rename(tmp_path / "tuned.unfinished")
    fit(asked)
    assert files(tmp_path / "tuned") == before
    assert not list((tmp_path / "tuned").glob("checkpoint-*")), "none was to be kept"


def test_half_precision_is_mixed_and_the_weights_stay_whole(fit: Fit, toys: dict[str, Path], tmp_path: Path) -> None:
    from safetensors.torch import load_file

    done = fit(request(toys["t5"], backend="seq2seq", epochs=1, dtype="bfloat16"))
    losses = [one.validation for one in done.curve if one.validation is not None]
    assert losses[-1] < losses[0]
    assert {str(one.dtype) for one in load_file(tmp_path / "tuned" / "model.safetensors").values()} == {"torch.float32"}


def test_the_same_request_again_is_done_already_and_another_is_refused(
    fit: Fit, tuned: dict[str, Path], toys: dict[str, Path]
) -> None:
    before = files(tuned["hf"])
    assert fit(request(toys["hf"], **CAUSAL), tuned["hf"]).curve == []
    assert files(tuned["hf"]) == before
    with pytest.raises(UsageError, match=r"is another training's; name a new folder with --out"):
        fit(request(toys["hf"], seed=1, **CAUSAL), tuned["hf"])
    with pytest.raises(UsageError, match=r"is there already, and no training's; name a new folder"):
        fit(request(toys["hf"]), toys["hf"])


def test_from_python_it_gives_the_curve_of_its_loss(toys: dict[str, Path], two_months: Path, tmp_path: Path) -> None:
    wanted = {**SHORT, "epochs": 1, "snapshot": AUGUST, "out": tmp_path / "mine", "db": two_months, "quiet": True}
    found = flows.api.finetune(str(toys["hf"]), **wanted).to_pylist()
    assert [(row["step"], row["validation"]) for row in found if row["validation"]] == curve(
        tmp_path / "mine", "validation"
    )
    assert found[-1]["step"] > 0
    again = flows.api.finetune(str(toys["hf"]), **wanted)
    assert (again.num_rows, again.column_names) == (0, ["step", "training", "validation"])


def test_an_unfinished_training_of_another_request_is_not_gone_on_with(
    fit: Fit, tuned: dict[str, Path], toys: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "tuned.unfinished").mkdir()
    shutil.copy(tuned["hf"] / FILE, tmp_path / "tuned.unfinished")
    with pytest.raises(UsageError, match="holds another training that is not finished; finish it by the same command"):
        fit(request(toys["hf"], seed=1))
    (tmp_path / "tuned.unfinished" / FILE).rename(tmp_path / "tuned.unfinished" / "thesis.txt")
    with pytest.raises(UsageError, match="is no training that was begun here"):
        fit(request(toys["hf"]))
    assert (tmp_path / "tuned.unfinished" / "thesis.txt").exists()


def test_two_processes_do_not_train_in_one_folder(fit: Fit, toys: dict[str, Path], tmp_path: Path) -> None:
    import fcntl

    (tmp_path / "tuned.unfinished").mkdir()
    held = os.open(tmp_path / "tuned.unfinished", os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    try:
        with pytest.raises(TransientError, match="another process is training in"):
            fit(request(toys["hf"]))
    finally:
        os.close(held)


@pytest.mark.parametrize("known_by", ["snapshot", "page", "title", "text"])
def test_articles_that_models_are_evaluated_on_are_refused(
    known_by: str, fit: Fit, toys: dict[str, Path], two_months: Path, tmp_path: Path
) -> None:
    path = shutil.copy(two_months, tmp_path / "leaky.duckdb")
    if known_by != "snapshot":
        column = {"page": "page_id", "title": "title", "text": "text_sha256"}[known_by]
        with Database(path).write() as connection:
            shared = f"(select max({column}) from stored_articles where snapshot_id = '{SEPTEMBER}')"  # noqa: S608
            connection.execute(
                f"update stored_articles set {column} = {shared} where title = 'Keswane'"  # noqa: S608
            )
    asked = request(toys["hf"], snapshot=(SEPTEMBER if known_by == "snapshot" else AUGUST,))
    count = r"\d\d" if known_by == "snapshot" else "1"
    message = rf"^{count} of the \d+ articles of {SEPTEMBER}, which models are evaluated on, are among .* \('.+'.*\)"
    with pytest.raises(TerminalError, match=message) as refusal:
        finetune(Database(path), asked, Settings(), tmp_path / "tuned", Silent())
    assert "newwiki refresh --kind old --before 2026-09-01" in str(refusal.value)
    assert not list(tmp_path.glob("tuned*")), "nothing was begun"


def test_what_is_evaluated_may_be_named(fit: Fit, toys: dict[str, Path], two_months: Path) -> None:
    with pytest.raises(TerminalError, match=rf"13 of the 13 articles of {AUGUST}"):
        fit(request(toys["hf"], evaluate_on=(AUGUST,)))


def test_a_model_that_has_read_what_it_writes_is_marked_everywhere(
    tuned: dict[str, Path], in_process: Run, two_months: Path, tmp_path: Path
) -> None:
    database = Path(shutil.copy(two_months, tmp_path / "leak.duckdb"))
    evaluated = in_process(
        "evaluate", tuned["hf"], "--snapshot", AUGUST, "--decoder", "greedy", "--prompts", "2", "--max-new-tokens", "8",
        "--metrics", "rep_4", "--db", database,
    )  # fmt: skip
    assert evaluated.returncode == 0, evaluated.stderr
    note = f"was trained on 2 of the 2 articles that it writes (from {AUGUST}): its numbers say what it remembers"
    assert evaluated.stderr.count(note) == 2, "before it writes, and beside the leaderboard"
    query = "select versions->>'trained_articles' as trained, versions->>'training_set_sha256' as learnt from runs"
    found = json.loads(in_process("sql", query, "--format", "json", "--db", database).stdout)
    record = read(tuned["hf"])
    assert record and found == [{"trained": "2", "learnt": record.request["training_set_sha256"]}]
    assert in_process("report", "--snapshot", AUGUST, "--out", "leak.html", "--db", database).returncode == 0
    assert note in (tmp_path / "leak.html").read_text("utf-8")


def test_it_is_marked_so_where_workers_write(tuned: dict[str, Path], two_months: Path) -> None:
    loaded = load_model("hf", str(tuned["hf"]), {})
    sharded = ShardedModel(loaded, "hf", {}, [], cast(Executor, SimpleNamespace(workers=2)))
    articles = snapshots.articles(Database(two_months), AUGUST)
    assert exposure(sharded, "samplewiki", articles) == {"trained_articles": str(len(articles))}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"validation": 1.0}, "--validation 1 is out of range: give a share from 0 to below 1"),
        ({"learning_rate": 0.0}, "--learning-rate must be above 0, not 0"),
    ],
)
def test_what_makes_no_sense_is_misuse(changes: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        request(tmp_path, **changes)


def test_what_cannot_be_trained_is_said(fit: Fit, toys: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(TerminalError, match=r"is an encoder-decoder .* which --backend hf cannot run"):
        fit(request(toys["t5"]))
    with pytest.raises(UsageError, match=r"needs \{title\} and \{first_sentence\}"):
        fit(request(toys["hf"]), template="{title}")
    with pytest.raises(UsageError, match="there is no snapshot 'nowhere'"):
        fit(request(toys["hf"], snapshot=("nowhere",)))
    with pytest.raises(TerminalError, match=r"the loss became nan at step \d; lower --learning-rate"):
        fit(request(toys["hf"], learning_rate=1e30, validation=0.0), tmp_path / "far")
