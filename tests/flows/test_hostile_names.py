"""Names from elsewhere that steer a terminal, a page or a table: no command lets them through to people."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from flows.report.browser.app import application
from flows.report.browser.live import Live
from storage.database import Database
from tests.flows.conftest import environment
from tests.flows.in_process import run
from tests.flows.scored import SNAPSHOT, add_scored_runs

pytestmark = pytest.mark.slow

_STEERING = "\x1b[31m\x07\x7f\x9b\u200b\u200e\u202e\u2066\u2028\ufeff"
_MODEL = f"=m{_STEERING}=|`<b>"
_NUMBER = re.compile(r"-?[0-9.]+(?:e-?[0-9]+)?")
_HEBREW = "דגם"
_COMMANDS = (
    ("leaderboard",), ("compare", "one", "other"), ("compare", "one", "other", "--format", "markdown"),
    ("sql", "select model, decoder from runs"), ("sql", "select model from runs", "--format", "json"),
    ("sql", f'select 1 as "{_STEERING}"'),
    ("sql", f"select error('{_STEERING}')"), ("leaderboard", "--snapshot", _STEERING),
    ("snapshots", "list"), ("metrics",),
    ("report", "--out", "report.html"), ("site", "--out", "board"),
    ("export", "results", "one", "--out", "results"), ("export", "runs", "--format", "datasets", "--out", "runs"),
    ("export", "runs", "--format", "jsonl", "--out", "lines"),
)  # fmt: skip


@pytest.fixture(scope="module")
def hostile(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database as somebody else may have made it."""
    folder = tmp_path_factory.mktemp("hostile")
    path = folder / "newwiki.duckdb"
    path.write_bytes(published.read_bytes())
    about = {"one": {"model": _MODEL, "decoder": f"greedy{_STEERING}"}, "other": {"model": _HEBREW}}
    numbers = {"density": [[0.1], [0.5], [0.7]], "sbert": [[-0.25], [-0.25], [-0.25]]}
    add_scored_runs(Database(path), {"one": numbers, "other": numbers}, about=about)
    with Database(path).write() as connection:
        connection.execute("update runs set started_at = now(), finished_at = now()")
    return folder


@pytest.fixture(scope="module")
def written(hostile: Path) -> dict[str, str]:
    """What each command printed, and every text file that one wrote."""
    found = {}
    for command in _COMMANDS:
        ended = run(
            [*command, *(() if command[0] == "metrics" else ("--db", "newwiki.duckdb"))], hostile, environment()
        )
        found[" ".join(command)] = ended.stdout + ended.stderr
        assert "Traceback" not in ended.stderr and "this is a defect" not in ended.stderr, ended.stderr
    texts = (file for file in hostile.rglob("*") if file.suffix in (".html", ".xml", ".md", ".csv", ".json", ".jsonl"))
    return found | {str(file.relative_to(hostile)): file.read_text("utf-8") for file in texts}


def test_no_command_and_no_file_shows_them_raw(written: dict[str, str]) -> None:
    assert {"report.html", "board/index.html", "board/feed.xml", "runs/README.md"} <= written.keys()
    assert {name: _raw(text) for name, text in written.items() if _raw(text)} == {}
    assert all(
        "u202e" in written[name] for name in ("leaderboard", "report.html", "board/models.html", "board/feed.xml")
    )


def test_no_page_of_the_browser_shows_them_raw(hostile: Path) -> None:
    live = Live(Database(hostile / "newwiki.duckdb"))
    with TestClient(application(live), "http://127.0.0.1") as client:
        for place in (
            "/",
            f"/snapshots/{SNAPSHOT}",
            "/runs/one",
            "/sql?q=select model from runs&plot=",
            "/sql.csv?q=from runs",
        ):
            page = client.get(place)
            assert page.status_code == 200 and not _raw(page.text), place
            assert place == "/" or "u202e" in page.text, place
            assert not [*_outside_bdi(page.text)] or "/sql" in place, place
    live.close()


def test_no_cell_of_the_sites_csv_is_a_formula(written: dict[str, str]) -> None:
    files = [text for name, text in written.items() if name.startswith("board/data") and name.endswith(".csv")]
    cells = [cell for text in files for row in csv.reader(io.StringIO(text)) for cell in row]
    assert any(cell.startswith("'=m") for cell in cells)
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t")) and not _NUMBER.fullmatch(cell)] == []
    assert "-0.25" in cells  # a number stays one


def test_names_of_the_other_direction_are_isolated(written: dict[str, str]) -> None:
    pages = [name for name in written if name.endswith(".html")]
    assert any(_HEBREW in written[name] for name in pages)
    assert {name: [*_outside_bdi(written[name])] for name in pages if [*_outside_bdi(written[name])]} == {}


def _raw(text: str) -> list[str]:
    return [letter for letter in text if unicodedata.category(letter) in ("Cc", "Cf", "Zl") and letter not in "\n\t"]


def _outside_bdi(html: str) -> Iterator[str]:
    """Texts of a page that hold the Hebrew name and are not isolated; titles and pictures have no room for it."""
    parser = _Isolated()
    parser.feed(html)
    yield from parser.bare


class _Isolated(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self._open: list[str] = []
        self.bare: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        isolates = tag in ("bdi", "title", "svg", "option", "script") or dict(attrs).get("dir") == "auto"
        if tag not in ("br", "wbr", "meta", "link", "input", "img", "hr"):
            self._open.append("isolated" if isolates else tag)

    def handle_endtag(self, tag: str) -> None:
        if self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if _HEBREW in data and "isolated" not in self._open:
            self.bare.append(data.strip())
