"""Choose the evaluator of a column: an evaluator that has scored every run, if there is one."""

from collections.abc import Collection, Iterable, Mapping
from itertools import groupby

from evaluators.scoring import needs_of, select
from newwiki.errors import UsageError
from newwiki.registry import makers, reading_metrics
from storage import comparison
from storage.comparison import Scoring, evaluator_words
from storage.database import Database

_NAMED = 3  # maximum number of runs per evaluator in a message


def by_metric(scorings: Iterable[Scoring]) -> dict[str, list[Scoring]]:
    """Return the scorings of each metric, the newest first."""
    newest = sorted(scorings, key=lambda scoring: (scoring.finished_at, scoring.evaluator_id), reverse=True)
    return {
        name: list(group)
        for name, group in groupby(sorted(newest, key=lambda scoring: scoring.metric), lambda s: s.metric)
    }


def agreed(scorings: Collection[Scoring]) -> str | None:
    """Return the newest evaluator that has scored every run with this metric, or None."""
    runs = {scoring.run_id for scoring in scorings}
    for name in dict.fromkeys(scoring.evaluator_id for scoring in scorings):
        if {scoring.run_id for scoring in scorings if scoring.evaluator_id == name} == runs:
            return name
    return None


def of_all(scorings: Iterable[Scoring], run_ids: Collection[str]) -> tuple[dict[str, str], list[str]]:
    """Return the newest evaluator of all these runs by metric, and the metrics without a common evaluator."""
    evaluators = {
        metric: agreed(metric_scorings) if {scoring.run_id for scoring in metric_scorings} == set(run_ids) else None
        for metric, metric_scorings in by_metric(scorings).items()
    }
    return {metric: evaluator for metric, evaluator in evaluators.items() if evaluator}, [
        metric for metric, evaluator in evaluators.items() if not evaluator
    ]


def left_out_words(metrics: Collection[str]) -> list[str]:
    """Return a sentence on metrics without a common evaluator, or nothing without any."""
    if not metrics:
        return []
    return [
        f"left out, as no evaluator has scored all of these runs by it: {', '.join(metrics)}; `newwiki score --missing "
        f"--metrics {','.join(metrics)}` has one do so"
    ]


def apart(
    database: Database, scorings: Mapping[str, Collection[Scoring]], shown: Mapping[str, str] | None = None
) -> str:
    """Return who scored which runs by these metrics: `a, b: rules-v1 (evaluator 51c2) scored run x, … scored run y`.

    `shown` maps metrics to evaluators that the text does not name.
    """
    sentences: dict[str, list[str]] = {}
    for metric, metric_scorings in scorings.items():
        names = list(dict.fromkeys(scoring.evaluator_id for scoring in metric_scorings))
        words = evaluator_words(database, names)
        clauses = [
            f"{words[name]} (evaluator {name}) scored {_runs(metric_scorings, name)}"
            for name in names
            if name != (shown or {}).get(metric)
        ]
        sentences.setdefault(", ".join(clauses), []).append(metric)
    return "; ".join(f"{', '.join(metrics)}: {sentence}" for sentence, metrics in sentences.items())


def remedy(database: Database, scorings: Mapping[str, Collection[Scoring]]) -> str:
    """Return the command that scores all runs with one evaluator, with the options in which the evaluators differ."""
    options: dict[str, None] = {}
    for metric, metric_scorings in scorings.items():
        differing = comparison.evaluator_differences(
            database, list({scoring.evaluator_id for scoring in metric_scorings})
        )
        options |= dict.fromkeys(_options(metric, differing))
    read = reading_metrics()
    commands = {
        " ".join(["newwiki score --missing --metrics", "{}", *options]): [
            metric for metric in scorings if metric not in read
        ],
        "newwiki evaluate MODEL --likelihood-only --metrics {}": [metric for metric in scorings if metric in read],
    }
    return " and ".join(f"`{command.format(','.join(names))}`" for command, names in commands.items() if names)


def _options(metric: str, differing: Collection[str]) -> list[str]:
    try:
        chosen = select(metric)
    except UsageError:  # the metric belongs to a plug-in that is not installed
        return []
    options = [makers.get(part).options for part in sorted(needs_of(chosen))]
    return [f"{option} …" for part_options in options for what, option in part_options.items() if what in differing]


def _runs(scorings: Collection[Scoring], evaluator_id: str) -> str:
    runs = list(dict.fromkeys(scoring.run_id for scoring in scorings if scoring.evaluator_id == evaluator_id))
    more = f" and {len(runs) - _NAMED} more" if len(runs) > _NAMED else ""
    return f"run{'s' * (len(runs) > 1)} {', '.join(runs[:_NAMED])}{more}"
