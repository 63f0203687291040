"""Parse amounts of memory such as 800MB or 1.5GB."""

import re

from newwiki.errors import UsageError

_UNITS = {"kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]i?b)", re.IGNORECASE)


def in_bytes(amount: str) -> int:
    """Convert an amount to bytes. Raises UsageError for an invalid one."""
    match = _AMOUNT.fullmatch(amount.strip())
    if not match or not float(match[1]):
        raise UsageError(f"'{amount}' is not an amount of memory; write it as 800MB or 1.5GB")
    return int(float(match[1]) * _UNITS[match[2].lower()])
