"""Write files and folders atomically.

A list in each folder states its files and their hashes, so that only folders with a matching list are replaced.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from newwiki.errors import UsageError
from storage.outputs import safe, unfinished


def is_free(folder: Path) -> bool:
    """Return whether the folder is missing or empty."""
    return not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield a temporary path, which replaces `path` at the end. After an error the temporary file is removed."""
    part, _ = unfinished(safe(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield part
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    with whole(path) as part:
        part.write_text(text, "utf-8", newline="\n")


@contextmanager
def whole_folder(folder: Path, mark: str, what: str) -> Iterator[Path]:
    """Yield a temporary folder, which replaces `folder` at the end. After an error the old folder is unchanged.

    The file `mark` lists the other files and shows that this function wrote the folder; `what` describes its content in
    errors. Raises UsageError if the folder holds anything else or cannot be written.
    """
    before, part = unfinished(_named(safe(folder)))
    if not folder.exists() and before.is_dir():  # the last call was interrupted between its two renames
        _require_marked(before, mark, what)
        os.replace(before, folder)
    for place in (folder, before, part):
        _require_marked(place, mark, what, is_whole=place != part)
    try:
        _remove(part)
        part.mkdir(parents=True)
        (part / mark).touch()
        yield part
        write_text(part / mark, list_text({name: sha for name, sha in hashes(part).items() if name != mark}))
        _remove(before)
        if folder.exists():
            os.replace(folder, before)
        os.replace(part, folder)
    except OSError as error:
        if not folder.exists() and before.is_dir():
            os.replace(before, folder)
        raise UsageError(f"'{folder}' cannot be written: {error.strerror}; name another folder") from error
    finally:
        _remove(part)
    _remove(before)


def hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of the folder, by its path in the folder, sorted by path."""
    files = sorted((file.relative_to(folder).as_posix(), file) for file in folder.rglob("*") if file.is_file())
    return {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files}


def list_text(hashes_by_file: Mapping[str, str]) -> str:
    """Return the content of a list of files."""
    return json.dumps({"files": hashes_by_file}, indent=1) + "\n"


def listed_hashes(text: str | bytes) -> dict[str, str]:
    """Return the hashes in a list of files; they are empty in a list of version 0.2.0.

    Raises ValueError for another text.
    """
    read = json.loads(text)
    files = read.get("files") if isinstance(read, dict) else None
    if isinstance(files, list):
        files = dict.fromkeys(files, "")
    if not isinstance(files, dict) or not all(isinstance(name, str) for name in (*files, *files.values())):
        raise ValueError("it is no list of files")
    return files


def _named(folder: Path) -> Path:
    """Return the folder. Raises UsageError for the current directory or a folder without a name."""
    if (folder.exists() and folder.samefile(Path.cwd())) or not folder.name or folder.name == "..":
        raise UsageError(f"'{folder}' cannot be written: a folder of its own is needed; name another one")
    return folder


def _require_marked(folder: Path, mark: str, what: str, *, is_whole: bool = True) -> None:
    """Raises UsageError unless the folder is free or has the file `mark`.

    If `is_whole`, the folder may hold only the files that `mark` lists.
    """
    if is_free(folder):
        return
    other = f"'{folder}' holds something else than {what}"
    if not (folder / mark).is_file():
        raise UsageError(f"{other}; name a new folder")
    if is_whole:
        try:
            listed = set(listed_hashes((folder / mark).read_bytes()))
        except ValueError:
            raise UsageError(f"{other}, as its '{mark}' is no list of files; name a new folder") from None
        files = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if not file.is_dir()}
        if more := sorted(files - listed - {mark}):
            raise UsageError(f"{other}, such as '{more[0]}'; name a new folder")


def _remove(folder: Path) -> None:
    if folder.is_dir():
        shutil.rmtree(folder)
