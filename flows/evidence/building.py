"""Build and verify an evidence index, and describe it in a row."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evaluators.claims import index_builder
from evaluators.claims.index_files import Manifest
from flows.evidence import evidence_pages
from flows.progress import Progress
from newwiki.evidence_request import EvidenceRequest
from storage.database import Database


def build(database: Database, request: EvidenceRequest, folder: Path, progress: Progress) -> Manifest:
    """Write the requested index to a new folder.

    Raises the errors of `index_builder.build` and `evidence_pages.find`.
    """
    index_builder.require_new(folder)
    sources = evidence_pages.find(request, database)
    pages = sources.pages(database, progress)
    return index_builder.build(pages, folder, sources.described(), _stretches(progress))


def verify(folder: Path, progress: Progress) -> Manifest:
    """Read a whole index and compare it with its manifest. Raises UsageError or TerminalError for a difference."""
    return index_builder.verify(folder, _stretches(progress))


def row_of(manifest: Manifest) -> dict[str, Any]:
    """Return the contents of an index by column name."""
    return {
        "content_sha256": manifest.content_sha256,
        "pages": manifest.pages,
        "sentences": manifest.sentences,
        "words": manifest.words,
        "bytes": manifest.size,
        "pages_without_sentences": manifest.without_sentences,
        "repeated_sentences": manifest.repeated,
        "sources": "; ".join(map(_in_words, manifest.sources)),
    }


def _in_words(source: Mapping[str, Any]) -> str:
    if "snapshot" in source:
        return f"snapshot {source['snapshot']}"
    if "parquet" in source:
        return f"table {source['parquet']}"
    return f"dump of {source['dump']} ({', '.join(part['name'] for part in source['files']) or 'standard input'})"


def _stretches(progress: Progress) -> index_builder.Stretch:
    @contextmanager
    def stretch(title: str, unit: str) -> Iterator[Callable[[int, int], None]]:
        with progress.stretch(title, unit) as bar:
            yield bar.update

    return stretch
