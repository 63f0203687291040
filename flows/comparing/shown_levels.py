"""Sentences on the verification levels of numbers, for all displays of several runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flows.comparing.difference import Difference
from flows.presenting.numbers import counted
from newwiki.levels import VERIFIED, LevelByScoring, legend


def below_verified(rows: Sequence[Difference], levels: LevelByScoring) -> list[str]:
    """Return notes on the levels below `verified` in a comparison: details of each run, and the levels' meanings."""
    metrics: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        for run_id in (row.run_a, row.run_b):
            details = levels[run_id, row.evaluator_id]
            if details.words != details.level:
                metrics.setdefault((run_id, details.words), {})[row.metric] = None
    notes = [f"{', '.join(names)} of {run_id}: {words}" for (run_id, words), names in metrics.items()]
    below = {level for row in rows for level in (row.level_a, row.level_b)} - {VERIFIED}
    return [*notes, *(f"{level}: {meaning}" for level, meaning in legend(below))]


@dataclass(frozen=True)
class LevelNote:
    """A note on a level below `verified`: its meaning, the `names` of its runs, and the number of all `runs`."""

    level: str
    meaning: str
    names: Sequence[str]
    runs: int

    @property
    def head(self) -> str:
        """The sentence before the names."""
        have = "has" if len(self.names) == 1 else "have"
        return (
            f"of {counted(self.runs, 'run')}, {len(self.names)} {have} numbers that are {self.level} ({self.meaning})"
        )

    @property
    def words(self) -> str:
        return f"{self.head}: {', '.join(self.names)}"


def level_notes(numbers: Iterable[tuple[str, str, str | None]]) -> list[LevelNote]:
    """Return a note on each level below `verified`, the highest first.

    `numbers` yields the run id, the name and the level of each number. The level is None without a number.
    """
    names: dict[str, str] = {}
    below: dict[str, set[str]] = {}
    for run_id, name, level in numbers:
        if level is not None:
            names[run_id] = name
        if level not in (None, VERIFIED):
            below.setdefault(str(level), set()).add(run_id)
    return [
        LevelNote(level, meaning, sorted(names[run_id] for run_id in below[level]), len(names))
        for level, meaning in legend(below)
    ]


def leveled(number: str, level: str) -> str:
    """Return the number with its level, such as `0.41 (claimed)`. The level `verified` is omitted."""
    return number if level == VERIFIED else f"{number} ({level})"
