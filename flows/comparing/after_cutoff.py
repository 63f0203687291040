"""Restrict numbers to articles after the models' knowledge cutoffs, and note which runs this affects."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from newwiki.errors import TerminalError
from storage.run_names import Contender
from storage.strata import PartOfRun

REMEDY = (
    "set it by repeating the evaluation with --knowledge-cutoff 2025-06, which generates nothing again, or under "
    "[knowledge_cutoffs] in newwiki.toml"
)
_NAMED = 12  # maximum number of runs in a note

Record = Mapping[str, Any]


def is_reference(record: Record) -> bool:
    """Return whether a record belongs to the articles themselves."""
    return str(record["run_id"]).startswith("reference:")


def told_after_cutoff(
    records: Sequence[Record], run_parts: Sequence[PartOfRun], after: Mapping[str, date]
) -> list[str]:
    """Return notes on a board that is restricted to articles after the days in `after`.

    The notes name the runs that are left out, and the runs that are on different articles than other rows.
    """
    notes = []
    if unknown := [record for record in records if not is_reference(record) and record["run_id"] not in after]:
        notes.append(f"left out, because the knowledge cutoff of their models is unknown: {_named(unknown)}; {REMEDY}")
    later = {part.run_id: 0 for part in run_parts}
    for part in run_parts:
        later[part.run_id] += part.prompts
    if without := [record for record in records if later.get(record["run_id"]) == 0 and not is_reference(record)]:
        notes.append(f"left out, because their models may have seen all of their articles: {_named(without)}")
    for snapshot_id in snapshots_apart(records, run_parts):
        beside = [record for record in records if record["snapshot_id"] == snapshot_id and later.get(record["run_id"])]
        notes.append(f"rows of {snapshot_id} do not stand on the same articles: {_created_after(beside, later, after)}")
    return notes


def snapshots_apart(records: Sequence[Record], run_parts: Sequence[PartOfRun]) -> list[str]:
    """Return the snapshots on which two runs are on different articles."""
    articles: dict[str, dict[str, str | None]] = {}
    for part in run_parts:
        articles.setdefault(part.run_id, {})[part.value] = part.articles
    by_snapshot: dict[str, list[dict[str, str | None]]] = {}
    for record in records:
        run_articles = articles.get(record["run_id"], {})
        if any(run_articles.values()) and not is_reference(record):
            by_snapshot.setdefault(record["snapshot_id"], []).append(run_articles)
    return [snapshot_id for snapshot_id, sets in by_snapshot.items() if any(other != sets[0] for other in sets)]


def later_cutoff(a: Contender, b: Contender) -> date:
    """Return the later knowledge cutoff of both models; the articles themselves have none.

    Raises TerminalError if a cutoff is unknown, or if neither run has a model.
    """
    runs = [run for run in (a, b) if run.settings is not None]
    if unknown := [run for run in runs if run.knowledge_cutoff is None]:
        named = " and ".join(f"{run.run_id} ({run.words})" for run in unknown)
        raise TerminalError(f"the knowledge cutoff of the model of {named} is unknown; {REMEDY}")
    if not runs:
        raise TerminalError("the articles themselves have no knowledge cutoff; compare a run with them")
    return max(run.knowledge_cutoff for run in runs if run.knowledge_cutoff)


def of_known_cutoff(first: Contender, others: Sequence[Contender]) -> tuple[list[Contender], list[str]]:
    """Return the runs that can be compared with the first run, and a note on the others.

    Raises TerminalError if no run can be compared.
    """
    unknown = [run for run in others if run.settings is not None and run.knowledge_cutoff is None]
    known = [run for run in others if run not in unknown]
    for other in [] if known else others:
        later_cutoff(first, other)
    named = ", ".join(f"{run.run_id} ({run.words})" for run in unknown)
    return known, [
        f"left out, because the knowledge cutoff of their models is unknown: {named}; {REMEDY}"
    ] if unknown else []


def _named(records: Sequence[Record]) -> str:
    more = f" and {len(records) - _NAMED} more" if len(records) > _NAMED else ""
    return ", ".join(f"{record['run_id']} ({record['model']})" for record in records[:_NAMED]) + more


def _created_after(records: Sequence[Record], later: Mapping[str, int], after: Mapping[str, date]) -> str:
    ids_by_words: dict[str, list[str]] = {}
    for record in records:
        words = f"{later[record['run_id']]:,} created after {after[record['run_id']]}"
        ids_by_words.setdefault(words, []).append(str(record["run_id"]))
    return "; ".join(f"{', '.join(ids[:_NAMED])} on {words}" for words, ids in ids_by_words.items())
