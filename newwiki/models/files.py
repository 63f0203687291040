"""The files that a model is loaded from: the hash over them, and a folder in which there is nothing else."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory

from newwiki.errors import TerminalError
from newwiki.foreign_json import read_object
from newwiki.models import adapters

Files = Mapping[str, Path]  # by their names below the model's folder
State = Mapping[str, tuple[int, ...]]

_WORTH_REMEMBERING = 1 << 26  # bytes, some 0.1 s of hashing
_INDEX = ".index.json"
_NAMES_CODE = ("config.json", "tokenizer_config.json")


def named(folder: Path, shapes: Sequence[str]) -> Files:
    """The files of the folder itself with such names; links count as what they lead to, as in the hub's cache."""
    found = (file for file in folder.iterdir() if any(fnmatch(file.name, shape) for shape in shapes))
    return {file.name: file for file in found if file.is_file()}


def names_and_bytes(*parts: Files) -> str:
    """SHA-256 over the names and bytes of the files, of one part after the other in the order of their names."""
    digest = hashlib.sha256()
    for files in parts:
        for name in sorted(files):
            digest.update(f"{name}\0{file_sha256(files[name])}\n".encode())
    return digest.hexdigest()


@contextmanager
def alone(files: Files, name: str, seen: State) -> Iterator[Path]:
    """A folder of this name with links to these files, as long as it is needed: what loads a model from there can take
    nothing that is not among them, whatever an index or a configuration names.

    Raises TerminalError where they are not at last as they were `seen` before they were hashed.
    """
    with TemporaryDirectory(prefix="newwiki-") as place:
        folder = Path(place) / (name or "model")
        folder.mkdir()
        for below, file in files.items():
            link = folder / below
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(file.absolute())
        yield folder
    if changed := [name for name, one in state(files).items() if one != seen.get(name)]:
        raise TerminalError(f"'{files[changed[0]]}' changed while it was loaded; load the model when it is written")


def state(files: Files) -> State:
    """What changes when a file is written anew: its place on the disk, its size and its times."""
    seen = {name: file.stat() for name, file in files.items()}
    return {name: (one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for name, one in seen.items()}


def refuse_adapter(folder: Path, name: str) -> None:
    """Raises TerminalError for a folder with an adapter, which transformers would add to the model beside it, or to one
    that the adapter names."""
    if (folder / adapters.CONFIG).exists():
        raise TerminalError(
            f"'{name}' has an adapter ({adapters.CONFIG}), which is not loaded; merge it into its model, and name the "
            "folder of that: PeftModel.from_pretrained(model, ADAPTER).merge_and_unload().save_pretrained(FOLDER)"
        )


def refuse_indexed_elsewhere(files: Files) -> None:
    """Raises TerminalError where an index among them names weights that are not. What an index that is not read, as its
    weights are in one file, says of files that are gone, does not matter."""
    for name in files:
        if name.endswith(_INDEX):
            named = _indexed(files[name])
            unread = name.removesuffix(_INDEX) in files
            others = sorted(one for one in named - files.keys() if not unread or Path(one).name != one)
            if others:
                weights = Path(name.removesuffix(_INDEX)).suffix
                raise TerminalError(
                    f"'{files[name]}' names '{others[0]}', which is no *{weights} of that folder, so the model's hash "
                    "would not cover it; write the model anew with save_pretrained"
                )


def _indexed(index: Path) -> set[str]:
    try:
        return {str(name) for name in read_object(index.read_bytes(), f"'{index}'")["weight_map"].values()}
    except (TerminalError, KeyError, AttributeError) as error:
        raise TerminalError(f"'{index}' is no index of weights; write the model anew with save_pretrained") from error


def refuse_code_elsewhere(files: Files) -> None:
    """Raises TerminalError where a configuration among them names code of another repository, whose bytes no hash of
    these covers."""
    for file in (files[name] for name in _NAMES_CODE if name in files):
        try:
            named = json.dumps(read_object(file.read_bytes(), f"'{file}'", allow_nan=True).get("auto_map"))
        except TerminalError as error:
            raise TerminalError(f"'{file}' is no configuration of a model; fetch the model anew") from error
        if "--" in named:
            raise TerminalError(
                f"the auto_map of '{file}' names code of another repository (OTHER--file.Class), so the model's hash "
                "would not cover it; copy that code beside the model, and name it there"
            )


def file_sha256(file: Path) -> str:
    """The hash of a file's bytes, which is computed anew only if the file was written or replaced."""
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
