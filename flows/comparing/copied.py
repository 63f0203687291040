"""Runs whose texts copy their references: a model that never read an article cannot have most of its 5-grams."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flows.comparing.after_cutoff import is_reference
from storage.database import Database

METRIC = "copied_5grams"
# The mean share of a text's word 5-grams that stand in its article and not in its prompt. Honest runs have less than
# 0.01 (docs/compare.md); the articles themselves have 1.
THRESHOLD = 0.2


def unmeasured(database: Database) -> list[str]:
    """The runs from elsewhere of which nobody here has measured it, on articles that are here."""
    run_ids = [run_id for (run_id,) in database.rows("foreign_texts")]
    found = database.records(dict[str, Any], "copied_shares", METRIC, run_ids)
    return [one["run_id"] for one in found if one["share"] is None]


def copying(database: Database, rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """A note for each run of the board whose texts copy their references, and one for runs from elsewhere of which
    nobody here has measured it; a share that another person claims is no measurement."""
    of_runs = {row["run_id"]: row for row in rows if not is_reference(row)}
    found = database.records(dict[str, Any], "copied_shares", METRIC, list(of_runs))
    notes = [
        f"{_name(of_runs[one['run_id']])} copies its references: {100 * one['share']:.0f} % of its 5-grams"
        for one in found
        if one["share"] is not None and one["share"] > THRESHOLD
    ]
    if unknown := [one["run_id"] for one in found if one["share"] is None]:
        notes.append(
            f"not measured whether these runs from elsewhere copy their references: {_some(unknown)}; "
            f"`newwiki score --missing --metrics {METRIC}` measures it"
        )
    return notes


def _name(row: Mapping[str, Any]) -> str:
    return f"run {row['run_id']} of {row['model']} on {row['snapshot_id']}"


def _some(run_ids: Sequence[str], at_most: int = 3) -> str:
    more = len(run_ids) - at_most
    return ", ".join(run_ids[:at_most]) + (f" and {more:,} more" if more > 0 else "")
