"""The application of the judging page: it shows a question, stores the answer, and shows the next question."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from jinja2 import FileSystemLoader
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from flows.report.browser.local_server import Guard, serve_pages
from flows.report.judging_page.sheet import Sheet
from flows.templates import environment
from newwiki.errors import NewWikiError, TransientError, UsageError

_HERE = Path(__file__).parent
_LONGEST_FORM = 4096  # bytes


def serve_sheet(sheet: Sheet, port: int, *, open_browser: bool) -> None:
    """Serve the questions until Ctrl-C. Raises TerminalError if the port is taken."""
    words = f"{sheet.pairs:,} pairs for {sheet.person}, {sheet.answered:,} of {sheet.questions:,} answers are stored; "
    serve_pages(application(sheet), port, f"{words}Ctrl-C ends it", open_browser=open_browser)


def application(sheet: Sheet) -> Guard:
    """Return the page over this sheet as an ASGI application."""
    templates = environment(FileSystemLoader(_HERE / "templates"))

    def html(template: str, status: int = 200, **shown: Any) -> Response:
        text = templates.get_template(template).render(sheet=sheet, **shown)
        return HTMLResponse(text, status)

    def ask(request: Request) -> Response:
        name, criterion = request.query_params.get("pair"), request.query_params.get("criterion")
        question = sheet.question(name, criterion) if name and criterion else sheet.next_question()
        if question is None:
            return html("done.html", before=sheet.before(None, None))
        return html("question.html", question=question, before=sheet.before(question.name, question.criterion.name))

    async def take(request: Request) -> Response:
        body = await request.body()
        if len(body) > _LONGEST_FORM:
            raise HTTPException(413, "this is no answer")
        form = {name: values[0] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}
        fields = [form.get(name, "") for name in ("pair", "criterion", "answer")]
        await run_in_threadpool(sheet.answer, *fields)
        return RedirectResponse("/", 303)

    def failed(request: Request, error: Exception) -> Response:
        status, message = _status_and_message(error)
        return html("error.html", status, message=message)

    routes = [
        Route("/", ask),
        Route("/answer", take, methods=["POST"]),
        Mount("/static", StaticFiles(directory=_HERE / "static")),
    ]
    handled = dict.fromkeys((NewWikiError, HTTPException, Exception), failed)
    return Guard(Starlette(routes=routes, exception_handlers=handled), takes_forms=True)


def _status_and_message(error: Exception) -> tuple[int, str]:
    """Return the status and the message for an error. No message names a run."""
    if isinstance(error, HTTPException):
        return error.status_code, error.detail
    if isinstance(error, TransientError):
        return 503, "The answer was not stored, as somebody else is writing for long. Go back and give it again."
    if isinstance(error, UsageError):
        return 400, str(error)
    return 500, "This page cannot be made; the terminal where the command runs says why."
