"""Where may be written: never over a database, nor beside one where DuckDB or a refresh keeps its own files."""

from pathlib import Path

from newwiki.errors import UsageError

_ENDINGS = (".wal", ".tmp", ".refresh-", ".schedule-lock", ".commits")  # of what stands beside a database
_MAGIC = (8, b"DUCK")  # where each DuckDB file says that it is one


def safe(path: Path, database: Path | None = None) -> Path:
    """The path, if it can be written without harm. Every output path of every command and function goes through here.

    Raises UsageError for any DuckDB file, for the log beside one, and for what is, or would be, a file of `database`:
    itself, its log, the files of its refreshes. Links, other spellings and other cases of the name are looked through.
    """
    for one in (path, *(unfinished(path) if path.name else ())):
        if owner := _of_a_database(one, database):
            raise UsageError(f"'{path}' cannot be written: it {owner}; name another file or folder")
    return path


def safe_of_ones_own(path: Path, database: Path) -> Path:
    """Like `safe`, for a DuckDB file that is to be written as one: any but those of `database`."""
    if _is_file_of(path, database):
        raise UsageError(f"'{path}' cannot be written: it belongs to the database '{database}'; name another file")
    return path


def unfinished(path: Path) -> tuple[Path, Path]:
    """Under which names it may stand until it is whole: a file, a folder."""
    return path.with_name(f"{path.name}.part"), path.with_name(f"{path.name}.unfinished")


def _of_a_database(path: Path, database: Path | None) -> str | None:
    if database and _is_file_of(path, database):
        return f"belongs to the database '{database}'"
    real = path.resolve()
    if is_duckdb(real):
        return "is a DuckDB database"
    if real.suffix.lower() == ".wal" and is_duckdb(real.with_suffix("")):
        return f"is the log of the DuckDB database '{path.with_suffix('')}'"
    return None


def _is_file_of(path: Path, database: Path) -> bool:
    """Whether the path is one of the database's, which need not be there."""
    if path.exists() and database.exists() and path.samefile(database):
        return True
    real, own = path.resolve(), database.resolve()
    beside = real.parent == own.parent or (
        real.parent.exists() and own.parent.exists() and real.parent.samefile(own.parent)
    )
    name, its = real.name.casefold(), own.name.casefold()
    return beside and (name == its or name.startswith(tuple(f"{its}{ending}" for ending in _ENDINGS)))


def is_duckdb(path: Path) -> bool:
    """Whether it is a DuckDB file."""
    place, magic = _MAGIC
    try:
        with path.open("rb") as file:
            file.seek(place)
            return file.read(len(magic)) == magic
    except OSError:
        return False
