"""Store and read the scores of anchor texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newwiki.anchors import ANCHORS, nearest_length
from storage.database import Database, insert_new
from storage.queries import query

Array = NDArray[np.float64]


@dataclass(frozen=True)
class AnchorScore:
    """The score of an anchor's text beside an article; `status` is `ok`, or says why `value` is None."""

    anchor: str
    page_id: int
    metric: str
    evaluator_id: str
    value: float | None
    status: str


@dataclass(frozen=True)
class AnchorMean:
    """The mean of an anchor's texts of a length by a metric, with its 95 % interval; None where there is no number."""

    snapshot_id: str
    anchor: str
    words: int
    metric: str
    evaluator_id: str
    mean: float | None
    low: float | None
    high: float | None
    texts: int


def median_words(database: Database, run_ids: Sequence[str]) -> dict[str, float]:
    """Return the median number of words of each run's kept texts. Runs without kept texts are left out."""
    return dict(database.rows("median_words", list(run_ids)))


def lengths(database: Database, run_ids: Sequence[str]) -> dict[str, int]:
    """Return the length of the anchors that belong to each run."""
    return {run_id: nearest_length(words) for run_id, words in median_words(database, run_ids).items()}


def topics(database: Database, snapshot_id: str) -> dict[int, str | None]:
    """Return the topic of each article of a snapshot, None if it is unknown."""
    return dict(database.rows("article_topics", snapshot_id))


def scored(database: Database, snapshot_id: str, words: int, version: str) -> set[tuple[int, str]]:
    """Return which pages each evaluator has scored all anchors of, as (page id, evaluator id)."""
    return set(database.rows("scored_anchors", snapshot_id, words, version, len(ANCHORS)))


def add(database: Database, snapshot_id: str, words: int, version: str, scores: Sequence[AnchorScore]) -> None:
    """Store scores. Those that another process has stored meanwhile stay."""
    with database.write() as connection:
        insert_new(connection, "anchor_scores", scores, snapshot_id=snapshot_id, words=words, version=version)


def means(database: Database, snapshot_ids: Sequence[str]) -> list[AnchorMean]:
    """Return the means of all anchors of these snapshots."""
    return database.records(AnchorMean, "anchor_means", list(snapshot_ids))


def values(
    database: Database, snapshot_id: str, words: int, evaluators: Mapping[str, str], pages: Sequence[int]
) -> dict[str, Array]:
    """Return the score of each anchor (metrics × pages), NaN where there is none. `evaluators` maps each metric to the
    id of its evaluator."""
    with database.read() as connection:
        parameters = [snapshot_id, words, list(evaluators), list(evaluators.values()), list(pages)]
        columns = connection.execute(query("anchor_values"), parameters).fetchnumpy()
    found = {anchor: np.full((len(evaluators), len(pages)), np.nan) for anchor in ANCHORS}
    for anchor, numbers in found.items():
        mine = columns["anchor"] == anchor
        numbers[columns["metric"][mine], columns["page"][mine]] = columns["value"][mine]
    return found
