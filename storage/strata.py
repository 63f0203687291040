"""Compute scores for strata of a snapshot, such as short and long articles, or articles with an infobox."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from newwiki.errors import TerminalError
from newwiki.records import Stratum
from storage.database import Database
from storage.queries import query

STRATA: tuple[Stratum, ...] = get_args(Stratum)
_UNKNOWN = "unknown"


@dataclass(frozen=True)
class StratumPart:
    """The articles of a snapshot that have one value of a stratum, with the smallest and largest number of words."""

    snapshot_id: str
    value: str
    place: int
    articles: int
    least: int
    most: int


@dataclass(frozen=True)
class PartOfRun:
    """The number of prompts and texts that a run has in a part of its snapshot.

    `seen_share` is the share of the part's articles that were not created after the knowledge cutoff of the run's
    model; None if the cutoff is unknown. `articles` is a hash, which is equal for runs on the same articles.
    """

    run_id: str
    value: str
    place: int
    prompts: int
    completions: int
    seen_share: float | None
    articles: str | None


@dataclass(frozen=True)
class CutRuns:
    """The parts of each run, in the order of the parts, and a summary for each run, metric, evaluator and part.

    `pages` has the page ids by run and part; it is empty for parts that overlap.
    """

    of_runs: Sequence[PartOfRun]
    summaries: Sequence[dict[str, Any]]
    pages: Mapping[str, Mapping[str, NDArray[np.int64]]] = field(default_factory=dict)


def parts(database: Database, stratum: str, snapshot_ids: Collection[str]) -> list[StratumPart]:
    """Return the parts of these snapshots, in their order. Ids of other texts (`file:…`) have no parts.

    Raises TerminalError if the value of the stratum is unknown for all articles of a snapshot.
    """
    stratum_parts = database.records(StratumPart, "stratum_parts", list(snapshot_ids), stratum)
    for name in dict.fromkeys(part.snapshot_id for part in stratum_parts):
        if all(part.value == _UNKNOWN for part in stratum_parts if part.snapshot_id == name):
            raise TerminalError(_remedy(stratum, name))
    return stratum_parts


def notes(stratum: str, stratum_parts: Sequence[StratumPart]) -> list[str]:
    """Return a sentence with the parts of each snapshot."""
    return [
        f"{stratum} of {name}: {', '.join(_words(stratum, part) for part in stratum_parts if part.snapshot_id == name)}"
        for name in dict.fromkeys(part.snapshot_id for part in stratum_parts)
    ]


def pages(database: Database, stratum: str, snapshot_id: str) -> dict[str, NDArray[np.int64]]:
    """Return the page ids of each part of a snapshot. Raises TerminalError as `parts` does."""
    parts(database, stratum, [snapshot_id])
    return {value: np.array(ids, np.int64) for value, ids in database.rows("stratum_pages", snapshot_id, stratum)}


def cut(
    database: Database, stratum: Stratum | None, run_ids: Sequence[str], after: Mapping[str, date] | None = None
) -> CutRuns:
    """Summarize runs by the parts of a stratum. Without a stratum, all articles form one part with the value `""`.

    For a run in `after`, only the articles that were created after that day count. Runs on no snapshot have no parts.
    """
    days = [(after or {}).get(run_id) for run_id in run_ids]
    with database.read() as connection:
        connection.execute(query("take_pages"), [list(run_ids), stratum or "", days])
        pages_by_run: dict[str, dict[str, NDArray[np.int64]]] = defaultdict(dict)
        for run_id, part, page_ids in database.rows("taken_page_ids"):
            pages_by_run[run_id][part] = np.array(page_ids, np.int64)
        return replace(_summary_of_pages(database), pages=pages_by_run)


def cut_after(database: Database, run_ids: Sequence[str], days: Sequence[date]) -> CutRuns:
    """Summarize runs on the articles that were created after each of these days (UTC), with one part for each day.

    The parts overlap. Their values are the days in ISO 8601.
    """
    with database.read() as connection:
        connection.execute(query("take_pages_created_after"), [list(run_ids), list(days)])
        return _summary_of_pages(database)


def _summary_of_pages(database: Database) -> CutRuns:
    """Summarize the pages in the temporary table of this connection."""
    with database.read() as connection:
        for take in (query("take_page_means_of_pages"), query("take_page_gaps_of_pages")):
            connection.execute(take)
        run_parts = database.records(PartOfRun, "stratum_rows")
        keys, texts = [f"{part.run_id}\t{part.value}" for part in run_parts], [part.completions for part in run_parts]
        return CutRuns(run_parts, database.records(dict[str, Any], "stratum_board", keys, texts))


def _words(stratum: str, part: StratumPart) -> str:
    articles = f"{part.articles:,} article{'s' * (part.articles != 1)}"
    length = f" of {part.least:,} to {part.most:,} words" if stratum == "length" else ""
    return f"{part.value} ({articles}{length})"


def _remedy(stratum: str, name: str) -> str:
    if stratum == "topic":
        return f"nobody has looked up what the articles of {name} are about; `newwiki snapshots topics {name}` does"
    if stratum == "holes":
        return (
            f"the holes of {name} were not counted, as it was published by an older version; refresh its window and "
            "cutoff again for a snapshot that has them"
        )
    what = "maintenance templates" if stratum == "tags" else "infoboxes and citations"
    return (
        f"the {what} of {name} are not stored here, as it was published by an older version; for a "
        f"database that has them: `newwiki snapshots export {name} --format manifest --out FOLDER`, and `newwiki "
        "snapshots rebuild FOLDER/manifest.json --db NEW.duckdb`"
    )
