"""lm-evaluation-harness, from its own package, runs an exported snapshot and comes to our numbers."""

import json
import math
import os
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from flows.exporting.document_scorer import DocumentScorer
from flows.exporting.lm_eval_task import export_task, task_name
from flows.progress import Silent
from newwiki.errors import UsageError
from newwiki.request import TaskRequest
from newwiki.settings import Settings
from storage.database import Database
from tests import processes
from tests.flows import in_process as here
from tests.flows.conftest import Run, environment

TASK = "newwiki_samplewiki_2026_09"
WRITING = ("--prompts", "4", "--max-new-tokens", "60", "--entities", "rules-v1")


@pytest.fixture(scope="module")
def ours(published: Path, toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the toy's greedy run."""
    folder = tmp_path_factory.mktemp("ours")
    path = Path(shutil.copy(published, folder / "newwiki.duckdb"))
    asked = ("evaluate", toy_checkpoint, "--decoder", "greedy", *WRITING, "--db", path)
    here.run(asked, folder, environment()).check_returncode()
    return path


@pytest.fixture(scope="module")
def theirs(ours: Path, toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What lm_eval leaves after running the task, whose folder was moved after the export."""
    folder = tmp_path_factory.mktemp("theirs")
    asked = ("export", "task", "latest", *WRITING, "--out", folder / "made", "--db", ours)
    here.run(asked, folder, environment()).check_returncode()
    shutil.move(folder / "made", folder / "moved")
    arguments = {
        "--model": "hf",
        "--model_args": f"pretrained={toy_checkpoint},dtype=float32",
        "--tasks": f"{TASK},{TASK}_bits_per_byte",
        "--include_path": folder / "moved",
        "--device": "cpu",
        "--batch_size": 3,
        "--output_path": folder / "out",
    }
    written = [str(part) for pair in arguments.items() for part in pair]
    process = processes.FORKS.Process(target=_lm_eval, args=([*written, "--log_samples"], folder, environment()))
    process.start()
    process.join()
    assert process.exitcode == 0, (folder / "log").read_text()
    return folder / "out"


def _lm_eval(arguments: list[str], folder: Path, env: dict[str, str]) -> None:
    """`lm_eval run ARGUMENTS`, from its own package."""
    for number in (1, 2):
        os.dup2(os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(folder / "hub")}
    processes.settle(["lm_eval", "run", *arguments], folder, env | offline)

    from lm_eval.__main__ import cli_evaluate

    cli_evaluate()


def one(folder: Path, pattern: str) -> Path:
    [found] = [path for path in folder.rglob(pattern) if "bits_per_byte" not in path.name]
    return found


def asked(path: Path, question: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(question).fetchall()


@pytest.mark.slow
def test_lm_eval_writes_the_same_texts(ours: Path, theirs: Path) -> None:
    logged = [json.loads(line) for line in one(theirs, "samples_*.jsonl").read_text("utf-8").splitlines()]
    stored = dict(asked(ours, "select page_id, text from completions"))
    assert {sample["doc"]["page_id"]: sample["filtered_resps"][0] for sample in logged} == stored
    assert len(stored) == 4


@pytest.mark.slow
def test_lm_eval_comes_to_our_numbers(ours: Path, theirs: Path) -> None:
    results = json.loads(one(theirs, "results_*.json").read_text("utf-8"))
    found = {
        name.removesuffix(",none"): value
        for name, value in results["results"][TASK].items()
        if name.endswith(",none") and "_stderr" not in name
    }
    rows = asked(
        ours,
        "select metric, mean, evaluator_id from metric_summaries "
        "where not is_read and run_id in (select run_id from completions)",
    )
    means = {metric: mean for metric, mean, _ in rows if mean is not None}
    assert found == pytest.approx(means, rel=0, abs=1e-6)
    assert {"sbert", "bleu", "rep_4", "entity_overlap"} <= found.keys()
    named = results["configs"][TASK]["metadata"]
    who = {metric: evaluator_id for metric, _, evaluator_id in rows}
    assert {metric: one["evaluator_id"] for metric, one in named["evaluators"].items()} == who
    [(content,)] = asked(ours, "select content_sha256 from snapshots")
    assert (named["snapshot_id"], named["content_sha256"]) == ("samplewiki-2026-09", content)
    assert (
        results["higher_is_better"][TASK] | {"rep_4": False, "sbert": True, "gunning_fog": None}
        == (results["higher_is_better"][TASK])
    )


@pytest.mark.slow
def test_its_bits_per_byte_are_those_of_the_plain_model_over_all_bytes(
    ours: Path, theirs: Path, toy_checkpoint: Path
) -> None:
    """lm_eval reads windows of the model's context that do not overlap, each after the last token of the one before."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(toy_checkpoint).eval()
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    size, nats, count = model.config.n_positions, 0.0, 0
    stored = asked(ours, "select title, first_sentence, completion from stored_articles")
    texts = [f"{title}\n\n{first} {rest}" for title, first, rest in stored]
    logged = [json.loads(line)["doc"]["text"] for line in next(theirs.rglob("samples_*bits*.jsonl")).open("rb")]
    assert len(logged) == 4 and set(logged) <= set(texts)
    for text in logged:
        tokens = [tokenizer.eos_token_id, *tokenizer(text)["input_ids"]]
        count += len(text.encode())
        for start in range(1, len(tokens), size):
            end = min(start + size, len(tokens))
            first = min(start, max(1, end - size)) - 1
            with torch.inference_mode():
                logits = model(torch.tensor([tokens[first : end - 1]])).logits[0]
            chosen = torch.log_softmax(logits, -1)[torch.arange(end - 1 - first), tokens[first + 1 : end]]
            nats -= float(chosen[start - 1 - first :].sum())
    results = json.loads(one(theirs, "results_*.json").read_text("utf-8"))["results"]
    assert results[f"{TASK}_bits_per_byte"]["bits_per_byte,none"] == pytest.approx(nats / count / math.log(2), rel=1e-5)


@pytest.mark.slow
def test_our_results_have_the_shape_and_the_numbers_of_lm_evals(
    in_process: Run, ours: Path, theirs: Path, tmp_path: Path
) -> None:
    from lm_eval.utils import make_table

    ended = in_process("export", "results", "greedy", "--out", tmp_path / "greedy.json", "--db", ours)
    assert ended.returncode == 0, ended.stderr
    mine = json.loads((tmp_path / "greedy.json").read_text("utf-8"))
    other = json.loads(one(theirs, "results_*.json").read_text("utf-8"))
    for key in ("results", "group_subtasks", "configs", "versions", "n-shot", "higher_is_better", "config"):
        assert type(mine[key]) is type(other[key]), key
    assert mine["results"][TASK].keys() == other["results"][TASK].keys()
    without = mine["configs"][TASK]["metadata"]["no_interval"]
    assert set(without.values()) == {"too few prompts"}
    for name, value in other["results"][TASK].items():
        if name.removesuffix("_stderr,none") in without:
            assert mine["results"][TASK][name] == "N/A"
            continue
        assert mine["results"][TASK][name] == (pytest.approx(value, abs=1e-6) if isinstance(value, float) else value), (
            name
        )
    for key in ("versions", "n-shot", "group_subtasks"):
        assert mine[key] == {name: value for name, value in other[key].items() if "bits_per_byte" not in name}, key
    without_path = Path(other["model_name"]).name
    assert (mine["model_name"], mine["model_name_sanitized"]) == (without_path, without_path)
    effective = other["n-samples"][TASK]["effective"]
    assert mine["n-samples"] == {TASK: {"original": 13, "effective": effective}}
    rows = [[cell.strip() for cell in line.split("|")] for line in make_table(mine).splitlines()]
    assert next(row for row in rows if "rep_4" in row)[3:7] == ["none", "0", "rep_4", "↓"]


@pytest.mark.slow
def test_the_log_of_its_samples_is_read_and_scored(in_process: Run, ours: Path, theirs: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(ours, tmp_path / "again.duckdb"))
    log = one(theirs, "samples_*.jsonl")
    ended = in_process("score", log, "--model", "theirs", "--metrics", "rep_4,bleu", "--db", path, "--format", "json")
    assert ended.returncode == 0, ended.stderr
    rows = {row["model"]: row for row in json.loads(ended.stdout)}
    toy = next(row for name, row in rows.items() if name.endswith("toy-gpt2"))
    assert (rows["theirs"]["rep_4"], rows["theirs"]["bleu"]) == (toy["rep_4"], toy["bleu"])


def document(**changes: object) -> dict[str, Any]:
    completion = "It flows from the Alps to the sea. It is old and long and wide and deep."
    about = {"page_id": 7, "title": "Rhein", "first_sentence": "The Rhein is a river.", "completion": completion}
    return about | {"prompt": "Rhein\n\nThe Rhein is a river."} | changes


def test_what_cannot_be_computed_is_left_out_and_no_zero() -> None:
    scorer = DocumentScorer("rep_4,flesch_reading_ease,distinct_2")
    full = scorer.score(document(), "It is a river that is a river that is a river.")
    assert full.keys() == {"rep_4", "flesch_reading_ease", "distinct_2"}
    assert "flesch_reading_ease" not in scorer.score(document(), "")


@pytest.mark.slow
def test_the_scorer_says_who_scores() -> None:
    scorer = DocumentScorer("rep_4,entity_overlap", entities="rules-v1")
    assert scorer.scored_by["entity_overlap"]["model"] == "rules-v1"
    assert scorer.scored_by["rep_4"]["evaluator_id"] != scorer.scored_by["entity_overlap"]["evaluator_id"]


def test_names_are_safe_for_a_command_line() -> None:
    assert task_name("enwiki-2026-10") == "newwiki_enwiki_2026_10"
    assert task_name("zh-min-nanwiki-2026-10-a1b2c3") == "newwiki_zh_min_nanwiki_2026_10_a1b2c3"


def test_a_task_refuses_what_it_could_not_score_by(in_process: Run, database: Path, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from newwiki import Metric, evaluator\n"
        "@evaluator(metrics=[Metric('letters', '', 0, None, 'none', '', '')], version='1')\n"
        "def letter_count(analysis, reference):\n"
        "    return len(analysis.text)\n"
    )
    ended = in_process(
        "export", "task", "latest", "--plugin", "own.py", "--metrics", "letters", "--out", "task", "--db", database
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "lm_eval cannot score by letters: it comes from a file of yours" in ended.stderr
    for request, words in (
        ({"metrics": "self_bleu"}, "it is one number a run"),
        ({"max_new_tokens": 0}, "--max-new-tokens must be at least 1"),
        ({"metrics": "bluo"}, "there is no metric 'bluo'"),
    ):
        with pytest.raises(UsageError, match=words):
            export_task(Database(database), TaskRequest(**request), Settings(), tmp_path / "task", Silent())
    assert not (tmp_path / "task").exists()


def test_a_task_that_names_a_path_of_this_machine_tells_so(in_process: Run, database: Path, tmp_path: Path) -> None:
    asked = ("export", "task", "latest", "--metrics", "rep_4", "--db", database)
    named = in_process(*asked, "--embedder", "/srv/embedder", "--out", "named")
    assert "the task names --embedder /srv/embedder: whoever gets it" in named.stderr
    assert "the task names" not in in_process(*asked, "--out", "plain").stderr


def test_another_task_folder_is_not_written_over(in_process: Run, database: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "arc.yaml").write_text("task: arc")
    ended = in_process("export", "task", "latest", "--out", "other", "--db", database)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "holds something else than a snapshot; name a new folder" in ended.stderr
