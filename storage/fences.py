"""The only place that starts DuckDB: each connection reaches its own files and nothing else of the machine.

A view, a macro or a name of somebody else's that ends in SQL text could otherwise read any file of the user's, or write
one. DuckDB never turns external access on again, so an engine serves the files that it was started for and no others.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import duckdb

MEMORY = Path(":memory:")
# DuckDB 1.4 and later open what this writes
CREATED_AS: dict[str, str | int | bool] = {"storage_compatibility_version": "v1.4.0"}
# No extension is fetched or loaded
_OFFLINE: dict[str, str | int | bool] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
_LOGS = (".wal", ".wal.checkpoint", ".wal.recovery")  # which DuckDB keeps beside a file


def connect(
    path: Path,
    *,
    read_only: bool = False,
    others: Iterable[Path] = (),
    settings: Mapping[str, str | int | bool] = MappingProxyType({}),
) -> duckdb.DuckDBPyConnection:
    """A connection to the file, or to `MEMORY`, that reaches only the file, `others`, their logs, and where they spill.

    `settings` are DuckDB's own. Raises duckdb.Error where the file cannot be opened.
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
    """The folder where DuckDB puts what memory does not hold."""
    return path.with_name(f"{path.name}.tmp")


def quoted(text: str | Path) -> str:
    """A value as SQL text."""
    return "'" + str(text).replace("'", "''") + "'"


def _fence(connection: duckdb.DuckDBPyConnection, places: list[Path]) -> None:
    files = [str(place) + ending for place in places for ending in ("", *_LOGS)]
    connection.execute(f"set allowed_paths = [{', '.join(map(quoted, files))}]")
    connection.execute(f"set allowed_directories = [{', '.join(quoted(spilled(place)) for place in places)}]")
    connection.execute("set enable_external_access = false")


def _spellings(path: Path) -> Iterator[Path]:
    """As it is named, and without links, as DuckDB names the log of what a link leads to."""
    named = Path(os.path.abspath(path))
    yield named
    if (real := Path(os.path.realpath(path))) != named:
        yield real
