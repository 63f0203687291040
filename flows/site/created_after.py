"""A snapshot's leaderboard on the articles that were created after a day: which days are shown, and their numbers."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from markupsafe import Markup

from flows.comparing.board import after_days
from flows.presenting.numbers import digits, percent
from flows.presenting.numbers import interval as interval_words
from flows.report.material import Material
from flows.report.paper_tables import Cell
from flows.site.board_tables import BoardTable, again
from newwiki.visible import in_json
from storage.database import Database

_STEPS = 8  # days divide the articles into so many parts of like size


@dataclass(frozen=True)
class LaterArticles:
    """The board on the `articles` that were created after this day; `cutoff_of` names the models whose knowledge ends
    there."""

    day: date
    articles: int
    material: Material
    cutoff_of: Sequence[str]


def later_articles(database: Database, material: Material, names: Mapping[str, str]) -> list[LaterArticles]:
    """The earliest day first; `names` are the runs' models by run id."""
    created = database.rows("days_created", material.snapshot.snapshot_id)
    cutoffs: dict[date, dict[str, None]] = {}
    for record in material.records:
        if record["knowledge_cutoff"]:
            cutoffs.setdefault(record["knowledge_cutoff"], {})[names[record["run_id"]]] = None
    days = chosen_days(created, cutoffs)
    boards = after_days(database, material.board, days) if days and material.records else {}
    return [
        LaterArticles(day, _left(created, day), replace(material, board=board), [*cutoffs.get(day, {})])
        for day, board in boards.items()
    ]


def chosen_days(created: Sequence[tuple[date, int]], cutoffs: Iterable[date]) -> list[date]:
    """Days after which about 7/8, 6/8 … of the articles were created, and those of `cutoffs` after which some were and
    before which others."""
    total = sum(count for _, count in created)
    left = {day: _left(created, day) for day, _ in created}
    inner = [day for day, count in left.items() if count]
    steps = {
        min(inner, key=lambda day: (abs(left[day] - total * part / _STEPS), day)) for part in range(1, _STEPS) if inner
    }
    return sorted(steps | {day for day in cutoffs if 0 < _left(created, day) < total})


def _left(created: Sequence[tuple[date, int]], after: date) -> int:
    return sum(count for day, count in created if day > after)


def numbers(table: BoardTable, later: Sequence[LaterArticles]) -> Markup:
    """What the table's cells are after each day, as JSON that can stand in a page: by day its rows in their order, each
    its prompts, the share that its model can have seen, and its cells."""
    told = {one.day.isoformat(): {"articles": one.articles, "rows": _rows(table, one)} for one in later}
    return Markup(in_json(json.dumps(told, separators=(",", ":"), ensure_ascii=False)).replace("<", "\\u003c"))


def _rows(table: BoardTable, later: LaterArticles) -> list[Any]:
    after = again(later.material, table)
    by_run = {row.record["run_id"]: row for row in [*after.rows, *filter(None, [after.reference])]}
    found: list[Any] = []
    for row in [*table.rows, *filter(None, [table.reference])]:
        there = by_run.get(row.record["run_id"])
        if there is None:
            found.append(None)
            continue
        cells = dict(zip((one.name for one in after.columns), there.cells, strict=True))
        seen = there.record["seen_share"]
        found.append(
            [
                there.record["prompts"],
                percent(seen),
                [_cell(cells.get(column.name)) for column in table.columns],
            ]
        )
    return found


def _cell(cell: Cell | None) -> list[Any] | int:
    """The number for sorting and as it is read, its interval or why there is none, where this lies, whether it is the
    best, and what there is to say; 0 where there is nothing."""
    if cell is None or (cell.mean is None and not cell.apart):
        return 0
    if cell.mean is None:
        return ["", "–", "", 0, 0, 0, cell.apart]
    interval = cell.no_interval or ""
    if cell.low is not None:
        interval = interval_words(cell.low, cell.high, lambda end: digits(end, cell.mean))
    mean = float(f"{cell.mean:.6g}")
    return [mean, digits(cell.mean), interval, cell.left, cell.width, int(cell.best), cell.apart]
