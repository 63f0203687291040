"""How far the numbers of a comparison were verified, beside each of them."""

from collections.abc import Sequence
from dataclasses import replace

from flows.comparing.difference import Difference
from newwiki.levels import VERIFIED, legend
from storage import verifications
from storage.database import Database


def with_levels(database: Database, rows: Sequence[Difference]) -> tuple[list[Difference], list[str]]:
    """The rows with the level of each run's number, and notes on levels below `verified`: what they mean, and in words
    what a level says of a run beside its name."""
    levels = verifications.levels(database, {run_id for row in rows for run_id in (row.run_a, row.run_b)})
    metrics: dict[tuple[str, str], dict[str, None]] = {}
    found, there = [], set[str]()
    for row in rows:
        level_a, level_b = (levels[run_id, row.evaluator_id] for run_id in (row.run_a, row.run_b))
        for run_id, one in ((row.run_a, level_a), (row.run_b, level_b)):
            if one.level != VERIFIED:
                there.add(one.level)
                if one.words != one.level:
                    metrics.setdefault((run_id, one.words), {})[row.metric] = None
        found.append(replace(row, level_a=level_a.level, level_b=level_b.level))
    notes = [f"{', '.join(names)} of {run_id}: {words}" for (run_id, words), names in metrics.items()]
    return found, [*notes, *(f"{level}: {meaning}" for level, meaning in legend(there))]


def leveled(number: str, level: str) -> str:
    """The number with its level, unless it is `verified`: `0.41 (claimed)`."""
    return number if level == VERIFIED else f"{number} ({level})"
