"""Causal language models from a local folder or the Hugging Face hub, through transformers."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from importlib.metadata import version
from pathlib import Path
from typing import Any

from newwiki.decoding.grammar import Decoder
from newwiki.errors import TerminalError, UsageError
from newwiki.models.backend import model
from newwiki.models.generation import FLOAT32_SLACK, Limits, Row, generate
from newwiki.quiet import silence_transformers
from newwiki.records import Completion, Prompt
from newwiki.registry import decoders

# What decides a model's output; other files of a checkpoint (optimiser states, read-mes) do not count.
_DECISIVE = (
    "*.safetensors", "*.safetensors.index.json", "config.json", "generation_config.json", "tokenizer.json",
    "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.json", "vocab.txt", "merges.txt",
    "*.model",
)  # fmt: skip
_DTYPES = ("auto", "float32", "bfloat16", "float16")
_ROWS = 64  # batch size `auto`


@model("hf")
class HuggingFaceModel:
    """A checkpoint as `save_pretrained` leaves it, weights in safetensors. `auto` computes in float32.

    In float32 no completion depends on the batch. In half precision rounding is too coarse to settle, and some do.
    """

    backend = "hf"

    def __init__(self, name: str, *, dtype: str = "auto", device: str = "auto", revision: str = "main") -> None:
        if dtype not in _DTYPES:
            raise UsageError(f"there is no dtype '{dtype}'; there are: {', '.join(_DTYPES)}")
        self.name = name
        self.dtype = "float32" if dtype == "auto" else dtype
        folder = _folder(name, revision)
        self.sha256 = fingerprint(folder)
        self._model, self._tokenizer = _load(folder, self.dtype, device)
        self.versions: Mapping[str, str] = {
            **{package: version(package) for package in ("newwiki-eval", "torch", "transformers", "tokenizers")},
            "device": str(self._model.device),
        }

    def complete(
        self,
        requests: Sequence[tuple[Prompt, int]],
        decoder: Decoder,
        *,
        seed: int,
        max_new_tokens: int,
        batch_size: int | None,
    ) -> Iterator[list[Completion]]:
        limits = Limits(self._end_tokens(), max_new_tokens, self._context())
        encoded = {prompt: tuple(self._tokenizer(prompt.text)["input_ids"]) for prompt, _ in requests}
        rows = [
            Row(prompt.page_id, sample, encoded[prompt], limits.room(len(encoded[prompt])))
            for prompt, sample in requests
        ]
        step = decoders.get(decoder.name).make(**decoder.parameters)
        slack = FLOAT32_SLACK if self.dtype == "float32" else 0.0
        batches = generate(self._model, rows, step, limits, seed=seed, batch_size=batch_size or _ROWS, slack=slack)
        for batch in batches:
            yield [self._completion(row, limits) for row in batch]

    def _completion(self, row: Row, limits: Limits) -> Completion:
        text = self._tokenizer.decode(row.tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        reason = limits.reason(row)
        return Completion(
            row.page_id, row.sample, text, len(row.tokens), len(text.split()), reason, truncated=reason != "stop"
        )

    def _end_tokens(self) -> frozenset[int]:
        configured = self._model.generation_config.eos_token_id
        if configured is None:
            configured = self._tokenizer.eos_token_id
        return frozenset([configured] if isinstance(configured, int) else configured or [])

    def _context(self) -> int | None:
        config = self._model.config.get_text_config()
        return getattr(config, "max_position_embeddings", None)


def fingerprint(folder: Path) -> str:
    """SHA-256 over the names and bytes of weights, configuration and tokenizer."""
    digest = hashlib.sha256()
    for file in sorted(file for file in folder.iterdir() if any(fnmatch(file.name, shape) for shape in _DECISIVE)):
        with file.open("rb") as stream:
            digest.update(f"{file.name}\0{hashlib.file_digest(stream, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()


def _folder(name: str, revision: str) -> Path:
    folder = Path(name)
    if not folder.is_dir():
        folder = _from_hub(name, revision)
    if not (folder / "config.json").is_file():
        raise TerminalError(
            f"'{name}' is not a checkpoint: it holds no config.json; name a folder that save_pretrained wrote"
        )
    if not list(folder.glob("*.safetensors")):
        raise TerminalError(f"'{name}' holds no *.safetensors; load it once and write it with save_pretrained")
    return folder


def _from_hub(name: str, revision: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError, RepositoryNotFoundError

    problem = f"there is no model '{name}': no such folder here, and the Hugging Face hub"
    try:
        return Path(snapshot_download(name, revision=revision, allow_patterns=list(_DECISIVE)))
    except HFValidationError:
        raise TerminalError(f"{problem} has no such names; check the path") from None
    except RepositoryNotFoundError:
        raise TerminalError(f"{problem} does not know it; check the path or the model's id") from None
    except (LocalEntryNotFoundError, OSError):
        raise TerminalError(f"{problem} cannot be reached; check the path, or fetch the model first") from None


def _load(folder: Path, dtype: str, device: str) -> tuple[Any, Any]:
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, AutoTokenizer

    silence_transformers()
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        loaded = AutoModelForCausalLM.from_pretrained(
            folder, dtype=getattr(torch, dtype), local_files_only=True, use_safetensors=True
        )
        return loaded.to(device).eval(), tokenizer
    except (ValueError, OSError, KeyError, RuntimeError, AssertionError, SafetensorError) as error:
        reason = str(error).strip().splitlines()[0]
        raise TerminalError(f"the checkpoint '{folder}' cannot be loaded on {device}: {reason}") from error
