"""Sum up the scores of the texts of runs by article; every statement is computed from these sums."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from newwiki.decoding.grammar import Value
from storage.database import Database
from storage.queries import query

Array = NDArray[np.float64]
Pages = NDArray[np.int64]


@dataclass(frozen=True)
class ReadRun:
    """A run, or the articles themselves, which have no decoder.

    `parameters` are the decoder's. `size` is the model's number of parameters, or None if it is unknown.
    """

    run_id: str
    model: str
    model_sha256: str
    decoder: str
    parameters: Mapping[str, Value] = field(default_factory=dict)
    size: float | None = None

    @property
    def is_articles(self) -> bool:
        return self.run_id.startswith("reference:")

    @property
    def identity(self) -> str:
        """The weights' hash, or the model's name if the hash is unknown."""
        return self.model if self.model_sha256 == "unknown" else self.model_sha256


@dataclass(frozen=True)
class Numbers:
    """Sums of scores over texts, by run, metric and article.

    `counts` is the number of texts with a score, `sums` the sum of the scores, and `squares` the sum of their squares.
    `products` are by metric, metric and article over the texts of all runs with scores of both. They have six entries:
    the number of texts, the sums of the first and second score, of their squares, and of their product.
    """

    runs: Sequence[ReadRun]
    metrics: Sequence[str]
    pages: Pages
    counts: Array
    sums: Array
    squares: Array
    products: Array

    @property
    def written(self) -> list[int]:
        """The places of the runs, without the articles."""
        return [place for place, run in enumerate(self.runs) if not run.is_articles]

    def place(self, metric: str) -> int | None:
        """Return the place of a metric, or None if the runs do not have it."""
        return self.metrics.index(metric) if metric in self.metrics else None


def read_numbers(database: Database, runs: Sequence[ReadRun], evaluators: Mapping[str, tuple[str, str]]) -> Numbers:
    """Read the numbers of these runs.

    `evaluators` maps the paper's name of each metric to its name in this project and its evaluator.
    """
    named_evaluators = list(evaluators.values())
    return sum_up(runs, list(evaluators), [_run_scores(database, run.run_id, named_evaluators) for run in runs])


def sum_up(runs: Sequence[ReadRun], metrics: Sequence[str], run_texts: Sequence[tuple[Pages, Array]]) -> Numbers:
    """Sum up the texts of each run, given as their pages and their scores, metrics × texts; NaN for missing scores."""
    pages = np.unique(np.concatenate([run_pages for run_pages, _ in run_texts] or [np.empty(0, np.int64)]))
    shape = (len(runs), len(metrics), len(pages))
    counts, sums, squares = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    products = np.zeros((len(metrics), len(metrics), 6, len(pages)))
    for run, (text_pages, values) in enumerate(run_texts):
        places = np.searchsorted(pages, text_pages)
        present = np.isfinite(values)
        filled = np.where(present, values, 0.0)
        for metric in range(len(metrics)):
            for totals, weights in ((counts, present), (sums, filled), (squares, filled**2)):
                totals[run, metric] = _summed(places, weights[metric], len(pages))
        if runs[run].is_articles:
            continue
        for first in range(len(metrics)):
            for second in range(first):
                both = (present[first] & present[second]).astype(float)
                x, y = filled[first] * both, filled[second] * both
                for place, weights in enumerate((both, x, y, x * x, y * y, x * y)):
                    products[first, second, place] += _summed(places, weights, len(pages))
    return Numbers(runs, metrics, pages, counts, sums, squares, products)


def _summed(places: Pages, weights: NDArray[np.generic], pages: int) -> Array:
    return np.bincount(places, weights, minlength=pages).astype(float)


def _run_scores(database: Database, run_id: str, named_evaluators: Sequence[tuple[str, str]]) -> tuple[Pages, Array]:
    """Return each text's page, and the scores as metrics × texts; NaN for missing scores."""
    with database.read() as connection:
        metrics, evaluators = [name for name, _ in named_evaluators], [made_by for _, made_by in named_evaluators]
        columns = connection.execute(query("text_values"), [run_id, metrics, evaluators]).fetchnumpy()
    texts, places = np.unique(np.stack([columns["page_id"], columns["sample"]]), axis=1, return_inverse=True)
    values = np.full((len(named_evaluators), texts.shape[1]), np.nan)
    values[columns["metric"], places.reshape(-1)] = columns["value"]
    return texts[0].astype(np.int64), values
