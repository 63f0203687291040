"""A wiki that fails for a moment costs a wait; a wiki that goes on failing ends the refresh, and harms nothing."""

import hashlib
import shutil
import socket
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from flows import cli
from flows.progress import Silent
from flows.refreshing.gather_and_publish import SnapshotDefinition
from flows.refreshing.gather_and_publish import refresh as step
from newwiki.errors import TransientError
from newwiki.snapshot import Snapshot, Window
from newwiki.sources import backoff
from newwiki.sources.mediawiki import ApiSource
from storage.database import Database

from .refreshing import CONTACT
from .refreshing import refresh as run_refresh
from .wiki import Wiki

pytestmark = pytest.mark.slow

# Requests before, while and after pages are judged, as patterns of their addresses
KINDS = ("letype=create", "rvprop=[^&]*content", "rvlimit=")
FOR_EVER = 1000


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the client would have waited, in seconds: it does not."""
    waited: list[float] = []
    monkeypatch.setattr(backoff, "time", SimpleNamespace(sleep=waited.append))
    return waited


@pytest.fixture(scope="module")
def undisturbed(sample_wiki: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The content hash of the sample wiki's September."""
    folder = tmp_path_factory.mktemp("undisturbed")
    return run_refresh(folder / "dump.duckdb", "--dump", sample_wiki, "--month", "2026-09").content_sha256


@pytest.fixture(scope="module")
def august(sample_wiki: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that holds the sample wiki's August already. Tests copy it."""
    folder = tmp_path_factory.mktemp("august")
    return run_refresh(folder / "api.duckdb", "--dump", sample_wiki, "--month", "2026-08").path


def refresh(wiki: Wiki, database: Path) -> Snapshot:
    request = SnapshotDefinition(Window.month("2026-09"))
    return step(Database(database), ApiSource(wiki.api_url, CONTACT), request, Silent())


@pytest.mark.parametrize(("fault", "seconds"), [("lag:12", 5), ("status:429,7", 7), ("status:503,11", 11)])
def test_the_client_waits_as_long_as_the_wiki_says(
    fault: str, seconds: int, served_sample: Wiki, waits: list[float], tmp_path: Path
) -> None:
    served_sample.faults(fault)
    refresh(served_sample, tmp_path / "api.duckdb")
    assert waits == [seconds]


def test_where_the_wiki_does_not_say_the_waits_grow(served_sample: Wiki, waits: list[float], tmp_path: Path) -> None:
    served_sample.faults(*["status:503 list=logevents"] * 4)
    refresh(served_sample, tmp_path / "api.duckdb")
    assert len(waits) == 4
    assert waits == sorted(waits)


@pytest.mark.parametrize("kind", KINDS)
def test_a_refresh_that_gave_up_goes_on_when_the_wiki_is_well(
    kind: str, served_sample: Wiki, undisturbed: str, waits: list[float], tmp_path: Path
) -> None:
    served_sample.faults(*[f"status:503 {kind}"] * FOR_EVER)
    with pytest.raises(TransientError, match="HTTP status 503"):
        refresh(served_sample, tmp_path / "api.duckdb")
    served_sample.reset()
    assert refresh(served_sample, tmp_path / "api.duckdb").content_sha256 == undisturbed
    assert {path.name for path in tmp_path.iterdir()} == {"api.duckdb", "api.duckdb.commits"}


@pytest.mark.parametrize("fault", ["lag:12", "status:429", "status:503", "html", "empty", "half", "exception"])
def test_a_wiki_that_always_fails_ends_the_command_with_one_line(
    fault: str,
    served_sample: Wiki,
    august: Path,
    waits: list[float],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    served_sample.faults(*[f"{fault} rvslots=main"] * FOR_EVER)
    database = Path(shutil.copy(august, tmp_path))
    before = hashlib.sha256(database.read_bytes()).hexdigest()
    line = _fails(database, served_sample.api_url, monkeypatch, capsys)
    assert served_sample.api_url in line
    assert hashlib.sha256(database.read_bytes()).hexdigest() == before
    assert waits


def test_a_wiki_that_cannot_be_reached_ends_the_command_with_one_line(
    waits: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}/w/api.php"
    assert "cannot be reached" in _fails(tmp_path / "none.duckdb", nobody, monkeypatch, capsys)
    assert list(tmp_path.iterdir()) == []


def _fails(database: Path, api: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on stderr of a command that ends with status 1."""
    for name in ("NEWWIKI_DB", "PREFECT_API_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(database.parent)
    arguments = ["refresh", "--db", str(database), "--api", api, "--month", "2026-09", "--contact", CONTACT, "--quiet"]
    monkeypatch.setattr(sys, "argv", ["newwiki", *arguments])
    assert cli.main() == 1
    output = capsys.readouterr()
    assert output.out == ""
    (line,) = output.err.splitlines()
    return line
