"""State the levels of a site's numbers, and who claims the facts about its runs."""

from collections.abc import Mapping
from dataclasses import dataclass

from flows.comparing.board import Board, Number, number_of
from flows.presenting.material import Material
from flows.site.contents import Contents
from newwiki.levels import VERIFIED, legend


@dataclass(frozen=True)
class RunLevels:
    """A run, or the articles (`run_id` is None), with its numbers' levels in words and their metrics."""

    run_id: str | None
    signers: str
    levels: Mapping[str, list[str]]


@dataclass(frozen=True)
class Levels:
    """The remarks of a snapshot's page on numbers that are not fully verified.

    `legend` explains their levels, and `runs` are the runs with such numbers. Both are empty if all numbers were
    computed on this machine.
    """

    legend: list[tuple[str, str]]
    runs: list[RunLevels]


def levels_on(contents: Contents, material: Material) -> Levels:
    run_levels, levels = [], set[str]()
    for record in material.board.records:
        by_words: dict[str, list[str]] = {}
        signers: dict[str, None] = {}
        for column in material.board.columns:
            number = number_of(record, column.name)
            if number.mean is not None and number.level and number.level != VERIFIED:
                levels.add(number.level)
                by_words.setdefault(level_words(material.board, record["run_id"], number) or "", []).append(column.name)
                signers |= dict.fromkeys(material.board.levels[record["run_id"], str(number.evaluator_id)].signers)
        if by_words:
            run_id = record["run_id"] if record["run_id"] in contents.runs else None
            run_levels.append(RunLevels(run_id, ", ".join(signers), by_words))
    return Levels(legend(levels), run_levels)


def level_words(board: Board, run_id: str, number: Number) -> str | None:
    """Return the level of a number in words, or None if it has no stored level."""
    level = board.levels.get((run_id, str(number.evaluator_id))) if number.level else None
    return level.words if level else None


def claimed_by(contents: Contents, run_id: str) -> str | None:
    """Return who claims the run's model name, cutoff, device and times, or None for a run that was made locally."""
    keys = contents.claims.get(run_id)
    return None if keys is None else ", ".join(keys) or "an unsigned source"
