"""The pages of snapshots and their articles."""

from typing import Any

from starlette.requests import Request

from flows.report.browser.live import Live, Record, records
from flows.report.browser.pages import ROWS, NotFound, Page, offset
from flows.steps.leaderboard import Board, board
from newwiki.errors import TerminalError
from storage.database import Database


def home(live: Live, request: Request) -> Page:
    with live.read() as connection:
        return Page(
            "home.html",
            {"snapshots": records(connection, "browse_snapshots"), "others": records(connection, "browse_other_runs")},
        )


def snapshot(live: Live, request: Request) -> Page:
    name = request.path_params["snapshot_id"]
    with live.read() as connection:
        found = _one(records(connection, "snapshot_one", name), f"there is no snapshot '{name}'")
        funnel = records(connection, "funnel", name)
        runs = records(connection, "browse_runs", name)
        shown = _board(live.database, name)
    scored = {record["run_id"]: record for record in shown.records}
    wikipedia = scored.get(f"reference:{name}")
    return Page(
        "snapshot.html",
        {"snapshot": found, "funnel": funnel, "runs": runs, "board": shown, "scored": scored, "wikipedia": wikipedia},
    )


def articles(live: Live, request: Request) -> Page:
    name, find = request.path_params["snapshot_id"], request.query_params.get("find", "")
    start = offset(request.query_params)
    with live.read() as connection:
        _one(records(connection, "snapshot_one", name), f"there is no snapshot '{name}'")
        found = records(connection, "browse_articles", name, find, ROWS, start)
    return Page("articles.html", {"snapshot_id": name, "find": find, "articles": found, "start": start, "rows": ROWS})


def article(live: Live, request: Request) -> Page:
    """One article across all runs that have written it."""
    name, page_id = request.path_params["snapshot_id"], request.path_params["page_id"]
    with live.read() as connection:
        found = _one(
            records(connection, "browse_article", name, page_id), f"snapshot '{name}' has no article {page_id}"
        )
        runs = records(connection, "browse_article_runs", name, page_id)
        means = records(connection, "browse_article_means", name, page_id)
    by_run: dict[str, dict[str, Any]] = {}
    for row in means:
        by_run.setdefault(row["run_id"], {})[row["metric"]] = row["mean"]
    metrics = list(dict.fromkeys(row["metric"] for row in means))
    return Page("article.html", {"article": found, "runs": runs, "metrics": metrics, "means": by_run})


def _board(database: Database, name: str) -> Board:
    """One column a metric where one evaluator has scored all runs, and otherwise one an evaluator."""
    try:
        return board(database, name)
    except TerminalError:
        return board(database, name, by_evaluator=True)


def _one(found: list[Record], otherwise: str) -> Record:
    if not found:
        raise NotFound(otherwise)
    return found[0]
