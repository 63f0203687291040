"""The LSTM behind scorers of one's own."""

from pathlib import Path
from typing import Any

import pytest
import torch

from evaluators.networks.lstm import EssayLstm, LstmNetwork, Shape, padded, save
from newwiki.errors import TerminalError
from tests.evaluators.classifiers import WORDS, tokenizer


@pytest.fixture
def model() -> EssayLstm:
    torch.manual_seed(0)
    return EssayLstm(Shape(4 + len(WORDS), embedding=6, layers=(5, 3), context=16)).eval()


def test_it_is_the_output_of_the_mean_over_the_tokens(model: EssayLstm) -> None:
    tokens = torch.tensor([[4, 7, 9]])
    with torch.no_grad():
        hidden = model.embedding(tokens)
        for layer in model.layers:
            hidden = layer(hidden)[0]
        expected = model.output(hidden.mean(dim=1))
        torch.testing.assert_close(model(tokens, torch.tensor([3])), expected)


def test_padding_adds_nothing(model: EssayLstm) -> None:
    chunks = [(4, 7, 9), (5,), (6, 6, 6, 6, 6)]
    with torch.no_grad():
        together = model(*padded(chunks))
        torch.testing.assert_close(together, torch.cat([model(*padded([chunk])) for chunk in chunks]))


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-6), ("bfloat16", 0.05)])
def test_what_was_saved_reads_as_before(model: EssayLstm, tmp_path: Path, dtype: str, tolerance: float) -> None:
    save(model, tokenizer(), tmp_path / "lstm")
    loaded = LstmNetwork.load(tmp_path / "lstm", dtype)
    with torch.no_grad():
        expected = model(*padded([(4, 7, 9)])).double()
    torch.testing.assert_close(loaded.read([(4, 7, 9)]), expected, atol=tolerance, rtol=0)
    assert (loaded.context, list(loaded.labels)) == (16, ["score"])


def _no_shape(folder: Path) -> Any:
    (folder / "config.json").write_text('{"model_type": "newwiki-lstm"}')


def _no_weights(folder: Path) -> Any:
    (folder / "model.safetensors").write_bytes(b"")


@pytest.mark.parametrize("damage", [_no_shape, _no_weights])
def test_a_damaged_folder_is_refused(model: EssayLstm, tmp_path: Path, damage: Any) -> None:
    save(model, tokenizer(), tmp_path / "lstm")
    damage(tmp_path / "lstm")
    with pytest.raises(TerminalError, match=r"is not an LSTM written by train-scorer: .*; train it again"):
        LstmNetwork.load(tmp_path / "lstm", "float32")
