"""Compare a paper's number with ours: whether our interval contains it, or why the two are not comparable."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from evaluators.statistics import ALIKE
from flows.verdict_kinds import gives_verdicts
from newwiki.decoding.grammar import parse
from newwiki.papers.published import Exhibit, Number, Paper

Standing = Literal["our interval holds it", "our interval does not hold it", "no interval", "not comparable", "not run"]
HOLDS: Standing = "our interval holds it"
FAILS: Standing = "our interval does not hold it"
UNKNOWN: Standing = "no interval"
UNLIKE: Standing = "not comparable"
NOT_RUN: Standing = "not run"


@dataclass(frozen=True, kw_only=True)
class Ours:
    """A number of this database in our unit, with its 95 % interval or the reason for a missing interval (`lacking`).

    `whose` is the model, `metric` our name of the metric, and `source` the run or the answer with the number. `unlike`
    is a reason against the comparison that the metric alone does not give.
    """

    value: float
    low: float | None = None
    high: float | None = None
    lacking: str | None = None
    whose: str
    metric: str
    source: str
    unlike: str = ""


@gives_verdicts(
    "matches",
    "prompts",
    over="the units of the answer that a number is from",
    given="models and settings",
    family="the intervals of one number",
)
@dataclass(frozen=True, kw_only=True)
class Match:
    """A number of a paper, in the row of its exhibit, and our number in the paper's unit.

    `why` gives the reason for a standing without an interval.
    """

    paper: str
    exhibit: Exhibit
    row: int
    number: Number
    ours: Ours | None
    standing: Standing
    why: str = ""


def numbers_by_row(paper: Paper, exhibit: Exhibit) -> Iterator[tuple[int, Number]]:
    """Yield all numbers of an exhibit with the places of their rows."""
    numbers = paper.numbers(exhibit)
    for place, row in enumerate(exhibit.rows):
        for number in islice(numbers, sum(cell != "-" for cell in row.values)):
            yield place, number


def match(paper: Paper, exhibit: Exhibit, row: int, number: Number, ours_or_why: Ours | str) -> Match:
    """Match a number with our number, or with the reason for its absence."""
    if isinstance(ours_or_why, str):
        return Match(
            paper=paper.id, exhibit=exhibit, row=row, number=number, ours=None, standing=NOT_RUN, why=ours_or_why
        )
    ours = in_papers_unit(ours_or_why, number.metric.factor)
    standing, why = _standing(number, ours)
    return Match(paper=paper.id, exhibit=exhibit, row=row, number=number, ours=ours, standing=standing, why=why)


def in_papers_unit(ours: Ours, factor: float) -> Ours:
    """Convert our number to the paper's unit by division by the factor. A constant number is its own interval."""
    ends = (ours.value, ours.value) if ours.lacking == ALIKE else (ours.low, ours.high)
    low, high = (None if end is None else end / factor for end in ends)
    lacking = None if ours.lacking == ALIKE else ours.lacking
    return replace(ours, value=ours.value / factor, low=low, high=high, lacking=lacking)


def canonical(decoder: str) -> str:
    """Return the canonical form of a decoder, or an empty string without a decoder."""
    return parse(decoder)[0].canonical if decoder else ""


def _standing(number: Number, ours: Ours) -> tuple[Standing, str]:
    if not number.metric.comparable:
        return UNLIKE, number.metric.near
    if ours.unlike:
        return UNLIKE, ours.unlike
    if ours.low is None or ours.high is None:
        return UNKNOWN, ours.lacking or "the numbers of a whole run have none"
    inside = ours.low <= number.value <= ours.high
    at_an_end = any(math.isclose(number.value, end, rel_tol=1e-9, abs_tol=1e-12) for end in (ours.low, ours.high))
    return (HOLDS if inside or at_an_end else FAILS), ""
