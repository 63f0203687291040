"""Checkpoints: where one lies, what it is to be trusted with, and the hash that names it."""

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from newwiki.errors import NewWikiError, TerminalError, UsageError
from newwiki.knowledge_cutoff import CARD
from newwiki.models import adapters, files, quantised
from newwiki.models.adapters import Adapter
from newwiki.quiet import silence_transformers
from newwiki.training import record
from newwiki.training.record import TrainingRecord

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
_PICKLED_ADAPTER = (adapters.PICKLED,)
_CODE = ("*.py",)
# What decides nothing, and is read
_TOLD = (adapters.CONFIG, record.FILE, CARD)


@dataclass(frozen=True)
class Trust:
    """What the user allows a checkpoint: weights as pickles, which can run code when they are read, and code itself."""

    allow_pickle: bool = False
    trust_remote_code: bool = False

    def shapes(self, folder: Path | None = None) -> tuple[str, ...]:
        """The names of files that decide the output of a checkpoint in this folder, or of any."""
        safe = folder is None or _has_safetensors(folder)
        weights = _SAFE if safe else _PICKLED
        extra = (*_PICKLED, *_PICKLED_ADAPTER) if folder is None and self.allow_pickle else ()
        return (*_DECISIVE, *weights, *extra, *(_CODE if self.trust_remote_code else ()))


@dataclass(frozen=True)
class Opened:
    """Folders to load a checkpoint from: of the model, its tokenizer, and the adapter that is put on the model."""

    model: Path
    tokenizer: Path
    adapter: Path | None


@dataclass(frozen=True)
class Checkpoint:
    """A folder with a model, or a `gguf` file in it, which is all of one, or with an `adapter` of the model `base`;
    `revision` is the commit that the hub gave, where it came from there, and `tokenizer` the folder of a tokenizer that
    takes the place of its own."""

    folder: Path
    trust: Trust
    revision: str | None = None
    tokenizer: Path | None = None
    adapter: Adapter | None = None
    base: "Checkpoint | None" = None
    gguf: str | None = None

    @property
    def quantised(self) -> str | None:
        """By what its layers are, and stay so; what a GGUF file holds is read into plain ones, and no adapter is put on
        what is quantised."""
        return None if self.gguf or self.base else quantised.method_of(self.folder)

    @cached_property
    def sha256(self) -> str:
        """SHA-256 over the names and bytes of weights, configuration and tokenizer, the adapter's after its base's."""
        self._seen  # noqa: B018 (before they are read)
        return files.names_and_bytes(*self._parts)

    @property
    def told(self) -> dict[str, str]:
        """Where it comes from, for `runs.versions`."""
        revision = {"revision": self.revision} if self.revision else {}
        if self.adapter is None or self.base is None:
            return revision
        base = {"adapter_base": str(self.adapter.base), "adapter_base_sha256": self.base.sha256}
        commit = {"adapter_base_revision": self.base.revision} if self.base.revision else {}
        return {**revision, "adapter": self.adapter.kind, **base, **commit, "peft": version("peft")}

    @property
    def training(self) -> TrainingRecord | None:
        """What it was fitted to, where that is known; an adapter that does not say has read what its base has. Raises
        TerminalError for a record that is broken."""
        made = record.read(self.folder)
        return self.base.training if made is None and self.base else made

    @contextmanager
    def opened(self) -> Iterator[Opened]:
        """Folders to load it from, with the files that are hashed and no others.

        Raises TerminalError where one of them has changed since it was hashed.
        """
        name = self.folder.resolve().name
        with ExitStack() as stack:
            parts = zip(self._parts, self._seen, strict=True)
            model, *others = [stack.enter_context(files.alone(part, name, seen)) for part, seen in parts]
            adapter = others.pop(0) if self.base else None
            yield Opened(model, others[0] if others else model, adapter)

    @property
    def tokenizer_folder(self) -> Path:
        """Where the tokenizer lies: an adapter has one of its own, or its base's."""
        if self.tokenizer:
            return self.tokenizer
        return self.base.folder if self.base and not has_tokenizer(self.folder) else self.folder

    @property
    def _parts(self) -> list[files.Files]:
        """The files that are hashed, of the model, the adapter, and the tokenizer that takes the place of the model's
        own; an adapter's is read as a tokenizer of its base is."""
        model = self.base or self
        parts = [_model_files(model)]
        if self.base:
            names = (adapters.CONFIG, adapters.weights(self.folder, str(self.folder), self.trust.allow_pickle))
            parts.append(files.named(self.folder, names))
        if self.tokenizer:
            parts.append(files.named(self.tokenizer, (*_TOKENIZER, _CONFIG)))
        elif self.tokenizer_folder != model.folder:
            parts.append({**files.named(self.folder, _TOKENIZER), **files.named(model.folder, (_CONFIG,))})
        return parts

    @cached_property
    def _seen(self) -> list[files.State]:
        return [files.state(part) for part in self._parts]


def has_tokenizer(folder: Path) -> bool:
    """Whether a tokenizer's files are in the folder."""
    return any((folder / name).is_file() for name in ("tokenizer.json", "tokenizer_config.json"))


def find(name: str, revision: str, trust: Trust, base: str = "") -> Checkpoint:
    """The checkpoint of a folder or a hub id. One with an adapter is the model that it is put on, with the adapter:
    `base`, or the whole model in the same folder, or what the adapter names.

    Raises TerminalError where there is none, or none to be trusted, and for one of files that its hash does not cover;
    UsageError for a base of what is no adapter.
    """
    folder, commit, gguf = _located(name, revision, trust)
    if gguf:
        return Checkpoint(folder, trust, gguf=gguf)
    if (folder / adapters.CONFIG).is_file():
        return _adapter(folder, name, trust, commit, base)
    if base:
        raise UsageError(f"base={base} is for adapters, and '{name}' has no {adapters.CONFIG}; leave it out")
    return _whole(folder, name, trust, commit)


def _located(name: str, revision: str, trust: Trust) -> tuple[Path, str | None, str | None]:
    """The folder of a model, its commit where it comes from the hub, and the GGUF file that is all of it. Raises
    TerminalError."""
    folder = Path(name)
    try:
        if gguf := quantised.gguf_of(folder):
            return gguf.parent, None, gguf.name
        if folder.is_dir():
            return folder, None, None
    except OSError as error:
        raise TerminalError(f"there is no model '{name[:200]}': {error.strerror}; check the path") from None
    folder = _from_hub(name, revision, trust)
    return folder, folder.name, None


def find_whole(name: str, revision: str, trust: Trust) -> Checkpoint:
    """The same, but for adapters, which raise TerminalError."""
    found = find(name, revision, trust)
    if found.base:
        files.refuse_adapter(found.folder, name)
    return found


def _adapter(folder: Path, name: str, trust: Trust, commit: str | None, given: str) -> Checkpoint:
    adapter = adapters.described(folder, name)
    adapters.weights(folder, name, trust.allow_pickle)
    beside = (folder / _CONFIG).is_file() and _has_weights(folder)
    if beside and (not given or Path(given).resolve() == folder.resolve()):
        return Checkpoint(
            folder, trust, commit, adapter=replace(adapter, base=name), base=_whole(folder, name, trust, commit)
        )
    named = given or adapter.base
    remedy = "name its model by --model-args base=FOLDER"
    if not named:
        raise TerminalError(f"the adapter '{name}' does not say which model it is put on; {remedy}")
    place, revision = split_revision(given) if given else (named, adapter.revision or "main")
    try:
        found, base_commit, gguf = _located(place, revision, trust)
        is_adapter = gguf is None and (found / adapters.CONFIG).is_file()  # maybe itself
        base = Checkpoint(found, trust, gguf=gguf) if gguf or is_adapter else _whole(found, place, trust, base_commit)
    except TerminalError as error:
        raise TerminalError(
            f"the model that the adapter '{name}' is put on is not to be had: {error}; {remedy}"
        ) from error
    if is_adapter:
        raise TerminalError(f"the adapter '{name}' is put on another, '{named}', which is not merged; {remedy}")
    if base.quantised or base.gguf:
        raise TerminalError(
            f"the adapter '{name}' is put on '{named}', which is quantised, and is merged into whole weights alone; "
            f"{remedy} that is not quantised"
        )
    return Checkpoint(folder, trust, commit, adapter=replace(adapter, base=place), base=base)


def _whole(folder: Path, name: str, trust: Trust, commit: str | None) -> Checkpoint:
    if not (folder / _CONFIG).is_file():
        raise TerminalError(
            f"'{name}' is not a checkpoint: it holds no config.json; name a folder that save_pretrained wrote"
        )
    if not _has_safetensors(folder):
        if not _has_weights(folder):
            raise TerminalError(f"'{name}' holds no weights (*.safetensors); write them there with save_pretrained")
        if not trust.allow_pickle:
            raise TerminalError(
                f"'{name}' holds its weights as pickles (*.bin), which can run code when they are read; write them as "
                "*.safetensors with save_pretrained, or, if you trust them, add --allow-pickle"
            )
    quantised.require_packages(folder, name)
    checkpoint = Checkpoint(folder, trust, commit)
    hashed = _model_files(checkpoint)
    files.refuse_indexed_elsewhere(hashed)
    if trust.trust_remote_code:
        files.refuse_code_elsewhere(hashed)
    return checkpoint


def _has_safetensors(folder: Path) -> bool:
    return any(file.name != adapters.WEIGHTS for file in folder.glob("*.safetensors"))


def _has_weights(folder: Path) -> bool:
    return _has_safetensors(folder) or any(folder.glob("pytorch_model*.bin"))


def _model_files(model: Checkpoint) -> files.Files:
    """Without those of an adapter beside it."""
    found = files.named(model.folder, (model.gguf,) if model.gguf else model.trust.shapes(model.folder))
    return {name: file for name, file in found.items() if name != adapters.WEIGHTS}


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
    return (folder / _CONFIG).is_file() and any(folder.glob("*.safetensors"))


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
    opened: Opened | None = None
    try:
        with checkpoint.opened() as opened:
            gguf = {"gguf_file": checkpoint.gguf} if checkpoint.gguf else {}
            config = AutoConfig.from_pretrained(opened.model, local_files_only=True, trust_remote_code=code, **gguf)
            refuse(checkpoint, config)
            _require_tokenizer(checkpoint)
            tokenizer = AutoTokenizer.from_pretrained(
                opened.tokenizer,
                local_files_only=True,
                trust_remote_code=code,
                **({} if checkpoint.tokenizer else gguf),
            )

            def read(in_dtype: str) -> Any:
                loaded, found = kind.from_pretrained(
                    opened.model,
                    dtype=getattr(torch, in_dtype),
                    local_files_only=True,
                    use_safetensors=_has_safetensors(opened.model),
                    trust_remote_code=code,
                    output_loading_info=True,
                    **gguf,
                    **({"device_map": device} if checkpoint.quantised else {}),
                    **anew,
                )
                if not anew:
                    _refuse_missing(checkpoint, found["missing_keys"])
                return loaded

            loaded = _merged(checkpoint, opened.adapter, kind, read, dtype) if opened.adapter else read(dtype)
        loaded = (loaded if checkpoint.quantised else loaded.to(device)).eval()
    except NewWikiError:
        raise
    except Exception as error:
        said = next(iter(str(error).strip().splitlines()), type(error).__name__)
        for place in vars(opened).values() if opened else ():
            said = said.replace(str(place), str(folder))
        hint = "; add --trust-remote-code if you trust its code" if "trust_remote_code" in str(error) else ""
        raise TerminalError(f"the checkpoint '{folder}' cannot be loaded on {device}: {said}{hint}") from error
    return loaded, tokenizer


def _merged(checkpoint: Checkpoint, adapter: Path, kind: Any, read: Callable[[str], Any], dtype: str) -> Any:
    """The base with the adapter in its weights."""
    from newwiki.models.merging import base_model, merged

    assert checkpoint.base
    key = (checkpoint.base.sha256, kind.__name__, checkpoint.trust)
    return merged(base_model(key, lambda: read("float32")), adapter, str(checkpoint.folder), dtype)


def _refuse_missing(checkpoint: Checkpoint, keys: Collection[str]) -> None:
    if keys:
        folder = (checkpoint.base or checkpoint).folder
        raise TerminalError(
            f"the checkpoint '{folder}' lacks weights ({min(keys)} and {len(keys) - 1} more), which would be "
            "random; write it anew with save_pretrained from the whole model"
        )


def _require_tokenizer(checkpoint: Checkpoint) -> None:
    if checkpoint.gguf:
        return  # it has one
    shapes = [shape for shape in _TOKENIZER if not shape.startswith("chat_template")]
    if not any(file for shape in shapes for file in checkpoint.tokenizer_folder.glob(shape)):
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
