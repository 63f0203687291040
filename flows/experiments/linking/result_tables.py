"""The result tables of `newwiki experiment linking`."""

from collections.abc import Sequence
from dataclasses import dataclass

from flows.verdict_kinds import gives_verdicts
from storage.result_tables import column, result_table


@gives_verdicts(
    "linked_months",
    "models",
    "articles",
    over="models like the anchors, and articles",
    given="months, decoders and seeds",
    family="the metrics and pairs of months of the answer",
)
@result_table("linked_months", key=("metric", "evaluator_id", "protocol", "from_snapshot", "to_snapshot"))
@dataclass(frozen=True, kw_only=True)
class LinkedMonths:
    """What `newwiki experiment linking` found between two months by each metric: a later month's means are
    intercept + slope times an earlier month's."""

    metric: str = column("The metric.")
    evaluator_id: str = column("Who made the numbers of both months.")
    protocol: str = column("How all anchors were asked, as runs.protocol has it.")
    from_snapshot: str = column("The earlier month.")
    to_snapshot: str = column("The later month.")
    anchors: int = column(
        "How many runs there are on both: the same model under the same decoder, and the articles themselves "
        "where they have the metric."
    )
    models: int = column("How many models these are of, the articles being one.")
    earlier_runs: Sequence[str] = column("The anchors' runs on the earlier month.")
    later_runs: Sequence[str] = column("The same anchors' runs on the later month.")
    from_articles: int = column("On how many articles of the earlier month all anchors have a number.")
    to_articles: int = column("On how many of the later month.")
    intercept: float = column("The line's intercept.")
    slope: float = column("Its slope; 1 where it was not estimated.")
    slope_error: float | None = column("The slope's standard error; NULL where it was not estimated.")
    interaction: float = column(
        "The standard deviation of what a model has of its own in one of the months, both taken together, on the "
        "later month's scale."
    )
    difficulty: float = column("What the anchors' mean gains from the earlier month to the later.")
    difficulty_error: float = column("Its standard error.")
    difficulty_low: float = column("The lower end of its 95 % interval.")
    difficulty_high: float = column("The upper end.")


@result_table("linked_means", key=("run_id", "metric", "evaluator_id"))
@dataclass(frozen=True, kw_only=True)
class LinkedMean:
    """Internal. What each run's mean is on the scale of the newest month, as `newwiki experiment linking` found it.
    Ask model_trends, which has the newest answer."""

    run_id: str = column("The run, or reference:SNAPSHOT.")
    model: str = column("The model; Wikipedia for the articles.")
    decoder: str = column("The decoder in canonical form.")
    snapshot_id: str = column("The month's snapshot.")
    to_snapshot: str = column("The newest month.")
    metric: str = column("The metric.")
    evaluator_id: str = column("Who made the numbers.")
    protocol: str | None = column("The protocol of the anchors; NULL where there is no link.")
    articles: int = column("How many of the month's articles the numbers are of.")
    mean: float = column("The mean over these, each counted once.")
    linked: float | None = column("The same on the scale of the newest month; NULL where that cannot be said.")
    low: float | None = column("The lower end of its 95 % interval; NULL where there is none.")
    high: float | None = column("The upper end.")
    no_link: str | None = column("Why there is no linked number or no interval.")
    via: Sequence[str] = column("The snapshots over which it was linked, the run's first.")
