"""`newwiki metrics`: what a text, or a run, can be measured by."""

import click

from flows import tables
from flows.options import common, form_option, scorer_option
from newwiki.settings import Settings

_COLUMNS = (
    "metric",
    "unit",
    "range",
    "better",
    "evaluator",
    "version",
    "core",
    "scope",
    "definition",
    "source",
    "pitfalls",
)


@click.command()
@scorer_option
@common
@form_option
def metrics(settings: Settings, quiet: bool, form: str) -> None:
    """The metrics of a text or a run: units, ranges, better directions, evaluators, definitions, sources, pitfalls."""
    from flows import catalogue

    rows = [
        [
            metric.name,
            metric.unit,
            catalogue.span(metric.minimum, metric.maximum),
            metric.direction,
            evaluator.name,
            evaluator.version,
            "yes" if evaluator.core else "no",
            metric.scope,
            metric.definition,
            metric.source,
            metric.pitfalls,
        ]
        for metric, evaluator in catalogue.metrics()
    ]
    tables.show(_COLUMNS, rows, form)
