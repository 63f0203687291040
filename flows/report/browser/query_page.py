"""The page of SQL: a query, its result, a plot of it, and the whole result as a file."""

import tempfile
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from flows.report.browser import asking, plotting
from flows.report.browser.live import Live, records
from flows.report.browser.pages import Page
from newwiki.errors import NewWikiError, UsageError


def query(live: Live, request: Request) -> Page:
    asked = request.query_params
    statement, plot = asked.get("q", ""), asked.get("plot", "")
    with live.read() as connection:
        schema = records(connection, "browse_schema")
    shown: dict[str, Any] = {"statement": statement, "plot": plot, "kinds": list(plotting.KINDS), "asked": asked}
    shown |= {"schema": schema, "examples": _examples(), "answer": None, "limit": asking.SHOWN}
    if not statement:
        return Page("sql.html", shown | {"seconds": asking.SECONDS})
    try:
        if plot and plot not in plotting.KINDS:
            raise UsageError(f"there is no plot '{plot}'; there are: {', '.join(plotting.KINDS)}")
        most = max(asking.SHOWN, plotting.KINDS[plot]) if plot else asking.SHOWN
        answer = asking.ask(live, statement, most)
    except NewWikiError as error:
        return Page("sql.html", shown | {"refusal": str(error)}, status=400)
    shown["answer"] = answer
    if plot:
        try:
            chosen = plotting.choose(answer, plot, asked.get("x"), asked.get("y"), asked.get("color"))
            shown |= {"chosen": chosen, "drawn": plotting.draw(answer, chosen), "drawn_rows": plotting.KINDS[plot]}
        except UsageError as error:
            shown["no_plot"] = str(error)
    return Page("sql.html", shown)


def as_csv(live: Live, request: Request) -> Response:
    """The whole result as a file, written before it is sent: a slow reader keeps nobody waiting."""
    folder = tempfile.TemporaryDirectory(prefix="newwiki-")
    path = Path(folder.name, "newwiki.csv")
    try:
        asking.save(live, request.query_params.get("q", ""), path)
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(path, media_type="text/csv", filename="newwiki.csv", background=BackgroundTask(folder.cleanup))


def _examples() -> list[dict[str, str]]:
    text = (files("flows.report.browser") / "examples.toml").read_text("utf-8")
    found: list[dict[str, str]] = tomllib.loads(text)["example"]
    return found
