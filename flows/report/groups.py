"""Groups of runs on the leaderboard whose difference is not significant."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flows.comparing.board import Column
from flows.comparing.ranked import ranked
from flows.presenting.material import Material
from newwiki.errors import TerminalError
from storage.database import Database

_LETTER = re.compile(r"[a-z]\d*")


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
