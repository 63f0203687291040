"""Read the numbers of runs: one number per run and metric, and the mean of each prompt for metrics of texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluators import statistics
from evaluators.bounded_intervals import interval_within
from evaluators.scoring import is_installed, select
from flows.experiments.contrast.request import CONTRAST_METRICS
from flows.experiments.contrast.result_tables import ContrastNumber
from newwiki.errors import TerminalError, UsageError
from newwiki.records import Metric
from newwiki.registry import makers
from newwiki.settings import Settings
from storage import comparison, runs
from storage.database import Database

# The metrics that the papers judge by, and the length of texts: first those of a text, then those of a whole run
TEXT_METRICS = ("diversity", "embedding_coherence", "likelihood_coherence", "words")
SET_METRICS = ("diversity_simctg", "mauve")
METRICS = tuple(CONTRAST_METRICS.split(","))
_NO_TEXT = "no text has a number"


@dataclass(frozen=True)
class SetNumber:
    """A number of a whole run over `texts` texts; it is NULL if `status` gives a reason."""

    run_id: str
    metric: str
    value: float | None
    spread: float | None
    status: str
    texts: int


@dataclass(frozen=True)
class ReadRun:
    """A run, or the articles, with a number for each metric and the prompt means of the metrics of texts."""

    run_id: str
    model: str
    decoder: str
    numbers: Mapping[str, ContrastNumber]
    prompt_means: Mapping[str, Mapping[int, float]]


def chosen_metrics(requested: str, settings: Settings) -> tuple[list[str], list[str]]:
    """Return the metrics to measure, and the default metrics that are skipped because their dependencies are missing.

    Raises UsageError for a metric that the experiment does not measure.
    """
    chosen = {metric.name: evaluator for evaluator in select(requested) for metric in evaluator.metrics}
    if strange := [name for name in chosen if name not in METRICS]:
        raise UsageError(f"this experiment does not measure '{strange[0]}'; it measures: {CONTRAST_METRICS}")
    named = [name for name in METRICS if name in chosen]
    if requested != CONTRAST_METRICS:
        return named, []
    here = [
        name
        for name in named
        if is_installed(chosen[name]) and all(makers.get(part).at_hand(settings) for part in chosen[name].needs)
    ]
    return here, [name for name in named if name not in here]


def evaluators_of(
    database: Database, run_ids: Sequence[str], metrics: Sequence[str], scored_by: set[str]
) -> dict[str, str]:
    """Map each metric of texts to the evaluator in `scored_by` that has scored these runs.

    Raises TerminalError if several evaluators have.
    """
    ids_by_metric: dict[str, set[str]] = {}
    for scoring in comparison.text_scorings(database, run_ids):
        if scoring.metric in metrics and scoring.evaluator_id in scored_by:
            ids_by_metric.setdefault(scoring.metric, set()).add(scoring.evaluator_id)
    if several := [metric for metric, ids in ids_by_metric.items() if len(ids) > 1]:
        raise TerminalError(f"several evaluators have scored these runs by {several[0]}; ask again")
    return {metric: next(iter(ids_by_metric[metric])) for metric in metrics if metric in ids_by_metric}


def read_run(
    database: Database,
    run_id: str,
    who: tuple[str, str],
    keys: Sequence[tuple[int, int]],
    text_evaluators: Mapping[str, str],
    scored_by: set[str],
) -> ReadRun:
    """Read the numbers of a run, or of the articles.

    `keys` are the page ids and samples of its texts. `text_evaluators` names the evaluator of each metric of texts.
    Metrics of whole runs are read from any evaluator in `scored_by`.
    """
    pages = {page_id for page_id, _ in keys}
    numbers: dict[str, ContrastNumber] = {}
    prompt_means: dict[str, dict[int, float]] = {}
    for metric, evaluator_id in text_evaluators.items():
        rows = [row for row in database.rows("prompt_totals", run_id, metric, evaluator_id) if row[0] in pages]
        scored = [(page_id, total, count) for page_id, total, count, _ in rows if count]
        prompt_means[metric] = {page_id: total / count for page_id, total, count in scored}
        numbers[metric] = _text_number((run_id, *who), metric, evaluator_id, scored, len(keys))
    for evaluator_id, *fields in database.rows("set_numbers", run_id, list(SET_METRICS), sorted(scored_by)):
        set_number = SetNumber(run_id, *fields)
        if set_number.texts == len(keys):
            numbers[set_number.metric] = _run_number((run_id, *who), set_number, evaluator_id, len(pages))
    return ReadRun(run_id, *who, numbers, prompt_means)


def texts_of(database: Database, run_id: str) -> list[tuple[int, int]]:
    return runs.kept_completions(database, run_id)


def _text_number(
    who: tuple[str, str, str], metric: str, evaluator_id: str, rows: Sequence[tuple[int, float, int]], texts: int
) -> ContrastNumber:
    totals, counts = (np.array([row[place] for row in rows], float)[:, None] for place in (1, 2))
    bounds = _bounds(metric)
    interval = statistics.NOTHING
    if rows:
        interval = interval_within(statistics.estimate(totals, counts), bounds.minimum, bounds.maximum)
    scored = sum(count for _, _, count in rows)
    return ContrastNumber(
        run_id=who[0],
        model=who[1],
        decoder=who[2],
        metric=metric,
        evaluator_id=evaluator_id,
        prompts=len(rows),
        texts=scored,
        lacking=texts - scored,
        mean=interval.mean,
        low=interval.low,
        high=interval.high,
        no_interval=interval.lacking,
        spread=None,
        no_number=None if rows else _NO_TEXT,
    )


def _run_number(who: tuple[str, str, str], set_number: SetNumber, evaluator_id: str, prompts: int) -> ContrastNumber:
    return ContrastNumber(
        run_id=who[0],
        model=who[1],
        decoder=who[2],
        metric=set_number.metric,
        evaluator_id=evaluator_id,
        prompts=prompts,
        texts=set_number.texts if set_number.value is not None else 0,
        lacking=0 if set_number.value is not None else set_number.texts,
        mean=set_number.value,
        low=None,
        high=None,
        no_interval="of all texts together",
        spread=set_number.spread,
        no_number=None if set_number.value is not None else set_number.status,
    )


def _bounds(name: str) -> Metric:
    return next(metric for evaluator in select(name) for metric in evaluator.metrics if metric.name == name)
