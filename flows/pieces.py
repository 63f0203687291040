"""The metrics and decoders as rows, for commands, pages and documents."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from newwiki.records import Metric
from newwiki.registry import Evaluator, evaluators, reading_evaluators, set_evaluators
from newwiki.registry import decoders as registered_decoders

if TYPE_CHECKING:
    from storage.database import Database

Sights = Mapping[tuple[str, str, str], str]  # by metric, evaluator and version

COLUMNS = (
    "metric",
    "sees",
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
DECODER_COLUMNS = ("decoder", "parameter", "default", "range", "source")


def sights(database: "Database") -> Sights:
    """Return what the metrics see according to the newest answers of `newwiki experiment metrics`, with the snapshot;
    empty without a database."""
    if not database.is_there:
        return {}
    return {
        (metric, evaluator, version): f"{_seen(direction, sees)} ({snapshot_id}, {articles:,} articles)"
        for metric, evaluator, version, direction, sees, snapshot_id, articles in database.rows("newest_sights")
    }


def _seen(direction: str, sees: list[str]) -> str:
    return "style only" if direction == "none" else ", ".join(sees) or "nothing"


def rows(pair_scorer: str, seen: Sights) -> list[list[str]]:
    """Return all metrics, under `COLUMNS`. Claim metrics include the source and the pitfalls of this pair scorer. The
    column `sees` is empty for evaluators that `seen` lacks.

    Raises UsageError for an invalid scorer file.
    """
    from evaluators.claim_support import with_pair_scorer

    return [
        [
            metric.name,
            seen.get((metric.name, evaluator.name, evaluator.version), ""),
            metric.unit,
            span(metric.minimum, metric.maximum),
            metric.direction,
            evaluator.name,
            evaluator.version,
            "yes" if evaluator.core else "no",
            metric.scope,
            metric.definition,
            metric.source,
            metric.pitfalls,
        ]
        for declared, evaluator in metrics()
        for metric in [with_pair_scorer(pair_scorer, declared) if evaluator.verdicts else declared]
    ]


def decoders() -> list[list[object]]:
    """Return all decoders, a row for each parameter, under `DECODER_COLUMNS`."""
    return [
        [name, key, "–" if setting.default is None else setting.default, setting.range, kind.source]
        for name, kind in sorted(registered_decoders.all().items())
        for key, setting in sorted(kind.parameters.items())
    ]


def metrics(kind: str = "all") -> list[tuple[Metric, Evaluator]]:
    """Return the metrics of `core`, or `all`, with their evaluators, by name."""
    every = (*evaluators.all().values(), *set_evaluators.all().values(), *reading_evaluators.all().values())
    pairs = [(metric, evaluator) for evaluator in every for metric in evaluator.metrics]
    return sorted((pair for pair in pairs if kind == "all" or pair[1].core), key=lambda pair: pair[0].name)


def span(minimum: float | None, maximum: float | None) -> str:
    """Return a range such as `0 … 1`; a side without a bound stays empty."""
    return " ".join(["" if minimum is None else f"{minimum:g}", "…", "" if maximum is None else f"{maximum:g}"]).strip()
