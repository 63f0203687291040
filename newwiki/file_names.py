"""Names of files and folders for what may be called anything: models, snapshots, wikis, metrics."""

import hashlib
import re

_PLAIN = re.compile(r"[a-z0-9](?:[a-z0-9._@+-]{0,78}[a-z0-9_@+-])?")
_HASHED = re.compile(r".*-[0-9a-f]{16}")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin|conout|com[0-9]|lpt[0-9])(?:\..*)?")  # of Windows, with any ending
_KEPT = 48  # letters of a name


def file_name(text: str) -> str:
    """A name of at most 80 bytes that any file system and any address can have, and that no other text gives, upper
    and lower case taken as one: the text itself where it can be, else what is left of it, and its hash."""
    is_plain = _PLAIN.fullmatch(text) and not _RESERVED.fullmatch(text) and not _HASHED.fullmatch(text)
    return text if is_plain else _with_hash(text, text)


def model_file_name(model: str, model_sha256: str) -> str:
    """Models of one name and other weights have others."""
    return _with_hash(model, f"{model}\0{model_sha256}")


def folder_name(text: str) -> str:
    """The text itself, capitals and all, where any file system can have it as a folder, else its `file_name`."""
    lower = text.lower()
    is_plain = text.isascii() and _PLAIN.fullmatch(lower) and not _RESERVED.fullmatch(lower)
    return text if is_plain else file_name(text)


def _with_hash(text: str, whole: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[-_KEPT:].strip("-")
    return f"{words or 'x'}-{hashlib.sha256(whole.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
