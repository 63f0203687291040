"""Embed whole texts: long texts are cut into chunks, and the chunks' embeddings are averaged."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import groupby
from pathlib import Path
from threading import Barrier
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from evaluators.copied_spans import SPAN_PARAMETERS, marked_words
from evaluators.networks.chunks import cut, first_chunk
from evaluators.networks.embedder_files import DEFAULT_EMBEDDER, folder_of, load_transformer
from newwiki.allocator import keep_freed_memory
from newwiki.errors import UsageError
from newwiki.models.files import file_sha256
from newwiki.registry import maker

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

    from newwiki.settings import Settings

DTYPES = ("auto", "float32", "bfloat16")
BACKENDS = ("torch", "openvino")

_BATCH = 8  # maximum number of chunks per batch
_ALONE = 1
_FROM_TEXT = {"embedding", "embedding_truncated"}
_NEW = "new_embedding"


class Embedder:
    """A sentence-transformers model. The attributes enter the fingerprint of every score it feeds.

    With bfloat16, the transformer computes in bfloat16; pooling and normalizing use float32 or better. Chunks of equal
    length run together, without padding, so on a CPU a row is identical to the last bit whatever else is embedded. In
    bfloat16 a chunk runs alone there, because oneDNN with AMX sums long products differently for each number of rows.
    The backend openvino runs on a CPU even if there is a GPU.
    """

    parts = frozenset({*_FROM_TEXT, _NEW, "prompt_embedding"})
    part_parameters: Mapping[str, Mapping[str, object]] = MappingProxyType({_NEW: SPAN_PARAMETERS})
    packages: tuple[str, ...] = ("sentence-transformers", "transformers", "tokenizers", "torch")

    def __init__(self, folder: Path, model: str, dtype: str, backend: str = "torch") -> None:
        import torch

        self._device = "cuda" if backend == "torch" and torch.cuda.is_available() else "cpu"
        held = getattr(torch, dtype) if backend == "torch" else torch.float32
        self._transformer, files_sha256 = load_transformer(folder, model, self._device, held)
        self.model_sha256: str | None = file_sha256(folder / "model.safetensors")
        self._first, *self._rest = self._transformer
        for module in self._rest:
            module.float()
        if self._device == "cpu":
            keep_freed_memory()
        if backend == "openvino":
            from evaluators.networks.compiled import CompiledTransformer

            self._first = CompiledTransformer(self._first, dtype, torch.get_num_threads())
            self.packages = (*self.packages, "openvino")
        elif self._device == "cpu":
            _hasten(self._first.auto_model, dtype)
        self._batch = _ALONE if (self._device, backend, dtype) == ("cpu", "torch", "bfloat16") else _BATCH
        self.model = model
        self.dtype: str | None = dtype
        self.backend: str | None = f"{backend}-{self._device}"
        self.parameters: Mapping[str, object] = {
            "files_sha256": files_sha256,
            "chunk_tokens": self._transformer.max_seq_length,
            "pooling": "mean of the chunks' unit embeddings weighted by their tokens, normalised",
        }
        if prompt := self._transformer.default_prompt_name:
            self.parameters = {**self.parameters, "default_prompt": f"{prompt}, not applied"}

    def make(self, prompts: Sequence[str], texts: Sequence[str], parts: Set[str]) -> Mapping[str, Sequence[Any]]:
        """Return unit vectors: of the whole text, of its first chunk (`embedding_truncated`), of the prompt, and of the
        text without its copied spans (`new_embedding`), None if nothing else is there."""
        made: dict[str, Sequence[Any]] = {}
        if wanted := parts & {*_FROM_TEXT, _NEW}:
            pairs = zip(texts, prompts, strict=True)
            new = [marked_words(*pair).new_text for pair in pairs] if _NEW in wanted else []
            read = texts if wanted & _FROM_TEXT else ()
            # A text without a copied span is embedded once for both parts.
            all_texts = [*read, *(text for text in dict.fromkeys(new) if text and text not in {*read})]
            rows = self._embed(all_texts, whole=bool(wanted - {"embedding_truncated"}))
            made |= {part: [row[part] for row in rows[: len(read)]] for part in wanted & _FROM_TEXT}
            by_text = {text: row["embedding"] for text, row in zip(all_texts, rows, strict=True)}
            if _NEW in wanted:
                made[_NEW] = [by_text[text] if text else None for text in new]
        if "prompt_embedding" in parts:
            different = list(dict.fromkeys(prompts))
            by_prompt = dict(zip(different, self._embed(different, whole=True), strict=True))
            made["prompt_embedding"] = [by_prompt[prompt]["embedding"] for prompt in prompts]
        return made

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row per text, shape [texts, dimension]; all NaN if the tokenizer finds nothing in a text.

        Every chunk holds as many tokens as the model accepts with its special tokens.
        """
        import numpy as np

        return np.stack([row["embedding"] for row in self._embed(texts, whole=True)])

    def _embed(self, texts: Sequence[str], *, whole: bool) -> list[dict[str, NDArray[np.float32]]]:
        read, window = self._transformer.tokenizer, self._transformer.max_seq_length
        chunks = [cut(read, text, window) if whole else [first_chunk(read, text, window)] for text in texts]
        rows = iter(self._embed_chunks([chunk.tokens for text_chunks in chunks for chunk in text_chunks]))
        made = []
        for text_chunks in chunks:
            units, sizes = [next(rows) for _ in text_chunks], [chunk.size for chunk in text_chunks]
            made.append({"embedding_truncated": _pooled(units[:1], sizes[:1]), "embedding": _pooled(units, sizes)})
        return made

    def _embed_chunks(self, chunks: Sequence[Sequence[int]]) -> list[Tensor]:
        """Return unit rows in float64, in the order of the chunks."""
        by_length = sorted(range(len(chunks)), key=lambda place: len(chunks[place]))
        groups = groupby(by_length, key=lambda place: len(chunks[place]))
        batches = [batch for _, places in groups for batch in _batched([*places], self._batch)]
        read = self._workers.map(self._embed_batch, [[chunks[place] for place in batch] for batch in batches])
        rows: dict[int, Tensor] = {}
        for batch, batch_rows in zip(batches, read, strict=True):
            rows |= zip(batch, batch_rows, strict=True)
        return [rows[place] for place in range(len(chunks))]

    @cached_property
    def _workers(self) -> ThreadPoolExecutor:
        """One thread per core on a CPU, because parallel batches are faster than one batch on several cores."""
        import torch

        if self._device != "cpu":
            return ThreadPoolExecutor(1)
        count = torch.get_num_threads()
        together = Barrier(count)
        workers = ThreadPoolExecutor(count, initializer=lambda: torch.set_num_threads(1))
        list(workers.map(lambda _: together.wait(), range(count)))
        torch.set_num_threads(count)  # for all other threads: the call above also affects future ones
        return workers

    def _embed_batch(self, chunks: Sequence[Sequence[int]]) -> Tensor:
        """Embed chunks of equal length as unit rows [chunks, dimension] in float64."""
        import torch

        tokens = torch.tensor([list(chunk) for chunk in chunks], device=self._device)
        with torch.inference_mode():
            features = self._first({"input_ids": tokens, "attention_mask": torch.ones_like(tokens)})
            features["token_embeddings"] = features["token_embeddings"].float()
            for module in self._rest:
                features = module(features)
            return torch.nn.functional.normalize(features["sentence_embedding"], dim=1).double().cpu()


def _batched(places: Sequence[int], most: int) -> Iterator[Sequence[int]]:
    """Split into batches of equal size, at least two, because there may be two cores."""
    count = max(2, math.ceil(len(places) / most))
    size = math.ceil(len(places) / count)
    return (places[start : start + size] for start in range(0, len(places), size))


def _hasten(model: Any, dtype: str) -> None:
    """Speed up a model on a CPU: lay out weights once, and in bfloat16 use plain products instead of fused
    attention."""
    from newwiki.models.engine.packed import pack_linear_layers

    pack_linear_layers(model)
    if dtype == "bfloat16":
        model.set_attn_implementation("eager")


def _pooled(rows: Sequence[Tensor], sizes: Sequence[int]) -> NDArray[np.float32]:
    """Return the mean of the chunks' rows, weighted by their tokens, as a unit vector."""
    import torch

    weights = torch.tensor(sizes, dtype=torch.float64)
    pooled = (weights[:, None] * torch.stack(list(rows))).sum(dim=0)
    length = pooled.norm()
    unit = pooled / length if length > 0 else torch.full_like(pooled, float("nan"))
    row: NDArray[np.float32] = unit.float().numpy()
    return row


@maker(
    *Embedder.parts,
    options={"model": "--embedder", "dtype": "--embedder-dtype", "backend": "--embedder-backend"},
)
def _from_settings(settings: Settings) -> Embedder:
    return load_embedder(settings.embedder, settings.embedder_dtype, settings.embedder_backend)


def load_embedder(choice: str = DEFAULT_EMBEDDER, dtype: str = "auto", backend: str = "torch") -> Embedder:
    """Load the model in a local folder, or of that name in the offline package, the Hugging Face cache, or on the hub.

    `dtype` auto is bfloat16 if the machine multiplies it in hardware, else float32. Raises UsageError for another dtype
    or backend, and TerminalError if the model is not available, is not an embedding model, or has no safetensors
    weights, and if the backend is not installed or cannot run it.
    """
    for what, given, known in (("dtype", dtype, DTYPES), ("backend", backend, BACKENDS)):
        if given not in known:
            raise UsageError(f"the embedding model's {what} must be one of {', '.join(known)}, not '{given}'")
    folder = folder_of(choice)
    model = folder.resolve().name if Path(choice).is_dir() else choice
    return Embedder(folder, model, _fast_dtype(backend) if dtype == "auto" else dtype, backend)


def _fast_dtype(backend: str) -> str:
    import torch

    if backend == "openvino":
        from evaluators.networks.compiled import has_bfloat16

        fast = has_bfloat16()
    elif torch.cuda.is_available():
        fast = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        fast = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return "bfloat16" if fast else "float32"
