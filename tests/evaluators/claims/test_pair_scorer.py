"""What a TOML file says of a pair scorer, and what its model makes of pairs."""

from pathlib import Path

import pytest
import torch

from evaluators.claims.pair_classifier import Pair, PairClassifier, load_pair_classifier
from evaluators.claims.pair_scorer import read_pair_scorer
from newwiki.errors import UsageError
from newwiki.settings import Settings
from tests.evaluators.classifiers import bert
from tests.evaluators.handmade import judge, voter


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return judge(tmp_path_factory.mktemp("judge"), context=16)


@pytest.fixture(scope="module")
def classifier(file: Path) -> PairClassifier:
    return loaded(file)


def loaded(file: Path) -> PairClassifier:
    return load_pair_classifier(read_pair_scorer(str(file)))


def changed(file: Path, before: str, after: str) -> Path:
    other = file.with_name("changed.toml")
    other.write_text(file.read_text().replace(before, after))
    return other


def labels(classifier: PairClassifier, *pairs: Pair) -> list[str]:
    names = ("supported", "refuted", "not_enough_info")
    return [max(names, key=lambda name: getattr(one, name)) for one in classifier.shares(pairs)]


def test_the_label_map_says_which_share_is_which(classifier: PairClassifier) -> None:
    # Exactly so many words good and bad decide, whichever text they stand in
    pairs = [("A river is good.", "A river."), ("A town is bad.", "A good bad town."), ("Anna.", "A good bad town.")]
    assert labels(classifier, *pairs) == ["supported", "refuted", "not_enough_info"]
    softmax = torch.tensor([3.0, -3.0, 1.0], dtype=torch.float64).softmax(0).tolist()
    [one] = classifier.shares(pairs[:1])
    assert [one.supported, one.refuted, one.not_enough_info] == pytest.approx(softmax, abs=1e-6)


def test_the_end_of_the_evidence_is_cut_and_never_the_claim(file: Path, classifier: PairClassifier) -> None:
    # 16 tokens: three of them special, 3 of the claim, so 10 of the evidence. What is bad stands behind.
    evidence = "good town " * 5 + "bad " * 9
    [one] = classifier.shares([(evidence, "anna good stands")])
    assert (one.cut, one.supported > 0.8) == (True, True)
    [whole] = classifier.shares([("good town " * 5, "anna good stands")])
    assert not whole.cut
    claim_first = loaded(changed(file, "pitfalls", 'first = "claim"\npitfalls'))
    [other] = claim_first.shares([(evidence, "anna good stands")])
    assert (other.cut, other.supported) == (True, one.supported)


def test_which_text_comes_first_is_as_the_model_was_trained(file: Path, classifier: PairClassifier) -> None:
    claim_first = loaded(changed(file, "pitfalls", 'first = "claim"\npitfalls'))
    asked = [classifier._tokens([("river", "town anna")]), claim_first._tokens([("river", "town anna")])]
    words = classifier._tokenizer.get_vocab()
    expected = ["[CLS] river [SEP] town anna [SEP]", "[CLS] town anna [SEP] river [SEP]"]
    assert [list(tokens.ids) for [tokens] in asked] == [[words[word] for word in one.split()] for one in expected]
    assert [list(tokens.types) for [tokens] in asked] == [[0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1]]


def test_a_pair_has_the_same_bits_alone_and_in_company(tmp_path: Path) -> None:
    """Of a model whose weights are no round numbers, with pairs of many lengths and several of each."""
    from tests.evaluators.classifiers import tokenizer

    torch.manual_seed(3)
    file = judge(tmp_path, context=64)
    from transformers import BertConfig, BertForSequenceClassification

    names = dict(enumerate(["yes", "maybe", "no"]))
    config = BertConfig(
        vocab_size=32, hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=256, id2label=names
    )
    BertForSequenceClassification(config).save_pretrained(tmp_path / "judge")
    tokenizer(64, pairs=True).save_pretrained(tmp_path / "judge")
    classifier = loaded(changed(file, "pitfalls", "batch = 4\npitfalls"))
    words = ["good", "bad", "river", "bridge", "town", "anna"]
    pairs = [(" ".join(words[: 1 + n % 6]), " ".join(words[n % 5 :])) for n in range(40)]
    together = classifier.shares(pairs)
    assert together == [classifier.shares([pair])[0] for pair in pairs]
    assert together == classifier.shares(pairs[::-1])[::-1]
    assert len({one.supported for one in together}) > 20


def test_equal_pairs_are_read_once(classifier: PairClassifier, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[int] = []
    forward = classifier._model.forward

    def counted(input_ids: torch.Tensor, **others: torch.Tensor) -> object:
        rows.append(len(input_ids))
        return forward(input_ids=input_ids, **others)

    monkeypatch.setattr(classifier._model, "forward", counted)
    assert len(classifier.shares([("good", "town")] * 5 + [("bad", "town")])) == 6
    assert sum(rows) == 2


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("pitfalls", "windows = 16\npitfalls", "windows'.*window"),
        ('refuted = "no"', 'refute = "no"', "labels needs 'refuted'"),
        ('refuted = "no"', 'refuted = "yes"', "the three labels must be different"),
        ("pitfalls", "window = 7\npitfalls", "window: must be 8 or more, not 7"),
        ("pitfalls", 'first = "premise"\npitfalls', "first: must be 'evidence' or 'claim', not 'premise'"),
        ("pitfalls", "batch = 0\npitfalls", "batch: must be 1 or more, not 0"),
    ],
)
def test_a_wrong_file_is_refused_by_key(file: Path, before: str, after: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        read_pair_scorer(str(changed(file, before, after)))


def test_no_such_file_names_those_that_come_along() -> None:
    with pytest.raises(UsageError, match=r"no pair scorer 'deberta-fever'.*or one of: deberta-v3-fever-anli"):
        read_pair_scorer("deberta-fever")


def test_what_comes_along_is_the_default_and_says_what_it_is() -> None:
    scorer = read_pair_scorer()
    assert scorer == read_pair_scorer(Settings.pair_scorer)
    assert scorer.labels.model_dump() == {
        "supported": "entailment",
        "refuted": "contradiction",
        "not_enough_info": "neutral",
    }
    assert "English" in scorer.pitfalls


def test_a_label_that_the_model_lacks_is_refused_with_those_it_has(file: Path) -> None:
    with pytest.raises(UsageError, match=r"refuted is 'nay', which is not a label of 'judge'; its labels are"):
        loaded(changed(file, '"no"', '"nay"'))


def test_a_model_with_more_labels_is_refused(tmp_path: Path) -> None:
    file = judge(tmp_path)
    voter(tmp_path / "judge", ["yes", "maybe", "no", "else"], [0] * 4, [0] * 4, context=16, pairs=True)
    with pytest.raises(UsageError, match=r"has 4 labels \(yes, maybe, no, else\), but a pair scorer needs"):
        loaded(file)


def test_a_model_of_single_texts_is_refused(tmp_path: Path) -> None:
    file = judge(tmp_path)
    bert(tmp_path / "judge", ["yes", "maybe", "no"], logits=[0, 0, 0])
    with pytest.raises(UsageError, match=r"'judge' reads single texts.*name a classifier of sentence pairs"):
        loaded(file)


def test_a_window_wider_than_the_models_is_refused(file: Path) -> None:
    with pytest.raises(UsageError, match="window is 17, but 'judge' reads at most 16 tokens"):
        loaded(changed(file, "pitfalls", "window = 17\npitfalls"))
