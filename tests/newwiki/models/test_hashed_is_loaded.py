"""The law of checkpoints: a file of a model's folder is hashed, or the model is refused, or nothing reads the file."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM

from evaluators.networks.embedder_files import load_transformer, loaded_files
from evaluators.networks.network import load_network
from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError
from newwiki.models.backend import Writing
from newwiki.models.checkpoint import Trust, find
from newwiki.models.files import names_and_bytes
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.models.seq2seq import Seq2SeqModel
from newwiki.records import Prompt
from tests.adapters import lora, write_adapter
from tests.evaluators.classifiers import bert, tokenizer
from tests.evaluators.handmade import compass
from tests.toys import write_toy

_OPENED: list[str] | None = None


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if _OPENED is not None and event == "open":
        _OPENED.append(os.path.realpath(str(arguments[0])))


sys.addaudithook(_note)  # which no one can take away again


@contextmanager
def _opened() -> Iterator[list[str]]:
    global _OPENED
    _OPENED = []
    try:
        yield _OPENED
    finally:
        _OPENED = None


def _hash(folder: Path) -> str:
    return find(str(folder), "main", Trust()).sha256


def _written(kind: type[HuggingFaceModel | Seq2SeqModel], folder: Path) -> Any:
    model = kind(str(folder))
    request = [(Prompt(1, "Orlow is a town."), 0)]
    [[written]] = model.complete(request, parse("greedy")[0], Writing(max_new_tokens=8))
    return written.text, written.finish_reason


def _causal(folder: Path) -> Any:
    return _written(HuggingFaceModel, folder)


def _seq2seq(folder: Path) -> Any:
    return _written(Seq2SeqModel, folder)


def _classified(folder: Path) -> Any:
    network = load_network(find(str(folder), "main", Trust()), "float32")
    return network.read([network.tokenizer("good bad river")["input_ids"]]).tolist(), network.labels


def _embedded(folder: Path) -> Any:
    model, _ = load_transformer(folder, folder.name, "cpu", torch.float32)
    return model.encode("the river and the bridge").tolist(), model.max_seq_length


def _embedder_hash(folder: Path) -> str:
    return names_and_bytes(loaded_files(folder, folder.name))


def _write_causal(toy_checkpoint: Path, folder: Path) -> None:
    shutil.copytree(toy_checkpoint, folder)


def _write_shards(toy_checkpoint: Path, folder: Path) -> None:
    shutil.copytree(toy_checkpoint, folder)
    (folder / "model.safetensors").unlink()
    AutoModelForCausalLM.from_pretrained(toy_checkpoint).save_pretrained(folder, max_shard_size="100KB")


def _write_linked(toy_checkpoint: Path, folder: Path) -> None:
    """As in the hub's cache: links out of the folder."""
    blobs = shutil.copytree(toy_checkpoint, folder.with_name("blobs"))
    folder.mkdir()
    for file in blobs.iterdir():
        (folder / file.name).symlink_to(Path("..", "blobs", file.name))


def _write_seq2seq(toy_checkpoint: Path, folder: Path) -> None:
    write_toy("t5", toy_checkpoint, folder)


def _write_adapter(toy_checkpoint: Path, folder: Path) -> None:
    """Beside its base, with a tokenizer of its own."""
    base = shutil.copytree(toy_checkpoint, folder.with_name("base"))
    write_adapter(base, folder, lora())
    shutil.copy(toy_checkpoint / "tokenizer.json", folder)
    shutil.copy(toy_checkpoint / "tokenizer_config.json", folder)


def _write_both(toy_checkpoint: Path, folder: Path) -> None:
    """A whole model and an adapter in one folder."""
    shutil.copytree(toy_checkpoint, folder)
    write_adapter(toy_checkpoint, folder, lora())


def _write_classifier(toy_checkpoint: Path, folder: Path) -> None:
    bert(folder, ["bad", "good"])
    tokenizer().save_pretrained(folder)


def _write_embedder(toy_checkpoint: Path, folder: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Dense, Normalize, Pooling, Transformer

    transformer = Transformer(str(compass(folder.with_name("bare"), words=7)))
    torch.manual_seed(0)
    modules = [transformer, Pooling(4), Dense(4, 3), Normalize()]
    SentenceTransformer(modules=modules, device="cpu").save_pretrained(str(folder))


@dataclass(frozen=True)
class Kind:
    """How such a folder is written, hashed, and loaded; the last gives what the model makes of a text."""

    write: Callable[[Path, Path], None]
    make: Callable[[Path], Any]
    hash: Callable[[Path], str] = _hash

    def known(self, folder: Path) -> str | None:
        """Its hash; None where it is refused, in one line."""
        try:
            return self.hash(folder)
        except TerminalError as refused:
            return None if "\n" not in str(refused) else "refused in more than a line"


KINDS = {
    "causal": Kind(_write_causal, _causal),
    "shards": Kind(_write_shards, _causal),
    "linked": Kind(_write_linked, _causal),
    "adapter": Kind(_write_adapter, _causal),
    "both": Kind(_write_both, _causal),
    "seq2seq": Kind(_write_seq2seq, _seq2seq),
    "classifier": Kind(_write_classifier, _classified),
    "embedder": Kind(_write_embedder, _embedded, _embedder_hash),
}

# What transformers, peft or sentence-transformers know to look for beside what save_pretrained wrote.
BESIDE = (
    "adapter_config.json", "adapter_model.safetensors", "pytorch_model.bin", "added_tokens.json", "chat_template.jinja",
    "additional_chat_templates/default.jinja", "special_tokens_map.json", "vocab.json", "vocab.txt", "merges.txt",
    "spiece.model", "tokenizer.model", "source.spm", "tekken.json", "quantization_config.json", "config.4.0.0.json",
    "preprocessor_config.json", "processor_config.json", "modeling.py", "sub/model.safetensors",
    "model.fp16.safetensors", "model.gguf", "README.md", "training_args.bin",
    "custom_generate/generate.py", "router_config.json",     "0_Transformer/config.json", "1_Pooling/pytorch_model.bin",
)  # fmt: skip
_ADDED = b'{"base_model_name_or_path": "elsewhere", "peft_type": "LORA"}'


def _changed(file: Path) -> bytes:
    """Other content, which a reader of such a file could take."""
    content = file.read_bytes()
    if file.suffix == ".safetensors":
        return content[:-1] + bytes([content[-1] ^ 1])
    return content.rstrip() + b"\n\n"


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    chosen: Kind = request.param
    return chosen


@pytest.fixture
def folder(kind: Kind, toy_checkpoint: Path, tmp_path: Path) -> Path:
    kind.write(toy_checkpoint, tmp_path / "model")
    return tmp_path / "model"


def test_a_file_that_changes_is_another_model_or_no_model_or_changes_nothing(kind: Kind, folder: Path) -> None:
    before, unhashed = kind.hash(folder), {}
    for file in (path for path in folder.rglob("*") if path.is_file()):
        content = file.read_bytes()
        file.write_bytes(_changed(file))
        if kind.known(folder) == before:
            unhashed[file] = _changed(file)
        file.write_bytes(content)
    assert len(unhashed) <= 1
    if unhashed:
        made = kind.make(folder)
        for file, changed in unhashed.items():
            file.write_bytes(changed)
        assert kind.make(folder) == made, f"{[*unhashed]} are not hashed, and change what is made"


def test_a_file_that_is_added_is_another_model_or_no_model_or_changes_nothing(kind: Kind, folder: Path) -> None:
    before, unhashed = kind.hash(folder), []
    for file in (folder / name for name in BESIDE if not (folder / name).exists()):
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(_ADDED)
        if kind.known(folder) == before:
            unhashed.append(file)
        file.unlink()
    assert folder / "adapter_config.json" not in unhashed
    if unhashed:
        made = kind.make(folder)
        for file in unhashed:
            file.write_bytes(_ADDED)
        assert kind.make(folder) == made, f"{unhashed} are not hashed, and change what is made"


def test_nothing_is_opened_that_is_not_hashed(kind: Kind, folder: Path) -> None:
    """As far as Python opens it; the weights and tokenizer.json, which Rust opens, are in the tests above."""
    before = kind.hash(folder)
    with _opened() as names:
        kind.make(folder)
    around = [place for place in map(Path, {*names}) if place.is_relative_to(folder.parent.resolve())]
    assert len(around) > 1
    for place in around:
        content = place.read_bytes()
        place.write_bytes(_changed(place))
        assert kind.known(folder) != before, f"{place} is opened and not hashed"
        place.write_bytes(content)


def _point(folder: Path, config: str, key: str, name: str) -> None:
    file = folder / config
    file.write_text(json.dumps({**json.loads(file.read_text()), key: name}))


@pytest.mark.parametrize("name", ["weights.bin", "sub/model.safetensors", "../other/model.safetensors", "ABSOLUTE"])
def test_weights_that_an_index_or_a_configuration_takes_from_elsewhere_are_refused(
    toy_checkpoint: Path, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(toy_checkpoint, folder)
    target = tmp_path / "absolute.safetensors" if name == "ABSOLUTE" else folder / name
    name = str(target) if name == "ABSOLUTE" else name
    target.parent.mkdir(exist_ok=True)
    shutil.copy(folder / "model.safetensors", target)
    weights = AutoModelForCausalLM.from_pretrained(folder).state_dict()
    index = {"metadata": {}, "weight_map": dict.fromkeys(weights, name)}
    (folder / "config.json").write_text(
        json.dumps({**json.loads((folder / "config.json").read_text()), "transformers_weights": name})
    )
    with pytest.raises(TerminalError, match="cannot be loaded"):
        HuggingFaceModel(str(folder))
    shutil.copy(toy_checkpoint / "config.json", folder)
    (folder / "model.safetensors").rename(folder / "model-1.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(TerminalError, match=r"names '.*', which is not a \*\.safetensors file in that folder"):
        HuggingFaceModel(str(folder))


def test_an_embedder_with_an_adapter_is_refused_with_a_hint_to_merge(tmp_path: Path, toy_checkpoint: Path) -> None:
    _write_embedder(toy_checkpoint, tmp_path / "model")
    (tmp_path / "model" / "adapter_config.json").write_text('{"base_model_name_or_path": "gpt2"}')
    with pytest.raises(TerminalError, match=r"has an adapter.*merge_and_unload\(\)\.save_pretrained"):
        _embedded(tmp_path / "model")


def test_modules_outside_an_embedders_folder_are_refused(tmp_path: Path, toy_checkpoint: Path) -> None:
    _write_embedder(toy_checkpoint, tmp_path / "model")
    modules = tmp_path / "model" / "modules.json"
    modules.write_text(modules.read_text().replace('"1_Pooling"', '"../1_Pooling"'))
    (tmp_path / "model" / "1_Pooling").rename(tmp_path / "1_Pooling")
    with pytest.raises(TerminalError, match=r"names a module in '\.\./1_Pooling', outside the model's folder"):
        _embedded(tmp_path / "model")


def test_code_of_another_repository_is_refused_also_with_the_users_word(toy_checkpoint: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(toy_checkpoint, tmp_path / "model")
    _point(folder, "config.json", "auto_map", "someone/else--ours.OurModel")
    with pytest.raises(TerminalError, match="names code of another repository"):
        HuggingFaceModel(str(folder), trust_remote_code="yes")


def test_a_file_that_changes_between_hashing_and_loading_is_reported(toy_checkpoint: Path, tmp_path: Path) -> None:
    checkpoint = find(str(shutil.copytree(toy_checkpoint, tmp_path / "model")), "main", Trust())
    assert checkpoint.sha256
    weights = tmp_path / "model" / "model.safetensors"
    weights.write_bytes(weights.read_bytes())
    with (
        pytest.raises(TerminalError, match=r"model\.safetensors' changed while newwiki loaded it"),
        checkpoint.opened(),
    ):
        pass


def test_the_tokenizer_of_another_folder_is_hashed_with_its_configuration(toy_checkpoint: Path, tmp_path: Path) -> None:
    other = shutil.copytree(toy_checkpoint, tmp_path / "tokenizer")
    before = HuggingFaceModel.find(str(toy_checkpoint), tokenizer=str(other)).sha256
    _point(other, "config.json", "model_type", "opt")
    assert HuggingFaceModel.find(str(toy_checkpoint), tokenizer=str(other)).sha256 != before
