"""What the pages presuppose, made small: a wiki, checkpoints under the names that the pages use, texts, a database.

Two names of the world outside lead here, where HTTP begins: Wikipedia's API is answered by a real MediaWiki on this
machine, and the Hugging Face hub by its cache folder.
"""

import bz2
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet

ROOT = Path(__file__).parents[2]
# What the hub has, by kind.
CAUSAL = ("gpt2", "gpt2-xl", "distilgpt2", "facebook/opt-2.7b@refs/pr/26", "openai-community/gpt2-xl")
ENCODER_DECODERS = ("google/flan-t5-base",)
CLASSIFIERS = ("HuggingFaceFW/fineweb-edu-classifier", "unitary/toxic-bert")

# Pages of the sample wiki, and the year that they are moved to.
_PAGES = {29: 2026, 33: 2026, 39: 2026, 13: 2021, 14: 2021, 12: 2019, 19: 2019}
_CONTEXT = 74  # tokens; the longest prompt has 60
_WIDTH = 16  # of the embedding model


def write_export(sample: Path, path: Path) -> Path:
    """Some pages of the sample wiki as an export of the English Wikipedia."""
    head, *pages = re.split(r"(?=  <page>\n)", sample.read_text("utf-8").removesuffix("</mediawiki>\n"))
    head = head.replace("samplewiki", "enwiki").replace("sample.example", "en.wikipedia.org")
    found = {int(_first(r"<id>(\d+)</id>", page)): page for page in pages}
    kept = [found[number].replace("<timestamp>2026-", f"<timestamp>{year}-") for number, year in _PAGES.items()]
    path.write_text(head + "".join(kept) + "</mediawiki>\n", "utf-8")
    return path


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found
    return found[1]


def write_checkpoint(toy: Path, folder: Path, *, shift: float = 0.0) -> Path:
    """The toy checkpoint with one layer and a short context, so that it is soon done; `shift` makes it another one."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model: Any = AutoModelForCausalLM.from_pretrained(toy)
    positions = model.transformer.wpe.weight.data[:_CONTEXT].clone() + shift
    model.transformer.h = model.transformer.h[:1]
    model.config.n_layer, model.config.n_positions = 1, _CONTEXT
    model.transformer.wpe = torch.nn.Embedding.from_pretrained(positions)
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(toy).save_pretrained(folder)
    return folder


def write_encoder_decoder(toy: Path, folder: Path) -> Path:
    from transformers import AutoTokenizer, T5Config, T5ForConditionalGeneration

    tokenizer = AutoTokenizer.from_pretrained(toy)
    end = tokenizer.eos_token_id
    config = T5Config(
        vocab_size=len(tokenizer), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, decoder_start_token_id=end,
        eos_token_id=end, pad_token_id=end,
    )  # fmt: skip
    T5ForConditionalGeneration(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def write_embedder(toy: Path, folder: Path) -> Path:
    """A sentence-transformers model of one narrow layer, random, with the toy checkpoint's tokenizer."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Normalize, Pooling, Transformer
    from transformers import AutoTokenizer, BertConfig, BertModel

    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(toy, model_max_length=128, pad_token="<|endoftext|>")
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=_WIDTH, intermediate_size=_WIDTH, num_hidden_layers=1,
        num_attention_heads=2, max_position_embeddings=128,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    SentenceTransformer(modules=[Transformer(str(folder)), Pooling(_WIDTH), Normalize()]).save_pretrained(str(folder))
    return folder


def write_hub(cache: Path, checkpoints: Mapping[str, Path]) -> Path:
    """The hub's cache as `huggingface_hub` lays it out, with these models downloaded."""
    for name, folder in checkpoints.items():
        repository, _, revision = name.partition("@")
        place = cache / f"models--{repository.replace('/', '--')}"
        commit = "c0ffee" * 6 + "c0ff"
        (place / "snapshots").mkdir(parents=True)
        (place / "snapshots" / commit).symlink_to(folder)
        reference = place / "refs" / (revision or "main")
        reference.parent.mkdir(parents=True)
        reference.write_text(commit)
    return cache


def write_pipeline(folder: Path) -> Path:
    """A spaCy pipeline that takes two capitalised words for a place. It is of no language: English words of which one
    is two, such as "don't", are 1,300 rules, which would be read each time."""
    import spacy

    nlp = spacy.blank("xx", meta={"name": folder.name.partition("_")[2], "version": "3.8.0"})
    names = [{"label": "GPE", "pattern": [{"IS_TITLE": True}, {"IS_TITLE": True}]}]
    nlp.add_pipe("entity_ruler").add_patterns(names)
    nlp.to_disk(folder)
    return folder


@dataclass(frozen=True)
class Elsewhere:
    """Where the names of the world outside lead: hosts to a wiki's address, the hub to its cache. For a fork."""

    wiki: str
    hub: Path
    hosts: tuple[str, ...] = ("en.wikipedia.org", "wiki.example")

    def __call__(self) -> None:
        from huggingface_hub import constants
        from requests.adapters import HTTPAdapter
        from requests.models import PreparedRequest

        send = HTTPAdapter.send
        constants.HF_HUB_CACHE = str(self.hub)

        def sent(adapter: HTTPAdapter, request: PreparedRequest, *arguments: Any, **options: Any) -> Any:
            address = str(request.url)
            for host in self.hosts:
                address = address.replace(f"https://{host}/w/api.php", self.wiki)
            request.url = address
            return send(adapter, request, *arguments, **options)

        HTTPAdapter.send = sent  # type: ignore[method-assign,assignment]


def write_files(folder: Path, checkpoint: Path, export: Path, classifier: Path) -> None:
    """What a reader has beside him, under the names that the pages use."""
    shutil.copytree(checkpoint, folder / "path/to/checkpoint")
    shutil.copytree(checkpoint, folder / "path/to/chat-model")
    (folder / "path/to/chat-model/chat_template.jinja").write_text(
        "{% for m in messages %}{{ m.content }}\n{% endfor %}"
    )
    shutil.copytree(classifier, folder / "star-classifier")
    write_pipeline(folder / "en_core_web_sm")
    for name in ("enwiki-pages-meta-history.xml.bz2", "enwiki-pages-articles.xml.bz2"):
        (folder / name).write_bytes(bz2.compress(export.read_bytes(), 1))
    texts = [("Grauven", "It is a village of the hills. "), ("The Salt Ledger", "It was read by few. ")]
    lines = [json.dumps({"title": title, "text": text * 9}) for title, text in texts]
    (folder / "texts.jsonl").write_text("\n".join(lines) + "\n")
    parquet.write_table(pa.Table.from_pylist([json.loads(line) for line in lines]), folder / "pages.parquet")
    (folder / "question.sql").write_text("select model, decoder from leaderboard;\n")
    grades = [f'"{text * (number % 3 + 1)}",{number % 3}' for number in range(12) for _, text in texts]
    for name in ("essays.csv", "sentences.csv"):
        (folder / name).write_text("\n".join(["text,score", *grades]) + "\n")
