"""Read and write text rows for annotators, as CSV, or as JSON lines for files named .jsonl or .ndjson."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from newwiki.csv_files import not_utf8, read_csv, write_csv
from newwiki.errors import UsageError
from newwiki.spreadsheet_cells import neutralized, restored
from storage.folders import whole


def write_rows(path: Path, rows: Sequence[Mapping[str, str]], what: str) -> None:
    """Write rows with the same columns. Raises UsageError, with `what` in the message, if the file cannot be written.

    In a CSV file, texts that a spreadsheet would run as formulas begin with an apostrophe
    (`newwiki.spreadsheet_cells`).
    """
    try:
        with whole(path) as part, part.open("w", encoding="utf-8", newline="") as file:
            if _is_jsonl(path):
                file.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
            else:
                columns = list(rows[0])
                write_csv(file, columns, ([neutralized(row[name]) for name in columns] for row in rows))
    except OSError as error:
        raise UsageError(f"{what} cannot be written to '{path}': {error.strerror}; name another file") from None


def _is_jsonl(path: Path) -> bool:
    return path.suffix.lower() in (".jsonl", ".ndjson")


def read_rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the place of each row for messages, and its original texts without surrounding space.

    Raises UsageError for an unreadable file.
    """
    if _is_jsonl(path):
        yield from _json_lines(path)
        return
    for row in read_csv(path):
        yield row.where, {name: restored(cell).strip() for name, cell in row.cells.items()}


def _json_lines(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise UsageError(f"'{path}' cannot be read: {error.strerror}; name a file that exists") from None
    except UnicodeDecodeError as error:
        raise not_utf8(path, error) from None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"'{path}', line {number}"
        try:
            row = json.loads(line, object_pairs_hook=_without_repeated)
        except json.JSONDecodeError as error:
            raise UsageError(f"{where} is no JSON: {error.msg}; write one object a line") from None
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{where} cannot be read: {error}; write one object of texts a line") from None
        if not isinstance(row, dict):
            raise UsageError(f"{where} is no JSON object; write one object a line")
        yield where, {name: "" if value is None else str(value).strip() for name, value in row.items()}


def _without_repeated(pairs: list[tuple[str, object]]) -> dict[str, object]:
    names = [name for name, _ in pairs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"the key '{twice[0]}' is there twice")
    return dict(pairs)
