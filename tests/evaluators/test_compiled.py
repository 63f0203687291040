"""The embedder by OpenVINO: what torch makes, under a name of its own, and not a word to anybody."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from evaluators import embedding
from evaluators.analysis import Analyst
from evaluators.embedding import Embedder, load_embedder
from evaluators.networks.compiled import CompiledTransformer, has_bfloat16
from evaluators.scoring import fingerprint, made_by, select
from newwiki.errors import TerminalError, UsageError

ROOT = Path(__file__).parents[2]
ARTICLE = "The lighthouse at the cape was built of local granite by the harbour company. " * 30
TEXTS = {
    "article": ARTICLE,
    "sentence": "Ferns like wet soil.",
    "one word": "Oslo",
    "one mark": ".",
    "Chinese": "这是第一句话。这是第二句话。",
    "Arabic": "هذا نص عربي. وهذا نص آخر؟",
    "emoji": "🙂 🎉",
    "half a surrogate pair": "\ud800 \x00 �.",
    "a long text without a space": "".join(chr(97 + (number * number) % 23) for number in range(20_000)),
}
NEAR = {"float32": 0.99999, "bfloat16": 0.999}  # the least cosine with torch's float32


@pytest.fixture(scope="module", params=NEAR)
def compiled(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "bfloat16" and not has_bfloat16():
        pytest.skip("this processor has no bfloat16")
    return load_embedder(dtype=request.param, backend="openvino")


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_row_is_torchs(embedder: Embedder, compiled: Embedder, text: str) -> None:
    [theirs], [mine] = embedder.embed([text]), compiled.embed([text])
    assert mine.dtype == np.float32
    assert np.linalg.norm(mine) == pytest.approx(1, abs=1e-6)
    assert mine @ theirs > NEAR[str(compiled.dtype)]


def test_a_text_without_tokens_is_no_number(compiled: Embedder) -> None:
    assert np.isnan(compiled.embed(["words", "", " \n "])).all(axis=1).tolist() == [False, True, True]


def test_a_row_has_the_same_bits_whatever_is_embedded_beside_it(compiled: Embedder) -> None:
    texts = [
        *(ARTICLE[: 1500 + 700 * place] for place in range(2)),
        "Oslo",
        "Bergen",
        "Ferns like it.",
        "Ferns hate it.",
    ]
    together = compiled.embed(texts)
    assert all((compiled.embed([text])[0] == row).all() for text, row in zip(texts, together, strict=True))


def test_scores_of_the_two_have_different_evaluators(embedder: Embedder, compiled: Embedder) -> None:
    (sbert,) = select("sbert")
    theirs, mine = fingerprint(sbert, Analyst(embedder)), fingerprint(sbert, Analyst(compiled))
    assert (mine.model, mine.model_sha256) == (theirs.model, theirs.model_sha256)
    assert (theirs.backend, mine.backend) == (embedder.backend, "openvino-cpu")
    assert mine.dependencies == {**theirs.dependencies, "openvino": version("openvino")}
    assert mine.evaluator_id != theirs.evaluator_id
    assert made_by(compiled, "embedding") != made_by(embedder, "embedding")


def test_auto_is_bfloat16_where_openvino_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    dtypes = []
    monkeypatch.setattr(embedding, "Embedder", lambda folder, model, dtype, backend: dtypes.append(dtype))
    for able in (True, False):
        monkeypatch.setattr("evaluators.networks.compiled.has_bfloat16", lambda able=able: able)
        load_embedder(backend="openvino")
    assert dtypes == ["bfloat16", "float32"]


def test_bfloat16_is_refused_where_openvino_would_compute_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluators.networks.compiled.has_bfloat16", lambda: False)
    with pytest.raises(TerminalError, match="choose --embedder-dtype float32"):
        load_embedder(dtype="bfloat16", backend="openvino")


class _OneHot(torch.nn.Module):
    def forward(self, features: dict[str, Tensor]) -> dict[str, Tensor]:
        return {"token_embeddings": torch.nn.functional.one_hot(features["input_ids"], 64).float()}


class _Shortsighted(_OneHot):
    """Adds as many tokens to each as there were when it was traced."""

    def forward(self, features: dict[str, Tensor]) -> dict[str, Tensor]:
        states = super().forward(features)["token_embeddings"]
        return {"token_embeddings": states + sum(states[:, place : place + 1] for place in range(states.shape[1]))}


class _Foreign(_OneHot):
    """Its numbers are of a kind that OpenVINO does not have."""

    def forward(self, features: dict[str, Tensor]) -> dict[str, Tensor]:
        return {"token_embeddings": torch.special.bessel_j0(super().forward(features)["token_embeddings"])}


def test_a_model_that_openvino_cannot_read_or_misreads_is_refused() -> None:
    CompiledTransformer(_OneHot(), "float32", threads=1)
    with pytest.raises(TerminalError, match=r"computes other embeddings .* choose --embedder-backend torch"):
        CompiledTransformer(_Shortsighted(), "float32", threads=1)
    with pytest.raises(TerminalError, match=r"does not support an operation .* choose --embedder-backend torch"):
        CompiledTransformer(_Foreign(), "float32", threads=1)


def test_an_unknown_backend_is_misuse() -> None:
    with pytest.raises(UsageError, match="one of torch, openvino, not 'onnx'"):
        load_embedder(backend="onnx")


def test_a_missing_package_is_named_with_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    with pytest.raises(TerminalError, match=r"pip install 'newwiki-eval\[openvino\]'"):
        load_embedder(dtype="float32", backend="openvino")


def test_nothing_is_told_to_the_makers_of_openvino(tmp_path: Path) -> None:
    """In a process that has not imported it: what would report is not loaded, nor is its file of consent written."""
    code = """
import socket, sys
socket.socket.connect = socket.getaddrinfo = lambda *to: sys.exit(f"a connection to {to}")
import torch
class OneHot(torch.nn.Module):
    def forward(self, features):
        return {"token_embeddings": torch.nn.functional.one_hot(features["input_ids"], 64).float()}
from evaluators.networks.compiled import CompiledTransformer
CompiledTransformer(OneHot(), "float32", threads=1)
import openvino
print(sorted(name for name in sys.modules if name.startswith("openvino_telemetry")))
"""
    bare = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}  # no CI, where it is silent
    ended = subprocess.run([sys.executable, "-c", code], env=bare, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "[]\n"), ended.stderr
    assert not (tmp_path / "intel").exists()
