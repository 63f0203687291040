"""Folders written for others: a file in each says what it holds, and every file is there whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from storage.outputs import safe, unfinished


def is_free(folder: Path) -> bool:
    """Whether nothing is there: no such folder, or an empty one."""
    return not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Where to write instead of `path`, which it becomes in the end; after an error nothing is left of it."""
    part, _ = unfinished(safe(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield part
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    with whole(path) as part:
        part.write_text(text, "utf-8", newline="\n")
