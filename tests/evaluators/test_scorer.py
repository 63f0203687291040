"""The files that describe scorers, and how they become metrics."""

from math import log
from pathlib import Path

import pytest

from evaluators.analysis import Analyst
from evaluators.classifier import load_classifier
from evaluators.scorer import Scorer, read_scorer
from evaluators.scorer_metrics import PRESETS, add_scorers
from evaluators.scoring import select
from newwiki.errors import UsageError
from newwiki.registry import evaluators, makers
from newwiki.settings import Settings
from tests.evaluators.classifiers import bert, described
from tests.evaluators.handmade import voter


@pytest.fixture(autouse=True)
def own_registries(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is not kept for the next."""
    monkeypatch.setattr(evaluators, "_pieces", dict(evaluators.all()))
    monkeypatch.setattr(makers, "_pieces", dict(makers.all()))


def test_a_file_is_a_metric_that_scores_a_sample(tmp_path: Path) -> None:
    file = described(
        tmp_path / "a.toml", unit="stars", minimum=1, maximum=5, direction="higher", source="a survey", reads="sentence"
    )
    add_scorers(str(file))
    (evaluator,) = select("mine")
    (metric,) = evaluator.metrics
    assert (metric.unit, metric.minimum, metric.maximum, metric.direction) == ("stars", 1, 5, "higher")
    assert (metric.definition, metric.source) == ("what a test says", "a survey")
    assert (evaluator.costly, evaluator.core, evaluator.needs) == (True, False, frozenset({"mine"}))


def test_presets_are_metrics_that_say_what_they_are() -> None:
    names = {read_scorer(file).name: file for file in PRESETS.glob("*.toml")}
    assert {"educational_value", "quality", "specificity", "toxicity"} <= names.keys()
    for name, file in names.items():
        (evaluator,) = select(name)
        assert file.stem == name
        assert evaluator.costly
        assert not evaluator.core
    assert "not the paper's essay score" in read_scorer(names["educational_value"]).definition


def read_by(name: str, folder: Path, text: str) -> tuple[object, str]:
    """What a preset makes of a text, and its unit, with a model of our own in the place of the one that it names."""
    (evaluator,) = select(name)
    model = load_classifier(read_scorer(PRESETS / f"{name}.toml").model_copy(update={"model": str(folder)}))
    (analysis,) = Analyst(model).analyse([text], evaluator.needs)
    return evaluator.function(analysis, analysis), evaluator.metrics[0].unit


@pytest.mark.by_hand("toxicity")
def test_toxicity_by_hand(tmp_path: Path) -> None:
    # A chunk of 512 tokens has 510 words, at sigmoid(ln 3) = 3/4; the other 170 are at sigmoid(-ln 3) = 1/4.
    labels = ["toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate"]
    voter(tmp_path, labels, good=[-log(3), 5, 5, 5, 5, 5], bad=[log(3), 5, 5, 5, 5, 5], context=512)
    expected = (510 * 3 / 4 + 170 * 1 / 4) / 680
    assert read_by("toxicity", tmp_path, "bad " * 510 + "good " * 170) == (pytest.approx(expected), "probability")


@pytest.mark.by_hand("educational_value")
def test_educational_value_by_hand(tmp_path: Path) -> None:
    # The one output as it is: 4 for a chunk of 510 words, 1 for the 255 after it.
    voter(tmp_path, ["LABEL_0"], good=[4], bad=[1], context=512)
    expected = (510 * 4 + 255 * 1) / 765
    found = read_by("educational_value", tmp_path, "good " * 510 + "bad " * 255)
    assert found == (pytest.approx(expected), "rating, about 0 to 5")


@pytest.mark.by_hand("quality")
def test_quality_by_hand(tmp_path: Path) -> None:
    # As much as the model reads, here 6 words: 10 for those, 2 for the 2 after them.
    voter(tmp_path, ["score"], good=[10], bad=[2], context=8)
    expected = (6 * 10 + 2 * 2) / 8
    assert read_by("quality", tmp_path, "good " * 6 + "bad " * 2) == (pytest.approx(expected), "score")


@pytest.mark.by_hand("specificity")
def test_specificity_by_hand(tmp_path: Path) -> None:
    # Three sentences at 5, 2 and 2, each as much as another however long.
    voter(tmp_path, ["score"], good=[5], bad=[2], context=16)
    found = read_by("specificity", tmp_path, "Good river. Bad bad good town! Bad bridge.")
    assert found == (pytest.approx((5 + 2 + 2) / 3), "score")


@pytest.mark.by_hand("negative_regard")
def test_negative_regard_by_hand(tmp_path: Path) -> None:
    # 1 where negative is the likeliest of the four labels, however little likelier than the next, and 0 elsewhere.
    labels = ["positive", "neutral", "other", "negative"]
    voter(tmp_path, labels, good=[1.1, 0, 0, 1.0], bad=[1.0, 0, 0, 1.1], context=64)
    found = [read_by("negative_regard", tmp_path, text) for text in ("good river good", "bad bad river")]
    assert found == [(0.0, "share of texts"), (1.0, "share of texts")]


def test_a_model_is_at_hand_where_its_folder_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    bert(tmp_path / "model", ["score"])
    add_scorers(f"{described(tmp_path / 'a.toml')}, {described(tmp_path / 'b.toml', name='b', model='nobody/no')}")
    settings = Settings()
    assert [makers.get(name).at_hand(settings) for name in ("mine", "b", "quality")] == [True, False, False]


def test_a_model_of_ones_own_takes_the_place_of_a_preset(tmp_path: Path) -> None:
    add_scorers(str(described(tmp_path / "a.toml", name="quality")))
    add_scorers(str(tmp_path / "a.toml"))  # the same file again, as a flow does in the same process
    assert select("quality")[0].metrics[0].definition == "what a test says"


@pytest.mark.parametrize("name", ["bleu", "rep_4"])
def test_no_other_metric_is_replaced(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=f"a.toml': a metric '{name}' already exists"):
        add_scorers(str(described(tmp_path / "a.toml", name=name)))


def test_two_files_do_not_share_a_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a metric 'mine' already exists; give yours another name"):
        add_scorers(f"{described(tmp_path / 'a.toml')},{described(tmp_path / 'b.toml')}")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"output": "logit"},
            r"a\.toml', output: must be 'raw', 'sigmoid', 'softmax', 'expected' or 'likeliest', not 'logit'$",
        ),
        ({"reads": "word"}, r"a\.toml', reads: must be 'text' or 'sentence', not 'word'$"),
        (
            {"outputs": "raw"},
            r"a\.toml' has no key 'outputs'; did you mean 'output'\?; its keys are: name, ",
        ),
        ({"_file": "b.toml"}, r"a\.toml' has no key '_file'"),
        (
            {"name": "My metric"},
            "name: must be lower-case letters, digits and underscores, beginning with a letter, not 'My metric'$",
        ),
        ({"name": 1}, "name: must be a text in quotes, not 1$"),
        ({"window": 3}, "window: must be 8 or more, not 3$"),
        ({"batch": True}, "batch: must be a whole number, not True$"),
        (
            {"values": [1]},
            r"a\.toml': values \(a number for each label, at least two\) and output expected need each other$",
        ),
        ({"values": 1}, "values: must be a list, not 1$"),
        ({"values": [1, "2"]}, "values 2: must be a number, not '2'$"),
        ({"minimum": "0"}, "minimum: must be a number, not '0'$"),
        ({"minimum": True}, "minimum: must be a number, not True$"),
        ({"direction": "up"}, "direction: must be 'higher', 'lower' or 'none', not 'up'$"),
        ({"dtype": "int8"}, "dtype: must be 'float32', 'bfloat16' or 'float16', not 'int8'$"),
        ({"definition": " "}, "definition: must contain a word, not ' '$"),
        ({"output": "softmax"}, "output softmax needs a label"),
        ({"output": "expected"}, "and output expected need each other"),
        ({"values": [1, 2]}, "and output expected need each other"),
        ({"output": "expected", "values": [1, 2], "label": "a"}, "remove label"),
        ({"minimum": 1, "maximum": 1}, "minimum 1 must be below maximum 1"),
    ],
)
def test_a_wrong_file_is_misuse_and_says_what_may_be(tmp_path: Path, keys: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_scorer(described(tmp_path / "a.toml", **keys))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"name = ", "is not TOML"),
        (b"\xff", "is not TOML"),
        (b'name = "x"\ndefinition = "x"\nmaximum = nan', "maximum: must be a number"),
        (b'definition = "x"', r"a\.toml' needs 'name'$"),
        (b'name = "x"', r"a\.toml' needs 'definition'$"),
    ],
)
def test_what_is_no_scorers_file_is_misuse(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.toml").write_bytes(content)
    with pytest.raises(UsageError, match=message):
        read_scorer(tmp_path / "a.toml")


def test_every_key_and_every_preset_is_documented() -> None:
    text = (PRESETS.parents[1] / "docs" / "scorers.md").read_text("utf-8")
    for name in (*(file.stem for file in PRESETS.glob("*.toml")), *Scorer.model_fields):
        assert f"`{name}`" in text, name


def test_a_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no scorer file '.*none\.toml'"):
        add_scorers(str(tmp_path / "none.toml"))
