"""The LSTM that scores essays: embedded words, two LSTM layers, the mean over the text, one number.

The New-Wiki Eval paper ("Text Quality") says only that an LSTM was trained on more than 10,000 graded essays. The mean
over time is that of Taghipour and Ng 2016, A neural approach to automated essay scoring; the sizes are ours.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from newwiki.errors import TerminalError
from newwiki.foreign_json import read_object

MODEL_TYPE = "newwiki-lstm"


@dataclass(frozen=True)
class Shape:
    """The vocabulary size, the sizes of the embeddings and of each layer, and the tokens read at once."""

    vocabulary: int
    embedding: int = 100
    layers: tuple[int, ...] = (300, 75)
    context: int = 512
    dropout: float = 0.4


class EssayLstm(nn.Module):
    """Maps padded token ids [texts, tokens] and lengths [texts] to scores [texts, 1]."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.embedding, padding_idx=0)
        sizes = (shape.embedding, *shape.layers)
        self.layers = nn.ModuleList(nn.LSTM(size, following, batch_first=True) for size, following in pairwise(sizes))
        self.dropout = nn.Dropout(shape.dropout)
        self.output = nn.Linear(sizes[-1], 1)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        hidden = self.embedding(tokens)
        for layer in self.layers:
            packed = pack_padded_sequence(self.dropout(hidden), lengths, batch_first=True, enforce_sorted=False)
            hidden, _ = pad_packed_sequence(layer(packed)[0], batch_first=True)
        # The padded states after a text's end are zero.
        mean = hidden.sum(dim=1) / lengths.to(hidden)[:, None]
        return self.output(self.dropout(mean))


class LstmNetwork:
    """A trained EssayLstm with its tokenizer; its one label is the score."""

    labels: Sequence[str] = ("score",)

    def __init__(self, model: EssayLstm, tokenizer: Any) -> None:
        self._device = next(model.parameters()).device
        self._model, self.tokenizer = model.eval(), tokenizer
        self.context = model.shape.context
        self.backend = f"torch-{self._device.type}"

    def read(self, chunks: Sequence[Sequence[int]]) -> Tensor:
        with torch.inference_mode():
            tokens, lengths = padded(chunks)
            scores: Tensor = self._model(tokens.to(self._device), lengths)
        return scores.double().cpu()

    @classmethod
    def load(cls, folder: Path, dtype: str, named: Path | None = None) -> Self:
        """Load what `save` wrote. Raises TerminalError, which calls the folder `named`, for any other content."""
        from transformers import PreTrainedTokenizerFast

        try:
            config = read_object((folder / "config.json").read_bytes(), "config.json")
            shape = Shape(**{**config["shape"], "layers": tuple(config["shape"]["layers"])})
            model = EssayLstm(shape)
            model.load_state_dict(load_file(folder / "model.safetensors"))
            tokenizer = PreTrainedTokenizerFast.from_pretrained(folder, local_files_only=True)
        except Exception as error:  # the tokenizers' own exception has no narrower class
            reason = str(error).strip().partition("\n")[0].replace(str(folder), str(named or folder))
            raise TerminalError(
                f"'{named or folder}' is not an LSTM written by train-scorer: {reason}; train it again"
            ) from error
        device = "cuda" if torch.cuda.is_available() else "cpu"
        return cls(model.to(device, getattr(torch, dtype)), tokenizer)


def padded(chunks: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Return token ids [chunks, longest], padded with zeros at the end, and the lengths."""
    lengths = torch.tensor([len(chunk) for chunk in chunks])
    rows = [torch.tensor(list(chunk)) for chunk in chunks]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True), lengths


def save(model: EssayLstm, tokenizer: Any, folder: Path) -> None:
    """Write weights, configuration and tokenizer in the form that `LstmNetwork.load` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {"model_type": MODEL_TYPE, "shape": asdict(model.shape)}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", "utf-8")
    save_file(
        {name: value.contiguous().cpu() for name, value in model.state_dict().items()}, folder / "model.safetensors"
    )
    tokenizer.save_pretrained(folder)
