"""A model that breaks on its way: the run is marked failed, what is stored stays, and a whole model goes on."""

import shutil
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from safetensors.torch import load_file, save_file
from transformers import AutoTokenizer

from flows.evaluating.generate import generate, load_model, plan
from flows.progress import Silent
from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError
from newwiki.request import EvaluationRequest
from newwiki.settings import Settings
from newwiki.snapshot import Article
from newwiki.text.prompts import fill
from storage import snapshots
from storage.database import Database

REQUEST = EvaluationRequest(models=("toy",), decoder=("greedy",), max_new_tokens=20, batch_size=1)


@pytest.fixture
def by_prompt(toy_checkpoint: Path, database: Path) -> list[tuple[int, Article]]:
    """The articles with the tokens of their prompts, the longest prompt last."""
    db = Database(database)
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    articles = snapshots.articles(db, snapshots.resolve(db, "latest").snapshot_id)
    prompts = [tokenizer(fill(Settings.template, a.title, a.first_sentence))["input_ids"] for a in articles]
    return sorted(zip(map(len, prompts), articles, strict=True), key=lambda pair: pair[0])


@pytest.fixture
def broken(toy_checkpoint: Path, by_prompt: list[tuple[int, Article]], tmp_path: Path) -> Path:
    """The toy with a position that is not a number, which only the completion of the longest prompt reaches."""
    assert by_prompt[-1][0] > by_prompt[-2][0]
    folder = shutil.copytree(toy_checkpoint, tmp_path / "broken")
    weights = load_file(folder / "model.safetensors")
    weights["transformer.wpe.weight"][by_prompt[-1][0] + REQUEST.max_new_tokens - 2] = float("nan")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def test_a_run_whose_logits_are_not_numbers_fails_and_keeps_what_it_has(
    broken: Path, database: Path, by_prompt: list[tuple[int, Article]]
) -> None:
    db, (decoder,) = Database(database), parse("greedy")
    model = load_model("hf", str(broken), {})
    planned = replace(plan(db, model, decoder, REQUEST), articles=[article for _, article in by_prompt[-4:]])
    for _ in range(2):
        with pytest.raises(TerminalError, match=r"returned NaN logits; its weights are damaged"):
            generate(db, planned, model, decoder, Silent())
        with duckdb.connect(str(database), read_only=True) as connection:
            assert connection.execute("select run_id, status from runs").fetchall() == [(planned.run.run_id, "failed")]
            stored = connection.execute("select page_id from completions").fetchall()
        assert [page for (page,) in stored] == [article.page_id for _, article in by_prompt[-4:-1]]
