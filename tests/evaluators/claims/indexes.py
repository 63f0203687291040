"""Evidence indexes of pages written by hand."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluators.claims.evidence_index import EvidenceIndex
from evaluators.claims.index_builder import PageText, build


@contextmanager
def silently(title: str, unit: str) -> Iterator[Callable[[int, int], None]]:
    yield lambda done, total: None


def built(pages: Iterable[PageText], folder: Path) -> EvidenceIndex:
    build(pages, folder, [], silently)
    return EvidenceIndex.open(folder)


def found(index: EvidenceIndex, claim: str, title: str = "") -> list[tuple[str, str]]:
    """Title and sentence of each passage."""
    [passages] = index.passages([claim], title)
    return [(passage.title, passage.text) for passage in passages]
