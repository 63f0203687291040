"""Amounts of memory as people write them."""

import pytest

from newwiki.amounts import in_bytes
from newwiki.errors import UsageError


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        ("1GB", 10**9),
        ("1.5 gb", 15 * 10**8),
        ("800MB", 8 * 10**8),
        ("2GiB", 2**31),
        (" 64kib ", 2**16),
        ("1tb", 10**12),
    ],
)
def test_an_amount_is_so_many_bytes(amount: str, expected: int) -> None:
    assert in_bytes(amount) == expected


@pytest.mark.parametrize("amount", ["", "1", "GB", "0GB", "-1GB", "1,5GB", "1 GB of it", "half"])
def test_an_invalid_amount_is_refused_with_an_example(amount: str) -> None:
    with pytest.raises(UsageError, match=r"is not an amount of memory; write it as 800MB or 1\.5GB"):
        in_bytes(amount)
