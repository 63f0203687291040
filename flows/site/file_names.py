"""Names of files and folders for what may be called anything: snapshots, wikis, metrics, models."""

import hashlib
import re

_PLAIN = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,79}")
_KEPT = 48  # letters of a name


def file_name(text: str) -> str:
    """The text itself where any file system and any address can have it; else what is left of it, and its hash."""
    return text if _PLAIN.fullmatch(text) else _with_hash(text, text)


def model_file_name(model: str, model_sha256: str) -> str:
    """Models of one name and other weights have others."""
    return _with_hash(model, f"{model}\0{model_sha256}")


def _with_hash(text: str, whole: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[-_KEPT:].strip("-")
    return f"{words or 'x'}-{hashlib.sha256(whole.encode()).hexdigest()[:8]}"
