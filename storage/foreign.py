"""Read other people's databases without writing to them."""

import shutil
from contextlib import ExitStack
from pathlib import Path

from storage.attached import attached
from storage.database import Database, patiently
from storage.failures import described_errors
from storage.migrate import is_current


def foreign(path: Path, folder: Path) -> Database:
    """Open another person's database for reading.

    Returns the file itself if its views and macros are this program's. Otherwise returns a copy in `folder` with the
    tables of the file and this program's views and macros. The file is never changed. Raises TerminalError if the file
    is no database of New-Wiki Eval.
    """
    with ExitStack() as opened, described_errors(path):
        connection = patiently(path, lambda: opened.enter_context(attached(path, read_only=True)))
        if is_current(connection, path):
            return Database(path)
        copy = folder / "newwiki.duckdb"
        folder.mkdir(parents=True, exist_ok=True)
        for ending in ("", ".wal"):
            if (file := path.with_name(path.name + ending)).exists():
                shutil.copyfile(file, copy.with_name(copy.name + ending))
    with Database(copy).write():  # the first write replaces the views and macros
        pass
    return Database(copy)
