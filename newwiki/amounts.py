"""Amounts of memory as people write them: 800MB, 1.5GB."""

import re

from newwiki.errors import UsageError

_UNITS = {"kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]i?b)", re.IGNORECASE)


def in_bytes(amount: str) -> int:
    """Raises UsageError for what is no amount."""
    found = _AMOUNT.fullmatch(amount.strip())
    if not found or not float(found[1]):
        raise UsageError(f"'{amount}' is no amount of memory; write it as 800MB or 1.5GB")
    return int(float(found[1]) * _UNITS[found[2].lower()])
