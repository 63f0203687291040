"""Compute the rows stored with the verdicts: each run's mean and spread, and the correlations of the metrics."""

from collections.abc import Iterator, Mapping

import numpy as np

from evaluators.statistics import number_or_none
from flows.statements.estimands import Moments, correlation, moments
from flows.statements.jackknife import Jackknifed
from flows.statements.numbers import Numbers
from flows.statements.result_tables import MetricCorrelation, SettingNumbers
from flows.statements.settings import PENALTY, CannotTell, value_of


def setting_numbers(numbers: Numbers, evaluators: Mapping[str, tuple[str, str]]) -> Iterator[SettingNumbers]:
    """Yield a row for each run and metric."""
    for place, run in enumerate(numbers.runs):
        for row, metric in enumerate(numbers.metrics):
            counts = numbers.counts[place, row]
            metric_moments = _moments(numbers, metric, place)
            yield SettingNumbers(
                run_id=run.run_id,
                model=run.model,
                decoder=run.decoder,
                parameters_of_model=run.size,
                top_p=_number(run.parameters.get("top_p")),
                top_k=_number(run.parameters.get("top_k")),
                temperature=_number(run.parameters.get("temperature")),
                penalty=value_of(run, PENALTY),
                metric=metric,
                here=evaluators[metric][0],
                evaluator_id=evaluators[metric][1],
                articles=int((counts > 0).sum()),
                texts=int(counts.sum()),
                mean=number_or_none(metric_moments.means[0, 0]) if metric_moments else None,
                sd=number_or_none(np.sqrt(metric_moments.variances[0, 0])) if metric_moments else None,
                sd_of_prompt=number_or_none(np.sqrt(metric_moments.within[0, 0])) if metric_moments else None,
            )


def correlations(numbers: Numbers) -> Iterator[MetricCorrelation]:
    """Yield a row for each two metrics."""
    for high, metric in enumerate(numbers.metrics):
        for low, other in enumerate(numbers.metrics[:high]):
            texts = numbers.products[high, low, 0]
            try:
                shown = Jackknifed.of(correlation(numbers, metric, other)[None]).estimate
                ends = [number_or_none(np.tanh(value[0])) for value in (shown.mean, shown.low, shown.high)]
            except CannotTell:
                ends = [None, None, None]
            yield MetricCorrelation(
                metric=metric,
                other=other,
                articles=int((texts > 0).sum()),
                texts=int(texts.sum()),
                r=ends[0],
                low=ends[1],
                high=ends[2],
            )


def _moments(numbers: Numbers, metric: str, place: int) -> Moments | None:
    try:
        return moments(numbers, metric, [place])
    except CannotTell:
        return None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
