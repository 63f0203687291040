"""The leaderboard and the funnel, read from the database and laid out for people."""

from typing import Any

from flows import tables
from newwiki.decoding.grammar import short_form
from storage import snapshots
from storage.database import Database

_ABOUT = ("model", "decoder", "snapshot_id", "run_id", "prompts", "completions", "scored_by")
_ACROSS = 6  # as many runs fit beside each other; more of them stand below each other


def rows(database: Database, snapshot: str | None = None) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Columns and rows of the view `leaderboard`, of one snapshot (`latest` too) or of all."""
    name = snapshots.resolve(database, snapshot).snapshot_id if snapshot else None
    with database.read() as connection:
        cursor = connection.execute("select * from leaderboard where snapshot_id = coalesce(?, snapshot_id)", [name])
        columns = [column[0] for column in cursor.description or []]
        return columns, cursor.fetchall()


def show(database: Database, snapshot: str | None, form: str) -> list[str]:
    """Writes the leaderboard to stdout and gives what a reader must know beside it."""
    columns, found = rows(database, snapshot)
    if form != "table":
        tables.show(columns, found, form)
    elif not found:
        return ["no run is scored yet; score one with `newwiki evaluate MODEL --decoder greedy`"]
    else:
        _show_table(columns, found)
    name = snapshots.resolve(database, snapshot).snapshot_id if snapshot else None
    mixed = [metric for (metric,) in database.rows("mixed_metrics", name)]
    if mixed:
        return [f"{', '.join(mixed)}: not all rows have the same evaluator; compare those whose scored_by is the same."]
    return []


def show_funnel(database: Database, snapshot: str, form: str) -> None:
    """What became of every page that was considered for the snapshot."""
    found = database.rows("funnel", snapshot)
    tables.show(["verdict", "pages", "share", "example"], found, form, title=f"{snapshot}: what became of every page")


def show_requests(database: Database, snapshot: str) -> None:
    """What the refresh asked the wiki for, if it asked at all (a dump is asked for nothing)."""
    if found := database.rows("requests", snapshot):
        heads = ["kind", "requests", "retries", "bytes", "seconds"]
        tables.show(heads, found, "table", title=f"{snapshot}: what the wiki was asked for")


def _show_table(columns: list[str], found: list[tuple[Any, ...]]) -> None:
    """One cell a metric: mean ± standard deviation, 95 % interval of the mean in brackets."""
    metrics = [name for name in columns if name not in _ABOUT and not name.endswith(("_sd", "_low", "_high"))]
    records = [dict(zip(columns, row, strict=True)) for row in found]
    cells = [[_cell(record, metric) for metric in metrics] for record in records]
    title = "mean ± standard deviation over texts [95 % interval of the mean, by prompt]"
    if len(records) <= _ACROSS:
        heads = ["", *["\n".join([record["model"], *short_form(record["decoder"]).split(",")]) for record in records]]
        about = [[name, *[str(record[name]) for record in records]] for name in _ABOUT[2:]]
        down = [[metric, *[row[place] for row in cells]] for place, metric in enumerate(metrics)]
        tables.show(heads, about + down, "table", title)
    else:
        shown = [record | {"decoder": short_form(record["decoder"])} for record in records]
        about_rows = [[record[name] for name in _ABOUT] for record in shown]
        tables.show([*_ABOUT, *metrics], [a + c for a, c in zip(about_rows, cells, strict=True)], "table", title)


def _cell(record: dict[str, Any], metric: str) -> str:
    mean, sd, low, high = (record[metric + part] for part in ("", "_sd", "_low", "_high"))
    if mean is None:
        return "–"
    spread = f" ± {_digits(sd)}" if sd is not None else ""
    interval = f" [{_digits(low)}, {_digits(high)}]" if low is not None and low != high else ""
    return f"{_digits(mean)}{spread}{interval}"


def _digits(number: float) -> str:
    return f"{number:.1f}" if abs(number) >= 10 else f"{number:.3f}"
