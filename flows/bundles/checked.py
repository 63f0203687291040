"""The lines of a check's result: the subject, the number of correct items, the total and the result."""

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Checked:
    """A line of the result. `checked` of `of` items are correct; `result` says why the other items were not checked."""

    what: str
    checked: int
    of: int
    result: str

    @property
    def row(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in COLUMNS)


@dataclass(frozen=True, kw_only=True)
class Confirmed:
    """The completions or scores of a run that a check confirmed.

    With an evaluator, `confirmed` of the `checked` scores are correct, out of `total` scores. Without an evaluator,
    `confirmed` and `checked` count tokens of the replayed `texts` (page id and sample). `total` then counts the
    completions of the run.
    """

    run_id: str
    level: str
    confirmed: int
    checked: int
    total: int
    evaluator_id: str = ""
    texts: tuple[tuple[int, int], ...] = ()


COLUMNS = tuple(field.name for field in fields(Checked))
