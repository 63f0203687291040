"""The columns of the board that the paper's tables and figures have, in its order and under its names."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from flows.comparing.board import Column
from newwiki.paper_metrics import paper_metrics


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


def paper_columns(columns: Iterable[Column]) -> list[PaperColumn]:
    """The paper's metrics that the board has, each by the nearest of ours; by several evaluators, several columns."""
    by_metric: dict[str, list[Column]] = {}
    for column in columns:
        by_metric.setdefault(column.metric, []).append(column)
    found = []
    for metric in paper_metrics():
        ours = next((by_metric[name] for name in metric.here if name in by_metric), [])
        for column in ours:
            title = metric.title + column.name.removeprefix(column.metric)
            found.append(PaperColumn(title, column, metric.low, metric.high))
    return found


def ordered(columns: Iterable[Column], directions: Mapping[str, str]) -> list[Column]:
    """As the pages show them: first the paper's metrics, those with a better direction before the others."""
    listed = list(columns)
    paper = [head.column for head in paper_columns(listed)]
    paper.sort(key=lambda column: directions[column.metric] == "none")
    return [*paper, *(column for column in listed if column not in paper)]
