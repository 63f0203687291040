"""In which order the pages show metrics, and which end of them is better: as the report does."""

from collections.abc import Iterable, Mapping

import duckdb

from flows.comparing.board import Column
from flows.report import paper
from flows.report.browser.live import Record, records


def directions(connection: duckdb.DuckDBPyConnection) -> Mapping[str, str]:
    """By metric `higher`, `lower` or `none`."""
    return {row["metric"]: row["direction"] for row in records(connection, "metric_directions")}


def ordered(rows: Iterable[Record], better: Mapping[str, str]) -> list[Record]:
    """Rows of metrics in the report's order, those of one metric as they come."""
    listed = list(rows)
    columns = [Column(metric, metric, "") for metric in dict.fromkeys(row["metric"] for row in listed)]
    places = {column.metric: place for place, column in enumerate(paper.ordered(columns, better))}
    return sorted(listed, key=lambda row: places[row["metric"]])
