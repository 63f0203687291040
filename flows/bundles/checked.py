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


@dataclass(frozen=True, kw_only=True)
class Confirmed:
    """What a check confirmed of a run: `confirmed` of the `checked` scores by an evaluator, of `total`; or, without an
    evaluator, of the tokens of the replayed `texts` (page id and sample), of the run's `total` completions."""

    run_id: str
    level: str
    confirmed: int
    checked: int
    total: int
    evaluator_id: str = ""
    texts: tuple[tuple[int, int], ...] = ()


COLUMNS = tuple(field.name for field in fields(Checked))
