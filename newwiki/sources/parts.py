"""The files that are one dump: named, in a folder, or by a pattern; none left out, each with its published checksum.

dumps.wikimedia.org names parts `…history3.xml-p4p9.7z` (the third of several streams, with the pages 4 to 9), and puts
`…-sha1sums.txt` beside them. Others write `part-3.xml.gz`.
"""

import glob
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from newwiki.errors import TerminalError, UsageError

_PACKED = re.compile(r"\.(gz|bz2|7z)$", re.IGNORECASE)
_EXPORT = re.compile(r"\.xml(-p\d+p\d+)?(\.(gz|bz2|7z))?$", re.IGNORECASE)
_PAGES = re.compile(r"-p(\d+)p(\d+)(?=\.(?:gz|bz2|7z)$|$)", re.IGNORECASE)
_NUMBER = re.compile(r"(?<!\d)\d{1,4}(?!\d)")
_COUNTED = re.compile(r"(?:part|history)[-_.]?(\d{1,4})(?:[-_]?of[-_]?(\d{1,4}))?(?!\d)", re.IGNORECASE)
_FIRST_OF_FEW = 100  # larger numbers, such as years, need not count from 1
_SUMS = re.compile(r"^(.*-)?(md5|sha1|sha256|sha512)sums?(\.txt)?$", re.IGNORECASE)
_SUM = re.compile(
    r"^((?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})) [ *](?:\./)?([^/\r\n]+)\r?$", re.I | re.M
)


@dataclass(frozen=True)
class DumpPart:
    """A file of a dump, and its checksum in hexadecimal digits where one is published."""

    path: Path
    checksum: str | None = None

    @property
    def size(self) -> int:
        return self.path.stat().st_size


def find_parts(places: Sequence[str]) -> tuple[DumpPart, ...]:
    """The files of files, folders and patterns, in the order of their names. Raises UsageError for what is none."""
    found = {path.resolve(): path for place in places for path in _files(place)}
    paths = sorted(found.values(), key=lambda path: _natural(path.name))
    sums = {folder: _sums(folder) for folder in {path.parent for path in paths}}
    return tuple(DumpPart(path, sums[path.parent].get(path.name)) for path in paths)


def require_all(parts: Iterable[DumpPart]) -> None:
    """Raises TerminalError where parts are missing, by their numbers, by their pages, or by the lists of checksums."""
    names: dict[str, Path] = {}
    listed: set[str] = set()
    for part in parts:
        name = _PACKED.sub("", part.path.name)
        if name in names and names[name].parent == part.path.parent:
            raise TerminalError(f"'{names[name]}' and '{part.path}' are the same part; give each part once")
        names[name] = part.path
        listed |= {_PACKED.sub("", name) for name in _sums(part.path.parent)}
    families = {_family(name) for name in names}
    absent = {name for name in listed - names.keys() if _family(name) in families}
    absent |= _absent_pages(names) | _absent_numbers(name for name in names if not _PAGES.search(name))
    if absent:
        first, *more = sorted(absent, key=_natural)
        others = f" and {len(more)} more" if more else ""
        raise TerminalError(
            f"the dump is not whole: {first}{others} is missing, and a snapshot of the rest would stand for good; give "
            "all parts, or, where these are all you want, give them names without numbers"
        )


def _files(place: str) -> list[Path]:
    path = Path(place)
    if path.is_file():
        return [path]
    if path.is_dir():
        found = [file for file in path.iterdir() if file.is_file() and _EXPORT.search(file.name)]
        if not found:
            raise UsageError(f"there is no file in '{place}' whose name ends in .xml, or in .xml.gz, .xml.bz2, .xml.7z")
        return found
    found = [Path(name) for name in glob.glob(place, recursive=True)]
    if found := [file for file in found if file.is_file() and not _SUMS.match(file.name)]:
        return found
    raise UsageError(f"there is no file '{place}'; name a MediaWiki XML export with full history")


def _absent_pages(names: Iterable[str]) -> set[str]:
    """Whose pages do not follow each other from 1 on. Raises TerminalError where two hold the same ones."""
    ranges = sorted((int(found[1]), int(found[2]), name) for name in names if (found := _PAGES.search(name)))
    absent, due, before = set(), 1, ""
    for first, last, name in ranges:
        if first < due:
            raise TerminalError(f"'{before}' and '{name}' are to hold the same pages; give each part once")
        if first > due:
            absent.add(f"the part with the pages {due} to {first - 1}")
        due, before = last + 1, name
    return absent


def _absent_numbers(names: Iterable[str]) -> set[str]:
    """Names that would fill the gaps: of those that differ in one number, and of those that are called parts."""
    numbers: dict[tuple[str, str], set[int]] = defaultdict(set)
    due: dict[tuple[str, str], int] = {}
    for name in names:
        for found in _NUMBER.finditer(name):
            numbers[name[: found.start()], name[found.end() :]].add(int(found[0]))
        if counted := _COUNTED.search(name):
            due[name[: counted.start(1)], name[counted.end(1) :]] = int(counted[2] or 0)
    absent = set()
    for (head, tail), have in numbers.items():
        if len(have) > 1 or (head, tail) in due:
            first = min(min(have), 1) if min(have) < _FIRST_OF_FEW else min(have)
            wanted = range(first, max(*have, due.get((head, tail), 0), first) + 1)
            absent |= {f"'{head}{number}{tail}'" for number in wanted if number not in have}
    return absent


def _family(name: str) -> str:
    """What the names of a dump's parts have in common."""
    return _NUMBER.sub("#", _PAGES.sub("", name))


def _sums(folder: Path) -> dict[str, str]:
    """Checksums by names, the longest where there are several. Raises TerminalError for a list that holds none."""
    sums: dict[str, str] = {}
    for file in sorted(file for file in folder.iterdir() if _SUMS.match(file.name) and file.is_file()):
        lines = _SUM.findall(file.read_text("utf-8", "replace"))
        if not lines:
            raise TerminalError(
                f"'{file}' is no list of checksums, a line `HEX  NAME` each; fetch it again or remove it"
            )
        for checksum, name in lines:
            sums[name] = max(sums.get(name, ""), checksum.lower(), key=len)
    return sums


def _natural(name: str) -> list[tuple[int, str]]:
    """Numbers in a name count as numbers."""
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in re.split(r"(\d+)", name)]
