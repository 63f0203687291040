"""The result tables of `newwiki experiment cutoff`."""

from dataclasses import dataclass
from datetime import date

from flows.verdict_kinds import gives_verdicts
from storage.result_tables import column, result_table


@gives_verdicts(
    "cutoff_findings",
    "months",
    given="models, decoders and wiki",
    family="the models and metrics of the headline",
)
@result_table("cutoff_findings", key=("model", "decoder", "metric"))
@dataclass(frozen=True, kw_only=True)
class CutoffFinding:
    """One row per model, decoder and metric of `newwiki experiment cutoff`: the last month that the model has seen, by
    this metric."""

    model: str = column("The model. The control has rows of its own.")
    decoder: str = column("The decoder in canonical form; likelihood if the model read the articles.")
    metric: str = column("The metric.")
    evaluator_id: str = column("The evaluator that computed the scores of all runs of the model.")
    control: str | None = column("The control whose scores are subtracted; NULL if there was none.")
    months: int = column("The number of months (years for old snapshots) on which the finding is based.")
    left_out: int = column(
        "The number of months (years for old snapshots) that were left out because they have too few articles."
    )
    articles: int = column("The number of articles on which the finding is based.")
    month: date | None = column(
        "The first day of the last month that the model has seen; NULL if the month cannot be determined."
    )
    low: date | None = column(
        "The first month of the 95 % interval; NULL if a month was found and the change may have begun before the"
        " first month. If no month was found, the earliest month that is possible."
    )
    high: date | None = column("The last month of the 95 % interval; NULL if no month was found.")
    change: float | None = column(
        "The change of the metric from articles that the model has seen to articles that it has not seen."
    )
    width: int | None = column("The number of months over which the metric changes; 1 for an immediate change.")
    p: float | None = column("The p-value of the test for no change; NULL if there was no test.")
    p_holm: float | None = column(
        "The p-value after Holm's correction: for bits_per_byte over the models, for the other metrics over "
        "models and metrics. The control is a family of its own."
    )
    verdict: str = column("found, or the reason why the month cannot be determined.")
    stated: date | None = column("The month of the model's stated knowledge cutoff; NULL if none is known.")
    agrees: bool | None = column(
        "Whether the stated knowledge cutoff is in the interval; NULL if that cannot be determined."
    )


@result_table("cutoff_months", key=("model", "decoder", "metric", "month"))
@dataclass(frozen=True, kw_only=True)
class CutoffMonth:
    """One row per model, decoder, metric and month of `newwiki experiment cutoff`: the mean score on the articles that
    were created in the month."""

    model: str = column("The model.")
    decoder: str = column("The decoder in canonical form; likelihood if the model read the articles.")
    metric: str = column("The metric.")
    first_month: date = column(
        "The first month in which the articles were created; for old snapshots, the first month of the year."
    )
    month: date = column("The last month in which the articles were created.")
    articles: int = column(
        "The number of articles that have a score by the model and, if there is a control, by the control."
    )
    mean: float = column("The mean score over articles.")
    low: float | None = column("The lower end of the 95 % interval of the mean; NULL if there are too few articles.")
    high: float | None = column("The upper end of the 95 % interval of the mean; NULL if there are too few articles.")
    control_mean: float | None = column(
        "The mean score of the control on the same articles; NULL if there is no control."
    )
    control_low: float | None = column("The lower end of the 95 % interval of control_mean.")
    control_high: float | None = column("The upper end of the 95 % interval of control_mean.")
