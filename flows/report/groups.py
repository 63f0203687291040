"""Groups of runs on the leaderboard whose difference is not significant."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flows.comparing.board import Column, number_of
from flows.comparing.ranked import ranked
from flows.presenting.material import Material
from flows.presenting.numbers import digits, estimate
from flows.presenting.page_tables import best_first
from newwiki.errors import TerminalError
from newwiki.levels import VERIFIED
from storage.database import Database

_LETTER = re.compile(r"[a-z]\d*")
_NAMED = 2  # runs that the sentence names beside the best


@dataclass(frozen=True)
class Groups:
    """The groups of runs by a column.

    Two runs that share one of the `letters` do not differ significantly. `of` has the letters of each run by its id.
    Without letters, `lacking` has the reason.
    """

    column: Column
    letters: Sequence[str] = ()
    of: Mapping[str, frozenset[str]] | None = None
    lacking: str = ""


def groups(database: Database, material: Material, column: Column | None) -> Groups | None:
    """Return the groups; None for a metric without a better direction and for fewer than two runs with a number."""
    if column is None or material.direction(column) == "none":
        return None
    if sum(record[column.name] is not None for record in material.records) < 2:
        return None
    try:
        shown = ranked(database, material.board, column.name, after_cutoff=material.after_cutoff)
    except TerminalError as refusal:
        return Groups(column, lacking=str(refusal))
    of = {record["run_id"]: frozenset(_LETTER.findall(record["group"])) for record in shown.records if record["group"]}
    letters = dict.fromkeys(letter for record in shown.records for letter in _LETTER.findall(record["group"] or ""))
    return Groups(column, list(letters), of)


def leading(material: Material, found: Groups | None) -> str | None:
    """Return one sentence on the best run and the runs that cannot be told apart from it, or None without groups."""
    if not found or not found.of:
        return None
    column = found.column
    best, *others = [record for record in best_first(material, column) if record[column.name] is not None]
    number = number_of(best, column.name)
    shown = estimate(number.mean, number.low, number.high, digits, number.no_interval)
    shown += f" ({number.level})" if number.level not in (None, VERIFIED) else ""
    first = f"{material.label(best)} is the best run by {column.name}: {shown}."
    alike = [record for record in others if found.of[best["run_id"]] & found.of[record["run_id"]]]
    if not alike:
        rest = "the other run" if len(others) == 1 else f"each of the {len(others):,} other runs"
        return f"{first} It differs significantly from {rest}."
    named = [material.label(record) for record in alike[:_NAMED]]
    more = len(alike) - len(named)
    if more:
        named.append("one more run" if more == 1 else f"{more:,} more runs")
    several, last = ", ".join(named[:-1]), named[-1]
    return f"{first} It cannot be told apart from {several and f'{several} and '}{last}."
