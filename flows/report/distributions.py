"""How each metric is spread in each run, beside the articles: small histograms over the same bins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.comparing.board import Column
from flows.report.material import Material
from storage.database import Database

BINS, WIDTH, HEIGHT = 24, 240, 40


@dataclass(frozen=True)
class Distribution:
    """Quartiles, and the outline as an SVG path in a box of WIDTH × HEIGHT, from `low` on the left to `high`."""

    low: float
    high: float
    quartiles: Sequence[float]
    outline: str

    def holds(self, other: "Distribution") -> bool:
        """Whether the other's middle lies in this box: that of a text against itself, 1, mostly does not."""
        return self.low <= other.quartiles[1] <= self.high


def distributions(database: Database, material: Material) -> Mapping[tuple[str, Column], Distribution]:
    """By run id (the articles' too) and column, where there are numbers."""
    columns = {(column.metric, column.evaluator_id): column for column in material.text_columns}
    runs = [record["run_id"] for record in material.board.records]
    metrics, evaluators = [metric for metric, _ in columns], [evaluator for _, evaluator in columns]
    asked = [runs, metrics, evaluators, BINS, *material.after]
    found = database.records(dict[str, Any], "report_distributions", *asked)
    return {
        (one["run_id"], columns[one["metric"], one["evaluator_id"]]): Distribution(
            one["low"], one["high"], one["quartiles"], _outline(one["bins"], one["texts"])
        )
        for one in found
    }


def _outline(bins: Sequence[int], counts: Sequence[int]) -> str:
    """Steps from the left to the right, the fullest bin as high as the box."""
    texts = dict(zip(bins, counts, strict=True))
    step, highest = WIDTH // BINS, max(counts)
    path, level = [f"M0 {HEIGHT}"], HEIGHT
    for place in range(BINS):
        top = HEIGHT - round((HEIGHT - 2) * texts.get(place, 0) / highest)
        if top != level:
            path.append(f"H{place * step}V{top}")
            level = top
    return "".join([*path, f"H{WIDTH}V{HEIGHT}Z"])
