"""What a server may do with an answer's size, time and place, at the HTTP boundary itself."""

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import responses

from newwiki.errors import TerminalError, TransientError
from newwiki.sources.api import Api
from newwiki.sources.http_answers import in_words

GOOD = json.dumps({"query": {"x": []}}).encode()


@contextmanager
def serving(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    """The address of an API that answers so."""
    handler = {"do_GET": answer, "log_message": lambda *_: None, "protocol_version": "HTTP/1.1"}
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (BaseHTTPRequestHandler,), handler))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/api.php"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newwiki.sources.backoff.time.sleep", lambda _: None)


def ask(url: str) -> list[object]:
    return list(Api(url, None).query("list", list="x"))


def send(handler: BaseHTTPRequestHandler, content: bytes, **headers: str) -> None:
    handler.send_response(200)
    for name, value in ({"Content_Length": str(len(content))} | headers).items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(content)


@pytest.mark.parametrize("packed", [True, False])
def test_an_answer_is_read_no_further_than_any_mediawiki_sends(packed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten megabytes of blanks are ten kilobytes as they come."""
    monkeypatch.setattr("newwiki.sources.http_answers.LARGEST", 2**20)
    content = b" " * 10_000_000
    content, headers = (gzip.compress(content), {"Content_Encoding": "gzip"}) if packed else (content, {})

    def answer(handler: BaseHTTPRequestHandler) -> None:
        with suppress(OSError):
            send(handler, content, **headers)

    with serving(answer) as url, pytest.raises(TerminalError, match=f"{url} sent more than 1 MiB in one answer"):
        ask(url)


def test_an_answer_that_drips_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newwiki.sources.http_answers.LONGEST", 0.05)

    def drip(handler: BaseHTTPRequestHandler) -> None:
        with suppress(OSError):
            send(handler, b" ", Content_Length="1000")
            for _ in range(1000):
                handler.wfile.write(b" ")
                threading.Event().wait(0.01)

    with serving(drip) as url, pytest.raises(TransientError, match="its answer was incomplete after 0 s"):
        ask(url)


@pytest.mark.parametrize("chunked", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_every_way_of_sending_is_read(packed: bool, chunked: bool) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        content = gzip.compress(GOOD) if packed else GOOD
        headers = {"Content_Encoding": "gzip"} if packed else {}
        if chunked:
            pieces = b"".join(b"1\r\n" + content[n : n + 1] + b"\r\n" for n in range(len(content))) + b"0\r\n\r\n"
            handler.send_response(200)
            for name, value in ({"Transfer_Encoding": "chunked"} | headers).items():
                handler.send_header(name.replace("_", "-"), value)
            handler.end_headers()
            handler.wfile.write(pieces)
        else:
            send(handler, content, **headers)

    with serving(answer) as url:
        assert ask(url) == [{"x": []}]


@pytest.mark.parametrize(
    ("place", "to"),
    [
        ("https://wiki.example/w/api.php", "https://evil.example/w/api.php"),
        ("https://wiki.example/w/api.php", "http://wiki.example/w/api.php"),
        ("https://wiki.example/w/api.php", "//evil.example/w/api.php"),
        ("http://wiki.example/w/api.php", "http://wiki.example:8080/w/api.php"),
        ("http://wiki.example/w/api.php", "file:///etc/passwd"),
    ],
)
@responses.activate
def test_a_server_that_sends_its_clients_elsewhere_is_not_followed_and_named(place: str, to: str) -> None:
    responses.get(place, status=302, headers={"Location": to})
    host = to.partition("//")[2].partition("?")[0]
    with pytest.raises(TerminalError, match=rf"redirects to \w+://{host}; if that is the wiki"):
        ask(place)
    assert len(responses.calls) == 1


@responses.activate
def test_on_its_own_host_a_server_is_followed_once_and_then_asked_there() -> None:
    responses.get("http://wiki.example/api.php", status=301, headers={"Location": "https://wiki.example/w/api.php?a=b"})
    responses.get("https://wiki.example/w/api.php", body=GOOD)
    api = Api("http://wiki.example/api.php", None)
    for _ in range(2):
        assert list(api.query("list", list="x")) == [{"x": []}]
    assert [str(call.request.url).partition("?")[0] for call in responses.calls] == [
        "http://wiki.example/api.php", "https://wiki.example/w/api.php", "https://wiki.example/w/api.php",
    ]  # fmt: skip


@responses.activate
def test_a_server_that_sends_its_clients_round_in_circles_is_given_up() -> None:
    responses.get("http://wiki.example/api.php", status=302, headers={"Location": "/api.php"})
    with pytest.raises(TerminalError, match="redirects endlessly"):
        ask("http://wiki.example/api.php")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("<p>No <b>way</b></p>", "No way"),
        ("a\x1b[2J\r\nb", "a [2J b"),
        ("<script>alert('x')</script>Use a user agent &amp; a contact", "Use a user agent & a contact"),
        ("&#27;[31m red", "[31m red"),
        ("x" * 5000, "x" * 200),
    ],
)
def test_a_servers_message_becomes_one_plain_line(said: str, words: str) -> None:
    assert in_words(said) == words
