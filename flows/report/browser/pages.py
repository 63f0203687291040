"""Building blocks of pages: templates, numbers in addresses, and the order of metrics."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import duckdb
from starlette.datastructures import QueryParams
from starlette.requests import Request

from flows.comparing.board import Column
from flows.presenting.page_tables import ordered
from flows.report.browser.live import Live, Record, records
from newwiki.errors import UsageError

ROWS = 50  # rows per page of a list


@dataclass(frozen=True)
class HtmlPage:
    """A template with its values."""

    template: str
    shown: dict[str, Any] = field(default_factory=dict)
    status: int = 200


Handler = Callable[[Live, Request], HtmlPage]


class NotFound(UsageError):
    """The requested page does not exist."""


def number(parameters: QueryParams, name: str) -> int | None:
    """Return a non-negative whole number from the address, or None if it is missing.

    Raises UsageError for anything else.
    """
    text = parameters.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UsageError(f"{name}={text} is not a whole number")
    return int(text)


def offset(parameters: QueryParams) -> int:
    """Return the offset of the first row on the list's page `?page=`, which counts from 1."""
    return (max(number(parameters, "page") or 1, 1) - 1) * ROWS


def directions(connection: duckdb.DuckDBPyConnection) -> Mapping[str, str]:
    """Return the direction of each metric: `higher`, `lower` or `none`."""
    return {row["metric"]: row["direction"] for row in records(connection, "metric_directions")}


def metrics_in_order(rows: Iterable[Record], better: Mapping[str, str]) -> list[Record]:
    """Return rows of metrics in the report's order; rows of one metric keep theirs."""
    listed = list(rows)
    columns = [Column(metric, metric, "") for metric in dict.fromkeys(row["metric"] for row in listed)]
    places = {column.metric: place for place, column in enumerate(ordered(columns, better))}
    return sorted(listed, key=lambda row: places[row["metric"]])
