"""A dump in several parts gives the snapshot that it gives in one, or none at all."""

import bz2
import gzip
import hashlib
import io
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from flows.cli import cli
from flows.progress import Silent
from flows.refreshing.gather_and_publish import SnapshotDefinition, refresh
from newwiki.errors import TerminalError, UsageError
from newwiki.snapshot import Page, Selection, Window
from newwiki.sources import parallel_reading, unpacking
from newwiki.sources.dump import DumpSource
from newwiki.sources.old import OldDump
from storage.database import Database

pytestmark = pytest.mark.slow

CUTOFF = datetime(2026, 10, 15, 12, tzinfo=UTC)
NEW = SnapshotDefinition(Window.month("2026-09"), Selection(), CUTOFF)
OLD = SnapshotDefinition(Window.before(datetime(2026, 10, 1).date()), Selection(min_words=100, sample=9), CUTOFF, "old")
KINDS = ("", "gz", "bz2", "7z", "gz")


def packed(file: Path, body: bytes, kind: str) -> Path:
    target = file.with_name(f"{file.name}.{kind}") if kind else file
    if kind == "7z":
        if not shutil.which("7z"):
            say = pytest.fail if os.environ.get("CI") else pytest.skip
            say("needs 7-Zip (apt install p7zip-full)")
        file.write_bytes(body)
        subprocess.run(["7z", "a", "-bd", target.name, file.name], cwd=file.parent, check=True, capture_output=True)
        file.unlink()
    else:
        pack: dict[str, Callable[[bytes], bytes]] = {"": bytes, "gz": gzip.compress, "bz2": bz2.compress}
        target.write_bytes(pack[kind](body))
    return target


def cut(wiki: Path, folder: Path, seed: int = 0, kinds: Sequence[str] = KINDS) -> list[Path]:
    """The wiki's pages, dealt out to parts in an order of chance."""
    head, *pages = wiki.read_text("utf-8").split("  <page>")
    pages[-1] = pages[-1].removesuffix("</mediawiki>\n")
    random.Random(seed).shuffle(pages)
    folder.mkdir()
    return [
        packed(
            folder / f"wiki-part{number}.xml",
            "  <page>".join([head, *pages[number - 1 :: len(kinds)]]).encode() + b"</mediawiki>\n",
            kind,
        )
        for number, kind in enumerate(kinds, 1)
    ]


@pytest.fixture(scope="module")
def parts(sample_wiki: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Never changed."""
    return cut(sample_wiki, tmp_path_factory.mktemp("cut") / "parts")


@pytest.fixture(scope="module")
def whole(sample_wiki: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    """What is published of the wiki in one part."""
    return published(tmp_path_factory.mktemp("whole"), sample_wiki)


@pytest.fixture
def one_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """One process reads all parts: starting a second one would take longer than it saves."""
    monkeypatch.setattr(parallel_reading, "cores", lambda: 1)


def published(
    folder: Path, places: Sequence[Path | str] | Path, request: SnapshotDefinition = NEW
) -> tuple[object, ...]:
    database = Database(folder / "newwiki.duckdb")
    open_source = OldDump if request.kind == "old" else DumpSource
    given = [places] if isinstance(places, Path) else places
    snapshot = refresh(database, open_source([str(place) for place in given]), request, Silent())
    with database.read() as connection:
        rows = connection.execute("select * exclude (snapshot_id) from candidates order by page_id").fetchall()
    assert {file.name for file in folder.glob("newwiki*")} == {"newwiki.duckdb", "newwiki.duckdb.commits"}
    return snapshot.content_sha256, snapshot.articles, rows


def test_parts_in_any_order_give_the_snapshot_of_the_whole(
    sample_wiki: Path, parts: list[Path], whole: tuple[object, ...], tmp_path: Path
) -> None:
    assert published(tmp_path / "parts", [*parts[2:], *parts[:2]]) == whole
    again = cut(sample_wiki, tmp_path / "again", seed=1, kinds=("", "gz"))
    assert published(tmp_path / "two", list(reversed(again))) == whole


@pytest.mark.usefixtures("one_reader")
def test_parts_give_the_old_articles_of_the_whole(sample_wiki: Path, parts: list[Path], tmp_path: Path) -> None:
    assert published(tmp_path / "parts", parts, OLD) == published(tmp_path / "whole", sample_wiki, OLD)


def test_a_process_without_a_part_judges_what_another_has_read(
    sample_wiki: Path, whole: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here a large file, which is one part."""
    handed_on: list[int] = []

    def hand_on(work: parallel_reading._Work, pages: Sequence[Page]) -> None:
        handed_on.append(len(pages))
        original(work, pages)

    original = parallel_reading._Work._hand_on
    monkeypatch.setattr(parallel_reading._Work, "_hand_on", hand_on)
    monkeypatch.setattr(parallel_reading, "_LARGE", 1)
    monkeypatch.setattr(parallel_reading, "cores", lambda: 3)
    assert published(tmp_path / "shared", sample_wiki) == whole
    assert handed_on == [24]


@pytest.mark.usefixtures("one_reader")
def test_a_limit_takes_the_same_pages_from_parts(sample_wiki: Path, parts: list[Path], tmp_path: Path) -> None:
    first = SnapshotDefinition(NEW.window, Selection(limit=9, min_words=100, min_revisions=1), CUTOFF)
    assert published(tmp_path / "whole", sample_wiki, first) == published(tmp_path / "parts", parts, first)


def test_a_dump_can_come_through_a_pipe(
    sample_wiki: Path, whole: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    piped = io.BufferedReader(io.BytesIO(gzip.compress(sample_wiki.read_bytes())))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=piped))
    assert published(tmp_path / "piped", ["-"]) == whole


def test_a_pipe_comes_alone(sample_wiki: Path) -> None:
    with pytest.raises(UsageError, match="'-' is standard input and cannot be combined"):
        DumpSource(["-", str(sample_wiki)])


def refused(folder: Path, places: Sequence[Path | str], message: str) -> None:
    with pytest.raises(TerminalError, match=message) as raised:
        published(folder, places)
    assert "\n" not in str(raised.value)
    assert not list(folder.glob("newwiki*"))


@pytest.mark.usefixtures("one_reader")
def test_a_missing_part_is_refused_and_leaves_nothing(parts: list[Path], tmp_path: Path) -> None:
    refused(tmp_path, [*parts[:2], *parts[3:]], "'wiki-part3.xml' is missing")


@pytest.mark.usefixtures("one_reader")
def test_a_part_that_is_not_what_its_checksum_says_is_refused(
    parts: list[Path], whole: tuple[object, ...], tmp_path: Path
) -> None:
    """All the same in which way it is packed; and one that is, is read."""
    for wrong in (None, 0, 1, 3):
        folder = tmp_path / f"wrong{wrong}"
        shutil.copytree(parts[0].parent, folder)
        sums = [f"{hashlib.sha256(part.read_bytes()).hexdigest()}  {part.name}\n" for part in parts]
        if wrong is not None:
            sums[wrong] = f"{'0' * 64}  {parts[wrong].name}\n"
        (folder / "SHA256SUMS").write_text("".join(sums))
        if wrong is None:
            assert published(tmp_path / "right", folder) == whole
        else:
            refused(tmp_path / "none", [folder], rf"{parts[wrong].name}' does not match its published checksum")


@pytest.mark.usefixtures("one_reader")
def test_a_page_in_two_parts_is_refused(sample_wiki: Path, tmp_path: Path) -> None:
    for name in ("a.xml", "b.xml"):
        shutil.copy(sample_wiki, tmp_path / name)
    refused(tmp_path / "none", [tmp_path / "a.xml", tmp_path / "b.xml"], "occurs in both .*; pass each page only once")


@pytest.mark.usefixtures("one_reader")
def test_parts_of_two_wikis_are_refused(sample_wiki: Path, parts: list[Path], tmp_path: Path) -> None:
    other = tmp_path / "zz.xml"
    other.write_text(sample_wiki.read_text("utf-8").replace("samplewiki", "otherwiki"), "utf-8")
    refused(tmp_path / "none", [*parts, other], "'.*zz.xml' belongs to otherwiki, and other parts to samplewiki")


@pytest.mark.usefixtures("one_reader")
def test_an_archive_that_breaks_off_is_named(parts: list[Path], tmp_path: Path) -> None:
    """As tests/newwiki/sources/test_dump.py asks of the other ways to pack it."""
    folder = tmp_path / "parts"
    shutil.copytree(parts[0].parent, folder)
    broken = folder / parts[3].name
    broken.write_bytes(broken.read_bytes()[: broken.stat().st_size * 3 // 4])
    refused(tmp_path / "none", [folder], rf"{broken.name}' is not a readable MediaWiki XML export")


def test_without_7_zip_a_line_says_what_to_install(
    parts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "_SEVEN_ZIPS", ("no-such-program",))
    alone = shutil.copy(parts[3], tmp_path / "alone.xml.7z")
    refused(tmp_path / "none", [alone], "7z is not installed; install 7-Zip")


def test_a_process_that_is_killed_leaves_what_was_judged_and_the_next_goes_on(
    parts: list[Path], whole: tuple[object, ...], tmp_path: Path
) -> None:
    """The refresh, killed once it has stored something, leaves no process behind."""
    program = (
        "import os, pickle, signal, sys\nfrom flows.progress import Silent\n"
        "from flows.refreshing.gather_and_publish import refresh\nfrom newwiki.sources.dump import DumpSource\n"
        "from storage.database import Database\nfrom storage.staging import Staging\nadd = Staging.add\n"
        "def once(self, pages, *more):\n    add(self, pages, *more)\n"
        "    if pages: print(len(self.done()), flush=True); os.kill(os.getpid(), signal.SIGKILL)\n"
        "Staging.add = once\ndatabase, asked, *parts = sys.argv[1:]\n"
        "refresh(Database(database), DumpSource(parts), pickle.loads(bytes.fromhex(asked)), Silent())"
    )
    database = tmp_path / "parts" / "newwiki.duckdb"
    command = [sys.executable, "-c", program, str(database), pickle.dumps(NEW).hex(), *map(str, parts)]
    killed = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[3])
    assert killed.returncode == -signal.SIGKILL
    assert 0 < int(killed.stdout) < 24
    deadline = time.monotonic() + 60
    while running := _readers():
        assert time.monotonic() < deadline, running
        time.sleep(0.1)
    assert published(tmp_path / "parts", parts) == whole


def _readers() -> list[int]:
    """Processes that read parts, and were started by one that has died."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line, status = (process / "cmdline").read_bytes(), (process / "status").read_text()
        except OSError:
            continue
        if parallel_reading._START.encode() in line and "PPid:\t1\n" in status:
            found.append(int(process.name))
    return found


def test_a_reader_that_is_killed_is_told_and_what_is_judged_stays(
    parts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel_reading, "_START", "import os; os.kill(os.getpid(), 9)")
    with pytest.raises(Exception, match="was killed, perhaps for lack of memory; run the command again to resume"):
        published(tmp_path, parts)
    monkeypatch.undo()
    assert published(tmp_path, parts)[1]


def test_the_command_takes_the_option_again_for_each_part(parts: list[Path], tmp_path: Path) -> None:
    asked = ["--month", "2026-09", "--cutoff", "2026-10-15", "--db", str(tmp_path / "newwiki.duckdb"), "--quiet"]
    places = [f"--dump={part}" for part in (parts[0], parts[2])]
    assert CliRunner().invoke(cli, ["refresh", *places, *asked]).exit_code
    assert not list(tmp_path.iterdir())
    with pytest.raises(TerminalError, match="part2"):
        cli.main(["refresh", *places, *asked], standalone_mode=False)
