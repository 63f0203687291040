"""A paper's number beside ours: whether our interval holds it, and what forbids to ask."""

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
    """A number of one's own, in our unit, with its 95 % interval, or why there is none (`lacking`). `whose` is the
    model that it is of, `metric` our name of what was measured, `source` the run or the answer that has it. `unlike` is
    why it is not to be compared with the paper's, where the metric alone would allow it."""

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
    """A number of a paper, in the row of its exhibit, beside ours in the paper's unit. `why` is what is to be said of
    a standing that is none of an interval."""

    paper: str
    exhibit: Exhibit
    row: int
    number: Number
    ours: Ours | None
    standing: Standing
    why: str = ""


def numbers_by_row(paper: Paper, exhibit: Exhibit) -> Iterator[tuple[int, Number]]:
    """All that it prints, with the places of their rows."""
    numbers = paper.numbers(exhibit)
    for place, row in enumerate(exhibit.rows):
        for number in islice(numbers, sum(cell != "-" for cell in row.values)):
            yield place, number


def match(paper: Paper, exhibit: Exhibit, row: int, number: Number, found: Ours | str) -> Match:
    """The number beside what was found, which is a reason where it is a text."""
    if isinstance(found, str):
        return Match(paper=paper.id, exhibit=exhibit, row=row, number=number, ours=None, standing=NOT_RUN, why=found)
    ours = in_papers_unit(found, number.metric.factor)
    standing, why = _standing(number, ours)
    return Match(paper=paper.id, exhibit=exhibit, row=row, number=number, ours=ours, standing=standing, why=why)


def in_papers_unit(ours: Ours, factor: float) -> Ours:
    """A paper's number times the factor is in our unit. What does not vary has itself for an interval."""
    ends = (ours.value, ours.value) if ours.lacking == ALIKE else (ours.low, ours.high)
    low, high = (None if one is None else one / factor for one in ends)
    lacking = None if ours.lacking == ALIKE else ours.lacking
    return replace(ours, value=ours.value / factor, low=low, high=high, lacking=lacking)


def canonical(decoder: str) -> str:
    """The same for all spellings of a decoder; empty where none is named."""
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
