"""Lay out a table as lines that fit the width, without truncating cells or breaking words letter by letter."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from rich.cells import cell_len, chop_cells

_LONG = 24  # longer cells may be wrapped, to at least this width
_UNBROKEN = 40  # maximum width of a column for the sake of one long word
_GAP = "  "
_WORDS = re.compile(r"\s+|[^\s,]*,|[^\s,]+")
_PARTS_OF_WORDS = re.compile(r"[^_/.:=-]*[_/.:=-]+|[^_/.:=-]+")

Line = tuple[str, bool]


@dataclass(frozen=True)
class Column:
    """A head and a cell for each row. `right` aligns them to the right."""

    head: str
    cells: Sequence[str]
    right: bool = False


def lines(columns: Sequence[Column], width: int, keys: int = 1, parted: Collection[int] = ()) -> Iterator[Line]:
    """Yield each line, and whether it belongs to the heads. `parted` holds the rows that follow an empty line.

    If the columns do not fit side by side, heads and long cells wrap between words. If that is not enough, the columns
    form blocks below each other, and each block repeats the first `keys` columns. A table with one row, or with several
    columns of long cells, is transposed instead: one line per column for each row.
    """
    natural = [_natural(column) for column in columns]
    least = [_least(column) for column in columns]
    if _total(least) <= width:
        yield from _block(columns, _grown(least, natural, width), parted)
    elif _is_turned(columns, least, width, keys):
        yield from _turned(columns, width)
    else:
        for number, places in enumerate(_blocks(least, width, keys)):
            if number:
                yield "", False
            widths = _grown([least[place] for place in places], [natural[place] for place in places], width)
            yield from _block([columns[place] for place in places], widths, parted)


def wrapped(text: str, width: int) -> list[str]:
    """Break a text into lines of at most `width`, between words and after commas. Only longer words are broken."""
    return [part for line in text.expandtabs().split("\n") for part in _broken(line, width)]


def shortened(names: Collection[str], width: int) -> dict[str, str]:
    """Replace the middle of names wider than `width` by …, with as many extra letters as keep the names distinct."""
    short = {name: _shortened(name, width) for name in names}
    return short if len({*short.values()}) == len(short) else shortened(names, width + 2)


def _shortened(name: str, width: int) -> str:
    if cell_len(name) <= width:
        return name
    before = (width - 1) // 3
    return f"{name[:before]}…{name[before + 1 - width :]}"


def _natural(column: Column) -> int:
    return max(map(_widest, (column.head, *column.cells)))


def _widest(text: str) -> int:
    return max(map(cell_len, text.expandtabs().split("\n")))


def _least(column: Column) -> int:
    head = max(map(cell_len, _pieces(column.head, 0)), default=0)
    return max([head, *(_least_of_cell(cell) for cell in column.cells)])


def _least_of_cell(cell: str) -> int:
    natural = _widest(cell)
    if natural <= _LONG:
        return natural
    word = max(cell_len(piece.strip()) for piece in _WORDS.findall(cell))
    return min(max(word, _LONG), _UNBROKEN)


def _is_long(column: Column) -> bool:
    return any(_widest(cell) > _LONG for cell in column.cells)


def _is_turned(columns: Sequence[Column], least: Sequence[int], width: int, keys: int) -> bool:
    several = sum(_is_long(column) for column in columns[keys:]) > 1
    widest = max(least[keys:], default=0)
    return several or len(columns[0].cells) == 1 or _total([*least[:keys], widest]) > width


def _blocks(least: Sequence[int], width: int, keys: int) -> Iterator[list[int]]:
    """Yield the places of the columns in each block."""
    repeated = list(range(keys))
    block = repeated
    for place in range(keys, len(least)):
        if len(block) > keys and _total([least[member] for member in (*block, place)]) > width:
            yield block
            block = repeated
        block = [*block, place]
    yield block


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _grown(least: Sequence[int], natural: Sequence[int], width: int) -> list[int]:
    """Distribute the remaining width among the columns that need more, starting with the smallest need."""
    widths, spare = list(least), width - _total(least)
    lacking = sorted(range(len(least)), key=lambda place: natural[place] - least[place])
    for others, place in zip(reversed(range(len(least))), lacking, strict=True):
        more = min(natural[place] - least[place], spare // (others + 1))
        widths[place] += more
        spare -= more
    return widths


def _block(columns: Sequence[Column], widths: Sequence[int], parted: Collection[int]) -> Iterator[Line]:
    heads = [wrapped(column.head, width) for column, width in zip(columns, widths, strict=True)]
    height = max(map(len, heads))
    standing = [[""] * (height - len(head)) + head for head in heads]
    for line in _row(columns, standing, widths):
        yield line, True
    yield "─" * _total(widths), False
    for number, cells in enumerate(zip(*(column.cells for column in columns), strict=True)):
        if number in parted:
            yield "", False
        for line in _row(columns, [wrapped(cell, width) for cell, width in zip(cells, widths, strict=True)], widths):
            yield line, False


def _row(columns: Sequence[Column], cells: Sequence[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
    for parts in zip_longest(*cells, fillvalue=""):
        placed = [
            " " * (width - cell_len(part)) + part if column.right else part + " " * (width - cell_len(part))
            for column, part, width in zip(columns, parts, widths, strict=True)
        ]
        yield _GAP.join(placed).rstrip()


def _turned(columns: Sequence[Column], width: int) -> Iterator[Line]:
    label = min(max(_widest(column.head) for column in columns), width // 2)
    widths = [label, width - label - len(_GAP)]
    for row in range(len(columns[0].cells)):
        yield f"─ {row + 1} ".ljust(width, "─"), True
        for column in columns:
            cells = [wrapped(column.head, widths[0]), wrapped(column.cells[row], widths[1])]
            for line in _row([replace(column, right=False)] * 2, cells, widths):
                yield line, False


def _broken(line: str, width: int) -> Iterator[str]:
    if cell_len(line) <= width:
        yield line
        return
    written = ""
    for piece in _pieces(line, width):
        if written and cell_len(written + piece.rstrip()) > width:
            yield written.rstrip()
            written = ""
        written += piece if written or piece.strip() else ""
    yield written.rstrip()


def _pieces(text: str, width: int) -> Iterator[str]:
    """Yield the pieces between which a line may break. Only words wider than `width` are divided into parts."""
    for word in _WORDS.findall(text):
        if cell_len(word.rstrip()) <= width:
            yield word
        else:
            for part in _PARTS_OF_WORDS.findall(word):
                yield from [part] if not width or cell_len(part) <= width else chop_cells(part, width)
