"""Find checkpoints, decide what to trust in them, and compute the hash that identifies them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

from newwiki.errors import TerminalError, UsageError
from newwiki.knowledge_cutoff import CARD
from newwiki.models import adapters, files, quantised
from newwiki.models.adapters import Adapter
from newwiki.training import record
from newwiki.training.record import TrainingRecord

# The files that decide a model's output; others (optimizer states, READMEs) are neither hashed nor loaded.
TOKENIZER = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.json",
    "vocab.txt", "merges.txt", "chat_template*", "*.model", "*.spm", "vocab-*.json", "target_vocab.json", "tekken.json",
    "tokenizer.model.*", "*.tiktoken", "bpe.codes", "dict.txt", "prophetnet.tokenizer",
)  # fmt: skip
_CONFIG = "config.json"
_DECISIVE = ("*.safetensors.index.json", _CONFIG, "generation_config.json", *TOKENIZER)
_SAFE = ("*.safetensors",)
_PICKLED = ("pytorch_model*.bin", "pytorch_model.bin.index.json")
_PICKLED_ADAPTER = (adapters.PICKLED,)
_CODE = ("*.py",)
# Files that are read but do not decide the output
_METADATA = (adapters.CONFIG, record.FILE, CARD)


@dataclass(frozen=True)
class Trust:
    """What the user allows a checkpoint: pickled weights, which can run code when they are loaded, and remote code."""

    allow_pickle: bool = False
    trust_remote_code: bool = False

    def shapes(self, folder: Path | None = None) -> tuple[str, ...]:
        """Return the name patterns of the files that decide the output of the checkpoint in this folder, or of any."""
        safe = folder is None or has_safetensors(folder)
        weights = _SAFE if safe else _PICKLED
        extra = (*_PICKLED, *_PICKLED_ADAPTER) if folder is None and self.allow_pickle else ()
        return (*_DECISIVE, *weights, *extra, *(_CODE if self.trust_remote_code else ()))


@dataclass(frozen=True)
class Opened:
    """The folders to load a checkpoint from: the model, its tokenizer, and the adapter for the model."""

    model: Path
    tokenizer: Path
    adapter: Path | None


@dataclass(frozen=True)
class Checkpoint:
    """A folder with a model, with a `gguf` file that holds a whole model, or with an `adapter` for the model `base`.
    `revision` is the commit on the hub, if it came from there; `tokenizer` is the folder of a tokenizer that replaces
    the model's own, and `tokenizer_json` demands the one in tokenizer.json, whatever transformers builds."""

    folder: Path
    trust: Trust
    revision: str | None = None
    tokenizer: Path | None = None
    adapter: Adapter | None = None
    base: "Checkpoint | None" = None
    gguf: str | None = None
    tokenizer_json: bool = False

    @property
    def quantised(self) -> str | None:
        """The quantization method of the layers, which stay quantized. None for a GGUF file, which is loaded into plain
        layers, and for an adapter, which cannot be merged into quantized layers."""
        return None if self.gguf or self.base else quantised.method_of(self.folder)

    @cached_property
    def sha256(self) -> str:
        """SHA-256 over the names and bytes of weights, configuration and tokenizer; the adapter's follow its base's."""
        self._seen  # noqa: B018 (record their state before they are hashed)
        return files.names_and_bytes(*self._parts)

    @property
    def provenance(self) -> dict[str, str]:
        """Where the checkpoint comes from, for `runs.versions`."""
        revision = {"revision": self.revision} if self.revision else {}
        if self.adapter is None or self.base is None:
            return revision
        base = {"adapter_base": str(self.adapter.base), "adapter_base_sha256": self.base.sha256}
        commit = {"adapter_base_revision": self.base.revision} if self.base.revision else {}
        return {**revision, "adapter": self.adapter.kind, **base, **commit, "peft": version("peft")}

    @property
    def training(self) -> TrainingRecord | None:
        """What the checkpoint was trained on, if known; an adapter without a record has its base's. Raises
        TerminalError for a broken record."""
        made = record.read(self.folder)
        return self.base.training if made is None and self.base else made

    @contextmanager
    def opened(self) -> Iterator[Opened]:
        """Yield folders to load it from, with exactly the files that are hashed.

        Raises TerminalError if one of them has changed since it was hashed.
        """
        name = self.folder.resolve().name
        with ExitStack() as stack:
            parts = zip(self._parts, self._seen, strict=True)
            model, *others = [stack.enter_context(files.alone(part, name, seen)) for part, seen in parts]
            adapter = others.pop(0) if self.base else None
            yield Opened(model, others[0] if others else model, adapter)

    @property
    def tokenizer_folder(self) -> Path:
        """The folder of the tokenizer: an adapter has one of its own, or its base's."""
        if self.tokenizer:
            return self.tokenizer
        return self.base.folder if self.base and not has_tokenizer(self.folder) else self.folder

    @property
    def _parts(self) -> list[files.Files]:
        """The hashed files of the model, the adapter, and the tokenizer that replaces the model's own; an adapter's
        tokenizer is hashed together with its base's configuration."""
        model = self.base or self
        parts = [_model_files(model)]
        if self.base:
            names = (adapters.CONFIG, adapters.weights(self.folder, str(self.folder), self.trust.allow_pickle))
            parts.append(files.named(self.folder, names))
        if self.tokenizer:
            parts.append(files.named(self.tokenizer, (*TOKENIZER, _CONFIG)))
        elif self.tokenizer_folder != model.folder:
            parts.append({**files.named(self.folder, TOKENIZER), **files.named(model.folder, (_CONFIG,))})
        return parts

    @cached_property
    def _seen(self) -> list[files.State]:
        return [files.state(part) for part in self._parts]


def has_tokenizer(folder: Path) -> bool:
    """Tell whether the folder holds a tokenizer's files."""
    return any((folder / name).is_file() for name in ("tokenizer.json", "tokenizer_config.json"))


def find(name: str, revision: str, trust: Trust, base: str = "") -> Checkpoint:
    """Find the checkpoint in a folder or under a hub id. For an adapter this is the adapter together with its base
    model: `base`, or the complete model in the same folder, or the model that the adapter names.

    Raises TerminalError if there is none, if it may not be trusted, or if it loads files that its hash does not cover;
    UsageError if `base` is given for a model that is not an adapter.
    """
    folder, commit, gguf = _located(name, revision, trust)
    if gguf:
        return Checkpoint(folder, trust, gguf=gguf)
    if (folder / adapters.CONFIG).is_file():
        return _adapter(folder, name, trust, commit, base)
    if base:
        raise UsageError(f"base={base} applies to adapters only, and '{name}' has no {adapters.CONFIG}; omit it")
    return _whole(folder, name, trust, commit)


def _located(name: str, revision: str, trust: Trust) -> tuple[Path, str | None, str | None]:
    """Return the folder of a model, its commit if it comes from the hub, and the GGUF file if that is the model. Raises
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
    """Find a complete checkpoint, like `find`. Raises TerminalError for an adapter."""
    checkpoint = find(name, revision, trust)
    if checkpoint.base:
        files.refuse_adapter(checkpoint.folder, name)
    return checkpoint


def _adapter(folder: Path, name: str, trust: Trust, commit: str | None, given: str) -> Checkpoint:
    adapter = adapters.described(folder, name)
    adapters.weights(folder, name, trust.allow_pickle)
    has_base = (folder / _CONFIG).is_file() and _has_weights(folder)
    if has_base and (not given or Path(given).resolve() == folder.resolve()):
        return Checkpoint(
            folder, trust, commit, adapter=replace(adapter, base=name), base=_whole(folder, name, trust, commit)
        )
    named = given or adapter.base
    remedy = "name its base model with --model-args base=FOLDER"
    if not named:
        raise TerminalError(f"the adapter '{name}' does not name its base model; {remedy}")
    place, revision = split_revision(given) if given else (named, adapter.revision or "main")
    try:
        base_folder, base_commit, gguf = _located(place, revision, trust)
        is_adapter = gguf is None and (base_folder / adapters.CONFIG).is_file()  # perhaps the adapter itself
        if gguf or is_adapter:
            base = Checkpoint(base_folder, trust, gguf=gguf)
        else:
            base = _whole(base_folder, place, trust, base_commit)
    except TerminalError as error:
        raise TerminalError(f"the base model of the adapter '{name}' is not available: {error}; {remedy}") from error
    if is_adapter:
        raise TerminalError(
            f"the base of the adapter '{name}' is another adapter, '{named}', which newwiki does not merge; {remedy}"
        )
    if base.quantised or base.gguf:
        raise TerminalError(
            f"the base of the adapter '{name}' is '{named}', which is quantized; newwiki merges adapters only into "
            f"unquantized weights; {remedy}, where FOLDER is not quantized"
        )
    return Checkpoint(folder, trust, commit, adapter=replace(adapter, base=place), base=base)


def _whole(folder: Path, name: str, trust: Trust, commit: str | None) -> Checkpoint:
    if not (folder / _CONFIG).is_file():
        raise TerminalError(
            f"'{name}' is not a checkpoint: it has no config.json; name a folder that save_pretrained wrote"
        )
    if not has_safetensors(folder):
        if not _has_weights(folder):
            raise TerminalError(f"'{name}' holds no weights (*.safetensors); save them there with save_pretrained")
        if not trust.allow_pickle:
            raise TerminalError(
                f"'{name}' holds its weights as pickles (*.bin), which can run code when they are loaded; save them as "
                "*.safetensors with save_pretrained, or, if you trust them, add --allow-pickle"
            )
    quantised.require_packages(folder, name)
    checkpoint = Checkpoint(folder, trust, commit)
    hashed = _model_files(checkpoint)
    files.refuse_indexed_elsewhere(hashed)
    if trust.trust_remote_code:
        files.refuse_code_elsewhere(hashed)
    return checkpoint


def has_safetensors(folder: Path) -> bool:
    """Tell whether the folder holds the weights of a whole model as safetensors."""
    return any(file.name != adapters.WEIGHTS for file in folder.glob("*.safetensors"))


def _has_weights(folder: Path) -> bool:
    return has_safetensors(folder) or any(folder.glob("pytorch_model*.bin"))


def _model_files(model: Checkpoint) -> files.Files:
    """Return the model's files, without those of an adapter in the same folder."""
    all_files = files.named(model.folder, (model.gguf,) if model.gguf else model.trust.shapes(model.folder))
    return {name: file for name, file in all_files.items() if name != adapters.WEIGHTS}


def split_revision(name: str) -> tuple[str, str]:
    """Split `NAME@REVISION`; the revision is `main` if there is none, or if NAME with the @ is a local folder."""
    place, at, revision = name.partition("@")
    return (place, revision) if at and not Path(name).is_dir() else (name, "main")


def is_at_hand(name: str, revision: str) -> bool:
    """Tell whether `find` needs no network: the folder exists, or the hub's files were downloaded before."""
    from huggingface_hub import snapshot_download

    if Path(name).exists():
        return True
    try:
        folder = Path(snapshot_download(name, revision=revision, local_files_only=True))
    except (OSError, ValueError):  # never downloaded, or not a valid hub name
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

    problem = f"there is no model '{name}': no local folder has this name, and the Hugging Face hub"
    try:
        return Path(snapshot_download(name, revision=revision, allow_patterns=[*trust.shapes(), *_METADATA]))
    except HFValidationError:
        raise TerminalError(f"{problem} does not allow such names; check the path") from None
    except RevisionNotFoundError:
        raise TerminalError(
            f"'{name}' has no revision '{revision}'; name one of its branches, tags or commits"
        ) from None
    except RepositoryNotFoundError:
        raise TerminalError(f"{problem} does not know it; check the path or the model's id") from None
    except (LocalEntryNotFoundError, OSError):
        raise TerminalError(f"{problem} cannot be reached; check the path, or download the model first") from None
