"""MediaWiki XML exports made for tests."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from xml.sax.saxutils import escape

_HEAD = """\
<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Test Wiki</sitename>
    <dbname>testwiki</dbname>
    <base>https://test.example/wiki/Main_Page</base>
    <case>first-letter</case>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="10" case="first-letter">Template</namespace>
      <namespace key="118" case="first-letter">Draft</namespace>
    </namespaces>
  </siteinfo>
"""
_TAIL = "</mediawiki>\n"
_NAMESPACES = {"User": 2, "Template": 10, "Draft": 118}


@dataclass(frozen=True)
class Edit:
    """A revision: when, and what the page said from then on. None stands for a text that is hidden."""

    at: datetime
    text: str | None
    summary: str = ""


@dataclass(frozen=True)
class History:
    """A page with its edits, the oldest first."""

    title: str
    edits: Sequence[Edit]


def write_export(path: Path, histories: Iterable[History]) -> Path:
    path.write_text(_HEAD + "".join(_pages(histories, page_id=101, rev_id=1001)) + _TAIL, "utf-8")
    return path


def add_to_export(export: Path, path: Path, histories: Iterable[History]) -> Path:
    """A copy of the export with more pages at its end."""
    body = export.read_text("utf-8").removesuffix(_TAIL)
    path.write_text(body + "".join(_pages(histories, page_id=100_001, rev_id=100_001)) + _TAIL, "utf-8")
    return path


def growing(title: str, text: str, first: datetime, last: datetime, edits: int) -> History:
    """A page that grows from its first part to the whole text, in equal steps of text and of time."""
    step = (last - first) // max(edits - 1, 1)
    return History(
        title,
        [Edit(first + number * step, text[: len(text) * (number + 1) // edits]) for number in range(edits)],
    )


def stubs(count: int, first: datetime, last: datetime) -> list[History]:
    """Pages of a few words that were each saved once, evenly spread from `first` to `last`."""
    step = (last - first) / (count - 1)
    moments = [first + timedelta(seconds=round((number * step).total_seconds())) for number in range(count)]
    return [History(f"Stub {number}", [Edit(at, f"A stub ({number}).")]) for number, at in enumerate(moments)]


def _pages(histories: Iterable[History], page_id: int, rev_id: int) -> Iterable[str]:
    for history in histories:
        namespace = _NAMESPACES.get(history.title.partition(":")[0], 0)
        head = f"<title>{escape(history.title)}</title><ns>{namespace}</ns><id>{page_id}</id>"
        yield f"  <page>\n    {head}\n"
        parent = ""
        for edit in history.edits:
            yield (
                f"    <revision>\n      <id>{rev_id}</id>\n{parent}"
                f"      <timestamp>{edit.at:%Y-%m-%dT%H:%M:%SZ}</timestamp>\n"
                "      <contributor><username>Writer</username><id>7</id></contributor>\n"
                f"      <comment>{escape(edit.summary)}</comment>\n"
                "      <model>wikitext</model>\n      <format>text/x-wiki</format>\n"
                f"      {_text(edit.text)}\n    </revision>\n"
            )
            parent = f"      <parentid>{rev_id}</parentid>\n"
            rev_id += 1
        yield "  </page>\n"
        page_id += 1


def _text(text: str | None) -> str:
    return '<text deleted="deleted" />' if text is None else f'<text xml:space="preserve">{escape(text)}</text>'
