"""Read the user's own corpora: CSV and Parquet files with the columns label and text, one text per row."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newwiki.csv_files import read_csv
from newwiki.errors import UsageError
from newwiki.foreign_files import open_regular

if TYPE_CHECKING:
    import pyarrow.parquet

COLUMNS = ("label", "text")
_ROWS = 10_000  # rows of a Parquet file read at a time


def read_corpora(paths: Sequence[Path]) -> Mapping[str, list[str]]:
    """Return the texts of all files by label, in order. Raises UsageError with file, line and remedy."""
    texts: dict[str, list[str]] = {}
    for path in paths:
        if path.suffix not in _READERS:
            raise UsageError(f"'{path}' is not a text file; pass a .csv or .parquet with the columns label and text")
        for place, row in _READERS[path.suffix](path):
            label, text = (_cell(row[name], name, place) for name in COLUMNS)
            texts.setdefault(label, []).append(text)
    return texts


def _cell(value: Any, name: str, place: str) -> str:
    if not isinstance(value, str | None):
        raise UsageError(f"{place}: {name} is of type {type(value).__name__}, not text; write the column as strings")
    if not (value or "").strip():
        raise UsageError(f"{place}: {name} is empty; fill it, or remove the row")
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
        reason = str(error).splitlines()[0]
        raise UsageError(f"'{path}' is not Parquet: {reason}; write it again, or pass a CSV file") from None
    except OSError as error:
        why = error.strerror or str(error).splitlines()[0]
        raise UsageError(f"cannot read '{path}': {why}; name an existing file") from None


def _require_columns(names: Sequence[str], place: str) -> None:
    for name in COLUMNS:
        if list(names).count(name) != 1:
            has = "there are two columns" if name in names else "there is no column"
            raise UsageError(f"{place}: {has} '{name}'; the file needs exactly one column label and one column text")


_READERS = {".csv": _of_csv, ".parquet": _of_parquet}
