"""A shared folder that somebody damaged or forged is read, or refused by one error, in bounded time."""

import io
import json
import os
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.errors import NewWikiError, TerminalError, TransientError
from storage.shared import Note, SharedFolder, SharedPart, rows_sha256

PART = SharedPart("completions", (("snapshot_id", "s"), ("run_id", "r")))
ROWS = pa.table({"page_id": [1, 2, 3], "text": ["one", "two", "ż" * 50], "day": [date(2026, 9, 1)] * 3})
FILE = "completions/snapshot_id=s/run_id=r/completions.parquet"
NOTE = "catalogue/completions/snapshot_id=s/run_id=r.json"

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[SharedFolder, Path, dict[str, Any]]:
    place = tmp_path_factory.mktemp("shared")
    shared = SharedFolder(place.as_uri())
    shared.write(PART, ROWS, {})
    return shared, place, json.loads((place / NOTE).read_text())


def test_the_part_is_read_as_it_was_written(folder: tuple[SharedFolder, Path, dict[str, Any]]) -> None:
    shared, place, note = folder
    (place / NOTE).write_text(json.dumps(note))
    assert shared.read(shared.notes()[PART]).equals(ROWS)


@given(name=st.sampled_from(["part", "rows", "sha256", "facts", "more"]), value=_VALUES, gone=st.booleans())
def test_a_hostile_note_is_refused_or_reads_its_part(
    folder: tuple[SharedFolder, Path, dict[str, Any]], name: str, value: Any, gone: bool
) -> None:
    shared, place, note = folder
    changed = {key: one for key, one in note.items() if key != name or not gone}
    (place / NOTE).write_text(json.dumps(changed if gone else {**changed, name: value}))
    try:
        shared.read(shared.notes()[PART])
    except NewWikiError as error:
        message = str(error)
    else:
        message = ""
    assert "\n" not in message


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b'{"rows": 1, "rows": 2}', b"9" * 10_000, b"{}", b'{"part": {}}'],
)
def test_a_note_that_says_nothing_is_named(folder: tuple[SharedFolder, Path, dict[str, Any]], content: bytes) -> None:
    shared, place, _ = folder
    (place / NOTE).write_bytes(content)
    with pytest.raises(TerminalError, match=rf"'file://.*/{NOTE}' .*push again from where it was made"):
        shared.notes()


def test_a_note_under_another_part_is_refused(folder: tuple[SharedFolder, Path, dict[str, Any]]) -> None:
    shared, place, note = folder
    other = {**note, "part": {"table": "completions", "keys": [["snapshot_id", "s"], ["run_id", "other"]]}}
    (place / NOTE).write_text(json.dumps(other))
    with pytest.raises(TerminalError, match="is the note of another part"):
        shared.notes()


def _parquet(rows: pa.Table) -> bytes:
    buffer = io.BytesIO()
    parquet.write_table(rows, buffer, compression="zstd")
    return buffer.getvalue()


WHOLE = _parquet(ROWS)


@given(
    st.one_of(
        st.binary(max_size=200),
        st.integers(0, len(WHOLE)).map(lambda end: WHOLE[:end]),
        st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(1, 255)).map(
            lambda change: WHOLE[: change[0]] + bytes([WHOLE[change[0]] ^ change[1]]) + WHOLE[change[0] + 1 :]
        ),
    )
)
def test_damaged_parquet_is_refused_or_is_the_same_rows(
    folder: tuple[SharedFolder, Path, dict[str, Any]], content: bytes
) -> None:
    shared, place, _ = folder
    (place / FILE).write_bytes(content)
    try:
        rows = shared.read(Note(PART, 3, rows_sha256(ROWS), {}))
    except TransientError:
        return
    finally:
        (place / FILE).write_bytes(WHOLE)
    assert rows_sha256(rows) == rows_sha256(ROWS)


def test_bytes_that_are_no_utf8_and_rows_without_end_are_refused(
    folder: tuple[SharedFolder, Path, dict[str, Any]],
) -> None:
    shared, place, _ = folder
    bad = pa.table({"text": pa.array([b"\xff\xfe"]).cast(pa.binary()).view(pa.string())})
    many = pa.table({"page_id": pa.array([1]).take(pa.array([0] * 2_000_000))})
    for rows in (bad, many):
        (place / FILE).write_bytes(_parquet(rows))
        with pytest.raises(TransientError, match=r"completions\.parquet' is not what its note"):
            shared.read(Note(PART, rows.num_rows, "0" * 64, {}))
    (place / FILE).write_bytes(WHOLE)


@pytest.mark.timeout(60)
def test_a_named_pipe_among_the_notes_or_parts_is_refused(tmp_path: Path) -> None:
    shared = SharedFolder(tmp_path.as_uri())
    note = shared.write(PART, ROWS, {})
    for name, read in ((FILE, lambda: shared.read(note)), (NOTE, shared.notes)):
        (tmp_path / name).unlink()
        os.mkfifo(tmp_path / name)
        with pytest.raises(TerminalError, match="not a regular file"):
            read()
