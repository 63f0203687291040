"""What a scorer makes of its model's outputs, with tiny models of our own."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import (
    BertModel,
    GPT2Config,
    GPT2ForSequenceClassification,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForSequenceClassification,
)

from evaluators.analysis import Analysis, Analyst
from evaluators.classifier import Classifier, load_classifier
from evaluators.scorer import read_scorer
from evaluators.scorer_metrics import PRESETS
from evaluators.scoring import fingerprint, select
from newwiki.errors import TerminalError, UsageError
from newwiki.records import Unscorable
from tests.evaluators.classifiers import bert, described, tokenizer

Load = Callable[..., Classifier]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """The scorer of a file with these keys, beside the folder `model`."""
    return lambda **keys: load_classifier(read_scorer(described(tmp_path / "mine.toml", **keys)))


@pytest.fixture
def random_model(tmp_path: Path) -> Any:
    return bert(tmp_path / "model", ["score"])


def said(model: Any, text: str) -> float:
    """What transformers itself says of a text that fits."""
    with torch.no_grad():
        return float(model(**tokenizer()(text, return_tensors="pt")).logits[0, 0])


def scored(classifier: Classifier, text: str) -> float | Unscorable:
    analysis = Analyst(classifier).analyse([text], {classifier.scorer.name})[0]
    return classifier.scorer.score(analysis, analysis)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"output": "raw", "label": "c"}, 3.0),
        ({"output": "sigmoid", "label": "b"}, 1 / (1 + math.exp(-2))),
        ({"output": "softmax", "label": "a"}, 1 / (1 + math.e + math.e**2)),
        ({"output": "expected", "values": [1, 2, 5]}, (1 + 2 * math.e + 5 * math.e**2) / (1 + math.e + math.e**2)),
    ],
)
def test_an_output_becomes_a_number_as_the_file_says(
    tmp_path: Path, load: Load, keys: dict[str, object], expected: float
) -> None:
    bert(tmp_path / "model", ["a", "b", "c"], logits=[1, 2, 3])
    assert load(**keys).read("Anna stands.") == pytest.approx(expected, abs=1e-6)


def test_one_output_needs_no_label(random_model: Any, load: Load) -> None:
    assert load().read("good bridge") == pytest.approx(said(random_model, "good bridge"), abs=1e-5)
    sigmoid = load(output="sigmoid").read("good bridge")
    assert sigmoid == pytest.approx(1 / (1 + math.exp(-said(random_model, "good bridge"))), abs=1e-5)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"output": "softmax", "label": "toxic"}, r"mine\.toml': label is 'toxic', but the labels of .* are: a, b"),
        ({"output": "raw"}, r"label is '', but the labels of 'model' are: a, b"),
        ({"output": "expected", "values": [1, 2, 3]}, "lists 3 values, but 'model' has 2 labels: a, b"),
        ({"label": "a", "window": 17}, "window is 17, but 'model' reads at most 16 tokens"),
    ],
)
def test_what_the_model_does_not_have_is_misuse(
    tmp_path: Path, load: Load, keys: dict[str, object], message: str
) -> None:
    bert(tmp_path / "model", ["a", "b"])
    with pytest.raises(UsageError, match=message):
        load(**keys)


def test_one_output_has_no_share(random_model: Any, load: Load) -> None:
    with pytest.raises(UsageError, match="has a single output, so output must be raw or sigmoid"):
        load(output="softmax", label="score")


def test_a_long_text_is_the_mean_of_its_chunks_by_their_tokens(random_model: Any, load: Load) -> None:
    # A window of 8 holds 6 words and two special tokens: 6 + 6 + 2 words.
    words = [
        "good",
        "bad",
        "river",
        "bridge",
        "town",
        "anna",
        "berg",
        "stands",
        "good",
        "good",
        "bad",
        "town",
        "river",
        "bad",
    ]
    parts = [" ".join(words[:6]), " ".join(words[6:12]), " ".join(words[12:])]
    expected = sum(size * said(random_model, part) for size, part in zip((6, 6, 2), parts, strict=True)) / 14
    assert load(window=8).read(" ".join(words)) == pytest.approx(expected, abs=1e-5)
    assert load(window=8, batch=1).read(" ".join(words)) == pytest.approx(expected, abs=1e-5)


def test_sentences_count_alike_however_long(random_model: Any, load: Load) -> None:
    first, second = "Anna Berg stands.", "Good river bridge town bad bad river!"
    expected = (said(random_model, first) + said(random_model, second)) / 2
    assert load(reads="sentence").read(f"{first} {second}") == pytest.approx(expected, abs=1e-5)


def test_a_long_sentence_is_the_mean_of_its_chunks(random_model: Any, load: Load) -> None:
    long = "Good river bridge town bad bad river!"
    chunks = (6 * said(random_model, "good river bridge town bad bad") + 2 * said(random_model, "river!")) / 8
    expected = (said(random_model, "Anna stands.") + chunks) / 2
    assert load(reads="sentence", window=8).read(f"Anna stands. {long}") == pytest.approx(expected, abs=1e-5)


def test_a_text_has_the_same_bits_in_any_company(random_model: Any, load: Load) -> None:
    classifier = load(batch=2)
    texts = ["good", "bad river " * 30, "Anna Berg stands. " * 9, ""]
    together = classifier.make([""] * 4, texts, {"mine"})["mine"]
    assert [classifier.make([""], [text], {"mine"})["mine"][0] for text in texts[::-1]] == together[::-1]


@pytest.mark.parametrize(
    ("text", "reads", "reason"),
    [
        ("", "text", "no words"),
        (" \n", "sentence", "no words"),
        ("... !", "text", "no words"),
        ("🙂 🎉", "text", "no words"),
        ("a text that just stops", "sentence", "no sentence end"),
    ],
)
def test_what_cannot_be_read_has_a_reason(random_model: Any, load: Load, text: str, reads: str, reason: str) -> None:
    assert scored(load(reads=reads), text) == Unscorable(reason)


@pytest.mark.parametrize("text", ["这是一句话。", "هذا نص عربي.", "1234", "\ud800 word \x00 �.", "x" * 200_000])
@pytest.mark.parametrize("reads", ["text", "sentence"])
def test_any_other_text_has_a_number(random_model: Any, load: Load, text: str, reads: str) -> None:
    found = scored(load(reads=reads), text + ".")
    assert isinstance(found, float)
    assert math.isfinite(found)


def test_very_many_words_have_a_number(random_model: Any, load: Load) -> None:
    found = scored(load(batch=256), "good river " * 20_000)
    assert isinstance(found, float)


def test_a_score_says_who_made_it(random_model: Any, load: Load) -> None:
    (evaluator,) = select("toxicity")
    scorers = [load(name="toxicity", label="score"), load(name="toxicity", label="score", window=8)]
    marks = [fingerprint(evaluator, Analyst(scorer)) for scorer in scorers]
    assert marks[0].evaluator_id != marks[1].evaluator_id
    assert (marks[0].model, marks[0].dtype) == ("model", "float32")
    assert len(marks[0].model_sha256 or "") == 64
    assert (marks[0].parameters["window"], marks[1].parameters["window"]) == (16, 8)
    assert {"torch", "transformers", "tokenizers"} <= marks[0].dependencies.keys()


def test_a_model_without_its_last_layer_is_refused(tmp_path: Path, random_model: Any, load: Load) -> None:
    BertModel(random_model.config).save_pretrained(tmp_path / "model")
    with pytest.raises(TerminalError, match=r"lacks weights \(classifier"):
        load()


def test_pickles_are_refused(tmp_path: Path, random_model: Any, load: Load) -> None:
    torch.save(random_model.state_dict(), tmp_path / "model" / "pytorch_model.bin")
    (tmp_path / "model" / "model.safetensors").unlink()
    with pytest.raises(TerminalError, match=r"mine: .*weights as pickles"):
        load()


def test_a_model_that_is_nowhere_says_of_which_metric(monkeypatch: pytest.MonkeyPatch, load: Load) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(TerminalError, match="mine: there is no model 'nobody/nothing': no local folder has this name"):
        load(model="nobody/nothing")


@pytest.mark.parametrize("name", ["quality", "specificity"])
def test_what_has_no_published_model_says_how_to_fit_one(name: str) -> None:
    with pytest.raises(TerminalError, match=f"newwiki train-scorer --name {name}`, .* --scorer FOLDER/scorer.toml"):
        load_classifier(read_scorer(PRESETS / f"{name}.toml"))


def test_roberta_counts_its_positions_from_behind_its_padding(tmp_path: Path, load: Load) -> None:
    config = RobertaConfig(
        vocab_size=20,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=18,
        num_labels=1,
        pad_token_id=1,
    )
    RobertaForSequenceClassification(config).save_pretrained(tmp_path / "model")
    tokenizer(context=10**30).save_pretrained(tmp_path / "model")
    classifier = load()
    assert classifier.parameters["window"] == 16
    assert isinstance(classifier.read("good river " * 50), float)


def test_a_model_without_padding_reads_chunk_by_chunk(tmp_path: Path, load: Load) -> None:
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=20, n_positions=16, n_embd=16, n_layer=1, n_head=2, num_labels=1)
    model = GPT2ForSequenceClassification(config).eval()
    model.save_pretrained(tmp_path / "model")
    made = tokenizer().backend_tokenizer
    made.post_processor = None
    PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=16).save_pretrained(tmp_path / "model")
    ids = [4 + place % 8 for place in range(20)]
    with torch.no_grad():
        first, second = (float(model(torch.tensor([part])).logits[0, 0]) for part in (ids[:16], ids[16:]))
    words = ["good", "bad", "river", "bridge", "town", "anna", "berg", "stands"]
    text = " ".join(words[place % 8] for place in range(20))
    assert load().read(text) == pytest.approx((16 * first + 4 * second) / 20, abs=1e-5)


def test_a_part_that_was_not_made_is_an_error() -> None:
    scorer = read_scorer(PRESETS / "toxicity.toml")
    with pytest.raises(TerminalError, match="analyzed without toxicity"):
        scorer.score(Analysis("a word"), Analysis("a word"))
