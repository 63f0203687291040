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
_LARGEST_NOTE = 1_000_000  # bytes; one names the metrics of a scoring
# What a Parquet file may hold for its size, so that a small one takes little memory: some 4 rows a byte and packed to a
# hundredth are the most that is pushed
_FEW_ROWS, _MOST_ROWS_A_BYTE = 100_000, 50
_SMALL, _MOST_PACKED = 64_000_000, 500
_LONGEST = 240  # bytes of a folder's name, of 255 that a file system takes
_ADDED = ("token_ids",)  # columns that were added after notes of their tables had been written


@dataclass(frozen=True)
class SharedPart:
    """A table's rows under some keys, such as ("snapshot_id", "enwiki-2026-09")."""

    table: str
    keys: tuple[tuple[str, str], ...]

    @property
    def path(self) -> str:
        return "/".join([self.table, *(_folder(name, value) for name, value in self.keys)])

    def __getitem__(self, name: str) -> str:
        return dict(self.keys)[name]


@dataclass(frozen=True)
class Note:
    """What a part holds: its rows, their hash, and facts by which it can be judged unread."""

    part: SharedPart
    rows: int
    sha256: str
    facts: Mapping[str, Any]


class ReadableParts(Protocol):
    """Where parts are read from; `url` is what messages call it."""

    @property
    def url(self) -> str: ...

    def notes(self) -> dict[SharedPart, Note]: ...

    def read(self, note: Note) -> pa.Table: ...


class Parts(ReadableParts, Protocol):
    """Where parts are written to as well."""

    def write(self, part: SharedPart, rows: pa.Table, facts: Mapping[str, Any]) -> Note: ...


class GatheredParts:
    """Parts in memory, by what `url` calls them."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.held: dict[SharedPart, tuple[Note, pa.Table]] = {}

    def notes(self) -> dict[SharedPart, Note]:
        return {part: note for part, (note, _) in self.held.items()}

    def write(self, part: SharedPart, rows: pa.Table, facts: Mapping[str, Any]) -> Note:
        """Raises TerminalError for rows with a time that no calendar has, as a database from elsewhere may hold."""
        try:
            note = Note(part, rows.num_rows, rows_sha256(rows), facts)
        except OverflowError as error:
            raise TerminalError(f"'{self.url}': {part.path[:300]} cannot be read: {error}") from None
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
            noted = [path for path in paths if path.endswith(".json")]
            remote = self._files.cat(noted, recursive=False) if noted and not self._is_local else {}
            texts = {path: read_regular(Path(path)) for path in noted} if self._is_local else remote
        found = [self._note(path, text) for path, text in texts.items()]
        return {note.part: note for note in found}

    def _note(self, path: str, content: bytes) -> Note:
        """What a note in the catalogue says of the part that it lies under. Raises TerminalError."""
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


def is_same(rows: pa.Table, noted: Note, parts: ReadableParts) -> bool:
    """Whether the part that the note is of holds these rows, or what is public of them. Either may have been written by
    an older version, without the columns that were added since."""
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
    """The rows of a Parquet file; None where they are not those of the note, or would take far more memory than it."""
    try:
        with parquet.ParquetFile(io.BytesIO(content)) as file:
            groups = [file.metadata.row_group(place) for place in range(file.metadata.num_row_groups)]
            if file.metadata.num_rows != note.rows or note.rows > max(_FEW_ROWS, _MOST_ROWS_A_BYTE * len(content)):
                return None
            if sum(group.total_byte_size for group in groups) > max(_SMALL, _MOST_PACKED * len(content)):
                return None
            rows = file.read()
        return rows if rows_sha256(rows) == note.sha256 else None
    # Damaged files end in any of these: pyarrow's own, bytes that are no UTF-8, sizes that no memory holds
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError, MemoryError, AssertionError):
        return None


class _PartOfNote(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True, extra="forbid")

    table: Annotated[str, pydantic.Field(pattern=r"^[a-z_]{1,60}$")]
    keys: Annotated[list[tuple[str, str]], pydantic.Field(max_length=6)]


class _NoteFile(pydantic.BaseModel):
    """A note as it lies in the catalogue."""

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
    """As Hive writes a partition, and DuckDB and pyarrow read it; of a value that is too long for a file system, what
    is left of it and its hash."""
    folder = f"{name}={quote(value, safe='')}"
    return folder if len(folder) <= _LONGEST else f"{name}={file_name(value)}"
