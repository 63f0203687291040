"""The folder of an evidence index: its files, its description in `evidence.json`, and its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evaluators.claims import bm25
from newwiki.errors import TerminalError, UsageError
from newwiki.foreign_json import read_object
from newwiki.models.files import file_sha256
from newwiki.text.sentences import SENTENCES_VERSION

MANIFEST = "evidence.json"
# Raise it whenever the same pages would give other files, or files are read differently.
FORMAT = 2
# The published files, and those derived from them
CONTENT = ("titles.utf8", "titles.ends", "sentences.utf8", "sentences.ends", "page.ends", "sentence.places")
DERIVED = ("words.utf8", "words.ends", "words.keys", "names.keys", "names.pages",
           "postings.starts", "postings.sentences", "postings.weights")  # fmt: skip
PARAMETERS: Mapping[str, object] = {"format": FORMAT, "split": SENTENCES_VERSION, **bm25.PARAMETERS}


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """An index's description of itself: the hash of its files and parameters, its sources, its counts, and the size and
    SHA-256 of each file. `without_sentences` counts pages that contributed nothing, `repeated` the sentences that
    already occur under their title."""

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
        """The bytes of all files."""
        return sum(int(file["bytes"]) for file in self.files.values())

    def write(self, folder: Path) -> None:
        text = json.dumps(asdict(self), indent=1, sort_keys=True, ensure_ascii=False)
        (folder / MANIFEST).write_text(text + "\n", "utf-8")


def sha256_of(file: Path) -> str:
    """Read a file and return the hash of its bytes."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def described(folder: Path, hashed: Callable[[Path], str] = file_sha256) -> dict[str, dict[str, Any]]:
    """Return size and hash of each file of an index."""
    files = {name: folder / name for name in (*CONTENT, *DERIVED)}
    return {name: {"bytes": file.stat().st_size, "sha256": hashed(file)} for name, file in files.items()}


def content_sha256(parameters: Mapping[str, object], files: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the SHA-256 over parameters and versions, and over the SHA-256 of all files: names and postings, too,
    decide which sentences are found."""
    content = {"parameters": parameters, "files": {name: files[name]["sha256"] for name in (*CONTENT, *DERIVED)}}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def read_manifest(folder: Path) -> Manifest:
    """Read the folder's description. Raises UsageError if it is not an index or has another version, TerminalError if
    it is damaged."""
    file = folder / MANIFEST
    if not file.is_file():
        raise UsageError(
            f"'{folder}' is not an evidence index: it has no {MANIFEST}; build one with `newwiki evidence build`"
        )
    try:
        values = read_object(file.read_bytes(), f"'{file}'")
        manifest = Manifest(**{**values, "sources": tuple(values["sources"])})
        sizes = {name: int(file["bytes"]) for name, file in manifest.files.items()}
    except (TerminalError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise TerminalError(f"the manifest in '{folder}' is damaged; {_ANEW}") from error
    if manifest.parameters != PARAMETERS:
        raise UsageError(f"'{folder}' is an evidence index for another version of New-Wiki Eval; {_ANEW}")
    for name in (*CONTENT, *DERIVED):
        if not (folder / name).is_file() or (folder / name).stat().st_size != sizes.get(name):
            raise TerminalError(f"'{folder / name}' is missing or has the wrong length; {_ANEW}")
    counts = {"titles.ends": manifest.pages, "sentences.ends": manifest.sentences, "words.ends": manifest.words}
    if any(sizes[name] != 8 * count for name, count in counts.items()):
        raise TerminalError(f"the counts in '{file}' do not match the files; {_ANEW}")
    return manifest


def require_hashes(folder: Path, manifest: Manifest, hashed: Callable[[Path], str] = file_sha256) -> None:
    """Raise TerminalError if a file does not match its hash, or the index does not match its own. Large files are read
    once per machine, and again when they are touched (`newwiki.models.files.file_sha256`)."""
    described_now = described(folder, hashed)
    for name, file in described_now.items():
        if file != manifest.files[name]:
            raise TerminalError(f"'{folder / name}' does not match its hash; {_ANEW}")
    if content_sha256(manifest.parameters, described_now) != manifest.content_sha256:
        raise TerminalError(f"'{folder}' does not match its hash; {_ANEW}")


_ANEW = "build the index again with `newwiki evidence build`"
