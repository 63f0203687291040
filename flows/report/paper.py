"""The metrics of the paper's tables and figures, in its order and under its names, and what they are called here."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from flows.comparing.board import Column

if TYPE_CHECKING:
    from newwiki.papers.published import PaperMetric

PAPER = "New-Wiki Eval: An Evolving Wikipedia Multi-metric Evaluation for Large Language Models"


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


@cache
def metrics() -> "tuple[PaperMetric, ...]":
    """Those of the paper's table 3. Read when they are asked for, as the command line only tells the paper's name."""
    from newwiki.papers.published import papers

    paper = papers()["003"]
    return tuple(paper.metric(title) for title in paper.table("3").columns)


def paper_columns(columns: Iterable[Column]) -> list[PaperColumn]:
    """The paper's metrics that the board has, each by the nearest of ours; by several evaluators, several columns."""
    by_metric: dict[str, list[Column]] = {}
    for column in columns:
        by_metric.setdefault(column.metric, []).append(column)
    found = []
    for metric in metrics():
        ours = next((by_metric[name] for name in metric.here if name in by_metric), [])
        for column in ours:
            title = metric.title + column.name.removeprefix(column.metric)
            found.append(PaperColumn(title, column, metric.low, metric.high))
    return found
