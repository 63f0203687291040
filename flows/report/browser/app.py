"""The application: it maps addresses to pages, and renders pages as HTML."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from flows.presenting import tables
from flows.presenting.numbers import digits
from flows.report.browser import compare_page, prompt_page, query_page, run_pages, snapshot_pages
from flows.report.browser.entity_marks import EntityFinders
from flows.report.browser.live import Live, Record
from flows.report.browser.local_server import Guard, serve_pages
from flows.report.browser.pages import Handler, HtmlPage, NotFound
from flows.report.browser.run_progress import duration
from flows.templates import environment
from newwiki.decoding.grammar import short_form
from newwiki.errors import NewWikiError, TransientError
from newwiki.protocol import value_in_words
from storage.database import Database
from storage.liveness import state

_HERE = Path(__file__).parent


def serve(database: Database, port: int, *, open_browser: bool) -> None:
    """Serve the pages of a database until Ctrl-C. Port 0 is any free port.

    Raises TerminalError if the port is taken.
    """
    with database.read():
        pass  # a missing or foreign database fails here and not on every page
    live = Live(database)
    words = f"showing {database.path}; press Ctrl-C to stop"
    serve_pages(application(live), port, words, open_browser=open_browser, at_end=live.close)


def application(live: Live) -> Guard:
    """Return the pages over this database as an ASGI application."""
    templates = _templates(live.database)

    def page(address: str, handler: Handler) -> Route:
        def answer(request: Request) -> Response:
            return _html(templates, request, handler(live, request))

        return Route(address, answer)

    def as_csv(request: Request) -> Response:
        return query_page.as_csv(live, request)

    def failed(request: Request, error: Exception) -> Response:
        status, message = _status_and_message(error)
        return _html(templates, request, HtmlPage("error.html", {"message": message, "status": status}, status))

    routes = [
        page("/", snapshot_pages.home),
        page("/snapshots/{snapshot_id:path}", snapshot_pages.snapshot),
        page("/articles/{snapshot_id:path}/{page_id:int}", snapshot_pages.article),
        page("/articles/{snapshot_id:path}", snapshot_pages.articles),
        page("/runs/{run_id}", run_pages.run),
        page("/runs/{run_id}/{page_id:int}", prompt_page.prompt),
        page("/compare", compare_page.compare),
        page("/sql", query_page.query),
        Route("/sql.csv", as_csv),
        Mount("/static", StaticFiles(directory=_HERE / "static")),
    ]
    handled = dict.fromkeys((NewWikiError, HTTPException, Exception), failed)
    app = Starlette(routes=routes, exception_handlers=handled)
    app.state.entity_finders = EntityFinders()
    return Guard(app)


def _html(templates: Environment, request: Request, page: HtmlPage) -> Response:
    shown = page.shown | {"path": request.url.path, "query": dict(request.query_params)}
    return HTMLResponse(templates.get_template(page.template).render(shown), page.status)


def _status_and_message(error: Exception) -> tuple[int, str]:
    """Return the status and the message for an error."""
    if isinstance(error, HTTPException):
        return error.status_code, f"there is no such page here ({error.detail})"
    if isinstance(error, NewWikiError):
        status = 404 if isinstance(error, NotFound) else 503 if isinstance(error, TransientError) else 400
        return status, str(error)
    return 500, "this page failed; the terminal where `newwiki browse` runs shows the reason"


def _templates(database: Database) -> Environment:
    jinja = environment(FileSystemLoader(_HERE / "templates"))
    jinja.filters |= {
        "digits": digits,
        "duration": duration,
        "short": tables.short,
        "decoder": short_form,
        "breakable": _breakable,
        "part": _part,
        "setting": value_in_words,
        "state": _state,
    }
    jinja.globals |= {"address": _address, "database": database.path.name}
    return jinja


def _state(run: Record) -> str:
    return state(run["status"], run["heard_at"], run["process"])


def _breakable(name: str) -> Markup:
    """Allow a line break after these marks, because paths and decoders have no spaces."""
    return Markup("<wbr>").join(re.split("(?<=[/,:])", name))


def _part(text: object) -> str:
    """Quote a name for use in an address."""
    return quote(str(text), safe="")


def _address(path: str, **parameters: Any) -> str:
    """Return a path with its query string, without empty parameters."""
    nonempty = {name: value for name, value in parameters.items() if value not in (None, "")}
    return f"{path}?{urlencode(nonempty)}" if nonempty else path
