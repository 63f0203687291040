"""Which files are one dump, whether one is missing, and whether each is what its checksum says."""

import bz2
import gzip
import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from newwiki.errors import NewWikiError, TerminalError, UsageError
from newwiki.sources.parts import find_parts, require_all
from newwiki.sources.unpacking import likely_work

W = "enwiki-20261101-pages-meta-history"


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    def make(*names: str) -> Path:
        for name in names:
            (tmp_path / name).write_bytes(b"")
        return tmp_path

    return make


def names(*places: str) -> list[str]:
    return [part.path.name for part in find_parts(places)]


def test_a_folder_a_pattern_and_names_are_the_same_parts_in_the_order_of_their_numbers(
    folder: Callable[..., Path],
) -> None:
    parts = ["p1.xml", "p2.xml.gz", "p9.xml.bz2", "p10.xml.7z", "p11.xml-p1p9.7z"]
    place = folder(*reversed(parts), "notes.txt", "SHA256SUMS.old")
    assert names(str(place)) == names(f"{place}/p*") == names(*(str(place / name) for name in parts)) == parts
    assert names(str(place), f"{place}/p1.xml", f"{place}/../{place.name}/p1.xml") == parts


@pytest.mark.parametrize("place", ["none.xml", "*.xml", "."])
def test_a_place_without_a_file_is_an_error_that_names_it(folder: Callable[..., Path], place: str) -> None:
    where = str(folder("notes.txt") / place)
    with pytest.raises(UsageError, match=r"there is no file|no file in"):
        names(where)


@pytest.mark.parametrize(
    "whole",
    [
        ("wiki.xml",),
        ("wiki-2025.xml", "wiki-2026.xml"),
        ("enwiki-20260901.xml.gz", "enwiki-20261001.xml.gz"),
        ("part1.xml", "part2.xml.gz", "part3.xml.7z"),
        ("part0.xml", "part1.xml"),
        ("a-1of2.xml", "a-2of2.xml"),
        (f"{W}1.xml-p1p857.7z", f"{W}1.xml-p858p1735.bz2", f"{W}2.xml-p1736p2000.7z"),
        (f"{W}1.xml-p1p857.7z",),
    ],
)
def test_a_dump_of_which_nothing_is_missing(folder: Callable[..., Path], whole: tuple[str, ...]) -> None:
    require_all(find_parts([str(folder() / name) for name in whole if folder(name)]))


@pytest.mark.parametrize(
    ("there", "said"),
    [
        (("part1.xml", "part3.xml.gz"), "'part2.xml' is missing"),
        (("part2.xml", "part5.xml"), "'part1.xml' and 2 more is missing"),
        (("part2.xml",), "'part1.xml' is missing"),
        (("a-part1of3.xml", "a-part2of3.xml"), "'a-part3of3.xml' is missing"),
        ((f"{W}1.xml-p1p857.7z", f"{W}2.xml-p1736p2000.7z"), "the part with the pages 858 to 1735 is missing"),
        ((f"{W}27.xml-p78000000p79000000.7z",), "the part with the pages 1 to 77999999.* is missing"),
        ((f"{W}1.xml-p1p857.7z", f"{W}1.xml-p1p857.bz2"), "pass each part only once"),
    ],
)
def test_a_part_that_is_missing_is_named(folder: Callable[..., Path], there: tuple[str, ...], said: str) -> None:
    with pytest.raises(TerminalError, match=said):
        require_all(find_parts([str(folder(*there))]))


def test_a_part_that_only_the_list_of_checksums_names_is_missing(folder: Callable[..., Path]) -> None:
    """The list is of all that was published: other kinds, and the same part packed otherwise, are not missed."""
    place = folder(f"{W}1.xml-p1p857.7z")
    listed = [f"{W}1.xml-p1p857.7z", f"{W}1.xml-p1p857.bz2", "enwiki-20261101-stub-meta-history1.xml.gz"]
    sums = place / "enwiki-20261101-sha1sums.txt"
    sums.write_text("".join(f"{'0' * 40}  {name}\n" for name in listed))
    require_all(find_parts([str(place)]))
    sums.write_text(sums.read_text() + f"{'0' * 40}  {W}1.xml-p858p900.7z\n")
    with pytest.raises(TerminalError, match=rf"{W}1.xml-p858p900 is missing"):
        require_all(find_parts([str(place)]))


def test_each_part_has_the_longest_checksum_that_is_published(folder: Callable[..., Path]) -> None:
    place = folder("a.xml", "b.xml")
    (place / "md5sums.txt").write_text(f"{'1' * 32}  a.xml\n{'2' * 32} *b.xml\r\n")
    (place / "SHA256SUMS").write_text(f"{'A' * 64}  ./a.xml\n")
    assert [part.checksum for part in find_parts([str(place)])] == ["a" * 64, "2" * 32]


def test_a_list_without_checksums_is_an_error(folder: Callable[..., Path]) -> None:
    place = folder("a.xml", "SHA256SUMS")
    with pytest.raises(NewWikiError, match="SHA256SUMS' is not a checksum list"):
        find_parts([str(place)])


def test_a_list_says_what_a_real_file_is(folder: Callable[..., Path]) -> None:
    place = folder("a.xml")
    (place / "SHA256SUMS").write_text(f"{hashlib.sha256(b'').hexdigest()}  a.xml\n")
    (part,) = find_parts([str(place)])
    assert part.checksum == hashlib.sha256(b"").hexdigest()


def test_what_is_packed_tightly_is_read_first(tmp_path: Path) -> None:
    """It takes longest, though its file is the smallest: begun last, all others would wait for it."""
    text = b"<page>words</page>" * 10_000
    for name, packed in (("plain", text), ("gz", gzip.compress(text)), ("bz2", bz2.compress(text * 20))):
        (tmp_path / name).write_bytes(packed)
    sizes = {name: likely_work(tmp_path / name) / (tmp_path / name).stat().st_size for name in ("plain", "gz", "bz2")}
    assert sizes["plain"] == 1 < sizes["gz"] < sizes["bz2"]
