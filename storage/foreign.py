"""Databases of other people: read, and never written."""

import shutil
from contextlib import ExitStack
from pathlib import Path

from storage.attached import attached
from storage.database import Database, patiently
from storage.failures import told
from storage.migrate import is_current


def foreign(path: Path, folder: Path) -> Database:
    """Somebody else's database: the file itself where its views and macros are this program's, or a copy in `folder`
    whose tables are its own and whose views and macros are this program's. The file stays as it is.

    Raises TerminalError for what is no database of New-Wiki Eval.
    """
    with ExitStack() as opened, told(path):
        connection = patiently(path, lambda: opened.enter_context(attached(path, read_only=True)))
        if is_current(connection, path):
            return Database(path)
        copy = folder / "newwiki.duckdb"
        folder.mkdir(parents=True, exist_ok=True)
        for ending in ("", ".wal"):
            if (file := path.with_name(path.name + ending)).exists():
                shutil.copyfile(file, copy.with_name(copy.name + ending))
    with Database(copy).write():  # which replaces them
        pass
    return Database(copy)
