"""An index is what its pages make it, whatever order they come in; what is hashed is what is loaded."""

import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.claims import index_files, postings, sorted_pages
from evaluators.claims.evidence_index import EvidenceIndex
from evaluators.claims.index_builder import PageText, build, verify
from evaluators.claims.index_files import CONTENT, DERIVED, MANIFEST, content_sha256, read_manifest
from newwiki.errors import TerminalError, TransientError, UsageError
from tests.evaluators.claims.indexes import built, found, silently

PAGES: list[PageText] = [
    ("Mill", "The mill ground rye. A fire destroyed it in 1902."),
    ("Mill", "The mill ground rye. It was built anew."),
    ("Mill (film)", "A film about a mill."),
    ("حلب", "ولدت ليلى في حلب."),
    *((f"Page {place}", [f"Sentence {place} of {place % 7}.", f"Another of {place % 3}."]) for place in range(60)),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evidence") / "index"
    build(PAGES, folder, [{"parquet": "pages.parquet"}], silently)
    return folder


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "copy")


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def change(folder: Path, **said: Any) -> None:
    file = folder / MANIFEST
    file.write_text(json.dumps(json.loads(file.read_text()) | said))


def test_the_same_pages_make_the_same_bytes_in_any_order_and_in_any_memory(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = PAGES[:]
    random.Random(3).shuffle(others)
    monkeypatch.setattr(postings, "_BLOCK", 7)
    # A page at a time, which is what a dump that is larger than the memory is sorted by
    monkeypatch.setattr(sorted_pages.SortedPages.__init__, "__defaults__", (1,))
    build(others, tmp_path / "index", [{"parquet": "pages.parquet"}], silently)
    assert contents(tmp_path / "index") == contents(made)


@pytest.mark.parametrize(
    "other",
    [
        [*PAGES, ("Mill", "It grinds.")],
        PAGES[1:],
        [*PAGES[:-1], ("Page 60", PAGES[-1][1])],
        [("Mill", "A fire destroyed it in 1902. The mill ground rye."), *PAGES[1:]],
        [("Mil", "lThe mill ground rye. A fire destroyed it in 1902."), *PAGES[1:]],
    ],
)
def test_other_pages_have_another_hash(made: Path, tmp_path: Path, other: list[PageText]) -> None:
    hashed = build(other, tmp_path / "index", [], silently).content_sha256
    assert hashed != read_manifest(made).content_sha256


@pytest.mark.parametrize("name", index_files.PARAMETERS)
def test_another_parameter_has_another_hash(made: Path, name: str) -> None:
    manifest = read_manifest(made)
    other = content_sha256({**manifest.parameters, name: "another"}, manifest.files)
    assert manifest.content_sha256 == content_sha256(manifest.parameters, manifest.files) != other


def test_where_pages_came_from_is_no_part_of_the_hash(made: Path, tmp_path: Path) -> None:
    assert build(PAGES, tmp_path / "index", [], silently).content_sha256 == read_manifest(made).content_sha256


def test_scores_rest_on_the_hash_and_on_all_that_decides_a_passage(made: Path) -> None:
    index = EvidenceIndex.open(made)
    assert dict(index.parameters) == {
        "evidence": "index",
        "content_sha256": read_manifest(made).content_sha256,
        "retrieval": "1",
        "format": 2,
        "split": index_files.PARAMETERS["split"],
        "bm25": "1",
        "method": "lucene",
        "k1": 1.5,
        "b": 0.75,
        "words": "runs of letters and digits, casefolded",
        "top": 5,
    }
    assert json.loads(json.dumps(dict(index.parameters))) == index.parameters
    assert index.packages == ("bm25s",)


def test_the_folder_holds_what_is_hashed_and_nothing_else(made: Path) -> None:
    assert {file.name for file in made.iterdir()} == {*CONTENT, *DERIVED, MANIFEST}
    assert set(read_manifest(made).files) == {*CONTENT, *DERIVED}


@pytest.mark.parametrize("name", [*CONTENT, *DERIVED])
@pytest.mark.parametrize("harm", ["a bit turned", "cut off", "longer", "gone"])
def test_what_is_hashed_is_what_is_loaded(copy: Path, name: str, harm: str) -> None:
    data = (copy / name).read_bytes()
    middle = len(data) // 2
    turned = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
    (copy / name).unlink()
    if harm != "gone":
        (copy / name).write_bytes({"a bit turned": turned, "cut off": data[:-1], "longer": data + b"\0"}[harm])
    with pytest.raises(TerminalError, match=f"{name}' .*; build the index again with `newwiki evidence build`"):
        EvidenceIndex.open(copy)


@settings(max_examples=int(os.environ.get("NEWWIKI_EXAMPLES", "30")))
@given(st.sampled_from([*CONTENT, *DERIVED]), st.integers(0, 10**6), st.integers(1, 255), st.booleans())
def test_another_byte_in_any_file_is_refused_or_another_fingerprint(
    tmp_path_factory: pytest.TempPathFactory, made: Path, name: str, place: int, bits: int, described: bool
) -> None:
    """Also where whoever changed the file wrote its hash into the manifest, and the hash over all hashes."""
    folder = shutil.copytree(made, tmp_path_factory.mktemp("changed") / "index")
    data = bytearray((folder / name).read_bytes())
    data[place % len(data)] ^= bits
    (folder / name).write_bytes(data)
    if described:
        files = index_files.described(folder)
        change(folder, files=files, content_sha256=content_sha256(index_files.PARAMETERS, files))
        assert EvidenceIndex.open(folder).parameters != EvidenceIndex.open(made).parameters
    else:
        with pytest.raises(TerminalError, match="does not match its hash"):
            EvidenceIndex.open(folder)
    shutil.rmtree(folder)


@pytest.mark.parametrize("count", ["pages", "sentences", "words"])
def test_what_an_index_counts_is_what_is_there(copy: Path, count: str) -> None:
    change(copy, **{count: json.loads((copy / MANIFEST).read_text())[count] + 1})
    with pytest.raises(TerminalError, match=r"the counts in .* do not match the files"):
        EvidenceIndex.open(copy)


def test_an_index_under_another_hash_is_refused(copy: Path) -> None:
    change(copy, content_sha256="0" * 64)
    with pytest.raises(TerminalError, match="does not match its hash"):
        EvidenceIndex.open(copy)


def test_weights_that_were_changed_with_their_hash_are_found_by_verifying(copy: Path, made: Path) -> None:
    weights = copy / "postings.weights"
    weights.write_bytes(bytes(weights.stat().st_size))
    files = index_files.described(copy)
    change(copy, files=files, content_sha256=content_sha256(index_files.PARAMETERS, files))
    EvidenceIndex.open(copy)
    with pytest.raises(TerminalError, match=r"postings.weights' does not match the sentences"):
        verify(copy, silently)
    assert verify(made, silently) == read_manifest(made)


@pytest.mark.parametrize("written", ["", "[]", "{}", '{"sources": 1}', "\0", '{"files": []}'])
def test_a_manifest_that_says_nothing_is_damaged(copy: Path, written: str) -> None:
    (copy / MANIFEST).write_text(written)
    with pytest.raises(TerminalError, match="is damaged; build the index again"):
        EvidenceIndex.open(copy)


def test_an_index_of_another_version_is_refused(copy: Path) -> None:
    change(copy, parameters={**index_files.PARAMETERS, "format": 0})
    with pytest.raises(UsageError, match="for another version of New-Wiki Eval; build the index again"):
        EvidenceIndex.open(copy)


def test_what_is_no_index_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path, tmp_path / "nothing", tmp_path / "file"):
        with pytest.raises(UsageError, match=r"is not an evidence index: .*build one with `newwiki evidence build`"):
            EvidenceIndex.open(folder)


def test_nothing_is_written_over(made: Path, tmp_path: Path) -> None:
    before = contents(made)
    with pytest.raises(UsageError, match="already exists; name a new folder with --out"):
        build(PAGES[:1], made, [], silently)
    assert contents(made) == before
    foreign = tmp_path / "index.unfinished"
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("two years of work")
    with pytest.raises(UsageError, match="is not an unfinished index"):
        build(PAGES, tmp_path / "index", [], silently)
    assert contents(foreign) == {"thesis.txt": b"two years of work"}


def test_an_index_is_built_by_one_process_at_a_time(tmp_path: Path) -> None:
    place = tmp_path / "index.unfinished"
    place.mkdir()
    held = os.open(place, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    with pytest.raises(TransientError, match="another process is building"):
        build(PAGES, tmp_path / "index", [], silently)
    os.close(held)
    assert found(built(PAGES, tmp_path / "index"), "rye")[0] == ("Mill", "The mill ground rye.")


_DIES = """
import os, signal, sys
from pathlib import Path
from evaluators.claims.index_builder import build
from tests.evaluators.claims import test_index_files as there

def until(title):
    if title == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)

build(there.PAGES, Path(sys.argv[1]), [{"parquet": "pages.parquet"}], there.told(until))
"""


def told(begins: Callable[[str], None]) -> Any:
    @contextmanager
    def stretch(title: str, unit: str) -> Iterator[Callable[[int, int], None]]:
        yield lambda done, total: begins(title)

    return stretch


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["sorting", "counting words"])
def test_a_killed_build_leaves_no_index_and_the_next_makes_it(made: Path, tmp_path: Path, stage: str) -> None:
    folder = tmp_path / "index"
    dead = subprocess.run([sys.executable, "-c", _DIES, folder, stage], check=False)
    assert dead.returncode == -signal.SIGKILL
    assert [one.name for one in tmp_path.iterdir()] == ["index.unfinished"]
    with pytest.raises(UsageError, match="is not an evidence index"):
        EvidenceIndex.open(folder)
    build(PAGES, folder, [{"parquet": "pages.parquet"}], silently)
    assert contents(folder) == contents(made)
    assert [one.name for one in tmp_path.iterdir()] == ["index"]
