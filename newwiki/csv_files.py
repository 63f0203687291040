"""Read CSV files from people strictly, and write all CSV in one dialect.

Fields are read as text exactly as they stand in the file, line breaks of any kind included; every error names the file,
the line and the remedy.
"""

import csv
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

from newwiki.errors import UsageError, did_you_mean
from newwiki.foreign_files import open_regular
from newwiki.visible import visible

_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}


@dataclass(frozen=True)
class CsvRow:
    """One row; `where` names the file and the line on which the row begins, for messages."""

    where: str
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells[column]


def read_csv(path: Path, required: Collection[str] = (), optional: Collection[str] | None = None) -> Iterator[CsvRow]:
    """Read the rows of a comma-separated file in UTF-8 whose first line names the columns; blank lines are skipped.

    Args:
        required: Columns that the file must have.
        optional: The only other columns that it may have; None allows any.

    Raises UsageError, before the first row for the columns, otherwise at the row that is wrong.
    """
    csv.field_size_limit(sys.maxsize)  # a text may have any length; the default is 131,072 characters
    try:
        with TextIOWrapper(open_regular(path), "utf-8-sig", newline="") as file:
            yield from _rows(path, file, required, optional)
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror}; name an existing file") from None
    except UnicodeDecodeError as error:
        raise not_utf8(path, error) from None


def write_csv(file: TextIO, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    """Write the names of the columns and the rows as they come, with Unix line ends; None is an empty field.

    Open the file with `newline=""`. Rows that people open in a spreadsheet need `newwiki.visible.in_csv` first.
    """
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)


def not_utf8(path: Path, error: UnicodeDecodeError) -> UsageError:
    """The error for a file in another encoding, with the likely encoding and how to convert the file."""
    with open_regular(path) as file:
        start = file.read(4)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        guess = "UTF-16"
    elif b"\0" in start:
        guess = "UTF-16LE" if start[1:2] == b"\0" else "UTF-16BE"
    else:
        guess = "WINDOWS-1252"
    byte = error.object[error.start]
    return UsageError(
        f"'{path}' is not UTF-8 (byte 0x{byte:02x}), but perhaps {guess}: save it as UTF-8, or convert it with "
        f"`iconv -f {guess} -t UTF-8 '{path}' > new.csv`"
    )


def _rows(path: Path, file: TextIO, required: Collection[str], optional: Collection[str] | None) -> Iterator[CsvRow]:
    reader = csv.reader(_without_nul(path, file), strict=True)
    names: list[str] | None = None
    begins = 1
    try:
        for fields in reader:
            where, begins = f"'{path}', line {begins}", reader.line_num + 1
            if not fields:
                continue
            if names is None:
                names = fields
                _require_columns(where, names, required, optional)
                continue
            if len(fields) != len(names):
                raise UsageError(
                    f"{where}: the row has {len(fields)} fields, and the first line has {len(names)}; put a text that "
                    "holds commas, quotes or line breaks in quotes"
                )
            yield CsvRow(where, dict(zip(names, fields, strict=True)))
    except csv.Error as error:
        raise UsageError(
            f"'{path}', line {begins}: {error}; put a text that holds commas, quotes or line breaks in quotes, and "
            'write each quote in it twice ("")'
        ) from None
    if names is None:
        columns = ", ".join(required) or "the names of its columns"
        raise UsageError(f"'{path}' is empty; its first line must be {columns}")


def _without_nul(path: Path, file: TextIO) -> Iterator[str]:
    for number, line in enumerate(file, 1):
        if "\0" in line:
            raise UsageError(
                f"'{path}', line {number} holds a NUL character, so it is binary or UTF-16; save it as CSV in UTF-8"
            )
        yield line


def _require_columns(where: str, names: list[str], required: Collection[str], optional: Collection[str] | None) -> None:
    if len(names) == 1:
        for separator, words in _SEPARATORS.items():
            if separator in names[0]:
                raise UsageError(f"{where}: the columns are separated by {words}; save the file with commas")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"{where}: there are two columns '{_shown(twice[0])}'; rename or remove one of them")
    for name in required:
        if name not in names:
            raise UsageError(
                f"{where}: there is no column '{name}', but {', '.join(map(_shown, names))}"
                f"{did_you_mean(name, names)}; it must have {', '.join(required)}"
            )
    strange = [name for name in names if optional is not None and name not in {*required, *optional}]
    if strange:
        known = [*required, *(optional or ())]
        raise UsageError(
            f"{where}: the column '{_shown(strange[0])}' is unknown{did_you_mean(strange[0], known)}; the columns are "
            f"{', '.join(known)}"
        )


def _shown(name: str) -> str:
    """The name of a column as a message in one line shows it."""
    return " ".join(visible(name).split())[:60]
