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
    """What `newwiki experiment cutoff` found by each metric: the last month that a model has seen."""

    model: str = column("The model; the control has rows of its own.")
    decoder: str = column("The decoder in canonical form; likelihood where the model read the articles.")
    metric: str = column("The metric.")
    evaluator_id: str = column("Who made the numbers, of all its runs.")
    control: str | None = column("The control whose numbers are taken off; NULL where there was none.")
    months: int = column("How many months (years of old snapshots) it rests on.")
    left_out: int = column("How many had too few articles.")
    articles: int = column("How many articles it rests on.")
    month: date | None = column("The first day of the last month that was seen; NULL where that cannot be told.")
    low: date | None = column(
        "The first month of its 95 % interval; NULL where a month is found and the change may have begun before "
        "the first month. Without a month, the earliest that it may be."
    )
    high: date | None = column("The last month of the 95 % interval; NULL where no month is found.")
    change: float | None = column("By how much the metric moves from what was seen to what was not.")
    width: int | None = column("Over how many months it does; 1 is at once.")
    p: float | None = column("p of no change; NULL where it could not be tested.")
    p_holm: float | None = column(
        "The same after Holm's correction for the models by bits_per_byte, and for models and metrics by the "
        "others; the control is a family of its own."
    )
    verdict: str = column("found, or why the month cannot be told.")
    stated: date | None = column("The month of the model's stated knowledge cutoff; NULL where none is known.")
    agrees: bool | None = column("Whether that lies in the interval; NULL where it cannot be told.")


@result_table("cutoff_months", key=("model", "decoder", "metric", "month"))
@dataclass(frozen=True, kw_only=True)
class CutoffMonth:
    """The curves of `newwiki experiment cutoff`: what models did by the month in which articles were begun."""

    model: str = column("The model.")
    decoder: str = column("The decoder in canonical form; likelihood where the model read the articles.")
    metric: str = column("The metric.")
    first_month: date = column("The first month of the articles: that of a year for old snapshots.")
    month: date = column("The last month of them.")
    articles: int = column("How many articles have a number, and the control's where there is one.")
    mean: float = column("The mean over articles.")
    low: float | None = column("The lower end of its 95 % interval; NULL for too few.")
    high: float | None = column("Its upper end.")
    control_mean: float | None = column("The control's mean on the same articles.")
    control_low: float | None = column("The lower end of its 95 % interval.")
    control_high: float | None = column("Its upper end.")
