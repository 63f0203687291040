"""Fitting a scorer: what is refused, and that what is fitted works."""

import csv
import random
import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import flows.api
from evaluators.classifier import load_classifier
from evaluators.scorer import read_scorer
from flows.cli import cli
from flows.progress import Silent
from flows.training.scorer_training import Graded, read_graded, train_scorer
from newwiki.errors import UsageError
from newwiki.training_requests import TrainScorerRequest
from tests.evaluators.classifiers import bert

WORDS = ["river", "bridge", "town", "stands", "old", "stone"]
LSTM = TrainScorerRequest(name="q", epochs=20, width=32)


def graded(count: int = 240) -> list[Graded]:
    """Texts of 12 words whose score is how many of them are `good`, from 0 to 10."""
    chooser = random.Random(0)
    texts = []
    for _ in range(count):
        score = chooser.randint(0, 10)
        words = ["good"] * score + chooser.choices(WORDS, k=12 - score)
        chooser.shuffle(words)
        texts.append(Graded(" ".join(words) + ".", float(score)))
    return texts


@pytest.mark.parametrize(
    ("request_", "reads"),
    [
        (LSTM, "text"),
        (LSTM, "sentence"),
        (replace(LSTM, kind="transformer", epochs=20), "text"),
    ],
)
def test_a_simple_rule_is_learnt(tmp_path: Path, request_: TrainScorerRequest, reads: Any) -> None:
    asked = replace(request_, name="goodness", reads=reads, held_out=0.2)
    found = train_scorer(graded(), asked, tmp_path / "mine", Silent())
    assert found.texts == 48
    assert found.pearson is not None
    assert found.qwk is not None
    assert found.pearson > 0.9
    assert found.qwk > 0.7
    assert found.rmse < 2
    scorer = read_scorer(tmp_path / "mine" / "scorer.toml")
    assert (scorer.name, scorer.reads, scorer.place) == ("goodness", reads, str(tmp_path / "mine"))
    low, high = (load_classifier(scorer).read(text) for text in ("old stone town river.", "good good good good."))
    assert low is not None
    assert high is not None
    assert low < high


def test_from_python_it_gives_the_agreement(tmp_path: Path) -> None:
    with (tmp_path / "graded.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("text", "score"), *((one.text, one.score) for one in graded(40))])
    [row] = flows.api.train_scorer(tmp_path / "graded.csv", out=tmp_path / "mine", epochs=1, width=8).to_pylist()
    read = [load_classifier(read_scorer(tmp_path / "mine" / "scorer.toml")).read(one.text) for one in graded(40)]
    assert (row["texts"], list(row)) == (4, ["texts", "pearson", "rmse", "qwk"])
    assert row["rmse"] > 0
    assert None not in read


def test_the_same_seed_fits_the_same_model(tmp_path: Path) -> None:
    texts = graded(40)
    for folder in ("a", "b"):
        train_scorer(texts, replace(LSTM, epochs=1, width=8), tmp_path / folder, Silent())
    assert len({(tmp_path / folder / "model.safetensors").read_bytes() for folder in ("a", "b")}) == 1


@pytest.mark.parametrize("steps", [1, 2, 9, 10, 11])
def test_few_steps_are_enough_to_end(tmp_path: Path, steps: int) -> None:
    asked = replace(LSTM, epochs=steps, width=8)  # each epoch is one batch
    train_scorer(graded(20), asked, tmp_path / "mine", Silent())
    assert (tmp_path / "mine" / "model.safetensors").is_file()


def test_a_transformer_may_begin_with_a_checkpoint(tmp_path: Path) -> None:
    bert(tmp_path / "base", ["a", "b", "c"])
    asked = TrainScorerRequest(kind="transformer", epochs=1, base=str(tmp_path / "base"))
    train_scorer(graded(40), asked, tmp_path / "mine", Silent())
    classifier = load_classifier(read_scorer(tmp_path / "mine" / "scorer.toml"))
    assert (classifier.parameters["window"], classifier.parameters["label"]) == (16, "")
    assert classifier.read("good river.") is not None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty; its first line must be text, score"),
        ("essay,score\nx,1\n", "line 1: there is no column 'text', but essay, score"),
        ("text,score\na word,1\nanother,high\n", "line 3: the score is 'high', and must be a number"),
        ("text,score\na word,nan\n", "line 2: the score is 'nan', and must be a number"),
        ('text,score\n"two\nlines",1\n ... ,1\n', "line 4: the text has no words"),
        ("text,score\na word\n", "line 2: the row has 1 fields, and the first line has 2"),
        ("text,score\na, word,1\n", "line 2: the row has 3 fields, and the first line has 2"),
        ("text,score\na word,1\n", "has 1 texts, and fitting takes 10 at least"),
        ('text,score\n"a word,1\n', "line 2: unexpected end of data; put a text"),
        (b"text,score\n\xff,1\n", "is not UTF-8"),
    ],
)
def test_a_wrong_table_is_misuse_and_says_where(tmp_path: Path, content: str | bytes, message: str) -> None:
    file = tmp_path / "graded.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UsageError, match=re.escape(message)):
        read_graded(file)


def test_other_columns_and_a_byte_order_mark_do_no_harm(tmp_path: Path) -> None:
    rows = "".join(f'{number},"word, {number}",{number}.5\n' for number in range(10))
    (tmp_path / "graded.csv").write_text(f"\ufeffid,text,score\n{rows}", "utf-8")
    assert read_graded(tmp_path / "graded.csv")[3] == Graded("word, 3", 3.5)


def test_what_cannot_be_fitted_is_misuse(tmp_path: Path) -> None:
    def train(texts: list[Graded], folder: Path, *, name: str = "q", held_out: float = 0.1) -> None:
        train_scorer(texts, replace(LSTM, name=name, held_out=held_out), folder, Silent())

    with pytest.raises(UsageError, match="is there already; name a new folder with --out"):
        train(graded(20), tmp_path)
    with pytest.raises(UsageError, match=r"all scores .* are the same"):
        train([Graded("a word", 1.0)] * 20, tmp_path / "mine")
    with pytest.raises(UsageError, match="--held-out 1 is out of range"):
        train(graded(20), tmp_path / "mine", held_out=1.0)
    with pytest.raises(
        UsageError, match="name: must be lower-case letters, digits and underscores, beginning with a letter, not"
    ):
        train(graded(20), tmp_path / "mine", name="My score")
    assert not (tmp_path / "mine").exists()


def test_the_command_writes_a_scorer_and_tells_how_good_it_is(tmp_path: Path) -> None:
    with (tmp_path / "graded.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerows([("text", "score"), *((one.text, one.score) for one in graded(60))])
    out = tmp_path / "mine"
    asked = [
        "train-scorer",
        str(tmp_path / "graded.csv"),
        "--out",
        str(out),
        "--epochs",
        "1",
        "--width",
        "8",
        "--quiet",
    ]
    done = CliRunner().invoke(cli, asked)
    assert done.exit_code == 0, done.output
    assert re.match(r"6 held-out texts: Pearson -?[\d.]+, RMSE [\d.]+, QWK -?[\d.]+\n", done.output)
    assert f"--scorer {out}/scorer.toml --metrics quality" in done.output
    written = (out / "scorer.toml").read_text()
    assert written.startswith("# 6 texts held out, seed 0: Pearson")
    assert tomllib.loads(written)["definition"] == (
        "what an LSTM says that was fitted to 54 texts with scores from 0 to 10"
    )
    assert {file.name for file in out.iterdir()} >= {"model.safetensors", "config.json", "tokenizer.json"}


def test_a_base_goes_with_a_transformer() -> None:
    done = CliRunner().invoke(cli, ["train-scorer", "x.csv", "--out", "y", "--base", "z"])
    assert isinstance(done.exception, UsageError)
    assert "--base needs a transformer: add --kind transformer" in str(done.exception)
