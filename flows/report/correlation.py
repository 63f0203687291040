"""Figure 4: how the metrics correlate over texts."""

from collections.abc import Sequence
from dataclasses import dataclass

from flows.comparing.board import Column
from flows.comparing.shown_levels import LevelNote
from flows.report.material import Material
from flows.report.paper import paper_columns
from storage.database import Database

_TEXTS = 20_000  # so many give a correlation to about 0.01


@dataclass(frozen=True)
class Matrix:
    """Pearson's r by row and column, None where one of the two does not vary or no text has both. `texts` of the `kept`
    were read; `levels` are of their runs."""

    columns: Sequence[Column]
    cells: Sequence[Sequence[float | None]]
    texts: int
    kept: int
    levels: Sequence[LevelNote]


def matrix(database: Database, material: Material) -> Matrix | None:
    """Over the texts of all runs; None where there are not two metrics, or no run."""
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
    """The paper's metrics first, in its order."""
    first = [head.column for head in paper_columns(material.text_columns)]
    return first + [column for column in material.text_columns if column not in first]
