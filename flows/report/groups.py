"""Groups of runs on the leaderboard whose difference is not significant."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flows.comparing.board import Column, number_of
from flows.comparing.ranked import ranked
from flows.presenting.material import Material, Record
from flows.presenting.numbers import digits, estimate
from flows.presenting.page_tables import best_first
from newwiki.errors import TerminalError
from newwiki.levels import CLAIMED, VERIFIED
from newwiki.registry import reading_metrics
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
    of = {record["run_id"]: letters_of(record["group"]) for record in shown.records if record["group"]}
    letters = dict.fromkeys(letter for record in shown.records for letter in _LETTER.findall(record["group"] or ""))
    return Groups(column, list(letters), of)


def letters_of(group: str) -> frozenset[str]:
    return frozenset(_LETTER.findall(group))


def best_run_sentence(material: Material, run_groups: Groups | None) -> str | None:
    """Return one sentence on the best run and the runs that cannot be told apart from it.

    If models that read the articles have the numbers, it speaks of models, because all runs of a model have the same. A
    number that another person claims is the best only if there is no other. Returns None without groups, and if the
    runs cover different articles.
    """
    if not run_groups or not run_groups.of or not material.board.same_articles:
        return None
    column = run_groups.column
    ranked_records = [record for record in best_first(material, column) if record[column.name] is not None]
    label, what = material.label, "run"
    if column.metric in reading_metrics():
        first_of_model = {record["model"]: record for record in reversed(ranked_records)}
        ranked_records = [record for record in ranked_records if record is first_of_model[record["model"]]]
        label, what = (lambda record: material.names[record["run_id"]]), "model"
    if len(ranked_records) < 2:
        return None
    levels = {record["run_id"]: number_of(record, column.name).level for record in ranked_records}
    best = next((record for record in ranked_records if levels[record["run_id"]] != CLAIMED), ranked_records[0])
    others = [record for record in ranked_records if record is not best]
    first = f"{label(best)} is the best {what} by {column.name}: {_estimate(best, column)}."
    alike = [record for record in others if run_groups.of[best["run_id"]] & run_groups.of[record["run_id"]]]
    if not alike:
        rest = f"the other {what}" if len(others) == 1 else f"each of the {len(others):,} other {what}s"
        following = others[0]
        next_words = f"{label(following)}: {_estimate(following, column)}"
        return f"{first} It differs significantly from {rest}; the next is {next_words}."
    named = [label(record) for record in alike[:_NAMED]]
    named[0] += f" ({_estimate(alike[0], column)})"
    more = len(alike) - len(named)
    if more:
        named.append(f"one more {what}" if more == 1 else f"{more:,} more {what}s")
    several, last = ", ".join(named[:-1]), named[-1]
    return f"{first} It cannot be told apart from {several and f'{several} and '}{last}."


def _estimate(record: Record, column: Column) -> str:
    """Return a mean with its interval, and its level of verification if it is below verified."""
    number = number_of(record, column.name)
    words = estimate(number.mean, number.low, number.high, digits, number.no_interval)
    return words + (f", {number.level}" if number.level not in (None, VERIFIED) else "")
