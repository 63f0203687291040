"""Hash the files that a model is loaded from, and link them into a folder that contains nothing else."""

import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory

from newwiki.errors import TerminalError
from newwiki.foreign_json import read_object
from newwiki.models import adapters

Files = Mapping[str, Path]  # by name, relative to the model's folder
State = Mapping[str, tuple[int, ...]]

_WORTH_REMEMBERING = 1 << 26  # bytes, which take some 0.1 s to hash
_INDEX = ".index.json"
_NAMES_CODE = ("config.json", "tokenizer_config.json")


def named(folder: Path, shapes: Sequence[str]) -> Files:
    """Return the files in the folder whose names match; symbolic links count as their targets, as in the hub's
    cache."""
    matching = (file for file in folder.iterdir() if any(fnmatch(file.name, shape) for shape in shapes))
    return {file.name: file for file in matching if file.is_file()}


def names_and_bytes(*parts: Files) -> str:
    """Return the SHA-256 over names and bytes of the files, part after part, each in the order of names."""
    digest = hashlib.sha256()
    for files in parts:
        for name in sorted(files):
            digest.update(f"{name}\0{file_sha256(files[name])}\n".encode())
    return digest.hexdigest()


@contextmanager
def alone(files: Files, name: str, seen: State) -> Iterator[Path]:
    """Yield a temporary folder of this name with links to these files, so that loading a model from it cannot read any
    other file, whatever an index or a configuration names.

    Raises TerminalError if a file has changed since its state was `seen`, before hashing.
    """
    with TemporaryDirectory(prefix="newwiki-") as place:
        folder = Path(place) / (name or "model")
        folder.mkdir()
        for below, file in files.items():
            link = folder / below
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(file.absolute())
        yield folder
    if changed := [name for name, status in state(files).items() if status != seen.get(name)]:
        raise TerminalError(
            f"'{files[changed[0]]}' changed while newwiki loaded it; wait until the model is written, then load it "
            "again"
        )


def state(files: Files) -> State:
    """Return what changes when a file is rewritten: its place on the disk, its size and its times."""
    seen = {name: file.stat() for name, file in files.items()}
    return {name: (st.st_dev, st.st_ino, st.st_size, st.st_mtime_ns, st.st_ctime_ns) for name, st in seen.items()}


def refuse_adapter(folder: Path, name: str) -> None:
    """Raise TerminalError for a folder with an adapter, which transformers would add to the model in the same folder,
    or to the model that the adapter names."""
    if (folder / adapters.CONFIG).exists():
        raise TerminalError(
            f"'{name}' has an adapter ({adapters.CONFIG}), which cannot be loaded here; merge it into its model, and "
            "pass the merged folder: PeftModel.from_pretrained(model, "
            "ADAPTER).merge_and_unload().save_pretrained(FOLDER)"
        )


def refuse_indexed_elsewhere(files: Files) -> None:
    """Raise TerminalError if an index among the files names weights that are not among them. An index that is not read,
    because the weights are in one file, may name deleted files."""
    for name in files:
        if name.endswith(_INDEX):
            named = _indexed(files[name])
            unread = name.removesuffix(_INDEX) in files
            others = sorted(file for file in named - files.keys() if not unread or Path(file).name != file)
            if others:
                weights = Path(name.removesuffix(_INDEX)).suffix
                raise TerminalError(
                    f"'{files[name]}' names '{others[0]}', which is not a *{weights} file in that folder, so the "
                    "model's hash would not cover it; save the model again with save_pretrained"
                )


def _indexed(index: Path) -> set[str]:
    try:
        return {str(name) for name in read_object(index.read_bytes(), f"'{index}'")["weight_map"].values()}
    except (TerminalError, KeyError, AttributeError) as error:
        raise TerminalError(
            f"'{index}' is not a valid weights index; save the model again with save_pretrained"
        ) from error


def refuse_code_elsewhere(files: Files) -> None:
    """Raise TerminalError if a configuration among the files names code of another repository, which the hash does not
    cover."""
    for file in (files[name] for name in _NAMES_CODE if name in files):
        try:
            named = json.dumps(read_object(file.read_bytes(), f"'{file}'", allow_nan=True).get("auto_map"))
        except TerminalError as error:
            raise TerminalError(f"'{file}' is not a valid model configuration; download the model again") from error
        if "--" in named:
            raise TerminalError(
                f"the auto_map of '{file}' names code of another repository (OTHER--file.Class), so the model's hash "
                "would not cover it; copy that code into the model's folder, and change auto_map to name the copy"
            )


def file_sha256(file: Path) -> str:
    """Return the hash of a file's bytes; large files are hashed again only if they were written or replaced."""
    status = file.stat()
    key = f"{file.resolve()}|{status.st_size}|{status.st_mtime_ns}|{status.st_ctime_ns}|{status.st_ino}"
    memory = _memory()
    known: dict[str, str] = {}
    if status.st_size >= _WORTH_REMEMBERING and memory.is_file():
        try:
            known = json.loads(memory.read_text())
        except ValueError:
            known = {}
        if key in known:
            return known[key]
    with file.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    if status.st_size >= _WORTH_REMEMBERING:
        memory.parent.mkdir(parents=True, exist_ok=True)
        unfinished = memory.with_name(f"{memory.name}.{os.getpid()}")
        unfinished.write_text(json.dumps({**known, key: sha256}))
        unfinished.replace(memory)
    return sha256


def _memory() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "newwiki" / "sha256.json"


def parameter_count(folder: Path) -> int | None:
    """Count parameters by the shapes in the headers of the safetensors files. None if there are none, or only an
    adapter's, which are part of the model. Weights that several layers share are stored and counted once."""
    from safetensors import safe_open

    count = 0
    for file in sorted(folder.glob("*.safetensors")):
        if file.name == adapters.WEIGHTS:
            continue
        with safe_open(file, framework="numpy") as weights:
            count += sum(math.prod(weights.get_slice(name).get_shape()) for name in weights.keys())  # noqa: SIM118
    return count or None
