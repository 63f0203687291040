"""Find the files of one dump from names, folders or patterns; check that none is missing; read published checksums.

dumps.wikimedia.org names parts `…history3.xml-p4p9.7z` (the third of several streams, pages 4 to 9) and publishes
`…-sha1sums.txt` in the same folder. Other tools write `part-3.xml.gz`.
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
_FIRST_OF_FEW = 100  # numbers from here on, such as years, need not count from 1
_SUMS = re.compile(r"^(.*-)?(md5|sha1|sha256|sha512)sums?(\.txt)?$", re.IGNORECASE)
_SUM = re.compile(
    r"^((?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})) [ *](?:\./)?([^/\r\n]+)\r?$", re.I | re.M
)


@dataclass(frozen=True)
class DumpPart:
    """A file of a dump, and its checksum in hexadecimal digits if one is published."""

    path: Path
    checksum: str | None = None

    @property
    def size(self) -> int:
        return self.path.stat().st_size


def find_parts(places: Sequence[str]) -> tuple[DumpPart, ...]:
    """Return the files behind names, folders and patterns, sorted by name. Raises UsageError if a place has none."""
    files = {path.resolve(): path for place in places for path in _files(place)}
    paths = sorted(files.values(), key=lambda path: _natural(path.name))
    sums = {folder: _sums(folder) for folder in {path.parent for path in paths}}
    return tuple(DumpPart(path, sums[path.parent].get(path.name)) for path in paths)


def require_all(parts: Iterable[DumpPart]) -> None:
    """Raise TerminalError if parts are missing, judged by their numbers, their page ranges, or the checksum lists."""
    names: dict[str, Path] = {}
    listed: set[str] = set()
    for part in parts:
        name = _PACKED.sub("", part.path.name)
        if name in names and names[name].parent == part.path.parent:
            raise TerminalError(f"'{names[name]}' and '{part.path}' are the same part; pass each part only once")
        names[name] = part.path
        listed |= {_PACKED.sub("", name) for name in _sums(part.path.parent)}
    families = {_family(name) for name in names}
    absent = {name for name in listed - names.keys() if _family(name) in families}
    absent |= _absent_pages(names) | _absent_numbers(name for name in names if not _PAGES.search(name))
    if absent:
        first, *more = sorted(absent, key=_natural)
        others = f" and {len(more)} more" if more else ""
        raise TerminalError(
            f"the dump is incomplete: {first}{others} is missing, and a snapshot of the rest would be permanent; pass "
            "all parts, or, if these are all you want, rename them without numbers"
        )


def _files(place: str) -> list[Path]:
    path = Path(place)
    if path.is_file():
        return [path]
    if path.is_dir():
        exports = [file for file in path.iterdir() if file.is_file() and _EXPORT.search(file.name)]
        if not exports:
            raise UsageError(f"no file in '{place}' has a name that ends in .xml, .xml.gz, .xml.bz2 or .xml.7z")
        return exports
    matches = [Path(name) for name in glob.glob(place, recursive=True)]
    if matches := [file for file in matches if file.is_file() and not _SUMS.match(file.name)]:
        return matches
    raise UsageError(f"there is no file '{place}'; name a MediaWiki XML export with full history")


def _absent_pages(names: Iterable[str]) -> set[str]:
    """Describe gaps in the page ranges, which must follow each other from 1. Raises TerminalError if ranges overlap."""
    ranges = sorted((int(match[1]), int(match[2]), name) for name in names if (match := _PAGES.search(name)))
    absent, due, before = set(), 1, ""
    for first, last, name in ranges:
        if first < due:
            raise TerminalError(f"'{before}' and '{name}' claim the same pages; pass each part only once")
        if first > due:
            absent.add(f"the part with the pages {due} to {first - 1}")
        due, before = last + 1, name
    return absent


def _absent_numbers(names: Iterable[str]) -> set[str]:
    """Return the names that would fill the gaps, among names that differ in one number and names called parts."""
    numbers: dict[tuple[str, str], set[int]] = defaultdict(set)
    due: dict[tuple[str, str], int] = {}
    for name in names:
        for match in _NUMBER.finditer(name):
            numbers[name[: match.start()], name[match.end() :]].add(int(match[0]))
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
    """Return what the names of a dump's parts have in common."""
    return _NUMBER.sub("#", _PAGES.sub("", name))


def _sums(folder: Path) -> dict[str, str]:
    """Return checksums by file name, the longest if there are several. Raises TerminalError for a list without any."""
    sums: dict[str, str] = {}
    for file in sorted(file for file in folder.iterdir() if _SUMS.match(file.name) and file.is_file()):
        lines = _SUM.findall(file.read_text("utf-8", "replace"))
        if not lines:
            raise TerminalError(
                f"'{file}' is not a checksum list with lines of the form `HEX  NAME`; download it again or remove it"
            )
        for checksum, name in lines:
            sums[name] = max(sums.get(name, ""), checksum.lower(), key=len)
    return sums


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a sort key that orders the numbers in a name by value."""
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in re.split(r"(\d+)", name)]
