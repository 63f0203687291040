"""The local server for pages of one user: the address it listens on, the requests it refuses, and its shutdown."""

import multiprocessing
import socket
import threading
import webbrowser
from collections.abc import Callable, MutableMapping
from typing import Any

import uvicorn
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from flows.printing import say
from newwiki.errors import TerminalError

_HOST = "127.0.0.1"
_PATIENCE = 2  # seconds that an unfinished page has when the server stops


def serve_pages(
    app: ASGIApp, port: int, words: str, *, open_browser: bool, at_end: Callable[[], None] = lambda: None
) -> None:
    """Serve an application until Ctrl-C and write `words` about it to stderr. Port 0 is any free port.

    Raises TerminalError if the port is taken.
    """
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
            return  # uvicorn raises it again after its shutdown


class _Server(uvicorn.Server):
    """A server that does not wait for a reader's query when it stops."""

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
            f"cannot use port {port} of {_HOST} ({error.strerror}); choose another with --port, "
            "or a free one with --port 0"
        ) from None
    return listening


# A foreign page can make a browser request a domain name that resolves to this machine. Such names are refused.
_HOSTS = ["127.0.0.1", "localhost"]
_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Accept only GET and HEAD requests to the names of this machine, and from a foreign page only followed links.

    If the pages have forms that store data (`takes_forms`), accept POST requests too, but only from these pages.
    """

    def __init__(self, app: ASGIApp, *, takes_forms: bool = False) -> None:
        self._app = TrustedHostMiddleware(app, allowed_hosts=_HOSTS, www_redirect=False)
        self._takes_forms = takes_forms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await (_refusal(scope, self._takes_forms) or self._app)(scope, receive, send_guarded)


def _refusal(scope: Scope, takes_forms: bool) -> PlainTextResponse | None:
    headers = Headers(scope=scope)
    if scope["method"] == "POST" and takes_forms:
        # A browser that sends no referrer sends no origin with a form either, and old browsers send no fetch site
        site, own = headers.get("sec-fetch-site"), f"http://{headers.get('host')}"
        is_own = site == "same-origin" if site else headers.get("origin") == own
        return None if is_own else PlainTextResponse("pages of other sites cannot send data here", 403)
    if scope["method"] not in ("GET", "HEAD"):
        return PlainTextResponse("this page is read-only", 405, {"allow": "GET, HEAD"})
    foreign = headers.get("sec-fetch-site") in ("cross-site", "same-site")
    if foreign and (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")) != ("navigate", "document"):
        return PlainTextResponse("pages of other sites can only link to this page", 403)
    return None
