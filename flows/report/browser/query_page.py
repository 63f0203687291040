"""The page for SQL: a query, its result, a plot of the result, and the whole result as a file."""

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from flows.report.browser import plotting, query_process
from flows.report.browser.live import Live, records
from flows.report.browser.pages import HtmlPage
from newwiki.errors import NewWikiError, UsageError
from storage.cookbook import answerable


def query(live: Live, request: Request) -> HtmlPage:
    parameters = request.query_params
    statement, plot = parameters.get("q", ""), parameters.get("plot", "")
    with live.read() as connection:
        schema = records(connection, "browse_schema")
        examples = answerable([row["metric"] for row in records(connection, "metric_names")])
    shown: dict[str, Any] = {"statement": statement, "plot": plot, "kinds": list(plotting.KINDS), "asked": parameters}
    shown |= {"schema": schema, "examples": examples, "answer": None, "limit": query_process.SHOWN}
    if not statement:
        return HtmlPage("sql.html", shown | {"seconds": query_process.SECONDS})
    try:
        if plot and plot not in plotting.KINDS:
            raise UsageError(f"there is no plot '{plot}'; there are: {', '.join(plotting.KINDS)}")
        return HtmlPage(
            "sql.html", shown | (_plotted(live, statement, plot, parameters) if plot else _rows(live, statement))
        )
    except NewWikiError as error:
        return HtmlPage("sql.html", shown | {"refusal": str(error)}, status=400)


def _rows(live: Live, statement: str) -> dict[str, Any]:
    return {"answer": query_process.ask(live, statement)}


def _plotted(live: Live, statement: str, plot: str, parameters: QueryParams) -> dict[str, Any]:
    draw = partial(
        plotting.drawn, kind=plot, x=parameters.get("x"), y=parameters.get("y"), color=parameters.get("color")
    )
    answer, drawn = query_process.ask_and_draw(live, statement, max(query_process.SHOWN, plotting.KINDS[plot]), draw)
    if isinstance(drawn, NewWikiError):
        return {"answer": answer, "no_plot": str(drawn)}
    chosen, image = drawn
    return {"answer": answer, "chosen": chosen, "drawn": image, "drawn_rows": plotting.KINDS[plot]}


def as_csv(live: Live, request: Request) -> Response:
    """Return the whole result as a file; it is written before it is sent, so that a slow reader blocks nobody."""
    folder = tempfile.TemporaryDirectory(prefix="newwiki-")
    path = Path(folder.name, "newwiki.csv")
    try:
        query_process.save(live, request.query_params.get("q", ""), path)
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(path, media_type="text/csv", filename="newwiki.csv", background=BackgroundTask(folder.cleanup))
