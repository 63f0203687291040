"""The server: on this machine's own address, until it is interrupted."""

import multiprocessing
import socket
import threading
import webbrowser
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from flows.printing import say
from flows.report.browser.app import application
from flows.report.browser.live import Live
from newwiki.errors import TerminalError
from storage.database import Database

_HOST = "127.0.0.1"
_PATIENCE = 2  # seconds that a page under way has when the server ends


def serve(database: Database, port: int, *, open_browser: bool) -> None:
    """Serves the pages until Ctrl-C. Port 0 is any that is free. Raises TerminalError where the port is taken."""
    with database.read():
        pass  # one that is not there, or is none of ours, is said here and not on every page
    live = Live(database)
    words = f"{database.path} to read; Ctrl-C ends it"
    serve_pages(application(live), port, words, open_browser=open_browser, at_end=live.close)


def serve_pages(
    app: ASGIApp, port: int, words: str, *, open_browser: bool, at_end: Callable[[], None] = lambda: None
) -> None:
    """Serves an application until Ctrl-C, as `serve` does; `words` say to stderr what it is."""
    with _socket(port) as listening:
        address = f"http://{_HOST}:{listening.getsockname()[1]}/"
        say(address)
        say(words, err=True)
        if open_browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_PATIENCE,
        )
        try:
            _Server(config, at_end).run([listening])
        except KeyboardInterrupt:
            return  # which uvicorn passes on when it has ended


class _Server(uvicorn.Server):
    """One that does not wait for the query of a reader when it is ended."""

    def __init__(self, config: uvicorn.Config, at_end: Callable[[], None]) -> None:
        super().__init__(config)
        self._at_end = at_end

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._at_end()
        for query in multiprocessing.active_children():
            query.kill()
        await super().shutdown(sockets)


def _socket(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((_HOST, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise TerminalError(
            f"port {port} of {_HOST} cannot be had ({error.strerror}); name another with --port, "
            "or --port 0 for a free one"
        ) from None
    return listening
