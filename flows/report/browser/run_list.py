"""List the runs of a snapshot with the filters and the order in an address."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import QueryParams

from flows.comparing.board import Board, Column
from flows.presenting.page_tables import Cell, cells
from flows.report.browser.live import Record
from flows.report.browser.pages import NotFound
from flows.report.browser.run_progress import RunProgress
from newwiki.decoding.grammar import short_form
from newwiki.errors import UsageError, did_you_mean
from newwiki.protocol import PROTOCOL

STATES = ("complete", "running", "stopped", "interrupted", "failed")
_TOLD: Mapping[str, Callable[[Record], Any]] = {  # the sort keys other than metrics
    "begun": lambda run: run["started_at"],
    "model": lambda run: (run["model"].casefold(), run["decoder"]),
    "decoder": lambda run: (run["decoder"], run["model"].casefold()),
    "state": lambda run: STATES.index(run["state"]),
    "prompts": lambda run: run["prompts"],
    "texts": lambda run: run["kept_texts"],
}


@dataclass(frozen=True)
class RunList:
    """The runs that an address asks for.

    - `shown` are the runs in order, each with its state and its `cells`. There is a cell for each column of the board,
      or None if the run has no numbers.
    - `of` is the number of all runs.
    - `filters` are the filters by `model`, `decoder` and `state`, empty without a filter.
    - `choices` are the possible filters by these names, if there are several.
    - `orders` are the possible sort keys.
    - `descending` is True if the highest value of `order` comes first.
    """

    shown: Sequence[Record]
    of: int
    filters: Mapping[str, str]
    choices: Mapping[str, Sequence[str]]
    order: str
    orders: Sequence[str]
    descending: bool

    def turned(self, name: str, direction: str) -> dict[str, str]:
        """Return the address parameters that sort the same runs by this key, better end first.

        If the runs are already sorted by the key, the order is reversed.
        """
        descending = direction == "higher" or (direction == "none" and name not in _TOLD)
        if name == self.order:
            descending = not self.descending
        return {**self.filters, "order": name, "first": "highest" if descending else "lowest"}


def listed(
    parameters: QueryParams,
    runs: Sequence[Record],
    progress: Mapping[str, RunProgress],
    board: Board,
    columns: Sequence[Column],
    directions: Mapping[str, str],
) -> RunList:
    """Filter and sort the runs.

    The default order is the best first by the first column with a better direction, as in the report. Runs without a
    number come last. Raises NotFound for an unknown filter value or key, and UsageError for an invalid word.
    """
    numbers = {record["run_id"]: record for record in board.records}
    rows = [run | {"short": short_form(run["decoder"]), "state": _state(progress.get(run["run_id"]))} for run in runs]
    choices: dict[str, Sequence[str]] = {
        "model": sorted({row["model"] for row in rows}, key=str.casefold),
        "decoder": sorted({row["short"] for row in rows}),
        "state": [state for state in STATES if any(row["state"] == state for row in rows)],
    }
    wanted = {name: _chosen(parameters, name, STATES if name == "state" else known) for name, known in choices.items()}
    fields = {"model": "model", "decoder": "short", "state": "state"}
    matching = [row for row in rows if all(not wanted[name] or row[fields[name]] == wanted[name] for name in fields)]
    by_name = {column.name: column for column in columns}
    order, descending = _order(parameters, columns, directions)
    if column := by_name.get(order):
        matching = _by_number(matching, numbers, column.name, descending)
    else:
        matching = _by(matching, _TOLD[order], descending)
    return RunList(
        [*_with_cells(matching, board, numbers, columns, directions)],
        len(rows),
        {name: value for name, value in wanted.items() if value},
        {name: known for name, known in choices.items() if len(known) > 1 or wanted[name]},
        order,
        [*_TOLD, *by_name],
        descending,
    )


def _state(progress: RunProgress | None) -> str:
    return progress.state if progress else "complete"


def _chosen(parameters: QueryParams, name: str, known: Sequence[str]) -> str:
    value = parameters.get(name, "")
    if value and value not in known:
        raise NotFound(f"no run here has the {name} '{value}'{did_you_mean(value, known)}")
    return value


def _order(parameters: QueryParams, columns: Sequence[Column], directions: Mapping[str, str]) -> tuple[str, bool]:
    names = [column.name for column in columns]
    order, first = parameters.get("order", ""), parameters.get("first", "")
    if first not in ("", "lowest", "highest"):
        raise UsageError(f"first={first} is neither lowest nor highest")
    if order and order not in (*_TOLD, *names):
        raise NotFound(f"runs cannot be sorted by '{order}'{did_you_mean(order, (*_TOLD, *names))}")
    if not order:
        best = next((column for column in columns if directions[column.metric] != "none"), None)
        order = best.name if best else "begun"
    better = {column.name: directions[column.metric] for column in columns}.get(order)
    return order, first == "highest" if first else better in ("higher", "none")


def _by_number(rows: list[Record], numbers: Mapping[str, Record], name: str, descending: bool) -> list[Record]:
    def place(row: Record) -> tuple[bool, float]:
        value = numbers[row["run_id"]][name] if row["run_id"] in numbers else None
        return value is None, 0 if value is None else -value if descending else value

    return sorted(rows, key=place)


def _by(rows: list[Record], value: Callable[[Record], Any], descending: bool) -> list[Record]:
    with_value = [row for row in rows if value(row) is not None]
    return [*sorted(with_value, key=value, reverse=descending), *(row for row in rows if value(row) is None)]


def _with_cells(
    rows: Sequence[Record],
    board: Board,
    numbers: Mapping[str, Record],
    columns: Sequence[Column],
    directions: Mapping[str, str],
) -> list[Record]:
    """Return the rows with their cells.

    The best cell of a column is the best of the displayed runs. No cell is marked if the runs have different protocols
    or articles.
    """
    apart = any(name in PROTOCOL for name in board.about) or not board.same_articles
    scored = [numbers[row["run_id"]] for row in rows if row["run_id"] in numbers]
    by_column = [cells(scored, column, "none" if apart else directions[column.metric]) for column in columns]
    cells_by_run: dict[str, Sequence[Cell]] = {
        record["run_id"]: run_cells for record, *run_cells in zip(scored, *by_column, strict=True)
    }
    return [row | {"record": numbers.get(row["run_id"]), "cells": cells_by_run.get(row["run_id"])} for row in rows]
