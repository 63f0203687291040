"""Find comparable runs by name, the evaluators that scored them, and the mean score of each prompt."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newwiki.errors import UsageError
from storage import run_names, snapshots
from storage.database import Database
from storage.prompt_sets import is_prompt_set
from storage.queries import query
from storage.run_names import Contender, Note, no_note

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Scoring:
    """A record that an evaluator has finished scoring a run by a metric, with the time."""

    run_id: str
    metric: str
    evaluator_id: str
    finished_at: datetime


@dataclass(frozen=True)
class PageMeans:
    """The mean score of each prompt.

    `values` has the shape (runs, metrics, pages), with NaN where a score is missing. `pages` has the page ids.
    """

    values: Array
    pages: NDArray[np.int64]


def contenders(
    database: Database,
    names: Sequence[str],
    among: Collection[str] | None = None,
    *,
    snapshot: str | None = None,
    note: Note = no_note,
) -> list[Contender]:
    """Find runs by id, by the beginning of an id, or by the end of MODEL/DECODER (see `storage.run_names`).

    `among` restricts the search to these run ids, and `snapshot` to the runs on a snapshot. `note` gets a sentence if
    names that match several runs stand for those on the newest snapshot. Raises UsageError for a name that matches no
    run or several runs.
    """
    known = [run for run in _comparable(database) if among is None or run.run_id in among]
    return run_names.find(names, known, note, snapshot=snapshot_id(database, snapshot))


def contenders_or_all(
    database: Database, names: Sequence[str], *, snapshot: str | None = None, note: Note = no_note
) -> list[Contender]:
    """Find the runs with these names, or all runs that are not hidden, on all snapshots or on one, without `names`.

    Raises UsageError as `contenders` does, and if there are no runs.
    """
    if names:
        return contenders(database, names, snapshot=snapshot, note=note)
    on = snapshot_id(database, snapshot)
    runs = [run for run in every(database) if on in (None, run.snapshot_id)]
    if not runs:
        where = f" on {on}" if on else ""
        raise UsageError(f"there are no runs{where} yet: make one with `newwiki evaluate`")
    return runs


def stored_runs(
    database: Database,
    names: Sequence[str],
    *,
    snapshot: str | None = None,
    newest: bool = True,
    note: Note = no_note,
) -> list[Contender]:
    """Find stored runs, including hidden ones and those on prompt sets, as `contenders` does.

    Without `newest`, a name that matches runs on several snapshots is refused.
    """
    known = [replace(run, hidden=False) for run in run_catalogue(database)]
    return run_names.find(names, known, note, snapshot=snapshot_id(database, snapshot), newest=newest)


def every(database: Database) -> list[Contender]:
    """Return all comparable runs and articles that are not hidden, in the order in which they were started."""
    return [run for run in _comparable(database) if not run.hidden]


def run_catalogue(database: Database) -> list[Contender]:
    """Return all stored runs, hidden ones and those on prompt sets too, in the order in which they were started."""
    return [run for run in _all(database) if not run.run_id.startswith("reference:")]


def _comparable(database: Database) -> list[Contender]:
    return [run for run in _all(database) if not is_prompt_set(run.snapshot_id)]


def _all(database: Database) -> list[Contender]:
    return database.records(Contender, "named_runs")


def snapshot_id(database: Database, snapshot: str | None) -> str | None:
    """Return the id of a snapshot, which may be `latest`, or of a file of texts."""
    if snapshot is None or snapshot.startswith("file:"):
        return snapshot
    return snapshots.resolve(database, snapshot).snapshot_id


def text_scorings(database: Database, run_ids: Sequence[str]) -> list[Scoring]:
    """Return the finished scorings of these runs' texts."""
    return database.records(Scoring, "text_scorings", run_ids)


def scorings_with_reading(database: Database, run_ids: Sequence[str], *, shared: bool = False) -> list[Scoring]:
    """Return the finished scorings of these runs' texts, and of the articles as the runs' models have read them.

    The scorings of a likelihood run that all of several runs have are left out unless `shared`, because the runs cannot
    differ in them.
    """
    return database.records(Scoring, "scorings_with_reading", list(run_ids), shared)


def reading_runs(database: Database, run_ids: Sequence[str]) -> list[str]:
    """Return the ids of the likelihood runs whose scores count as scores of these runs."""
    return [run_id for (run_id,) in database.rows("reading_runs", list(run_ids))]


def page_means(
    database: Database, run_ids: Sequence[str], evaluators: Mapping[str, str], *, with_reading: bool = False
) -> PageMeans:
    """Return the mean score of each prompt in these runs. `evaluators` maps each metric to the id of its evaluator.

    With `with_reading`, also return the scores of the articles as the runs' models have read them.
    """
    relation = "page_means_with_reading" if with_reading else "page_means"
    with database.read() as connection:
        parameters = [list(run_ids), list(evaluators), list(evaluators.values()), relation]
        columns = connection.execute(query("page_means"), parameters).fetchnumpy()
    pages, places = np.unique(columns["page_id"], return_inverse=True)
    values = np.full((len(run_ids), len(evaluators), len(pages)), np.nan)
    values[columns["run"], columns["metric"], places] = columns["mean"]
    return PageMeans(values, pages)


def text_coverage(
    database: Database, run_ids: Sequence[str], evaluators: Mapping[str, str]
) -> dict[tuple[str, str], str]:
    """Return how many texts have a score, by run and metric.

    The value is `ok` if all texts have a score. Otherwise it states the number of scored texts and the reasons for the
    gaps.
    """
    rows = database.rows("text_coverage", list(run_ids), list(evaluators), list(evaluators.values()))
    return {(run_id, metric): status for run_id, metric, status in rows}


def common_articles(database: Database, snapshot_a: str, snapshot_b: str) -> list[int]:
    """Return the ids of pages that have the same title and text in both snapshots of one wiki."""
    return [page_id for (page_id,) in database.rows("common_articles", snapshot_a, snapshot_b)]


def shared_items(database: Database, snapshot_a: str, snapshot_b: str) -> list[tuple[int, int]]:
    """Return pairs of page ids for articles of two wikis that share a Wikidata item.

    Both articles were created on days that lie in the windows of both snapshots.
    """
    return [(page_a, page_b) for page_a, page_b in database.rows("shared_items", snapshot_a, snapshot_b)]


def items_known(database: Database, snapshot_id: str) -> bool:
    """Return whether the Wikidata items of the snapshot's articles have been looked up."""
    ((known,),) = database.rows("items_known", snapshot_id)
    return bool(known)


def created_after(database: Database, snapshot_id: str, day: date) -> list[int]:
    """Return the page ids of a snapshot's articles that were created after `day` (UTC)."""
    return [page_id for (page_id,) in database.rows("created_after", snapshot_id, day)]


def evaluator_differences(database: Database, evaluator_ids: Sequence[str]) -> set[str]:
    """Return the attributes in which any two of these evaluators differ.

    The attributes are model, program, weights, dtype, backend, dependencies and parameters.
    """
    return set(_differing(_named(database, evaluator_ids).values()))


def evaluator_models(database: Database, evaluator_ids: Sequence[str]) -> dict[str, str | None]:
    """Return the model of each evaluator by its id; None for an evaluator without a model."""
    return {name: row["model"] for name, row in _named(database, evaluator_ids).items()}


def evaluator_words(database: Database, evaluator_ids: Sequence[str]) -> dict[str, str]:
    """Return a distinct name for each evaluator by its id.

    The name is the evaluator's model if the models differ, or else all attributes that differ. If these names are not
    distinct, the ids are the names.
    """
    named = _named(database, evaluator_ids)
    differing = _differing(named.values())
    attributes = ["model"] if "model" in differing else differing
    words = {name: ", ".join(row[attribute] or "none" for attribute in attributes) for name, row in named.items()}
    return words if len(set(words.values())) == len(words) else {name: name for name in words}


def _named(database: Database, evaluator_ids: Sequence[str]) -> dict[str, dict[str, str | None]]:
    """Return the attributes of each evaluator by its id."""
    rows = database.records(dict[str, Any], "evaluators_named", list(evaluator_ids))
    return {row.pop("evaluator_id"): row for row in rows}


def _differing(named: Collection[Mapping[str, str | None]]) -> list[str]:
    return [name for name in next(iter(named), ()) if len({row[name] for row in named}) > 1]
