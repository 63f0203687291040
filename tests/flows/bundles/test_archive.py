"""A bundle's file is exactly its members: what else a zip can be is refused in one line, and nothing is unpacked."""

import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from flows.bundles import archive, contents, signature
from flows.bundles.contents import BundledRun, Contents, Part
from flows.bundles.keys import make_pair, read_private
from newwiki.errors import TerminalError

MEMBERS = {"bundle.json": b"{}\n", "a/b.jsonl": b"text " * 1000}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    archive.write(tmp_path / "a.newwiki", MEMBERS)
    return tmp_path / "a.newwiki"


def read(path: Path) -> dict[str, bytes]:
    with archive.Archive(path) as file:
        return {name: file.read(name) for name in file.names}


def test_what_was_written_is_read_and_the_same_members_are_the_same_bytes(path: Path, tmp_path: Path) -> None:
    archive.write(tmp_path / "b.newwiki", MEMBERS)
    assert read(path) == MEMBERS
    assert path.read_bytes() == (tmp_path / "b.newwiki").read_bytes()


def added(path: Path, name: str, content: bytes = b"x", **how: int) -> None:
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(name, content, **how)


def within(path: Path) -> None:
    """Two names of one member's bytes, of which the unpacked size is twice that of the file."""
    held = bytearray(path.read_bytes())
    second = held.index(b"PK\1\2", held.index(b"PK\1\2") + 1)
    held[second + 42 : second + 46] = struct.pack("<I", 0)
    path.write_bytes(held)


def says_it_is_longer(path: Path, size: int = 5_000_000) -> None:
    held = bytearray(path.read_bytes())
    place = held.index(b"PK\1\2")
    held[place + 24 : place + 28] = struct.pack("<I", size)
    path.write_bytes(held)


def encrypted(path: Path) -> None:
    held = bytearray(path.read_bytes())
    place = held.index(b"PK\1\2")
    held[place + 8] |= 1
    path.write_bytes(held)


def another_byte(path: Path) -> None:
    held = bytearray(path.read_bytes())
    held[held.index(b"a/b.jsonl") + len("a/b.jsonl") + 4] ^= 1
    path.write_bytes(held)


ATTACKS: dict[str, tuple[Callable[[Path], object], str]] = {
    "cut off": (lambda path: path.write_bytes(path.read_bytes()[:-30]), "is no bundle, or not all of one"),
    "no zip": (lambda path: path.write_bytes(b"PK no zip"), "is no bundle, or not all of one"),
    "empty": (lambda path: path.write_bytes(b""), "is no bundle, or not all of one"),
    "more behind": (lambda path: path.write_bytes(path.read_bytes() + b"more"), "is no bundle"),
    "more before": (lambda path: path.write_bytes(b"#!/bin/sh\n" + path.read_bytes()), "it holds more than its files"),
    "a name twice": (lambda path: added(path, "bundle.json"), "two files of one name"),
    "another packing": (lambda path: added(path, "c", compress_type=zipfile.ZIP_LZMA), "packed in another way"),
    "files within each other": (within, "files within each other"),
    "encrypted": (encrypted, "packed in another way"),
    "longer than it is": (says_it_is_longer, "'bundle.json' is not as long as the file says"),
    "longer than any bundle of its size": (lambda path: says_it_is_longer(path, 1_800_000_000), "it would be 1,800 MB"),
    "a byte that was flipped": (another_byte, "cannot be read|is no bundle|not as long"),
}  # fmt: skip


@pytest.mark.parametrize("what", ATTACKS)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_what_is_no_bundle_is_refused(what: str, path: Path) -> None:
    attack, expected = ATTACKS[what]
    attack(path)
    with pytest.raises(TerminalError, match=expected) as refused:
        read(path)
    assert str(path) in str(refused.value) and "\n" not in str(refused.value)


def test_a_bomb_is_refused_unread(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_LARGEST", 4_000)
    with pytest.raises(TerminalError, match=r"it would be 0\.0 GB unpacked"):
        archive.Archive(path)
    monkeypatch.setattr(archive, "_LARGEST", 10)
    with pytest.raises(TerminalError, match="it is larger than"):
        archive.Archive(path)
    with pytest.raises(TerminalError, match="more than one bundle may hold"):
        archive.write(path, MEMBERS)


_PEAK = """
import resource, sys
from pathlib import Path
from flows.bundles.opened import open_bundle
from newwiki.errors import TerminalError

before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    open_bundle(Path(sys.argv[1]))
except TerminalError as error:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, error)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("lines", "refused"), [(40_000, "a row twice"), (4_000_000, "MB unpacked, and at most")])
def test_a_small_bundle_takes_little_memory_to_refuse(tmp_path: Path, lines: int, refused: str) -> None:
    """The peak of the whole process, in kilobytes; a bundle of 467 kB took 798 MB."""
    key = tmp_path / "key"
    make_pair(key, tmp_path / "a.duckdb")
    content = b'["run_id","page_id","sample","metric","value","status","evaluator_id"]\n'
    content += b'["r",1,0,"m",0.5,"ok","e"]\n' * lines
    part = Part(table="scores", keys=[("snapshot_id", "s"), ("run_id", "r"), ("evaluator_id", "e")], rows=lines,
                sha256=contents.sha256(content), finished_at=datetime(2026, 9, 1, tzinfo=UTC))  # fmt: skip
    run = BundledRun(run_id="r", snapshot_id="s", model="m", model_sha256="", decoder="greedy", texts=[])
    described = Contents(newwiki="1", runs=[run], manifests=[], parts=[part]).to_bytes()
    members = {contents.NAME: described, signature.NAME: signature.sign(described, read_private(key))}
    with zipfile.ZipFile(tmp_path / "a.newwiki", "w", zipfile.ZIP_DEFLATED) as file:
        for name, held in {**members, part.path: content}.items():
            file.writestr(name, held)
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, tmp_path / "a.newwiki"], capture_output=True, text=True, check=True
    )
    assert refused in done.stdout
    assert int(done.stdout.split()[0]) < 150_000


def test_a_path_out_of_the_folder_is_a_member_that_nobody_signed(path: Path) -> None:
    """It is never unpacked; `open_bundle` compares the names with those that were signed."""
    added(path, "../../etc/passwd")
    with archive.Archive(path) as file:
        assert "../../etc/passwd" in file.names


def test_what_is_not_there_is_named(path: Path, tmp_path: Path) -> None:
    with archive.Archive(path) as file, pytest.raises(TerminalError, match="it holds no 'signature'"):
        file.read("signature")
    with pytest.raises(TerminalError, match="No such file"):
        archive.Archive(tmp_path / "nowhere")
