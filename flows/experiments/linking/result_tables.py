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
    """One row per metric, evaluator, protocol and pair of months of `newwiki experiment linking`: the line that links
    the months. Means of the later month are intercept + slope times means of the earlier month."""

    metric: str = column("The metric.")
    evaluator_id: str = column("The evaluator that computed the scores of both months.")
    protocol: str = column("The protocol of all anchors, as in runs.protocol.")
    from_snapshot: str = column("The earlier month.")
    to_snapshot: str = column("The later month.")
    anchors: int = column(
        "The number of anchors: runs of the same model with the same decoder on both months, and the articles if "
        "they have the metric."
    )
    models: int = column("The number of models of the anchors; the articles count as one.")
    earlier_runs: Sequence[str] = column("The runs of the anchors on the earlier month.")
    later_runs: Sequence[str] = column("The runs of the same anchors on the later month.")
    from_articles: int = column("The number of articles of the earlier month for which all anchors have scores.")
    to_articles: int = column("The number of articles of the later month for which all anchors have scores.")
    intercept: float = column("The intercept of the line.")
    slope: float = column("The slope of the line; 1 if it was not estimated.")
    slope_error: float | None = column("The standard error of the slope; NULL if the slope was not estimated.")
    interaction: float = column(
        "The standard deviation of the effects that are specific to a model in one of the months, for both months"
        " together, on the scale of the later month."
    )
    difficulty: float = column("The increase of the anchors' mean from the earlier month to the later.")
    difficulty_error: float = column("The standard error of the difficulty.")
    difficulty_low: float = column("The lower end of the 95 % interval of the difficulty.")
    difficulty_high: float = column("The upper end of the 95 % interval of the difficulty.")


@result_table("linked_means", key=("run_id", "metric", "evaluator_id"))
@dataclass(frozen=True, kw_only=True)
class LinkedMean:
    """Internal. One row per run, metric and evaluator of `newwiki experiment linking`: the run's mean on the scale of
    the newest month. Query model_trends instead, which has the newest answer."""

    run_id: str = column("The run, or reference:SNAPSHOT for the articles.")
    model: str = column("The model; Wikipedia for the articles.")
    decoder: str = column("The decoder in canonical form; reference for the articles.")
    snapshot_id: str = column("The snapshot of the month.")
    to_snapshot: str = column("The newest month.")
    metric: str = column("The metric.")
    evaluator_id: str = column("The evaluator that computed the scores.")
    protocol: str | None = column("The protocol of the anchors; NULL if there is no link.")
    articles: int = column("The number of the month's articles in the mean.")
    mean: float = column("The mean score over the articles that the column articles counts, each counted once.")
    linked: float | None = column("The mean on the scale of the newest month; NULL if it cannot be estimated.")
    low: float | None = column("The lower end of the 95 % interval of `linked`; NULL if there is no interval.")
    high: float | None = column("The upper end of the 95 % interval of `linked`; NULL if there is no interval.")
    no_link: str | None = column("Why there is no linked mean or no interval; NULL if there is one.")
    via: Sequence[str] = column("The snapshots over which the run was linked, the run's own first.")
