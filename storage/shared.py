"""Read and write a folder that several machines share, on any file system that fsspec supports.

A part holds a table's rows of one snapshot, run or scoring, in one Parquet file:
`completions/snapshot_id=…/run_id=…/completions.parquet`. The note of the part lies with the other notes in
`catalogue/`. It is written last and holds the hash of the rows. An unfinished file is therefore detected, and so is a
part that differs from the pushed rows.
"""

import hashlib
import io
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any, Protocol
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as parquet
import pydantic

from newwiki.errors import TerminalError, TransientError, UsageError
from newwiki.file_names import file_name
from newwiki.foreign_files import read_regular
from newwiki.foreign_json import first_fault, read_object
from storage.outputs import safe
from storage.public_rows import public_rows

_CATALOGUE = "catalogue"
_LARGEST_NOTE = 1_000_000  # maximum bytes; a note lists the metrics of a scoring
# Limits on the rows and the uncompressed size of a Parquet file of a given size, so that a small file needs little
# memory. Pushed files have at most about 4 rows per byte, and are compressed to a hundredth at most.
_FEW_ROWS, _MOST_ROWS_A_BYTE = 100_000, 50
_SMALL, _MOST_PACKED = 64_000_000, 500
_LONGEST = 240  # maximum bytes of a folder's name; file systems allow 255
_ADDED = ("token_ids",)  # columns that were added after the first notes of their tables


@dataclass(frozen=True)
class SharedPart:
    """The rows of a table with the same values in some key columns, such as ("snapshot_id", "enwiki-2026-09")."""

    table: str
    keys: tuple[tuple[str, str], ...]

    @property
    def path(self) -> str:
        return "/".join([self.table, *(_folder(name, value) for name, value in self.keys)])

    def __getitem__(self, name: str) -> str:
        return dict(self.keys)[name]


@dataclass(frozen=True)
class Note:
    """The description of a part: the number of rows, their hash, and facts that readers need before the rows."""

    part: SharedPart
    rows: int
    sha256: str
    facts: Mapping[str, Any]


class ReadableParts(Protocol):
    """A place from which parts can be read; messages name it by its `url`."""

    @property
    def url(self) -> str: ...

    def notes(self) -> dict[SharedPart, Note]: ...

    def read(self, note: Note) -> pa.Table: ...


class Parts(ReadableParts, Protocol):
    """A place to which parts can be written as well."""

    def write(self, part: SharedPart, rows: pa.Table, facts: Mapping[str, Any]) -> Note: ...


class GatheredParts:
    """Parts in memory; messages name them by `url`."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.held: dict[SharedPart, tuple[Note, pa.Table]] = {}

    def notes(self) -> dict[SharedPart, Note]:
        return {part: note for part, (note, _) in self.held.items()}

    def write(self, part: SharedPart, rows: pa.Table, facts: Mapping[str, Any]) -> Note:
        """Store a part in memory.

        Raises TerminalError for rows with a time that Python cannot represent, which a database from another person may
        hold.
        """
        try:
            note = Note(part, rows.num_rows, rows_sha256(rows), facts)
        except OverflowError as error:
            raise TerminalError(f"'{self.url}': {part.path[:300]} cannot be read: {error}") from None
        self.held[part] = (note, rows)
        return note

    def read(self, note: Note) -> pa.Table:
        return self.held[note.part][1]

    def only(self, tables: Collection[str]) -> "GatheredParts":
        """Return only the parts of these tables."""
        gathered = GatheredParts(self.url)
        gathered.held = {part: rows for part, rows in self.held.items() if part.table in tables}
        return gathered


def file_system(url: str) -> tuple[Any, str]:
    """Return the file system of fsspec and the path in it. Raises UsageError for a URL that cannot be reached."""
    import fsspec

    try:
        files, root = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise UsageError(f"'{url}' cannot be reached: {' '.join(str(error).split())}") from None
    return files, root


class SharedFolder:
    """The folder at a URL such as `file:///mnt/results`, `s3://bucket/results` or `memory://x`."""

    def __init__(self, url: str) -> None:
        """Raises UsageError for a URL that fsspec does not know, or whose package is not installed."""
        if url.startswith("ducklake:"):
            raise UsageError(
                "a DuckLake is not supported any more; name a folder, whose Parquet files DuckDB reads as they are"
            )
        self._files, self._root = file_system(url)
        self.url = url
        self._is_local = "file" in self._files.protocol

    def apart_from(self, database: Path) -> "SharedFolder":
        """Return this folder. Raises UsageError if writing to it would overwrite a database."""
        if self._is_local:
            safe(Path(self._root), database)
        return self

    def notes(self) -> dict[SharedPart, Note]:
        """Return the notes of all complete parts. Raises TerminalError if the storage or a note cannot be read."""
        with self._asking():
            paths = self._files.find(f"{self._root}/{_CATALOGUE}") if self._files.exists(self._root) else []
            noted = [path for path in paths if path.endswith(".json")]
            remote = self._files.cat(noted, recursive=False) if noted and not self._is_local else {}
            texts = {path: read_regular(Path(path)) for path in noted} if self._is_local else remote
        notes = [self._note(path, text) for path, text in texts.items()]
        return {note.part: note for note in notes}

    def _note(self, path: str, content: bytes) -> Note:
        """Return the note in a catalogue file.

        Raises TerminalError if the file is no note, or is the note of another part.
        """
        place = path[path.rfind(f"/{_CATALOGUE}/") + 1 :]
        where = f"'{self.url}/{place}'"
        remedy = "push again from where it was made, or take the note away"
        try:
            note = _NoteFile.model_validate_json(json.dumps(read_object(content, where, most_bytes=_LARGEST_NOTE)))
        except TerminalError as error:
            raise TerminalError(f"{error}; {remedy}") from None
        except pydantic.ValidationError as error:
            raise TerminalError(f"{where} is not the note of a part: {first_fault(error)}; {remedy}") from None
        part = SharedPart(note.part.table, tuple(note.part.keys))
        if place != f"{_CATALOGUE}/{part.path}.json":
            raise TerminalError(f"{where} is the note of another part, {part.path[:200]!a}; {remedy}")
        return Note(part, note.rows, note.sha256, note.facts)

    def write(self, part: SharedPart, rows: pa.Table, facts: Mapping[str, Any]) -> Note:
        """Write the rows first, and then the note that confirms them."""
        buffer = io.BytesIO()
        parquet.write_table(rows, buffer, compression="zstd")
        note = Note(part, rows.num_rows, rows_sha256(rows), facts)
        self._put(f"{part.path}/{part.table}.parquet", buffer.getvalue())
        self._put(f"{_CATALOGUE}/{part.path}.json", json.dumps(asdict(note), indent=1).encode())
        return note

    def read(self, note: Note) -> pa.Table:
        """Return the rows of a part.

        Raises TransientError if they do not match the note, as during or after an unfinished push.
        """
        path = f"{note.part.path}/{note.part.table}.parquet"
        with self._asking():
            whole = f"{self._root}/{path}"
            held = read_regular(Path(whole)) if self._is_local else self._files.cat_file(whole)
        rows = _rows(held, note)
        if rows is None:
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


def is_shared(folder: Path) -> bool:
    """Return whether `newwiki sync push` has written to this folder."""
    return (folder / _CATALOGUE).is_dir()


class _Asking:
    """Turns errors of the storage into a message of one line."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, OSError):
            raise TerminalError(f"'{self._url}' cannot be used: {' '.join(str(error).split())}") from error


def rows_sha256(rows: pa.Table) -> str:
    """Return the hash of the values in the order of the rows, which does not depend on the version of Parquet.

    A column that older versions lack counts only if it has a value, so that old and new notes of the same rows agree.
    """
    empty = [name for name in _ADDED if name in rows.column_names and rows[name].null_count == rows.num_rows]
    rows = rows.drop_columns(empty)
    digest = hashlib.sha256(json.dumps(rows.column_names).encode())
    for line in _lines(rows):
        digest.update(line)
    return digest.hexdigest()


def is_same(rows: pa.Table, noted: Note, parts: ReadableParts) -> bool:
    """Return whether the part of the note holds these rows, or their public form.

    The part or the rows may come from an older version, without the columns that were added later.
    """
    public = public_rows(rows)
    forms = [rows] if public.equals(rows) else [rows, public]
    plain = {rows_sha256(_without_added(form)) for form in forms}
    if noted.sha256 in {rows_sha256(form) for form in forms} | plain:
        return True
    lacks = any(name in rows.column_names and rows[name].null_count for name in _ADDED)
    return lacks and rows_sha256(_without_added(parts.read(noted))) in plain


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


def _rows(content: bytes, note: Note) -> pa.Table | None:
    """Return the rows of a Parquet file.

    Returns None if the rows do not match the note, or would need far more memory than the size of the file.
    """
    try:
        with parquet.ParquetFile(io.BytesIO(content)) as file:
            groups = [file.metadata.row_group(place) for place in range(file.metadata.num_row_groups)]
            if file.metadata.num_rows != note.rows or note.rows > max(_FEW_ROWS, _MOST_ROWS_A_BYTE * len(content)):
                return None
            if sum(group.total_byte_size for group in groups) > max(_SMALL, _MOST_PACKED * len(content)):
                return None
            rows = file.read()
        return rows if rows_sha256(rows) == note.sha256 else None
    # Reading a damaged file can raise any of these: pyarrow's errors, invalid UTF-8, or sizes that exceed the memory.
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError, MemoryError, AssertionError):
        return None


class _PartOfNote(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True, extra="forbid")

    table: Annotated[str, pydantic.Field(pattern=r"^[a-z_]{1,60}$")]
    keys: Annotated[list[tuple[str, str]], pydantic.Field(max_length=6)]


class _NoteFile(pydantic.BaseModel):
    """The content of a note's file in the catalogue."""

    model_config = pydantic.ConfigDict(strict=True, extra="forbid")

    part: _PartOfNote
    rows: Annotated[int, pydantic.Field(ge=0, lt=2**63)]
    sha256: Annotated[str, pydantic.Field(pattern=r"^[0-9a-f]{64}$")]
    facts: dict[str, str | int | list[str] | None]

    @pydantic.model_validator(mode="after")
    def _with_facts(self) -> "_NoteFile":
        if self.part.table in ("scores", "run_scores"):
            texts, metrics, finished = (self.facts.get(name) for name in ("texts", "metrics", "finished_at"))
            if not isinstance(texts, int) or not isinstance(metrics, list) or not isinstance(finished, str):
                raise ValueError("a scoring has a number of texts, a list of metrics, and a time of its end")
            datetime.fromisoformat(finished)
        if self.facts.get("knowledge_cutoff_from"):
            date.fromisoformat(str(self.facts.get("knowledge_cutoff")))
        return self


def _folder(name: str, value: str) -> str:
    """Return a folder name in the format of Hive partitions, which DuckDB and pyarrow read.

    A value that is too long for a file system is shortened and gets a hash.
    """
    folder = f"{name}={quote(value, safe='')}"
    return folder if len(folder) <= _LONGEST else f"{name}={file_name(value)}"
