"""Tables of generated documents in Markdown."""

from collections.abc import Iterable, Sequence


def line(cells: Iterable[str]) -> str:
    """Return a row of a table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with its head."""
    return line(heads) + line("---" for _ in heads) + "".join(map(line, rows))
