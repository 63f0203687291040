"""The folder of an evidence index: which files it has, what is said of them in `evidence.json`, and its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evaluators.claims import bm25
from evaluators.sentences import SENTENCES_VERSION
from newwiki.errors import TerminalError, UsageError
from newwiki.foreign_json import read_object
from newwiki.models.files import file_sha256

MANIFEST = "evidence.json"
# Raise it whenever the files of the same pages are other ones, or are read otherwise.
FORMAT = 2
# What is published, and what is made of it
CONTENT = ("titles.utf8", "titles.ends", "sentences.utf8", "sentences.ends", "page.ends", "sentence.places")
DERIVED = ("words.utf8", "words.ends", "words.keys", "names.keys", "names.pages",
           "postings.starts", "postings.sentences", "postings.weights")  # fmt: skip
PARAMETERS: Mapping[str, object] = {"format": FORMAT, "split": SENTENCES_VERSION, **bm25.PARAMETERS}


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What an index says of itself: the hash of its files and parameters, what it was made of, how much it
    holds, and the size and SHA-256 of each file. `without_sentences` are pages that gave it nothing, `repeated` the
    sentences that stand under their title already."""

    content_sha256: str
    parameters: Mapping[str, object]
    sources: tuple[Mapping[str, object], ...]
    pages: int
    sentences: int
    words: int
    without_sentences: int
    repeated: int
    files: Mapping[str, Mapping[str, Any]]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(int(one["bytes"]) for one in self.files.values())

    def write(self, folder: Path) -> None:
        text = json.dumps(asdict(self), indent=1, sort_keys=True, ensure_ascii=False)
        (folder / MANIFEST).write_text(text + "\n", "utf-8")


def sha256_of(file: Path) -> str:
    """The hash of a file's bytes, which are read."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def described(folder: Path, hashed: Callable[[Path], str] = file_sha256) -> dict[str, dict[str, Any]]:
    """Size and hash of each file of an index."""
    files = {name: folder / name for name in (*CONTENT, *DERIVED)}
    return {name: {"bytes": file.stat().st_size, "sha256": hashed(file)} for name, file in files.items()}


def content_sha256(parameters: Mapping[str, object], files: Mapping[str, Mapping[str, Any]]) -> str:
    """SHA-256 over parameters and versions, and over all files by their own SHA-256: names and postings decide which
    sentences are found."""
    said = {"parameters": parameters, "files": {name: files[name]["sha256"] for name in (*CONTENT, *DERIVED)}}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def read_manifest(folder: Path) -> Manifest:
    """What the folder says of itself. Raises UsageError where it is no index or one of another version, TerminalError
    where it is a broken one."""
    file = folder / MANIFEST
    if not file.is_file():
        raise UsageError(
            f"'{folder}' is no evidence index: it has no {MANIFEST}; make one with `newwiki evidence build`"
        )
    try:
        said = read_object(file.read_bytes(), f"'{file}'")
        manifest = Manifest(**{**said, "sources": tuple(said["sources"])})
        sizes = {name: int(one["bytes"]) for name, one in manifest.files.items()}
    except (TerminalError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise TerminalError(f"'{file}' is damaged; {_ANEW}") from error
    if manifest.parameters != PARAMETERS:
        raise UsageError(f"'{folder}' is an evidence index of another version of New-Wiki Eval; {_ANEW}")
    for name in (*CONTENT, *DERIVED):
        if not (folder / name).is_file() or (folder / name).stat().st_size != sizes.get(name):
            raise TerminalError(f"'{folder / name}' is missing, or is not as long as it was written; {_ANEW}")
    counts = {"titles.ends": manifest.pages, "sentences.ends": manifest.sentences, "words.ends": manifest.words}
    if any(sizes[name] != 8 * count for name, count in counts.items()):
        raise TerminalError(f"'{file}' counts what is not there; {_ANEW}")
    return manifest


def require_hashes(folder: Path, manifest: Manifest, hashed: Callable[[Path], str] = file_sha256) -> None:
    """Raises TerminalError where a file is not what was written, or the index not what its hash says. What is large is
    read once a machine, and again when it was touched (`newwiki.models.files.file_sha256`)."""
    found = described(folder, hashed)
    for name, one in found.items():
        if one != manifest.files[name]:
            raise TerminalError(f"'{folder / name}' is not what was written there; {_ANEW}")
    if content_sha256(manifest.parameters, found) != manifest.content_sha256:
        raise TerminalError(f"'{folder}' is not what its hash says; {_ANEW}")


_ANEW = "build the index anew with `newwiki evidence build`"
