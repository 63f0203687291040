"""Find comparable runs by name, the evaluators that scored them, and the mean score of each prompt."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newwiki.decoding.grammar import short_form
from newwiki.errors import UsageError, did_you_mean
from newwiki.protocol import Settings
from storage.database import Database
from storage.queries import query

Array = NDArray[np.float64]

_LISTED = 12  # maximum number of runs in a message


@dataclass(frozen=True)
class Contender:
    """A run, or the articles of a snapshot (id `reference:SNAPSHOT`), which no model wrote."""

    run_id: str
    model: str
    decoder: str
    snapshot_id: str
    seed: int | None
    settings_json: str | None = None
    knowledge_cutoff: date | None = None

    @property
    def settings(self) -> Settings | None:
        """Return the settings of the run, by the names in `newwiki.protocol`; None for articles."""
        settings: Settings | None = json.loads(self.settings_json) if self.settings_json else None
        return settings

    @property
    def short(self) -> str:
        """Return the decoder without its default parameters."""
        return short_form(self.decoder)

    @property
    def words(self) -> str:
        return f"{self.model}/{self.short}"

    def answers_to(self, name: str) -> bool:
        """Return whether the run's id starts with `name`, or `MODEL/DECODER` ends with `name`."""
        endings = (f"/{self.words}", f"/{self.model}/{self.decoder}")
        return self.run_id.startswith(name) or any(whole.endswith(f"/{name}") for whole in endings)


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


def contenders(database: Database, names: Iterable[str], among: Collection[str] | None = None) -> list[Contender]:
    """Find runs by id, by the beginning of an id, or by the end of MODEL/DECODER.

    `among` restricts the search to these run ids. Raises UsageError for a name that matches no run or several runs.
    """
    known = [run for run in every(database) if among is None or run.run_id in among]
    return [_matching_run(name, known) for name in names]


def contenders_or_all(database: Database, names: Sequence[str]) -> list[Contender]:
    """Find the runs with these names, or all runs if `names` is empty.

    Raises UsageError as `contenders` does, and if there are no runs at all.
    """
    if names:
        return contenders(database, names)
    runs = every(database)
    if not runs:
        raise UsageError("there are no runs yet: make one with `newwiki evaluate`")
    return runs


def every(database: Database) -> list[Contender]:
    """Return all comparable runs and articles, in the order in which they were started."""
    return database.records(Contender, "comparable_runs")


def text_scorings(database: Database, run_ids: Sequence[str]) -> list[Scoring]:
    """Return the finished scorings of these runs' texts."""
    return database.records(Scoring, "text_scorings", run_ids)


def page_means(database: Database, run_ids: Sequence[str], evaluators: Mapping[str, str]) -> PageMeans:
    """Return the mean score of each prompt in these runs. `evaluators` maps each metric to the id of its evaluator."""
    with database.read() as connection:
        parameters = [list(run_ids), list(evaluators), list(evaluators.values())]
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


def _matching_run(name: str, known: Sequence[Contender]) -> Contender:
    exact = [run for run in known if run.run_id == name]
    matches = exact or [run for run in known if run.answers_to(name)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UsageError(f"'{name}' may be any of these: {_listed(matches)}; write more of the run's id")
    if not known:
        raise UsageError(f"there is no run '{name}'; there are none yet: make one with `newwiki evaluate`")
    nearest = did_you_mean(name, [text for run in known for text in (run.run_id, run.words, run.short)])
    raise UsageError(f"there is no run '{name}'{nearest or ';'} there are: {_listed(known)}")


def _listed(runs: Sequence[Contender]) -> str:
    more = f" and {len(runs) - _LISTED} more" if len(runs) > _LISTED else ""
    seeds = ["" if run.seed is None else f", seed {run.seed}" for run in runs]
    return (
        ", ".join(f"{run.run_id} ({run.words}{seed})" for run, seed in zip(runs[:_LISTED], seeds, strict=False)) + more
    )
