"""A line of what a check has found: what was checked, how much of it, of how much, and how it came out."""

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Checked:
    """`checked` of `of` are right; what was not looked at is none of them, and `result` says why."""

    what: str
    checked: int
    of: int
    result: str

    @property
    def row(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in COLUMNS)


COLUMNS = tuple(field.name for field in fields(Checked))
