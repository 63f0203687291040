"""No request ends `newwiki browse`, whatever it asks for: each is answered by a page."""

import os
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import quote

import altair
import pytest
from starlette.testclient import TestClient

from flows.presenting.charts import svg
from flows.report.browser import query_process
from flows.report.browser.app import application
from flows.report.browser.live import Live
from flows.report.browser.plotting import KINDS, ChosenPlot, drawn
from flows.report.browser.query_process import QueryAnswer, ask_and_draw
from newwiki.errors import TerminalError
from storage.database import Database
from tests.flows.scored import SNAPSHOT, add_run

pytestmark = pytest.mark.slow

_QUERIES = (
    "select chr({}) || 'a' as x, 1 as y",
    "select 'a' as x, 1 as y, chr({}) as c",
    'select 1 as "\x1b", 2 as "a.b[c]"',
    "select 1e308 as y, 'a' as x union all select -1e308, 'b'",
    "select 170141183460469231731687303715884105727::hugeint as y, 'a' as x",
    "select 'infinity'::timestamp as x, 1 as y",
    "select repeat('x', 100000) as x, 1 as y",
)
_CODES = (0, 8, 27, 31, 127, 0xFFFE, 0xFFFF, 0x202E, 0x10FFFF)
_VALUES = ("%00", str(2**70), "-1", "%ED%A0%80", "a" * 5_000, "..%2f..%2fetc")
_PLACES = (
    "/{}", "/snapshots/{}", "/articles/{}", "/articles/{}/1", f"/articles/{SNAPSHOT}/{{}}",
    f"/articles/{SNAPSHOT}?page={{}}", f"/articles/{SNAPSHOT}?find={{}}", "/runs/{}", "/runs/{}/1", "/runs/one/{}",
    "/runs/one?order={}", "/runs/one?first={}", "/runs/one?page={}",
    "/compare?run=one&run={}", "/runs/one/1?with={}", "/runs/one/1?sample={}",
    "/sql?q=select+1&plot={}", "/static/{}",
)  # fmt: skip
_ASKING = ("/sql?q={}", "/sql?q=select+1&plot=bar&x={}", "/sql.csv?q={}")


@pytest.fixture(scope="module")
def live(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Live:
    path = Path(shutil.copy(published, tmp_path_factory.mktemp("hostile") / "newwiki.duckdb"))
    add_run(Database(path), "one")
    return Live(Database(path))


@pytest.fixture(scope="module")
def client(live: Live) -> Iterator[TestClient]:
    with TestClient(application(live), "http://127.0.0.1", raise_server_exceptions=False) as found:
        yield found


@pytest.mark.parametrize("code", _CODES)
def test_what_xml_forbids_is_drawn_as_its_number(code: int) -> None:
    """The renderer aborts its process at such a character, so the report's figures too."""
    values = [{"x": f"a{chr(code)}b", "y": 1}]
    chart = altair.Chart(altair.Data(values=values)).mark_bar().encode(x="x:N", y="y:Q")
    image = svg(chart.properties(title=f"t{chr(code)}"), f"what it shows {chr(code)}")
    assert (f"\\u{code:04x}" in image) == (code < 0x10000)
    assert chr(code) not in image or code == 0x10FFFF
    assert "<svg" in image


def test_half_a_pair_is_no_character() -> None:
    chart = altair.Chart(altair.Data(values=[{"x": "a\ud800", "y": 1}])).mark_bar().encode(x="x:N", y="y:Q")
    assert "\ud800" not in svg(chart, "half \ud800")


def test_a_hostile_result_is_drawn_or_said_not_to_be(client: TestClient) -> None:
    for number, query in enumerate(_QUERIES):
        kind = list(KINDS)[number % len(KINDS)]
        colour = "c" if " as c" in query else ""
        answer = client.get(f"/sql?plot={kind}&color={colour}&q={quote(query.format(27))}")
        assert answer.status_code == 200, answer.text
        assert '<svg role="img"' in answer.text or "cannot be drawn" in answer.text, answer.text


def test_every_address_has_a_page(client: TestClient) -> None:
    """An error is one with its status, and a page of HTML."""
    for place in _PLACES:
        for value in _VALUES:
            answer = client.get(place.format(value))
            assert answer.status_code < 500, (place, value[:20], answer.status_code)
            assert answer.headers["content-type"].startswith("text/html"), (place, value[:20])
    for place in _ASKING:  # each starts a process
        for value in ("%00", "%ED%A0%80"):
            answer = client.get(place.format(value))
            assert answer.status_code < 500 and answer.headers["content-type"].startswith("text/html"), place
    assert client.get("/").status_code == 200


def aborts(answer: QueryAnswer) -> None:
    os.abort()


def test_a_drawing_that_ends_its_process_leaves_the_rows(live: Live) -> None:
    answer, image = ask_and_draw(live, "select 1 as one", 10, aborts)
    assert answer.rows == [(1,)]
    assert isinstance(image, TerminalError) and "cannot be drawn" in str(image)


def test_nothing_is_drawn_where_the_pages_are_made(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    def here(*_: object) -> None:
        raise AssertionError("drawn in the process of the server")

    monkeypatch.setattr("flows.report.browser.plotting.draw", here)
    draw = partial(drawn, kind="bar", x=None, y=None, color=None)
    _, (chosen, image) = ask_and_draw(live, "select 'a' as x, 1 as y", 10, draw)
    assert chosen == ChosenPlot("bar", "x", "y", None) and "<svg" in image


def test_the_file_is_free_while_a_result_is_drawn(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    """The query's process has closed it by then."""
    monkeypatch.setattr(query_process, "SECONDS", 30)
    _, written = ask_and_draw(live, "select 1", 10, partial(writes, live.database.path))
    assert written == "written"


def writes(path: Path, answer: QueryAnswer) -> str:
    with Database(path).write() as connection:
        connection.execute("create table while_drawn (a bigint)")
        connection.execute("drop table while_drawn")
    return "written"
