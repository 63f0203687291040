"""The same bytes whatever the batch, the order, the memory: with every decoder, in float32."""

import itertools
import json
import os
import re
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest

from newwiki.decoding.grammar import parse
from newwiki.models.backend import Writing
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.records import Completion, Prompt
from newwiki.registry import decoders

PROMPTS = [
    Prompt(11, "Ilse Maradén\n\nIlse Maradén was a botanist."),
    Prompt(40, "Orlow\n\nOrlow is a town in the south of Vareska, which lies on the river Lumen and has a bridge."),
    Prompt(12, "Skarrow"),
]
REQUESTS = [(prompt, sample) for prompt in PROMPTS for sample in range(2)]


@pytest.fixture(scope="module")
def model(toy_checkpoint: Path) -> HuggingFaceModel:
    return HuggingFaceModel(str(toy_checkpoint), device="cpu")


def specification(name: str, toy_checkpoint: Path) -> str:
    return f"{name}:amateur={toy_checkpoint}" if name == "contrastive-decoding" else name


def completions(
    model: HuggingFaceModel, decoder: str, requests: list[tuple[Prompt, int]], **writing: object
) -> dict[tuple[int, int], Completion]:
    batches = model.complete(requests, parse(decoder)[0], Writing(**{"max_new_tokens": 6, **writing}))  # type: ignore[arg-type]
    return {(one.page_id, one.sample): one for one in chain.from_iterable(batches)}


@pytest.mark.parametrize("name", sorted(decoders.all()))
def test_the_same_bytes_at_any_batch_size_in_any_order_and_strictly_alone(
    model: HuggingFaceModel, toy_checkpoint: Path, name: str
) -> None:
    decoder = specification(name, toy_checkpoint)
    whole = completions(model, decoder, REQUESTS, batch_size=1)
    assert whole.keys() == {(prompt.page_id, sample) for prompt, sample in REQUESTS}
    assert completions(model, decoder, REQUESTS[::-1], batch_size=13) == whole
    assert completions(model, decoder, REQUESTS[:3]) | completions(model, decoder, REQUESTS[3:]) == whole
    assert completions(model, decoder, REQUESTS, strict=True) == whole


@pytest.mark.parametrize(
    "decoder",
    [
        "greedy",
        "sample",
        "sample:typical_p=0.9,repetition_penalty=1.2,presence_penalty=0.3",
        "sample:top_n_sigma=2,p_less=1",
        "sample:top_h=0.9,min_p=0.01,eta_cutoff=0.002",
    ],
)
def test_what_is_settled_alone_is_the_same(
    model: HuggingFaceModel, monkeypatch: pytest.MonkeyPatch, decoder: str
) -> None:
    expected = completions(model, decoder, REQUESTS)
    assert completions(model, decoder, REQUESTS[::-1], batch_size=1) == expected
    monkeypatch.setattr("newwiki.models.huggingface.FLOAT32_SLACK", 1e9)
    assert completions(model, decoder, REQUESTS) == expected


_LIMITED = """
import gc, json, resource, sys
from itertools import chain
from newwiki.decoding.grammar import parse
from newwiki.models.backend import Writing
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.records import Prompt
from transformers import AutoTokenizer

folder, decoder, megabytes = sys.argv[1:]
model = HuggingFaceModel(folder, device="cpu")
tokenizer = AutoTokenizer.from_pretrained(folder)
def long(text):
    return tokenizer.decode(tokenizer(text * 100)["input_ids"][:308])
prompts = [Prompt(11, long("Ilse was a botanist. ")), Prompt(40, long("Orlow is a town. "))]
requests = [(prompt, sample) for prompt in prompts for sample in range(16)]
notes = []
def write():
    writing = Writing(max_new_tokens=8, note=notes.append)
    batches = model.complete(requests, parse(decoder)[0], writing)
    return sorted((c.page_id, c.sample, c.text) for c in chain.from_iterable(batches))
free = write()  # what oneDNN takes once for its kernels is no matter later
unlimited = [*notes]
gc.collect()  # what is garbage now would be room for the batch later
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (int(megabytes) << 20),) * 2)
print(json.dumps([free, unlimited, write(), notes]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux limits a process's memory so")
def test_a_batch_that_memory_cannot_hold_is_halved_and_no_byte_changes(toy_checkpoint: Path, tmp_path: Path) -> None:
    """The slots of 32 rows take more than 175 megabytes. Where the memory ends, a row may be written already."""
    deep = deepened(toy_checkpoint, tmp_path / "deep", layers=12)
    ended = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(deep), "sample:top_k=50", "150"],
        capture_output=True,
        text=True,
        timeout=240,
        # An arena of the heap for each thread would take of the limit what no batch has.
        env=os.environ | {"MALLOC_ARENA_MAX": "1"},
    )
    assert ended.returncode == 0, ended.stderr
    free, silent, limited, notes = json.loads(ended.stdout)
    assert silent == []
    told = r"out of memory: continuing with (\d+) rows at a time"
    at_once = [int(rows) for note in notes for rows in re.findall(f"^{told}$", note)]
    assert len(at_once) == len(notes) > 0
    assert at_once[0] <= 16
    assert all(later <= sooner // 2 for sooner, later in itertools.pairwise(at_once))
    assert limited == free


def deepened(checkpoint: Path, to: Path, layers: int) -> Path:
    """A checkpoint of random weights that differs from another one in its depth, and so in what its cache takes."""
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    config = AutoConfig.from_pretrained(checkpoint, n_layer=layers)
    AutoModelForCausalLM.from_config(config).save_pretrained(to)
    AutoTokenizer.from_pretrained(checkpoint).save_pretrained(to)
    return to
