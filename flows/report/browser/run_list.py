"""The runs of a snapshot as an address asks for them: which, and in which order."""

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

STATES = ("complete", "running", "interrupted", "failed")
_TOLD: Mapping[str, Callable[[Record], Any]] = {  # what else than a metric runs are sorted by
    "begun": lambda run: run["started_at"],
    "model": lambda run: (run["model"].casefold(), run["decoder"]),
    "decoder": lambda run: (run["decoder"], run["model"].casefold()),
    "state": lambda run: STATES.index(run["state"]),
    "prompts": lambda run: run["prompts"],
    "texts": lambda run: run["kept_texts"],
}


@dataclass(frozen=True)
class RunList:
    """`shown` are the runs that were asked for, in that order, each with its state and its `cells`, one a column of the
    board, or None where it has no numbers; `of` says how many there are. `model`, `decoder` and `state` are what was
    asked, empty where any is; `choices` are what can be, by these names, where there are several. `orders` are what can
    be sorted by; `descending` says which end of `order` comes first."""

    shown: Sequence[Record]
    of: int
    asked: Mapping[str, str]
    choices: Mapping[str, Sequence[str]]
    order: str
    orders: Sequence[str]
    descending: bool

    def turned(self, name: str, direction: str) -> dict[str, str]:
        """What an address asks that sorts the same runs by this: its better end first, and the other one where they are
        sorted so already."""
        descending = direction == "higher" or (direction == "none" and name not in _TOLD)
        if name == self.order:
            descending = not self.descending
        return {**self.asked, "order": name, "first": "highest" if descending else "lowest"}


def listed(
    asked: QueryParams,
    runs: Sequence[Record],
    progress: Mapping[str, RunProgress],
    board: Board,
    columns: Sequence[Column],
    directions: Mapping[str, str],
) -> RunList:
    """Without an order that is asked for, the best first by S-BERT, or else by the first column that has a better end,
    as in the report; runs without a number last. Raises NotFound for what is not there, UsageError for a word that
    means nothing."""
    numbers = {record["run_id"]: record for record in board.records}
    rows = [run | {"short": short_form(run["decoder"]), "state": _state(progress.get(run["run_id"]))} for run in runs]
    choices: dict[str, Sequence[str]] = {
        "model": sorted({row["model"] for row in rows}, key=str.casefold),
        "decoder": sorted({row["short"] for row in rows}),
        "state": [one for one in STATES if any(row["state"] == one for row in rows)],
    }
    wanted = {name: _chosen(asked, name, STATES if name == "state" else known) for name, known in choices.items()}
    fields = {"model": "model", "decoder": "short", "state": "state"}
    kept = [row for row in rows if all(not wanted[name] or row[fields[name]] == wanted[name] for name in fields)]
    by_name = {column.name: column for column in columns}
    order, descending = _order(asked, columns, directions)
    if column := by_name.get(order):
        kept = _by_number(kept, numbers, column.name, descending)
    else:
        kept = _by(kept, _TOLD[order], descending)
    return RunList(
        [*_with_cells(kept, board, numbers, columns, directions)],
        len(rows),
        {name: value for name, value in wanted.items() if value},
        {name: known for name, known in choices.items() if len(known) > 1 or wanted[name]},
        order,
        [*_TOLD, *by_name],
        descending,
    )


def _state(progress: RunProgress | None) -> str:
    return progress.state if progress else "complete"


def _chosen(asked: QueryParams, name: str, known: Sequence[str]) -> str:
    value = asked.get(name, "")
    if value and value not in known:
        raise NotFound(f"no run here has the {name} '{value}'{did_you_mean(value, known)}")
    return value


def _order(asked: QueryParams, columns: Sequence[Column], directions: Mapping[str, str]) -> tuple[str, bool]:
    names = [column.name for column in columns]
    order, first = asked.get("order", ""), asked.get("first", "")
    if first not in ("", "lowest", "highest"):
        raise UsageError(f"first={first} is neither lowest nor highest")
    if order and order not in (*_TOLD, *names):
        raise NotFound(f"runs cannot be sorted by '{order}'{did_you_mean(order, (*_TOLD, *names))}")
    if not order:
        directed = [column for column in columns if directions[column.metric] != "none"]
        best = next((column for column in directed if column.metric == "sbert"), next(iter(directed), None))
        order = best.name if best else "begun"
    better = {column.name: directions[column.metric] for column in columns}.get(order)
    return order, first == "highest" if first else better in ("higher", "none")


def _by_number(rows: list[Record], numbers: Mapping[str, Record], name: str, descending: bool) -> list[Record]:
    def place(row: Record) -> tuple[bool, float]:
        value = numbers[row["run_id"]][name] if row["run_id"] in numbers else None
        return value is None, 0 if value is None else -value if descending else value

    return sorted(rows, key=place)


def _by(rows: list[Record], value: Callable[[Record], Any], descending: bool) -> list[Record]:
    there = [row for row in rows if value(row) is not None]
    return [*sorted(there, key=value, reverse=descending), *(row for row in rows if value(row) is None)]


def _with_cells(
    rows: Sequence[Record],
    board: Board,
    numbers: Mapping[str, Record],
    columns: Sequence[Column],
    directions: Mapping[str, str],
) -> list[Record]:
    """The best of a column is that of the runs shown, and none where they were not all asked alike."""
    apart = any(name in PROTOCOL for name in board.about) or not board.same_articles
    scored = [numbers[row["run_id"]] for row in rows if row["run_id"] in numbers]
    by_column = [cells(scored, column, "none" if apart else directions[column.metric]) for column in columns]
    found: dict[str, Sequence[Cell]] = {
        record["run_id"]: of_run for record, *of_run in zip(scored, *by_column, strict=True)
    }
    return [row | {"record": numbers.get(row["run_id"]), "cells": found.get(row["run_id"])} for row in rows]
