"""Read and write times in the format of MediaWiki's API and exports."""

import re
from datetime import UTC, datetime

_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)


def moment(written: str) -> datetime:
    """Parse a MediaWiki timestamp. Raises ValueError for any other format."""
    if not _TIMESTAMP.fullmatch(written):
        raise ValueError(f"not a timestamp: '{written[:40]}'")
    return datetime.fromisoformat(written)


def stamp(moment: datetime) -> str:
    """Format a time for MediaWiki."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
