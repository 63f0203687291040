"""Restrict numbers to articles after the models' knowledge cutoffs, and note which runs this affects."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from newwiki.errors import TerminalError
from storage.comparison import Contender
from storage.strata import PartOfRun

REMEDY = (
    "say it by asking for the evaluation again with --knowledge-cutoff 2025-06, which writes nothing anew, or under "
    "[knowledge_cutoffs] in newwiki.toml"
)
_NAMED = 12  # maximum number of runs in a note

Record = Mapping[str, Any]


def is_reference(record: Record) -> bool:
    """Return whether a record belongs to the articles themselves."""
    return str(record["run_id"]).startswith("reference:")


def told_after_cutoff(records: Sequence[Record], of_runs: Sequence[PartOfRun], after: Mapping[str, date]) -> list[str]:
    """Return notes on a board that is restricted to articles after the days in `after`.

    The notes name the runs that are left out, and the runs that are on different articles than other rows.
    """
    notes = []
    if unknown := [one for one in records if not is_reference(one) and one["run_id"] not in after]:
        notes.append(f"left out, as it is not known what their models can have seen: {_named(unknown)}; {REMEDY}")
    later = {one.run_id: 0 for one in of_runs}
    for one in of_runs:
        later[one.run_id] += one.prompts
    if without := [one for one in records if later.get(one["run_id"]) == 0 and not is_reference(one)]:
        notes.append(f"left out, as their models can have seen all of their articles: {_named(without)}")
    for snapshot_id in snapshots_apart(records, of_runs):
        beside = [one for one in records if one["snapshot_id"] == snapshot_id and later.get(one["run_id"])]
        notes.append(f"rows of {snapshot_id} do not stand on the same articles: {_told(beside, later, after)}")
    return notes


def snapshots_apart(records: Sequence[Record], of_runs: Sequence[PartOfRun]) -> list[str]:
    """Return the snapshots on which two runs are on different articles."""
    articles: dict[str, dict[str, str | None]] = {}
    for one in of_runs:
        articles.setdefault(one.run_id, {})[one.value] = one.articles
    found: dict[str, list[dict[str, str | None]]] = {}
    for record in records:
        of_run = articles.get(record["run_id"], {})
        if any(of_run.values()) and not is_reference(record):
            found.setdefault(record["snapshot_id"], []).append(of_run)
    return [snapshot_id for snapshot_id, sets in found.items() if any(one != sets[0] for one in sets)]


def later_cutoff(a: Contender, b: Contender) -> date:
    """Return the later knowledge cutoff of both models; the articles themselves have none.

    Raises TerminalError if a cutoff is unknown, or if neither run has a model.
    """
    runs = [one for one in (a, b) if one.settings is not None]
    if unknown := [one for one in runs if one.knowledge_cutoff is None]:
        named = " and ".join(f"{one.run_id} ({one.words})" for one in unknown)
        raise TerminalError(f"it is not known what the model of {named} can have seen; {REMEDY}")
    if not runs:
        raise TerminalError("the articles themselves have no knowledge cutoff; compare a run with them")
    return max(one.knowledge_cutoff for one in runs if one.knowledge_cutoff)


def of_known_cutoff(first: Contender, others: Sequence[Contender]) -> tuple[list[Contender], list[str]]:
    """Return the runs that can be compared with the first run, and a note on the others.

    Raises TerminalError if no run can be compared.
    """
    unknown = [one for one in others if one.settings is not None and one.knowledge_cutoff is None]
    known = [one for one in others if one not in unknown]
    for other in [] if known else others:
        later_cutoff(first, other)
    named = ", ".join(f"{one.run_id} ({one.words})" for one in unknown)
    return known, [
        f"left out, as it is not known what their models can have seen: {named}; {REMEDY}"
    ] if unknown else []


def _named(records: Sequence[Record]) -> str:
    more = f" and {len(records) - _NAMED} more" if len(records) > _NAMED else ""
    return ", ".join(f"{one['run_id']} ({one['model']})" for one in records[:_NAMED]) + more


def _told(records: Sequence[Record], later: Mapping[str, int], after: Mapping[str, date]) -> str:
    found: dict[str, list[str]] = {}
    for one in records:
        words = f"{later[one['run_id']]:,} created after {after[one['run_id']]}"
        found.setdefault(words, []).append(str(one["run_id"]))
    return "; ".join(f"{', '.join(ids[:_NAMED])} on {words}" for words, ids in found.items())
