"""Start DuckDB so that each connection reaches its own files and nothing else on the machine.

No other module starts DuckDB. Without the fence, a view, a macro or a name from another person that becomes SQL text
could read or write any of the user's files. DuckDB never turns external access on again, so an engine serves only the
files that it was started for.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import duckdb

MEMORY = Path(":memory:")
# DuckDB 1.4 and later can open files of this version.
CREATED_AS: dict[str, str | int | bool] = {"storage_compatibility_version": "v1.4.0"}
# No extension is downloaded or loaded.
_OFFLINE: dict[str, str | int | bool] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
_LOGS = (".wal", ".wal.checkpoint", ".wal.recovery")  # files that DuckDB keeps beside the database file


def connect(
    path: Path,
    *,
    read_only: bool = False,
    others: Iterable[Path] = (),
    settings: Mapping[str, str | int | bool] = MappingProxyType({}),
) -> duckdb.DuckDBPyConnection:
    """Open a connection to the file at `path`, or to `MEMORY`.

    It reaches only this file, `others`, their logs, and the folders where they spill. `settings` are DuckDB's own.
    Raises duckdb.Error if the file cannot be opened.
    """
    places = [spelling for other in others for spelling in _spellings(other)]
    fence: dict[str, str | int | bool] = {} if places else {"enable_external_access": False}
    connection = duckdb.connect(str(path), read_only=read_only, config=_OFFLINE | fence | dict(settings))
    if places:
        try:
            _fence(connection, places)
        except BaseException:
            connection.close()
            raise
    return connection


def spilled(path: Path) -> Path:
    """Return the folder to which DuckDB writes data that does not fit into memory."""
    return path.with_name(f"{path.name}.tmp")


def quoted(text: str | Path) -> str:
    """Return a value as an SQL string literal."""
    return "'" + str(text).replace("'", "''") + "'"


def _fence(connection: duckdb.DuckDBPyConnection, places: list[Path]) -> None:
    files = [str(place) + ending for place in places for ending in ("", *_LOGS)]
    connection.execute(f"set allowed_paths = [{', '.join(map(quoted, files))}]")
    connection.execute(f"set allowed_directories = [{', '.join(quoted(spilled(place)) for place in places)}]")
    connection.execute("set enable_external_access = false")


def _spellings(path: Path) -> Iterator[Path]:
    """Yield the absolute path, and the path without symbolic links if it differs.

    DuckDB names the log after the latter.
    """
    named = Path(os.path.abspath(path))
    yield named
    if (real := Path(os.path.realpath(path))) != named:
        yield real
