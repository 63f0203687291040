"""Store and read the scores of the texts of known quality that an experiment makes of articles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from storage.database import Database, insert_new
from storage.queries import query

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LadderScore:
    """The score of one of a page's texts; `status` is `ok`, or says why `value` is None.

    `texts_sha256` is the hash of all texts of the page.
    """

    page_id: int
    texts_sha256: str
    text: str
    metric: str
    evaluator_id: str
    value: float | None
    status: str


def scored(database: Database, snapshot_id: str) -> set[tuple[str, str]]:
    """Return which evaluators have scored all texts of a page, as (hash of the texts, evaluator id)."""
    return set(database.rows("scored_ladders", snapshot_id))


def add(database: Database, snapshot_id: str, scores: Sequence[LadderScore]) -> None:
    """Store scores. Those that another process has stored meanwhile stay."""
    with database.write() as connection:
        insert_new(connection, "ladder_scores", scores, snapshot_id=snapshot_id)


def values(
    database: Database,
    snapshot_id: str,
    evaluators: Mapping[str, str],
    hashes: Sequence[str],
    texts: Sequence[str],
) -> dict[str, Array]:
    """Return the scores by metric (pages × texts), NaN where there is none.

    `evaluators` maps each metric to the id of its evaluator, `hashes` has the hash of the texts of each page, and
    `texts` their names.
    """
    with database.read() as connection:
        parameters = [snapshot_id, list(hashes), list(evaluators), list(evaluators.values()), list(texts)]
        columns = connection.execute(query("ladder_values"), parameters).fetchnumpy()
    found = {metric: np.full((len(hashes), len(texts)), np.nan) for metric in evaluators}
    for place, numbers in enumerate(found.values()):
        mine = columns["metric"] == place
        numbers[columns["page"][mine], columns["place"][mine]] = columns["value"][mine]
    return found
