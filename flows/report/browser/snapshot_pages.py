"""The pages of snapshots and their articles."""

from typing import Any

import duckdb
from starlette.requests import Request

from flows.comparing.board import ABOUT, Board, board
from flows.comparing.headline import headline
from flows.presenting.page_tables import cells, ordered, ordered_by
from flows.presenting.snapshot_title import snapshot_title
from flows.report.browser.live import Live, Record, records
from flows.report.browser.pages import ROWS, HtmlPage, NotFound, directions, offset
from flows.report.browser.run_list import listed
from flows.report.browser.run_progress import progresses
from newwiki.errors import TerminalError
from storage import snapshots
from storage.database import Database
from storage.verifications import words_below_verified


def home(live: Live, request: Request) -> HtmlPage:
    """Show the leaderboard of the newest month with runs, and all snapshots."""
    with live.read() as connection:
        incomplete = records(connection, "browse_incomplete")
        published = records(connection, "browse_snapshots")
        newest = next((row["snapshot_id"] for row in published if row["runs"] and row["kind"] == "new"), None)
        shown = {
            "snapshots": published,
            "others": records(connection, "browse_other_runs"),
            "incomplete": incomplete,
            "incomplete_progress": progresses(connection, incomplete),
            "title": None,
        }
        return HtmlPage("home.html", shown | (_leaderboard(live, connection, request, newest) if newest else {}))


def snapshot(live: Live, request: Request) -> HtmlPage:
    name = request.path_params["snapshot_id"]
    with live.read() as connection:
        shown = _leaderboard(live, connection, request, name)
        incomplete = [run for run in shown["runs"] if run["run_id"] in shown["progress"]]
        return HtmlPage(
            "snapshot.html", shown | {"incomplete": incomplete, "funnel": records(connection, "funnel", name)}
        )


def _leaderboard(live: Live, connection: duckdb.DuckDBPyConnection, request: Request, name: str) -> dict[str, Any]:
    """Return what a page shows of the runs on a snapshot. Raises NotFound if there is no such snapshot."""
    row = _first_row(records(connection, "snapshot_one", name), f"there is no snapshot '{name}'")
    runs = records(connection, "browse_runs", name)
    progress = progresses(connection, runs)
    better = directions(connection)
    shown = _board(live.database, name)
    title = snapshot_title(snapshots.resolve(live.database, name))
    by = headline(shown, shown.columns, better)
    columns = ordered_by(shown.columns, better, by)
    articles = [record for record in shown.records if record["run_id"] == f"reference:{name}"]
    by_column = [cells(articles, column, "none") for column in columns]
    return {
        "title": title,
        "snapshot": row,
        "runs": runs,
        "board": shown,
        "columns": columns,
        "directions": better,
        "listing": listed(request.query_params, runs, progress, shown, columns, better),
        "progress": progress,
        "wikipedia": next(iter(articles), None),
        "of_wikipedia": [cell for [cell] in by_column] if articles else [],
        "apart_in": [about for about in shown.about if about not in ABOUT],
    }


def articles(live: Live, request: Request) -> HtmlPage:
    name, find = request.path_params["snapshot_id"], request.query_params.get("find", "")
    start = offset(request.query_params)
    with live.read() as connection:
        _first_row(records(connection, "snapshot_one", name), f"there is no snapshot '{name}'")
        rows = records(connection, "browse_articles", name, find, ROWS, start)
    return HtmlPage(
        "articles.html", {"snapshot_id": name, "find": find, "articles": rows, "start": start, "rows": ROWS}
    )


def article(live: Live, request: Request) -> HtmlPage:
    """Show an article with all runs that have written it."""
    name, page_id = request.path_params["snapshot_id"], request.path_params["page_id"]
    with live.read() as connection:
        article_row = _first_row(
            records(connection, "browse_article", name, page_id), f"snapshot '{name}' has no article {page_id}"
        )
        runs = records(connection, "browse_article_runs", name, page_id)
        shown = _board(live.database, name)
        better = directions(connection)
        in_order = ordered(shown.columns, better)
        columns = {(column.metric, column.evaluator_id): column.name for column in in_order}
        metrics, evaluators = [metric for metric, _ in columns], [evaluator for _, evaluator in columns]
        means = records(connection, "browse_article_means", name, page_id, metrics, evaluators)
        levels = words_below_verified(live.database, {row["run_id"] for row in means})
    by_run: dict[str, dict[str, Record]] = {}
    for row in means:
        row["level"] = levels.get((row["run_id"], row["evaluator_id"]))
        by_run.setdefault(row["run_id"], {})[columns[row["metric"], row["evaluator_id"]]] = row
    heads = [column for column in in_order if any(column.name in run_means for run_means in by_run.values())]
    return HtmlPage(
        "article.html",
        {
            "article": article_row,
            "runs": runs,
            "columns": heads,
            "directions": better,
            "means": by_run,
            "notes": shown.notes,
        },
    )


def _board(database: Database, name: str) -> Board:
    """Return the board with a column for each metric if one evaluator scored all runs, else for each evaluator."""
    try:
        return board(database, name)
    except TerminalError:
        return board(database, name, by_evaluator=True)


def _first_row(rows: list[Record], otherwise: str) -> Record:
    if not rows:
        raise NotFound(otherwise)
    return rows[0]
