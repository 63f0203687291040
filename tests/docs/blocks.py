"""The pages for readers, and the code that stands in them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "CONTRIBUTING.md", *sorted(f"docs/{file.name}" for file in (ROOT / "docs").glob("*.md")))


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the line on which it begins."""

    line: int
    language: str
    text: str

    @property
    def file(self) -> str | None:
        """`# my_metrics.py` as the first line says that the block is that file."""
        first = self.text.split("\n", 1)[0].removeprefix("# ").split(",")[0]
        is_name = self.text.startswith("# ") and " " not in first and "." in first
        return first if is_name else None


def blocks(page: str) -> list[Block]:
    return [Block((one.map or [0])[0] + 1, one.info.strip(), one.content) for one in _tokens(page, "fence")]


def indented(page: str) -> list[int]:
    """The lines of code blocks without a fence, whose language nobody knows."""
    return [(one.map or [0])[0] + 1 for one in _tokens(page, "code_block")]


def spoken(page: str) -> list[str]:
    """The code inside of sentences and tables."""
    inline = [child for one in _tokens(page, "inline") for child in one.children or []]
    return [one.content for one in inline if one.type == "code_inline"]


def links(page: str) -> list[str]:
    """Where the links and images of a page lead that do not lead elsewhere in the world."""
    inline = [child for one in _tokens(page, "inline") for child in one.children or []]
    found = [str(one.attrs.get("href", one.attrs.get("src", ""))) for one in inline if one.type in _LINKS]
    return [one for one in found if "://" not in one and not one.startswith("mailto:")]


_LINKS = ("link_open", "image")


def _tokens(page: str, kind: str) -> Iterator[Token]:
    parsed = MarkdownIt("commonmark").enable("table").parse((ROOT / page).read_text("utf-8"))
    return (one for one in parsed if one.type == kind)
