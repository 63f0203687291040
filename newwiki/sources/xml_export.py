"""Parse MediaWiki's XML export format as a stream: expat reads every byte, and Python handles only what is needed.

A page that nobody wants costs one call at the end of each of its elements. Input that is not well-formed, or not an
export, raises Malformed.
"""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol
from xml.parsers import expat

from newwiki.sources.timestamps import moment
from newwiki.sources.xml_text import FileBytes, XmlText, without_start_tag

_FORMAT = "http://www.mediawiki.org/xml/export-"
_FIRST_ID = re.compile(rb"<id>\s*(\d{1,18})\s*<")
_NUMBER = re.compile(r"\d+", re.ASCII)
_PAGE = {"title", "ns", "id", "redirect", "restrictions", "revision", "upload", "discussionthreadinginfo",
         "DiscussionThreading"}  # fmt: skip
_REVISION = {"id", "parentid", "timestamp", "contributor", "minor", "comment", "origin", "model", "format", "text",
             "content", "sha1"}  # fmt: skip
_COLLECTED = {"sitename", "dbname", "base", "case", "title", "id", "parentid", "timestamp", "comment"}
_TAKEN = {"id", "parentid", "timestamp", "comment", "text"}


class Malformed(ValueError):
    """Raised for broken XML and for XML that is not a MediaWiki export; says what is wrong, and in which line."""


@dataclass
class SiteInfo:
    """The header of an export. `namespaces` maps numbers to names."""

    language: str = ""
    dbname: str = ""
    base: str = ""
    case: str = ""
    namespaces: dict[int, str] = field(default_factory=dict)


@dataclass
class PageHead:
    """The page's fields that precede its first revision."""

    page_id: int
    title: str


class ExportedRevision:
    """One revision. `parent_id` is 0 for the first one."""

    __slots__ = ("comment", "moment", "parent_id", "rev_id", "text")

    rev_id: int
    moment: datetime
    text: XmlText

    def __init__(self) -> None:
        self.parent_id = 0
        self.comment = ""


class Pages(Protocol):
    """The listener of an export. If `begin` or `revision` returns False, the rest of the page is skipped."""

    def begin(self, page: PageHead) -> bool: ...

    def revision(self, revision: ExportedRevision) -> bool: ...

    def end(self, unheard: int, unheard_parents: int, least_unheard_id: int | None) -> None:
        """End the page; `unheard` revisions, which had `unheard_parents` parent ids, were skipped. `least_unheard_id`
        is the smallest id among those without a parent; None if there are none, or if the whole page was skipped."""
        ...


class Export:
    """An export that is fed in pieces and sends its pages to a listener. `site` is complete when the pages begin."""

    def __init__(self, listener: Pages | None) -> None:
        self.site = SiteInfo()
        self.has_site = False
        self._listener = listener
        self._parser = parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.XmlDeclHandler = self._declaration
        parser.StartDoctypeDeclHandler = self._doctype
        self._listen()
        self._depth = 0
        self._within = ""  # the element below <mediawiki>
        self._characters: list[str] = []
        self._attributes: dict[str, str] = {}
        self._head: dict[str, str] = {}
        self._revision: ExportedRevision | None = None
        self._has_begun = False  # whether the listener has the page's head
        self._unheard = self._unheard_parents = 0
        self._has_parent = False  # whether the skipped revision names one
        self._least_unheard_id: int | None = None
        self._bytes = FileBytes()
        self._needed_from: int | None = None  # the position in the file from which bytes must be kept

    def feed(self, piece: bytes) -> None:
        """Parse the next bytes of the file. Raises Malformed."""
        self._bytes.add(piece)
        self._parse(piece, False)
        # A tag may have been cut
        self._bytes.forget(self._parser.CurrentByteIndex if self._needed_from is None else self._needed_from)

    def close(self) -> None:
        """End the file. Raises Malformed if it is incomplete."""
        self._parse(b"", True)

    def _parse(self, piece: bytes, last: bool) -> None:
        try:
            self._parser.Parse(piece, last)
        except expat.ExpatError as error:
            raise Malformed(str(error)) from error
        except ValueError as error:
            raise Malformed(f"{error}: line {self._parser.CurrentLineNumber}") from error

    def _listen(self) -> None:
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end

    def _ignore_page(self) -> None:
        self._needed_from = None
        self._parser.StartElementHandler = None
        self._parser.CharacterDataHandler = None
        self._parser.EndElementHandler = self._end_unheard

    def _ignore_rest_of_page(self) -> None:
        """Ignore the coming revisions, except for the ids of those without a parent."""
        self._ignore_page()
        self._parser.EndElementHandler = self._end_unheard_revision
        self._needed_from = self._parser.CurrentByteIndex

    def _end_unheard_revision(self, name: str) -> None:
        if name == "revision":
            self._unheard += 1
            assert self._needed_from is not None
            start, end = self._needed_from, self._parser.CurrentByteIndex
            if not self._has_parent:
                first = _FIRST_ID.search(self._bytes.between(start, end))
                rev_id = int(first.group(1)) if first else 0
                self._least_unheard_id = min(rev_id, self._least_unheard_id or rev_id)
            self._needed_from, self._has_parent = end, False
        elif name == "parentid":
            self._unheard_parents += 1
            self._has_parent = True
        elif name == "page":
            self._needed_from = None
            self._end_unheard(name)

    def _end_unheard(self, name: str) -> None:
        if name == "page":
            self._listen()
            self._depth = 1
            self._end_page()
        elif name == "revision":
            self._unheard += 1
        elif name == "parentid":
            self._unheard_parents += 1

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        depth = self._depth
        self._depth = depth + 1
        if depth == 3 and self._revision is not None:
            if name in _COLLECTED:
                self._characters = []
                self._parser.CharacterDataHandler = self._characters.append
            elif name == "text":
                self._needed_from = self._parser.CurrentByteIndex
                self._attributes = attributes
            elif name not in _REVISION:
                raise Malformed(f"<{name}> in a <revision>")
        elif depth == 3:
            if self._within == "siteinfo" and name == "namespace":
                self._attributes = attributes
                self._collect()
        elif depth == 2:
            self._start_in_item(name)
        elif depth == 1:
            self._start_item(name)
        elif depth == 0:
            self._start_root(name, attributes)
        elif self._needed_from is not None or self._parser.CharacterDataHandler is not None:
            raise Malformed(f"<{name}> where text is expected")

    def _start_in_item(self, name: str) -> None:
        if self._within == "page":
            if name == "revision":
                if not self._has_begun:
                    self._begin_page()
                if self._within == "page" and self._parser.StartElementHandler is not None:
                    self._revision = ExportedRevision()
            elif name not in _PAGE:
                raise Malformed(f"<{name}> in a <page>")
            elif name in _COLLECTED and not self._has_begun:
                self._collect()
        elif self._within == "siteinfo" and name in _COLLECTED:
            self._collect()

    def _start_item(self, name: str) -> None:
        if name not in ("siteinfo", "page", "logitem"):
            raise Malformed(f"<{name}> in <mediawiki>")
        if name != "siteinfo" and not self.has_site:
            raise Malformed(f"<{name}> before <siteinfo>")
        self._within, self._has_begun, self._head = name, False, {}

    def _start_root(self, name: str, attributes: dict[str, str]) -> None:
        if name != "mediawiki":
            raise Malformed(f"the root element is <{name}>, not <mediawiki>")
        if not attributes.get("xmlns", _FORMAT).startswith(_FORMAT):
            raise Malformed(f"unknown format {attributes['xmlns']}")
        self.site.language = attributes.get("xml:lang", "")

    def _end(self, name: str) -> None:
        depth = self._depth = self._depth - 1
        if depth == 3:
            if self._revision is not None:
                if name in _TAKEN:
                    self._end_in_revision(name, self._revision)
            elif name == "namespace" and self._within == "siteinfo":
                self.site.namespaces[int(self._attributes.get("key", 0))] = self._collected()
        elif depth == 2:
            if name == "revision" and self._revision is not None:
                self._end_revision(self._revision)
            elif self._parser.CharacterDataHandler is not None:
                self._head[name] = self._collected()
        elif depth == 1:
            self._end_item(name)

    def _end_in_revision(self, name: str, revision: ExportedRevision) -> None:
        if name == "text":
            revision.text = XmlText(self._raw_text(), self._attributes)
        elif name == "timestamp":
            revision.moment = moment(self._collected())
        elif name == "id":
            revision.rev_id = _number(name, self._collected())
        elif name == "parentid":
            revision.parent_id = _number(name, self._collected() or "0")
        elif name == "comment":
            revision.comment = self._collected()

    def _end_revision(self, revision: ExportedRevision) -> None:
        if missing := [name for name in ("rev_id", "moment", "text") if not hasattr(revision, name)]:
            raise Malformed(f"a <revision> without {missing[0]}")
        self._revision = None
        if self._listener and not self._listener.revision(revision):
            self._ignore_rest_of_page()

    def _end_item(self, name: str) -> None:
        if name == "siteinfo":
            self.has_site = True
            for known in ("dbname", "base", "case"):
                setattr(self.site, known, self._head.get(known, ""))
        elif name == "page":
            if not self._has_begun:
                self._begin_page()
                self._listen()
            self._end_page()

    def _begin_page(self) -> None:
        missing = [name for name in ("title", "id") if not self._head.get(name)]
        if missing:
            raise Malformed(f"a <page> without <{missing[0]}>")
        self._has_begun = True
        head = PageHead(_number("id", self._head["id"]), self._head["title"].replace("_", " "))
        if self._listener and not self._listener.begin(head):
            self._ignore_page()

    def _end_page(self) -> None:
        if self._listener:
            self._listener.end(self._unheard, self._unheard_parents, self._least_unheard_id)
        self._unheard = self._unheard_parents = 0
        self._least_unheard_id = None

    def _collect(self) -> None:
        self._characters = []
        self._parser.CharacterDataHandler = self._characters.append

    def _collected(self) -> str:
        self._parser.CharacterDataHandler = None  # this flushes the buffer
        return "".join(self._characters)

    def _raw_text(self) -> bytes:
        """Return the bytes between <text …> and </text>."""
        assert self._needed_from is not None
        start, self._needed_from = self._needed_from, None
        return without_start_tag(self._bytes.between(start, self._parser.CurrentByteIndex))

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding and encoding.lower() not in ("utf-8", "us-ascii"):
            raise Malformed(f"the encoding is {encoding}; MediaWiki writes UTF-8")

    def _doctype(self, *_: Any) -> None:
        raise Malformed("it has a document type declaration; MediaWiki writes none")


def _number(name: str, written: str) -> int:
    if not _NUMBER.fullmatch(written) or len(written) > 18:
        raise Malformed(f"not a number in <{name}>: '{written[:40]}'")
    return int(written)
