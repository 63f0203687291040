"""The metrics of the paper's tables and figures, in its order and under its names, and what they are called here."""

from collections.abc import Iterable
from dataclasses import dataclass

from flows.comparing.board import Column

PAPER = "New-Wiki Eval: An Evolving Wikipedia Multi-metric Evaluation for Large Language Models"


@dataclass(frozen=True)
class PaperMetric:
    """`here` are the metrics that may stand for it, the nearest first. `low` and `high` are the range by which the
    paper rescales it in figures 1 to 3 (its section Results)."""

    title: str
    here: tuple[str, ...]
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class PaperColumn:
    """A metric of the paper by a column of the board."""

    title: str
    column: Column
    low: float | None
    high: float | None

    def rescaled(self, value: float) -> float:
        """The value where `low` is 0 and `high` is 1."""
        assert self.low is not None and self.high is not None
        return (value - self.low) / (self.high - self.low)


METRICS = (
    PaperMetric("FK-Score", ("flesch_reading_ease",), 30, 60),
    PaperMetric("Essay scoring", ("quality",), 4.5, 5.5),
    PaperMetric("Entity overlap", ("entity_overlap",), 0, 1),
    PaperMetric("S-BERT", ("sbert_truncated", "sbert"), 0, 1),
    PaperMetric("Info density", ("information_density",), 0, 0.5),
    PaperMetric("Gunning fog", ("gunning_fog_newwiki", "gunning_fog"), 10, 25),
    PaperMetric("Distinct-n", ("distinct_2",), 0.5, 1),
    PaperMetric("Rep-n", ("rep_4",), 0, 1),  # the paper gives no range: its own
    PaperMetric("Specificity", ("specificity",)),
)


def paper_columns(columns: Iterable[Column]) -> list[PaperColumn]:
    """The paper's metrics that the board has, each by the nearest of ours; by several evaluators, several columns."""
    by_metric: dict[str, list[Column]] = {}
    for column in columns:
        by_metric.setdefault(column.metric, []).append(column)
    found = []
    for metric in METRICS:
        ours = next((by_metric[name] for name in metric.here if name in by_metric), [])
        for column in ours:
            title = metric.title + column.name.removeprefix(column.metric)
            found.append(PaperColumn(title, column, metric.low, metric.high))
    return found
