"""A folder that several machines share, anywhere that fsspec reaches: one Parquet file a part, and a note that vouches
for it.

A part is a table's rows of one snapshot, run or scoring: `completions/snapshot_id=…/run_id=…/completions.parquet`. Its
note, beside the others in `catalogue/`, is written last and holds the hash of the rows, so a file that was never
finished is known as such, and no part is taken that is not what was pushed.
"""

import hashlib
import io
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as parquet

from newwiki.errors import TerminalError, TransientError, UsageError
from storage.outputs import safe

_CATALOGUE = "catalogue"
_ADDED = ("token_ids",)  # columns that were added after notes of their tables had been written


@dataclass(frozen=True)
class SharedPart:
    """A table's rows under some keys, such as ("snapshot_id", "enwiki-2026-09")."""

    table: str
    keys: tuple[tuple[str, str], ...]

    @property
    def path(self) -> str:
        return "/".join([self.table, *(f"{name}={_quoted(value)}" for name, value in self.keys)])

    def __getitem__(self, name: str) -> str:
        return dict(self.keys)[name]


@dataclass(frozen=True)
class Note:
    """What a part holds: its rows, their hash, and facts by which it can be judged unread."""

    part: SharedPart
    rows: int
    sha256: str
    facts: Mapping[str, Any]


class Parts(Protocol):
    """Where parts are written to and read from; `url` is what messages call it."""

    url: str

    def notes(self) -> dict[SharedPart, Note]: ...

    def write(self, part: SharedPart, rows: pa.Table, facts: Mapping[str, Any]) -> Note: ...

    def read(self, note: Note) -> pa.Table: ...


class GatheredParts:
    """Parts in memory, by what `url` calls them."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.held: dict[SharedPart, tuple[Note, pa.Table]] = {}

    def notes(self) -> dict[SharedPart, Note]:
        return {part: note for part, (note, _) in self.held.items()}

    def write(self, part: SharedPart, rows: pa.Table, facts: Mapping[str, Any]) -> Note:
        note = Note(part, rows.num_rows, rows_sha256(rows), facts)
        self.held[part] = (note, rows)
        return note

    def read(self, note: Note) -> pa.Table:
        return self.held[note.part][1]

    def only(self, tables: Collection[str]) -> "GatheredParts":
        """Those of these tables."""
        some = GatheredParts(self.url)
        some.held = {part: one for part, one in self.held.items() if part.table in tables}
        return some


class SharedFolder:
    """The folder at a URL: `file:///mnt/results`, `s3://bucket/results`, `memory://x`."""

    def __init__(self, url: str) -> None:
        """Raises UsageError for a URL that fsspec does not know, or whose package is not installed."""
        import fsspec

        if url.startswith("ducklake:"):
            raise UsageError(
                "a DuckLake is not supported any more; name a folder, whose Parquet files DuckDB reads as they are"
            )
        try:
            self._files, self._root = fsspec.core.url_to_fs(url)
        except (ImportError, ValueError) as error:
            raise UsageError(f"'{url}' cannot be reached: {' '.join(str(error).split())}") from None
        self.url = url
        self._is_local = "file" in self._files.protocol

    def apart_from(self, database: Path) -> "SharedFolder":
        """Itself. Raises UsageError where it would be written over a database."""
        if self._is_local:
            safe(Path(self._root), database)
        return self

    def notes(self) -> dict[SharedPart, Note]:
        """All that is there whole. Raises TerminalError where the storage refuses."""
        with self._asking():
            paths = self._files.find(f"{self._root}/{_CATALOGUE}") if self._files.exists(self._root) else []
            texts = self._files.cat(paths) if paths else {}
        found = (_note(json.loads(text)) for path, text in texts.items() if path.endswith(".json"))
        return {note.part: note for note in found}

    def write(self, part: SharedPart, rows: pa.Table, facts: Mapping[str, Any]) -> Note:
        """The rows first, and then the note that says that they are there."""
        buffer = io.BytesIO()
        parquet.write_table(rows, buffer, compression="zstd")
        note = Note(part, rows.num_rows, rows_sha256(rows), facts)
        self._put(f"{part.path}/{part.table}.parquet", buffer.getvalue())
        self._put(f"{_CATALOGUE}/{part.path}.json", json.dumps(asdict(note), indent=1).encode())
        return note

    def read(self, note: Note) -> pa.Table:
        """Raises TransientError where the rows are not those of the note: somebody is writing them, or was stopped."""
        path = f"{note.part.path}/{note.part.table}.parquet"
        with self._asking():
            held = self._files.cat_file(f"{self._root}/{path}")
        try:
            rows = parquet.read_table(io.BytesIO(held), partitioning=None)
        except pa.ArrowException:
            rows = None
        if rows is None or rows_sha256(rows) != note.sha256:
            raise TransientError(
                f"'{self.url}/{path}' is not what its note in {_CATALOGUE}/ says; push it again from where it was made"
            )
        return rows

    def _put(self, path: str, content: bytes) -> None:
        whole = f"{self._root}/{path}"
        with self._asking():
            self._files.makedirs(whole.rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(whole, content)

    def _asking(self) -> "_Asking":
        return _Asking(self.url)


class _Asking:
    """What a storage refuses becomes one line."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, OSError):
            raise TerminalError(f"'{self._url}' cannot be used: {' '.join(str(error).split())}") from error


def rows_sha256(rows: pa.Table) -> str:
    """Of the values in the order of the rows, whatever version of Parquet holds them. A column that tables of older
    versions lack counts only where it has a value, so that old and new notes of the same rows agree."""
    empty = [name for name in _ADDED if name in rows.column_names and rows[name].null_count == rows.num_rows]
    rows = rows.drop_columns(empty)
    digest = hashlib.sha256(json.dumps(rows.column_names).encode())
    for line in _lines(rows):
        digest.update(line)
    return digest.hexdigest()


def is_same(rows: pa.Table, noted: Note, parts: Parts) -> bool:
    """Whether the part that the note is of holds these rows. Either may have been written by an older version, without
    the columns that were added since."""
    if noted.sha256 in (rows_sha256(rows), plain := rows_sha256(_without_added(rows))):
        return True
    lacks = any(name in rows.column_names and rows[name].null_count for name in _ADDED)
    return lacks and rows_sha256(_without_added(parts.read(noted))) == plain


def _without_added(rows: pa.Table) -> pa.Table:
    return rows.drop_columns([name for name in _ADDED if name in rows.column_names])


def _lines(rows: pa.Table) -> Iterator[bytes]:
    for batch in rows.to_batches(max_chunksize=10_000):
        for row in batch.to_pylist():
            yield (
                json.dumps([*row.values()], default=_plain, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
            )


def _plain(value: Any) -> str:
    assert isinstance(value, date), value
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value.isoformat()


def _note(read: dict[str, Any]) -> Note:
    keys = tuple((name, value) for name, value in read["part"]["keys"])
    return Note(SharedPart(read["part"]["table"], keys), read["rows"], read["sha256"], read["facts"])


def _quoted(value: str) -> str:
    """As Hive writes a partition's value, and DuckDB and pyarrow read it."""
    return quote(value, safe="")
