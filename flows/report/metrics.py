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
    parameters = [runs, metrics, evaluators, BINS, *material.after]
    rows = database.records(dict[str, Any], "report_distributions", *parameters)
    return {
        (row["run_id"], columns[row["metric"], row["evaluator_id"]]): Distribution(
            row["low"], row["high"], row["quartiles"], _outline(row["bins"], row["texts"])
        )
        for row in rows
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

    `texts` of the `total` texts of all runs were read. `levels` are notes on the runs' numbers.
    """

    columns: Sequence[Column]
    cells: Sequence[Sequence[float | None]]
    texts: int
    total: int
    levels: Sequence[LevelNote]


def matrix(database: Database, material: Material) -> Matrix | None:
    """Correlate the metrics over the texts of all runs; return None if there are fewer than two metrics or no runs."""
    columns = _ordered(material)
    runs = [record["run_id"] for record in material.records]
    if len(columns) < 2 or not runs:
        return None
    metrics, evaluators = [column.metric for column in columns], [column.evaluator_id for column in columns]
    rows = database.rows("report_correlations", runs, metrics, evaluators, _TEXTS, *material.after)
    cells: list[list[float | None]] = [[1.0 if column is row else None for column in columns] for row in columns]
    for place, other, _, correlation in rows:
        cells[place][other] = cells[other][place] = None if correlation != correlation else correlation
    texts = sum(record["completions"] for record in material.records)
    return Matrix(columns, cells, min(texts, _TEXTS), texts, material.level_notes(material.records, columns))


def _ordered(material: Material) -> list[Column]:
    """Return the columns, the paper's metrics first and in its order."""
    first = [head.column for head in paper_columns(material.text_columns)]
    return first + [column for column in material.text_columns if column not in first]
