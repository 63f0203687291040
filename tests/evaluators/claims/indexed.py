"""Small indexes of evidence."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from evaluators.claims.index_builder import Tell, build


def index_of(folder: Path, pages: Mapping[str, str]) -> Path:
    """The folder of an index of these pages, by title."""
    build(pages.items(), folder / "index", [], _untold)
    return folder / "index"


@contextmanager
def _untold(title: str, unit: str) -> Iterator[Tell]:
    yield lambda done, total: None
