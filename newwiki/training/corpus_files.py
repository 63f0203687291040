"""Corpora of one's own: CSV and Parquet files of label and text, a text a row."""

import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newwiki.errors import UsageError
from newwiki.foreign_files import open_regular

if TYPE_CHECKING:
    import pyarrow.parquet

COLUMNS = ("label", "text")
_ROWS = 10_000  # of a Parquet file at a time


def read_corpora(paths: Sequence[Path]) -> Mapping[str, list[str]]:
    """By label the texts of all files together, in their order. Raises UsageError with file, line and remedy."""
    found: dict[str, list[str]] = {}
    for path in paths:
        if path.suffix not in _READERS:
            raise UsageError(f"'{path}' is no file of texts; give a .csv or a .parquet with the columns label and text")
        for place, row in _READERS[path.suffix](path):
            label, text = (_cell(row[name], name, place) for name in COLUMNS)
            found.setdefault(label, []).append(text)
    return found


def _cell(value: Any, name: str, place: str) -> str:
    if not isinstance(value, str | None):
        raise UsageError(f"{place}: {name} is {type(value).__name__} and no text; write the column as strings")
    if not (value or "").strip():
        raise UsageError(f"{place}: {name} is empty; fill it, or take the row out")
    return str(value).strip()


def _of_csv(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    csv.field_size_limit(sys.maxsize)  # a text is as long as it is
    try:
        with TextIOWrapper(open_regular(path), "utf-8-sig", newline="") as file:
            lines = csv.DictReader(file, restkey="", strict=True)
            try:
                _require_columns(lines.fieldnames or [], f"'{path}', line 1")
                begun = lines.line_num + 1
                for row in lines:
                    place, begun = f"'{path}', line {begun}", lines.line_num + 1
                    if "" in row:
                        raise UsageError(f"{place}: it has more cells than line 1; put a text with a comma in quotes")
                    yield place, row
            except csv.Error as error:
                raise UsageError(
                    f"'{path}', line {lines.reader.line_num}: {error}; put a text with commas, quotes or line ends in "
                    'quotes, and write a quote in it twice ("")'
                ) from None
    except OSError as error:
        raise UsageError(f"'{path}' cannot be read: {error.strerror}; name a file that is there") from None
    except UnicodeDecodeError:
        raise UsageError(f"'{path}' is not UTF-8; save it as such") from None


def _of_parquet(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        file: pyarrow.parquet.ParquetFile = parquet.ParquetFile(open_regular(path))
        _require_columns(file.schema_arrow.names, f"'{path}'")
        number = 0
        for batch in file.iter_batches(_ROWS, columns=list(COLUMNS)):
            for row in batch.to_pylist():
                number += 1
                yield f"'{path}', row {number}", row
    except pa.ArrowInvalid as error:
        told = str(error).splitlines()[0]
        raise UsageError(f"'{path}' is not Parquet: {told}; write it anew, or give a CSV") from None
    except OSError as error:
        why = error.strerror or str(error).splitlines()[0]
        raise UsageError(f"'{path}' cannot be read: {why}; name a file that is there") from None


def _require_columns(names: Sequence[str], place: str) -> None:
    for name in COLUMNS:
        if list(names).count(name) != 1:
            has = "there are two columns" if name in names else "there is no column"
            raise UsageError(f"{place}: {has} '{name}'; it must have one label and one text, by these names")


_READERS = {".csv": _of_csv, ".parquet": _of_parquet}
