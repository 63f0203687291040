"""GLiNER finds entities: texts are read whole, in pieces, by a model that lies whole in a folder.

What needs the package is run by `.ci/gliner`, in an environment of its own, as it asks for an older transformers.
"""

import json
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evaluators.entities import load_tagger
from evaluators.gliner_tagger import LABELS, THRESHOLD, GlinerTagger
from newwiki.errors import TerminalError

TEXT = "Anna Berg lives in Lumen. She wrote to Dr. Cole in May. Nothing came of it.\nThe Old Mill stands there still."


class CapitalWords:
    """As a model of the package, which takes 10 words and 60 tokens, and finds the words with a capital."""

    def __init__(self, words: int = 10) -> None:
        self.config = SimpleNamespace(
            max_len=words, words_splitter_type="whitespace",
            encoder_config=SimpleNamespace(max_position_embeddings=60),
        )  # fmt: skip
        self.device = SimpleNamespace(type="cpu")
        self.data_processor = SimpleNamespace(
            words_splitter=lambda text: [(found.group(), *found.span()) for found in re.finditer(r"\w+|\S", text)],
            transformer_tokenizer=Letters(),
            prepare_inputs=lambda texts, labels: ([["<", "<", *text] for text in texts], [2]),
        )
        self.read: list[str] = []

    def inference(
        self, texts: Sequence[str], labels: Sequence[str], flat_ner: bool, threshold: float
    ) -> list[list[dict[str, Any]]]:
        assert (list(labels), flat_ner, threshold) == (list(LABELS), True, THRESHOLD)
        self.read += texts
        found = [re.finditer(r"[A-ZÄ]\w+(?: [A-Z]\w+)*", text) for text in texts]
        return [
            [{"start": one.start(), "end": one.end(), "label": "location"} for one in reversed([*of_text])]
            for of_text in found
        ]


class Letters:
    """A tokenizer for which each letter is a token."""

    def __init__(self) -> None:
        self.model_max_length = int(1e30)

    def __call__(self, words: Sequence[str], **_: object) -> dict[str, list[str]]:
        return {"input_ids": list("".join(words))}


def test_a_text_is_read_whole_in_pieces_that_the_model_takes_cut_at_sentence_ends() -> None:
    model = CapitalWords()
    (found,) = GlinerTagger(model, "gliner:capitals", "").tag([TEXT])
    assert model.read == [
        "Anna Berg lives in Lumen.", " She wrote to Dr. Cole in May.", " Nothing came of it.",
        "\nThe Old Mill stands there still.",
    ]  # fmt: skip
    assert found == ["Anna Berg", "Lumen", "She", "Dr", "Cole", "May", "Nothing", "The Old Mill"]


@pytest.mark.parametrize(
    "text", ["", " \n ", "x" * 500, "x y " * 100, "字" * 200 + "。" + "字" * 90, "No end " * 30 + ". ", "\ud800 A" * 40]
)
def test_whatever_it_is_no_letter_is_lost_and_no_piece_is_longer_than_the_model_takes(text: str) -> None:
    model = CapitalWords()
    GlinerTagger(model, "gliner:capitals", "").tag([text])
    assert "".join(model.read) == text.replace("\ud800", "?")
    for piece in model.read:
        words = re.findall(r"\w+|\S", piece)
        assert len(words) <= 10
        assert 2 + sum(map(len, words)) <= 60


def test_a_piece_is_read_alone_whatever_stands_beside_it() -> None:
    tagger = GlinerTagger(CapitalWords(), "gliner:capitals", "")
    assert tagger.tag([TEXT, "Lumen"]) == [*tagger.tag([TEXT]), *tagger.tag(["Lumen"])]


def test_a_model_that_the_labels_alone_would_fill_is_refused() -> None:
    model = CapitalWords()
    model.data_processor.transformer_tokenizer.model_max_length = 3
    with pytest.raises(TerminalError, match="the labels take 2 of the 3 tokens that gliner:capitals can read"):
        GlinerTagger(model, "gliner:capitals", "")


def test_the_fingerprint_says_by_what_the_entities_were_found() -> None:
    tagger = GlinerTagger(CapitalWords(), "gliner:capitals", "abc")
    assert (tagger.model, tagger.model_sha256, tagger.backend) == ("gliner:capitals", "abc", "torch-cpu")
    assert {"gliner", "transformers", "torch"} <= set(tagger.packages)
    said = json.loads(json.dumps(dict(tagger.parameters)))
    assert (said["labels"], said["threshold"], said["words_splitter"]) == (list(LABELS), 0.5, "whitespace")
    assert (said["words"], said["tokens"]) == (10, 60)


WHOLE = {"gliner_config.json": '{"encoder_config": {}}', "model.safetensors": "", "tokenizer.json": "{}"}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"gliner_config.json": None}, r"is not a GLiNER model: it has no gliner_config\.json; with the package"),
        ({"gliner_config.json": "{"}, r"is not a model configuration; with the package gliner, download it"),
        ({"model.safetensors": None, "pytorch_model.bin": ""}, "no weights as model.safetensors; .*safe_serialization"),
        ({"gliner_config.json": '{"model_name": "some/encoder"}'}, "no encoder configuration; with the package"),
        ({"tokenizer.json": None}, "has no tokenizer; with the package gliner, download it"),
        ({"gliner_config.json": '{"encoder_config": {"auto_map": {}}}'}, r"names code of its own \(auto_map\)"),
        ({"tokenizer_config.json": '{"auto_map": {}}'}, r"own \(auto_map\), which newwiki does not run"),
        ({"gliner_config.json": '{"encoder_config": {}, "labels_encoder": 1}'}, r"additional model \(labels_encoder\)"),
        ({"gliner_config.json": '{"encoder_config": {}, "model_name": "HERE"}', "adapter_config.json": ""}, "adapter"),
    ],
)  # fmt: skip
def test_what_would_come_from_elsewhere_or_run_is_refused_in_a_line(
    changed: dict[str, str | None], said: str, tmp_path: Path
) -> None:
    for name, content in (WHOLE | changed).items():
        if content is not None:
            (tmp_path / name).write_text(content.replace("HERE", str(tmp_path)))
    with pytest.raises(TerminalError, match=said) as refused:
        load_tagger(f"gliner:{tmp_path}")
    assert "\n" not in str(refused.value)


def test_a_name_of_the_hub_is_no_folder_and_nothing_is_fetched() -> None:
    with pytest.raises(TerminalError, match=r"there is no folder 'urchade/gliner_multi-v2\.1' with a GLiNER model"):
        load_tagger("gliner:urchade/gliner_multi-v2.1")


def test_without_the_package_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gliner", None)
    for name, content in WHOLE.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(TerminalError, match=r"needs a package: pip install 'newwiki-eval\[gliner\]'"):
        load_tagger(f"gliner:{tmp_path}")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of random weights, as the package makes and writes it."""
    gliner = pytest.importorskip("gliner", reason="gliner asks for an older transformers and is no requirement")
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    from newwiki.quiet import silence_transformers

    silence_transformers()
    letters = [chr(code) for code in range(33, 127)]
    known = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{letter}" for letter in letters)]
    made = Tokenizer(models.WordPiece({token: place for place, token in enumerate(known)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    folder = tmp_path_factory.mktemp("gliner")
    PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    ).save_pretrained(folder / "tokenizer")
    encoder = {
        "model_type": "bert", "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
        "intermediate_size": 32, "vocab_size": len(known), "max_position_embeddings": 512,
    }  # fmt: skip
    torch.manual_seed(0)
    config = {"model_name": str(folder / "tokenizer"), "encoder_config": encoder, "hidden_size": 16, "max_len": 40}
    model = gliner.GLiNER.from_config(config, backbone_from_pretrained=False)
    model.save_pretrained(folder / "tiny", safe_serialization=True)
    return folder / "tiny"


def test_a_models_own_numbers_are_what_is_found(tiny: Path) -> None:
    import gliner

    (sentence, *_) = TEXT.partition("\n")
    own = gliner.GLiNER.from_pretrained(str(tiny)).inference([sentence], list(LABELS), threshold=THRESHOLD)[0]
    tagger = load_tagger(f"gliner:{tiny}")
    assert own and tagger.tag([sentence]) == [[one["text"] for one in own]]
    assert (tagger.model, tagger.parameters["tokens"]) == ("gliner:tiny", 512)


@pytest.mark.filterwarnings("error:Sentence of length")
def test_a_long_text_is_cut_by_no_library_and_read_to_its_end(tiny: Path) -> None:
    tagger = load_tagger(f"gliner:{tiny}")
    (found,) = tagger.tag([f"{TEXT}\n" * 16])
    assert found == 16 * tagger.tag([TEXT])[0]
    tagger.tag(["x" * 2_000, "x " * 2_000, "字" * 2_000])


def test_the_hash_is_that_of_what_is_loaded(tiny: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(tiny, tmp_path / "tiny"))
    first = load_tagger(f"gliner:{copy}").model_sha256
    (copy / "notes.txt").write_text("nothing that is loaded")
    assert load_tagger(f"gliner:{copy}").model_sha256 == first
    config = json.loads((copy / "gliner_config.json").read_text())
    (copy / "gliner_config.json").write_text(json.dumps(config | {"max_width": 3}))
    assert load_tagger(f"gliner:{copy}").model_sha256 != first


def test_weights_that_are_lacking_are_not_made_up(tiny: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    copy = Path(shutil.copytree(tiny, tmp_path / "tiny"))
    weights = load_file(copy / "model.safetensors")
    weights.popitem()
    save_file(weights, copy / "model.safetensors")
    with pytest.raises(TerminalError, match=r"cannot be loaded: .*[Mm]issing.*; with the package gliner"):
        load_tagger(f"gliner:{copy}")
