"""From a request to the folder of an evidence index, and what there is to say of one."""

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
    """Writes the index of what is asked for to the new folder; raises what `index_builder.build` and
    `evidence_pages.find` raise."""
    index_builder.require_new(folder)
    sources = evidence_pages.find(request, database)
    pages = sources.pages(database, progress)
    return index_builder.build(pages, folder, sources.described(), _stretches(progress))


def verify(folder: Path, progress: Progress) -> Manifest:
    """Reads all of an index. Raises UsageError and TerminalError where something is not as it was built."""
    return index_builder.verify(folder, _stretches(progress))


def row_of(manifest: Manifest) -> dict[str, Any]:
    """What an index holds, by name."""
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
