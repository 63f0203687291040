"""The leaderboard and the funnel, laid out for people."""

from typing import Any

from flows import tables
from flows.steps.leaderboard import PARTS, Board
from flows.steps.ranking import leaderboard
from flows.tables import digits
from newwiki.decoding.grammar import short_form
from storage.database import Database

_ACROSS = 6  # as many runs fit beside each other; more of them stand below each other
_TITLE = "mean ± standard deviation over texts [95 % interval of the mean, by prompt]"


def show(database: Database, snapshot: str | None, form: str, **choices: Any) -> tuple[str, ...]:
    """Writes the leaderboard to stdout; the choices are those of `flows.steps.ranking.leaderboard`.

    Gives what a reader must know beside it.
    """
    shown = leaderboard(database, snapshot, **choices)
    if form != "table":
        tables.show(shown.heads, [[record[name] for name in shown.heads] for record in shown.records], form)
    elif not shown.records:
        return ("no run is scored yet; score one with `newwiki evaluate MODEL --decoder greedy`",)
    else:
        _show_table(shown)
    return shown.notes


def show_funnel(database: Database, snapshot: str, form: str) -> None:
    """What became of every page that was considered for the snapshot."""
    found = database.rows("funnel", snapshot)
    tables.show(["verdict", "pages", "share", "example"], found, form, title=f"{snapshot}: what became of every page")


def show_requests(database: Database, snapshot: str) -> None:
    """What the refresh asked the wiki for, if it asked at all (a dump is asked for nothing)."""
    if found := database.rows("requests", snapshot):
        heads = ["kind", "requests", "retries", "bytes", "seconds"]
        tables.show(heads, found, "table", title=f"{snapshot}: what the wiki was asked for")


def _show_table(shown: Board) -> None:
    """One cell a metric: mean ± standard deviation, 95 % interval of the mean in brackets."""
    records = [record | {"decoder": short_form(record["decoder"])} for record in shown.records]
    names = [column.name for column in shown.columns]
    cells = [[_cell(record, name) for name in names] for record in records]
    if len(records) <= _ACROSS:
        heads = ["", *["\n".join([record["model"], *record["decoder"].split(",")]) for record in records]]
        about = [
            [name, *["" if record[name] is None else str(record[name]) for record in records]]
            for name in shown.about[2:]
        ]
        down = [[name, *[row[place] for row in cells]] for place, name in enumerate(names)]
        tables.show(heads, about + down, "table", _TITLE)
    else:
        about = [[record[name] for name in shown.about] for record in records]
        tables.show([*shown.about, *names], [a + c for a, c in zip(about, cells, strict=True)], "table", _TITLE)


def _cell(record: dict[str, Any], metric: str) -> str:
    mean, sd, low, high = (record[metric + part] for part in PARTS)
    if mean is None:
        return "–"
    spread = f" ± {digits(sd)}" if sd is not None else ""
    interval = f" [{digits(low)}, {digits(high)}]" if low is not None and low != high else ""
    return f"{digits(mean)}{spread}{interval}"
