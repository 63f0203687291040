import re
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
import requests
import responses
from responses import matchers

from newwiki.errors import TerminalError, TransientError
from newwiki.sources.api import Api

URL = "https://wiki.example/w/api.php"
GOOD = {"query": {"x": [{"a": 1}]}}


@pytest.fixture
def server() -> Iterator[responses.RequestsMock]:
    with responses.RequestsMock() as mock:
        yield mock


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waited: list[float] = []
    monkeypatch.setattr("newwiki.sources.backoff.time.sleep", waited.append)
    return waited


def ask(api: Api | None = None) -> list[dict[str, Any]]:
    return list((api or Api(URL, "me@wiki.example")).query("list", list="x"))


def refused(code: str) -> dict[str, Any]:
    return {"error": {"code": code, "info": "in words"}}


def test_a_query_goes_on_until_the_server_names_no_continuation(server: responses.RequestsMock) -> None:
    rounds: list[tuple[dict[str, str], dict[str, Any]]] = [
        ({}, {"continue": {"a": "1", "continue": "-||"}, "query": {"x": [1]}}),
        ({"a": "1", "continue": "-||"}, {"continue": {"b": "2", "continue": "||"}, "query": {"x": [2]}}),
        ({"b": "2", "continue": "||"}, {"batchcomplete": True, "query": {"x": []}}),
    ]
    common = {"action": "query", "list": "x", "format": "json", "formatversion": "2", "maxlag": "5"}
    for carried, answer in rounds:
        server.get(URL, json=answer, match=[matchers.query_param_matcher(common | carried)])
    assert ask() == [{"x": [1]}, {"x": [2]}, {"x": []}]


def test_a_request_names_the_program_and_its_operator(server: responses.RequestsMock) -> None:
    server.get(URL, json=GOOD)
    ask(Api(URL, "me@wiki.example"))
    headers = server.calls[0].request.headers
    assert re.fullmatch(r"newwiki-eval/[\d.]+ \(me@wiki\.example\) python-requests/[\d.]+", headers["User-Agent"])
    assert "gzip" in headers["Accept-Encoding"]


@pytest.mark.parametrize(
    "trouble",
    [
        {"status": 429},
        {"status": 500, "body": "<html>"},
        {"status": 502},
        {"status": 503, "json": refused("readonly")},
        {"status": 504},
        {"status": 408},
        {"status": 520},
        {"status": 524},
        {"status": 527},
        {"json": {}},
        {"json": {"batchcomplete": True}},
        {"json": {"query": []}},
        {"json": {"query": {"y": []}}},
        {"json": {"error": "text"}},
        {"body": '{"query": {"x": [NaN]}}'},
        {"body": '{"query": {"x": [1e999]}}'},
        {"body": f'{{"query": {{"x": [{2**63}]}}}}'},
        {"body": f'{{"query": {{"x": [-{"1" * 5000}]}}}}'},
        {"body": "[" * 100_000},
        {"body": "<!DOCTYPE html><p>Our servers are under maintenance"},
        {"body": ""},
        {"body": '{"query": {'},
        {"json": []},
        {"json": "text"},
        {"json": refused("maxlag")},
        {"json": refused("ratelimited")},
        {"json": refused("readonly")},
        {"json": refused("internal_api_error_DBQueryError")},
        {"body": requests.ConnectionError("cut off")},
        {"body": requests.Timeout("too slow")},
    ],
    ids=lambda trouble: str(trouble)[:60],
)
def test_passing_trouble_is_waited_out(
    server: responses.RequestsMock, waits: list[float], trouble: dict[str, Any]
) -> None:
    server.get(URL, **trouble)
    server.get(URL, **trouble)
    server.get(URL, json=GOOD)
    assert ask() == [GOOD["query"]]
    assert len(waits) == 2


def test_a_number_too_large_for_the_database_is_one_line_that_names_the_wiki(server: responses.RequestsMock) -> None:
    """The largest one that does is a number like any other."""
    server.get(URL, json={"query": {"x": [2**63 - 1, -(2**63) + 1]}})
    assert ask() == [{"x": [2**63 - 1, -(2**63) + 1]}]
    server.get(URL, json={"query": {"x": [{"pageid": 2**63}]}})
    with pytest.raises(
        TransientError, match=r"wiki\.example.* a number that is larger .*9223372036854775808"
    ) as raised:
        ask()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("trouble", [{"status": 429}, {"status": 503}, {"json": refused("maxlag")}])
def test_the_server_says_how_long_to_wait(
    server: responses.RequestsMock, waits: list[float], trouble: dict[str, Any]
) -> None:
    server.get(URL, headers={"Retry-After": "17"}, **trouble)
    server.get(URL, json=GOOD)
    ask()
    assert waits == [17]


@pytest.mark.parametrize(("ahead", "waited"), [(90, 90), (-90, 0), (86_400, 600)])
def test_a_wait_may_be_written_as_a_date(
    server: responses.RequestsMock, waits: list[float], ahead: int, waited: int
) -> None:
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=ahead), usegmt=True)
    server.get(URL, status=429, headers={"Retry-After": moment})
    server.get(URL, json=GOOD)
    ask()
    assert waits == [pytest.approx(waited, abs=2)]


@pytest.mark.parametrize("words", ["soon", "-5", "1e9", "Wed, 99 Foo 2026", ""])
def test_an_unreadable_retry_after_is_replaced_by_our_wait(
    server: responses.RequestsMock, waits: list[float], words: str
) -> None:
    server.get(URL, status=503, headers={"Retry-After": words})
    server.get(URL, json=GOOD)
    ask()
    assert 0.5 <= waits[0] <= 1


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        ({"status": 429, "headers": {"Retry-After": "7"}}, "waiting 7 s, as wiki.example asks (HTTP status 429)"),
        (
            {"status": 429, "headers": {"Retry-After": "7200"}},
            "waiting 600 s, though wiki.example asks for 7200 s (HTTP status 429)",
        ),
        (
            {"headers": {"Retry-After": "5"}, "json": refused("maxlag")},
            "waiting 5 s, as wiki.example asks (maxlag: in words)",
        ),
        ({"status": 502}, "waiting 1 s, before the next request to wiki.example (HTTP status 502)"),
        (
            {
                "status": 429,
                "headers": {"Retry-After": "2"},
                "body": "<title>Error</title><style>x{}</style><p>Too many requests. See the policy.</p>",
            },
            "waiting 2 s, as wiki.example asks (HTTP status 429: Too many requests. See the policy.)",
        ),
    ],
)
def test_each_wait_is_reported_with_length_and_reason(
    server: responses.RequestsMock, trouble: dict[str, Any], said: str
) -> None:
    server.get(URL, **trouble)
    server.get(URL, json=GOOD)
    heard: list[str] = []
    api = Api(URL, None)
    api.tell(heard.append)
    ask(api)
    assert heard == [said]


@pytest.mark.parametrize(
    ("trouble", "fewest"),
    [
        ({"status": 429}, 14),
        ({"json": refused("maxlag"), "headers": {"Retry-After": "5"}}, 14),
        ({"json": refused("ratelimited")}, 14),
        ({"status": 429, "headers": {"Retry-After": "0"}}, 14),
        ({"status": 429, "headers": {"Retry-After": "3600"}}, 2),
    ],
)
def test_a_server_that_wants_its_clients_to_wait_is_waited_for_up_to_a_quarter_of_an_hour(
    server: responses.RequestsMock, waits: list[float], trouble: dict[str, Any], fewest: int
) -> None:
    server.get(URL, **trouble)
    with pytest.raises(TransientError, match="does not answer"):
        ask()
    assert 880 < sum(waits) < 900.1
    assert fewest <= len(waits) < 60


def test_trouble_that_does_not_pass_is_transient_and_says_which(
    server: responses.RequestsMock, waits: list[float]
) -> None:
    server.get(URL, json=refused("readonly"))
    with pytest.raises(TransientError, match=rf"{URL} does not answer: readonly: in words; .*try later"):
        ask()
    assert len(server.calls) == 6
    assert len(waits) == 5


def test_each_round_has_all_its_attempts(server: responses.RequestsMock) -> None:
    for number in range(3):
        for _ in range(5):
            server.get(URL, status=503)
        server.get(URL, json={"query": {"x": [number]}} | ({"continue": {"a": str(number)}} if number < 2 else {}))
    assert ask() == [{"x": [0]}, {"x": [1]}, {"x": [2]}]


@pytest.mark.parametrize("code", ["badtoken", "readapidenied", "unknown_action", "toomanyvalues"])
def test_a_refusal_is_final_and_quotes_the_server(
    server: responses.RequestsMock, waits: list[float], code: str
) -> None:
    server.get(URL, json=refused(code))
    with pytest.raises(TerminalError, match=f"refuses the request: {code}: in words"):
        ask()
    assert waits == []


@pytest.mark.parametrize("status", [404, 410])
def test_where_no_api_is_is_final(server: responses.RequestsMock, waits: list[float], status: int) -> None:
    server.get(URL, status=status)
    with pytest.raises(TerminalError, match=f"no MediaWiki API at {URL}: HTTP status {status}"):
        ask()
    assert waits == []


PAGE = "<html><style>p {}</style><p>Too many requests\x1b[31m of <b>yours</b>\r\n" + "and so on " * 100


@pytest.mark.parametrize("status", [400, 401, 403, 451])
def test_a_refusing_status_quotes_the_server(server: responses.RequestsMock, waits: list[float], status: int) -> None:
    server.get(URL, status=status, body=PAGE)
    with pytest.raises(TerminalError) as raised:
        ask()
    line = str(raised.value)
    assert line.startswith(
        f"the request was refused by {URL}: HTTP status {status}: Too many requests [31m of yours and"
    )
    assert line.isprintable()
    assert len(line) < 300
    assert waits == []


def test_a_host_that_cannot_be_reached_is_transient_and_named(waits: list[float]) -> None:
    """A port that was open a moment ago and is closed now."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(
        TransientError, match=rf"127\.0\.0\.1:{port}/api\.php does not answer: it cannot be reached \(.*refused"
    ):
        ask(Api(f"http://127.0.0.1:{port}/api.php", None))
    assert len(waits) == 5


@pytest.mark.parametrize("host", ["en.wikipedia.org", "www.wikidata.org", "commons.wikimedia.org", "www.mediawiki.org"])
def test_a_wikimedia_wiki_wants_an_operator_to_write_to(host: str) -> None:
    for nobody in (None, ""):
        with pytest.raises(TerminalError, match=rf"{host} requires contact details: set NEWWIKI_CONTACT"):
            Api(f"https://{host}/w/api.php", nobody)
    assert Api(f"https://{host}/w/api.php", "me@wiki.example").url == f"https://{host}/w/api.php"


@pytest.mark.parametrize("contact", ["x", "me", "foo bar", "@", "a@b", "Łukasz"])
def test_a_wikimedia_wiki_refuses_a_contact_that_nobody_can_write_to(contact: str) -> None:
    with pytest.raises(
        TerminalError, match=rf"requires contact details \('{contact}' is neither an e-mail .*: set NEW"
    ):
        Api("https://en.wikipedia.org/w/api.php", contact)


@pytest.mark.parametrize(
    "contact", ["me@wiki.example", "https://wiki.example/me", "meta.wikimedia.org/wiki/User:Me", "User:Me", "李@例.中"]
)
def test_an_address_or_a_page_is_a_contact(contact: str) -> None:
    Api("https://en.wikipedia.org/w/api.php", contact)


@pytest.mark.parametrize(
    ("contact", "sent"),
    [
        ("Łukasz, l@x.pl", "%C5%81ukasz, l@x.pl"),
        ("李@wiki.example", "%E6%9D%8E@wiki.example"),
        ("שלום 🙂 (me@wiki.example)", "%D7%A9%D7%9C%D7%95%D7%9D %F0%9F%99%82 (me@wiki.example)"),
        ("50% me@wiki.example", "50% me@wiki.example"),
    ],
)
def test_a_contact_in_any_script_is_sent_in_ascii(server: responses.RequestsMock, contact: str, sent: str) -> None:
    server.get(URL, json=GOOD)
    ask(Api(URL, contact))
    assert f"({sent})" in server.calls[0].request.headers["User-Agent"]


@pytest.mark.parametrize("contact", ["\n", "x\r\nEvil: 1", "a@b.example\x00"])
def test_a_contact_of_several_lines_is_refused(contact: str) -> None:
    with pytest.raises(TerminalError, match="control character: set NEWWIKI_CONTACT to one line"):
        Api(URL, contact)


@pytest.mark.parametrize("url", [URL, "http://localhost:8080/api.php", "https://notwikipedia.org/api.php"])
def test_another_wiki_wants_none(url: str) -> None:
    assert Api(url, None).url == url


@pytest.mark.parametrize("url", ["", "enwiki", "ftp://wiki.example/api.php", "https://", "/w/api.php"])
def test_an_invalid_address_is_refused(url: str) -> None:
    with pytest.raises(TerminalError, match="is not an API address; write it as https"):
        Api(url, "me@wiki.example")


def test_a_continuation_that_goes_round_in_circles_is_final(server: responses.RequestsMock) -> None:
    for number in "121":
        server.get(URL, json={"continue": {"a": number}, "query": {"x": []}})
    with pytest.raises(TerminalError, match=rf"{URL} continues its answer endlessly \(list, 3 rounds\)"):
        ask()


def test_an_endless_continuation_is_final(server: responses.RequestsMock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newwiki.sources.api._MAX_ROUNDS", 20)
    for number in range(21):
        server.get(URL, json={"continue": {"a": str(number)}, "query": {"x": []}})
    with pytest.raises(TerminalError, match=r"continues its answer endlessly \(list, 21 rounds\)"):
        ask()


def test_what_was_asked_is_counted_once_for_each_kind(server: responses.RequestsMock) -> None:
    for trouble in ({"status": 503, "body": "wait"}, {"json": GOOD}, {"json": GOOD}):
        server.get(URL, **trouble)
    api = Api(URL, None)
    list(api.query("list", list="x"))
    list(api.query("text", list="x"))
    counted = [(row.kind, row.requests, row.retries, row.bytes) for row in api.asked()]
    assert counted == [("list", 2, 1, 4 + 28), ("text", 1, 0, 28)]
    assert api.asked() == []


def test_a_refusal_is_counted_too(server: responses.RequestsMock) -> None:
    server.get(URL, json=refused("badtoken"))
    api = Api(URL, None)
    with pytest.raises(TerminalError):
        ask(api)
    assert [(row.kind, row.requests) for row in api.asked()] == [("list", 1)]
