"""Make names of files and folders for models, snapshots, wikis and metrics, whose own names may hold any character."""

import hashlib
import re

_PLAIN = re.compile(r"[a-z0-9](?:[a-z0-9._@+-]{0,78}[a-z0-9_@+-])?")
_HASHED = re.compile(r".*-[0-9a-f]{16}")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin|conout|com[0-9]|lpt[0-9])(?:\..*)?")  # on Windows, with any extension
_KEPT = 48  # characters of a name that are kept


def file_name(text: str) -> str:
    """Return a name of at most 80 bytes that is valid in any file system and URL, and unique even without case: the
    text itself if possible, else its valid characters and its hash."""
    is_plain = _PLAIN.fullmatch(text) and not _RESERVED.fullmatch(text) and not _HASHED.fullmatch(text)
    return text if is_plain else _with_hash(text, text)


def model_file_name(model: str, model_sha256: str) -> str:
    """Return a file name that differs between models with the same name and different weights."""
    return _with_hash(model, f"{model}\0{model_sha256}")


def folder_name(text: str) -> str:
    """Return the text itself, in its case, if any file system accepts it as a folder name, else its `file_name`."""
    lower = text.lower()
    is_plain = text.isascii() and _PLAIN.fullmatch(lower) and not _RESERVED.fullmatch(lower)
    return text if is_plain else file_name(text)


def _with_hash(text: str, whole: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[-_KEPT:].strip("-")
    return f"{words or 'x'}-{hashlib.sha256(whole.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
