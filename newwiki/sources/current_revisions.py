"""Read the newest revision of each page from a MediaWiki XML export."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from newwiki.sources import moves
from newwiki.sources.dump import DumpSource
from newwiki.sources.history import NoTexts, first_letter_up
from newwiki.sources.xml_export import ExportedRevision, PageHead, SiteInfo


@dataclass(frozen=True)
class CurrentPage:
    """A page of the main namespace and its wikitext."""

    title: str
    wikitext: str


class CurrentRevisions(DumpSource):
    """An export as dumps.wikimedia.org (pages-articles), Special:Export or dumpBackup.php writes it, with or without
    history."""

    def newest(self) -> Iterator[tuple[list[CurrentPage], int]]:
        """Yield pages of the main namespace whose text is visible, redirects included, and the bytes read so far.
        Raises TerminalError if the export is damaged or holds no texts."""
        self.require_all()
        listener = _Newest(self.head)
        position = 0
        for position in self.listen(listener):
            yield listener.take(), position
        yield listener.take(), position


class _Newest:
    """Receives the pages of an export and keeps the newest revision of each."""

    def __init__(self, site: SiteInfo) -> None:
        self._prefixes = moves.prefixes(site.namespaces)
        self._any_case = site.case == "case-sensitive"
        self._title = ""
        self._newest: tuple[datetime, int] | None = None
        self._revision: ExportedRevision | None = None
        self._pages: list[CurrentPage] = []

    def take(self) -> list[CurrentPage]:
        taken, self._pages = self._pages, []
        return taken

    def begin(self, page: PageHead) -> bool:
        self._title, self._newest, self._revision = page.title, None, None
        return moves.namespace(page.title, self._prefixes) == 0

    def revision(self, revision: ExportedRevision) -> bool:
        if revision.text.is_absent:
            raise NoTexts
        moment = (revision.moment, revision.rev_id)
        if self._newest is None or moment > self._newest:
            self._newest, self._revision = moment, revision
        return True

    def end(self, unheard: int, unheard_parents: int, least_unheard_id: int | None) -> None:
        if self._revision is not None and not self._revision.text.hidden:
            title = self._title if self._any_case else first_letter_up(self._title)
            self._pages.append(CurrentPage(title, self._revision.text.build()))
        self._revision = None
