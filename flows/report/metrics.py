"""Show how each metric is distributed over the texts of each run, and how metrics correlate (figure 4 of the paper)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.comparing.board import Column
from flows.comparing.shown_levels import LevelNote
from flows.presenting.material import Material
from flows.presenting.page_tables import paper_columns
from storage.database import Database

BINS, WIDTH, HEIGHT = 24, 240, 40
_TEXTS = 20_000  # this number gives a correlation to about 0.01


@dataclass(frozen=True)
class Distribution:
    """Quartiles, and the outline as an SVG path in a box of WIDTH × HEIGHT, from `low` on the left to `high`."""

    low: float
    high: float
    quartiles: Sequence[float]
    outline: str

    def holds(self, other: "Distribution") -> bool:
        """Return whether the other median lies in this box; the score 1 of a text against itself mostly does not."""
        return self.low <= other.quartiles[1] <= self.high


def distributions(database: Database, material: Material) -> Mapping[tuple[str, Column], Distribution]:
    """Return the distributions by run id (the articles' too) and column."""
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
    """Return the outline of a histogram as an SVG path; the fullest bin is as high as the box."""
    texts = dict(zip(bins, counts, strict=True))
    step, highest = WIDTH // BINS, max(counts)
    path, level = [f"M0 {HEIGHT}"], HEIGHT
    for place in range(BINS):
        top = HEIGHT - round((HEIGHT - 2) * texts.get(place, 0) / highest)
        if top != level:
            path.append(f"H{place * step}V{top}")
            level = top
    return "".join([*path, f"H{WIDTH}V{HEIGHT}Z"])


@dataclass(frozen=True)
class Matrix:
    """Pearson's r by row and column, None if a metric does not vary or no text has both.

    `texts` of the `kept` texts were read. `levels` are notes on the runs' numbers.
    """

    columns: Sequence[Column]
    cells: Sequence[Sequence[float | None]]
    texts: int
    kept: int
    levels: Sequence[LevelNote]


def matrix(database: Database, material: Material) -> Matrix | None:
    """Correlate the metrics over the texts of all runs; return None if there are fewer than two metrics or no runs."""
    columns = _ordered(material)
    runs = [record["run_id"] for record in material.records]
    if len(columns) < 2 or not runs:
        return None
    metrics, evaluators = [one.metric for one in columns], [one.evaluator_id for one in columns]
    found = database.rows("report_correlations", runs, metrics, evaluators, _TEXTS, *material.after)
    cells: list[list[float | None]] = [[1.0 if one is two else None for one in columns] for two in columns]
    for one, two, _, correlation in found:
        cells[one][two] = cells[two][one] = None if correlation != correlation else correlation
    kept = sum(record["completions"] for record in material.records)
    return Matrix(columns, cells, min(kept, _TEXTS), kept, material.level_notes(material.records, columns))


def _ordered(material: Material) -> list[Column]:
    """Return the columns, the paper's metrics first and in its order."""
    first = [head.column for head in paper_columns(material.text_columns)]
    return first + [column for column in material.text_columns if column not in first]
