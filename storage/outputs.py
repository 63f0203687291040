"""Check output paths: refuse to overwrite a database, or the files that DuckDB or a refresh keeps beside it."""

from pathlib import Path

from newwiki.errors import UsageError

_ENDINGS = (".wal", ".tmp", ".refresh-", ".schedule-lock", ".commits")  # endings of the files beside a database
_MAGIC = (8, b"DUCK")  # the offset and the content of the marker in each DuckDB file


def safe(path: Path, database: Path | None = None) -> Path:
    """Return the path if it can be written without harm.

    Every command and function checks its output paths with this function. Raises UsageError for any DuckDB file, for
    the log beside a DuckDB file, and for any path of `database`. The paths of a database are the file, its log and the
    files of its refreshes, even if they do not exist yet. Links, other spellings and other cases of a name are
    resolved.
    """
    for output in (path, *(unfinished(path) if path.name else ())):
        if owner := _database_conflict(output, database):
            raise UsageError(f"'{path}' cannot be written: it {owner}; name another file or folder")
    return path


def safe_of_ones_own(path: Path, database: Path) -> Path:
    """Return the path of a DuckDB file to write. Raises UsageError only for the files of `database`, unlike `safe`."""
    if _is_file_of(path, database):
        raise UsageError(f"'{path}' cannot be written: it belongs to the database '{database}'; name another file")
    return path


def unfinished(path: Path) -> tuple[Path, Path]:
    """Return the temporary names of an output until it is complete: for a file, and for a folder."""
    return path.with_name(f"{path.name}.part"), path.with_name(f"{path.name}.unfinished")


def _database_conflict(path: Path, database: Path | None) -> str | None:
    if database and _is_file_of(path, database):
        return f"belongs to the database '{database}'"
    real = path.resolve()
    if is_duckdb(real):
        return "is a DuckDB database"
    if real.suffix.lower() == ".wal" and is_duckdb(real.with_suffix("")):
        return f"is the log of the DuckDB database '{path.with_suffix('')}'"
    return None


def _is_file_of(path: Path, database: Path) -> bool:
    """Return whether the path belongs to the database. The path need not exist."""
    if path.exists() and database.exists() and path.samefile(database):
        return True
    real, own = path.resolve(), database.resolve()
    beside = real.parent == own.parent or (
        real.parent.exists() and own.parent.exists() and real.parent.samefile(own.parent)
    )
    name, its = real.name.casefold(), own.name.casefold()
    return beside and (name == its or name.startswith(tuple(f"{its}{ending}" for ending in _ENDINGS)))


def is_duckdb(path: Path) -> bool:
    """Return whether the path is a DuckDB file."""
    place, magic = _MAGIC
    try:
        with path.open("rb") as file:
            file.seek(place)
            return file.read(len(magic)) == magic
    except OSError:
        return False
