"""Corpora of one's own: CSV and Parquet files of label and text, a text a row."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newwiki.csv_files import read_csv
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
    for row in read_csv(path, COLUMNS):
        yield row.where, row.cells


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
