"""Times as MediaWiki writes them, in its API and in its exports alike."""

import re
from datetime import UTC, datetime

_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)


def moment(written: str) -> datetime:
    """Raises ValueError for what is not written so."""
    if not _TIMESTAMP.fullmatch(written):
        raise ValueError(f"no timestamp: '{written[:40]}'")
    return datetime.fromisoformat(written)


def stamp(moment: datetime) -> str:
    """A time as MediaWiki reads it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
