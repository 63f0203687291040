"""A model that breaks on its way: the run is marked failed, what is stored stays, and a whole model goes on."""

import shutil
from pathlib import Path

import duckdb
import pytest
from safetensors.torch import load_file, save_file
from transformers import AutoTokenizer

from flows.progress import Silent
from flows.steps.evaluate import EvaluationRequest, generate, load_model, plan
from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError
from newwiki.text.prompts import fill
from storage import snapshots
from storage.database import Database

REQUEST = EvaluationRequest(max_new_tokens=20, batch_size=1, template="{title}")


@pytest.fixture
def late(toy_checkpoint: Path, database: Path) -> tuple[int, int]:
    """The first article whose prompt is longer than all before it, by its place, and the tokens of that prompt."""
    db = Database(database)
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    articles = snapshots.articles(db, snapshots.resolve(db, "latest").snapshot_id)
    lengths = [len(tokenizer(fill(REQUEST.template, a.title, a.first_sentence))["input_ids"]) for a in articles]
    place = next(place for place in range(1, len(lengths)) if lengths[place] > max(lengths[:place]))
    return place, lengths[place]


@pytest.fixture
def broken(toy_checkpoint: Path, late: tuple[int, int], tmp_path: Path) -> Path:
    """The toy with a position that is not a number, which that article's completion is the first to reach."""
    folder = shutil.copytree(toy_checkpoint, tmp_path / "broken")
    weights = load_file(folder / "model.safetensors")
    weights["transformer.wpe.weight"][late[1] + REQUEST.max_new_tokens - 2] = float("nan")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def test_a_run_whose_logits_are_not_numbers_fails_and_keeps_what_it_has(
    broken: Path, database: Path, late: tuple[int, int]
) -> None:
    db, (decoder,) = Database(database), parse("greedy")
    model = load_model("hf", str(broken), {})
    planned = plan(db, model, decoder, REQUEST)
    with pytest.raises(TerminalError, match=r"logits that are not numbers \(NaN\); its weights are damaged"):
        generate(db, planned, model, decoder, Silent())
    with duckdb.connect(str(database), read_only=True) as connection:
        assert connection.execute("select run_id, status from runs").fetchall() == [(planned.run.run_id, "failed")]
        stored = connection.execute("select page_id, text from completions").fetchall()
    assert [page for page, _ in stored] == [article.page_id for article in planned.articles[: late[0]]]
    with pytest.raises(TerminalError, match="not numbers"):
        generate(db, planned, model, decoder, Silent())
