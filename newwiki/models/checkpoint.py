"""Checkpoints: where one lies, what it is to be trusted with, and the hash that names it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from newwiki.errors import NewWikiError, TerminalError
from newwiki.knowledge_cutoff import CARD
from newwiki.models import files, quantised
from newwiki.quiet import silence_transformers
from newwiki.training import record

# What decides a model's output; other files of a checkpoint (optimiser states, read-mes) are neither hashed nor loaded.
_TOKENIZER = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.json",
    "vocab.txt", "merges.txt", "chat_template*", "*.model", "*.spm", "vocab-*.json", "target_vocab.json", "tekken.json",
    "tokenizer.model.*", "*.tiktoken", "bpe.codes", "dict.txt", "prophetnet.tokenizer",
)  # fmt: skip
_CONFIG = "config.json"
_DECISIVE = ("*.safetensors.index.json", _CONFIG, "generation_config.json", *_TOKENIZER)
_SAFE = ("*.safetensors",)
_PICKLED = ("pytorch_model*.bin", "pytorch_model.bin.index.json")
_CODE = ("*.py",)
# What decides nothing, and is read
_TOLD = (files.ADAPTER, record.FILE, CARD)


@dataclass(frozen=True)
class Trust:
    """What the user allows a checkpoint: weights as pickles, which can run code when they are read, and code itself."""

    allow_pickle: bool = False
    trust_remote_code: bool = False

    def shapes(self, folder: Path | None = None) -> tuple[str, ...]:
        """The names of files that decide the output of a checkpoint in this folder, or of any."""
        safe = folder is None or any(folder.glob("*.safetensors"))
        weights = _SAFE if safe else _PICKLED
        extra = _PICKLED if folder is None and self.allow_pickle else ()
        return (*_DECISIVE, *weights, *extra, *(_CODE if self.trust_remote_code else ()))


@dataclass(frozen=True)
class Checkpoint:
    """A folder with a model, or a `gguf` file in it, which is all of one; `revision` is the commit that the hub gave,
    where it came from there, and `tokenizer` the folder of a tokenizer that takes the place of the model's own."""

    folder: Path
    trust: Trust
    revision: str | None = None
    tokenizer: Path | None = None
    gguf: str | None = None

    @property
    def quantised(self) -> str | None:
        """By what its layers are, and stay so; what a GGUF file holds is read into plain ones."""
        return None if self.gguf else quantised.method_of(self.folder)

    @cached_property
    def sha256(self) -> str:
        """SHA-256 over the names and bytes of weights, configuration and tokenizer."""
        self._seen  # noqa: B018 (before they are read)
        return files.names_and_bytes(*self._parts)

    @contextmanager
    def opened(self) -> Iterator[tuple[Path, Path]]:
        """Folders of the model and of its tokenizer to load them from, with the files that are hashed and no others.

        Raises TerminalError where one of them has changed since it was hashed.
        """
        name = self.folder.resolve().name
        with ExitStack() as stack:
            parts = zip(self._parts, self._seen, strict=True)
            folders = [stack.enter_context(files.alone(part, name, seen)) for part, seen in parts]
            yield folders[0], folders[-1]

    @property
    def _parts(self) -> list[files.Files]:
        """The files that are hashed, of the model and of the tokenizer that takes the place of its own."""
        beside = [files.named(self.tokenizer, (*_TOKENIZER, _CONFIG))] if self.tokenizer else []
        shapes = (self.gguf,) if self.gguf else self.trust.shapes(self.folder)
        return [files.named(self.folder, shapes), *beside]

    @cached_property
    def _seen(self) -> list[files.State]:
        return [files.state(part) for part in self._parts]


def has_tokenizer(folder: Path) -> bool:
    """Whether a tokenizer's files are in the folder."""
    return any((folder / name).is_file() for name in ("tokenizer.json", "tokenizer_config.json"))


def find(name: str, revision: str, trust: Trust) -> Checkpoint:
    """The checkpoint of a folder or a hub id.

    Raises TerminalError where there is none, or none to be trusted, and for one of files that its hash does not cover.
    """
    folder = Path(name)
    commit = None
    if gguf := quantised.gguf_of(folder):
        return Checkpoint(gguf.parent, trust, gguf=gguf.name)
    if not folder.is_dir():
        folder = _from_hub(name, revision, trust)
        commit = folder.name
    files.refuse_adapter(folder, name)
    if not (folder / "config.json").is_file():
        raise TerminalError(
            f"'{name}' is not a checkpoint: it holds no config.json; name a folder that save_pretrained wrote"
        )
    if not any(folder.glob("*.safetensors")):
        if not any(folder.glob("pytorch_model*.bin")):
            raise TerminalError(f"'{name}' holds no weights (*.safetensors); write them there with save_pretrained")
        if not trust.allow_pickle:
            raise TerminalError(
                f"'{name}' holds its weights as pickles (*.bin), which can run code when they are read; write them as "
                "*.safetensors with save_pretrained, or, if you trust them, add --allow-pickle"
            )
    quantised.require_packages(folder, name)
    hashed = files.named(folder, trust.shapes(folder))
    files.refuse_indexed_elsewhere(hashed)
    if trust.trust_remote_code:
        files.refuse_code_elsewhere(hashed)
    return Checkpoint(folder, trust, commit)


def split_revision(name: str) -> tuple[str, str]:
    """`NAME@REVISION` as its two parts; `main` where there is no revision, or where NAME is a folder here."""
    place, at, revision = name.partition("@")
    return (place, revision) if at and not Path(name).is_dir() else (name, "main")


def is_at_hand(name: str, revision: str) -> bool:
    """Whether `find` needs no network: a folder is here, or the hub's files were downloaded before."""
    from huggingface_hub import snapshot_download

    if Path(name).exists():
        return True
    try:
        folder = Path(snapshot_download(name, revision=revision, local_files_only=True))
    except (OSError, ValueError):  # never downloaded, or not a name that the hub could have
        return False
    return (folder / "config.json").is_file() and any(folder.glob("*.safetensors"))


def _from_hub(name: str, revision: str, trust: Trust) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        HFValidationError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    problem = f"there is no model '{name}': no such folder here, and the Hugging Face hub"
    try:
        return Path(snapshot_download(name, revision=revision, allow_patterns=[*trust.shapes(), *_TOLD]))
    except HFValidationError:
        raise TerminalError(f"{problem} has no such names; check the path") from None
    except RevisionNotFoundError:
        raise TerminalError(f"'{name}' has no revision '{revision}'; name a branch, a tag or a commit of it") from None
    except RepositoryNotFoundError:
        raise TerminalError(f"{problem} does not know it; check the path or the model's id") from None
    except (LocalEntryNotFoundError, OSError):
        raise TerminalError(f"{problem} cannot be reached; check the path, or fetch the model first") from None


def load(checkpoint: Checkpoint, dtype: str, device: str, *, encoder_decoder: bool = False) -> tuple[Any, Any]:
    """The causal language model, or the encoder-decoder, and its tokenizer, from local files alone. Raises
    TerminalError."""
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    if encoder_decoder:
        return _load(checkpoint, AutoModelForSeq2SeqLM, _refuse_what_has_no_encoder, dtype, device)
    return _load(checkpoint, AutoModelForCausalLM, _refuse_what_cannot_write, dtype, device)


def load_classifier(checkpoint: Checkpoint, dtype: str, *, new_outputs: int | None = None) -> tuple[Any, Any]:
    """The classifier or regressor of whole texts, and its tokenizer, from local files alone.

    With `new_outputs` its last layer is made anew, at random, with so many outputs. Raises TerminalError.
    """
    from transformers import AutoModelForSequenceClassification

    anew = {} if new_outputs is None else {"num_labels": new_outputs, "ignore_mismatched_sizes": True}
    return _load(checkpoint, AutoModelForSequenceClassification, lambda *_: None, dtype, "auto", **anew)


def _load(
    checkpoint: Checkpoint, kind: Any, refuse: Callable[[Checkpoint, Any], None], dtype: str, device: str, **anew: Any
) -> tuple[Any, Any]:
    import torch
    from transformers import AutoConfig, AutoTokenizer

    silence_transformers()
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    folder, code = checkpoint.folder, checkpoint.trust.trust_remote_code
    opened = folder
    try:
        with checkpoint.opened() as (opened, opened_tokenizer):
            gguf = {"gguf_file": checkpoint.gguf} if checkpoint.gguf else {}
            config = AutoConfig.from_pretrained(opened, local_files_only=True, trust_remote_code=code, **gguf)
            refuse(checkpoint, config)
            _require_tokenizer(checkpoint)
            tokenizer = AutoTokenizer.from_pretrained(
                opened_tokenizer,
                local_files_only=True,
                trust_remote_code=code,
                **({} if checkpoint.tokenizer else gguf),
            )
            loaded, found = kind.from_pretrained(
                opened,
                dtype=getattr(torch, dtype),
                local_files_only=True,
                use_safetensors=any(opened.glob("*.safetensors")),
                trust_remote_code=code,
                output_loading_info=True,
                **gguf,
                **({"device_map": device} if checkpoint.quantised else {}),
                **anew,
            )
        loaded = (loaded if checkpoint.quantised else loaded.to(device)).eval()
    except NewWikiError:
        raise
    except Exception as error:
        said = next(iter(str(error).strip().splitlines()), type(error).__name__)
        reason = said.replace(str(opened), str(folder))
        hint = "; add --trust-remote-code if you trust its code" if "trust_remote_code" in str(error) else ""
        raise TerminalError(f"the checkpoint '{folder}' cannot be loaded on {device}: {reason}{hint}") from error
    if found["missing_keys"] and not anew:
        missing = sorted(found["missing_keys"])
        raise TerminalError(
            f"the checkpoint '{folder}' lacks weights ({missing[0]} and {len(missing) - 1} more), which would be "
            "random; write it anew with save_pretrained from the whole model"
        )
    return loaded, tokenizer


def _require_tokenizer(checkpoint: Checkpoint) -> None:
    if checkpoint.gguf:
        return  # it has one
    shapes = [shape for shape in _TOKENIZER if not shape.startswith("chat_template")]
    if not any(file for shape in shapes for file in (checkpoint.tokenizer or checkpoint.folder).glob(shape)):
        raise TerminalError(
            f"'{checkpoint.folder}' holds no tokenizer; write it there with save_pretrained, or add "
            "--model-args tokenizer=FOLDER"
        )


def _refuse_what_has_no_encoder(checkpoint: Checkpoint, config: Any) -> None:
    if not getattr(config, "is_encoder_decoder", False):
        raise TerminalError(
            f"'{checkpoint.folder}' is no encoder-decoder ({', '.join(config.architectures or [config.model_type])}), "
            "which --backend seq2seq runs; add --backend hf"
        )


def _refuse_what_cannot_write(checkpoint: Checkpoint, config: Any) -> None:
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    kinds = config.architectures or []
    if getattr(config, "is_encoder_decoder", False):
        raise TerminalError(
            f"'{checkpoint.folder}' is an encoder-decoder ({', '.join(kinds)}), which --backend hf does not run; "
            "add --backend seq2seq, or choose a causal language model"
        )
    causal = set(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values())
    writes = any(kind in causal or kind.endswith("Model") for kind in kinds)
    if kinds and not writes and not getattr(config, "auto_map", None):
        raise TerminalError(
            f"'{checkpoint.folder}' is no causal language model but a {', '.join(kinds)}, which reads and cannot "
            "write; choose another"
        )
