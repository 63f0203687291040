"""`newwiki metrics`: what a text, or a run, can be measured by."""

import click

from flows import tables
from flows.options import common, form_option, scorer_option
from newwiki.settings import Settings

_COLUMNS = ("metric", "unit", "range", "better", "evaluator", "version", "core", "scope", "definition", "source")


@click.command()
@scorer_option
@common
@form_option
def metrics(settings: Settings, quiet: bool, form: str) -> None:
    """The metrics of a text or a run: units, ranges, better directions, evaluators, definitions and sources."""
    from newwiki.registry import evaluators, set_evaluators

    rows = [
        [
            metric.name,
            metric.unit,
            _range(metric.minimum, metric.maximum),
            metric.direction,
            evaluator.name,
            evaluator.version,
            "yes" if evaluator.core else "no",
            metric.scope,
            metric.definition,
            metric.source,
        ]
        for evaluator in (*evaluators.all().values(), *set_evaluators.all().values())
        for metric in evaluator.metrics
    ]
    tables.show(_COLUMNS, sorted(rows), form)


def _range(minimum: float | None, maximum: float | None) -> str:
    """`0 … 1`; the side that has no bound is left empty."""
    return " ".join(["" if minimum is None else f"{minimum:g}", "…", "" if maximum is None else f"{maximum:g}"]).strip()
