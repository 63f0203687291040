"""A page as it stood at the cutoff, from the revisions of an export, in whatever order they come.

Only the newest revisions up to the cutoff are held, and of those only the texts that may still stand for the page.
"""

import heapq
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from datetime import datetime

from newwiki.snapshot import Page, Window
from newwiki.sources import moves, redirects, settling
from newwiki.sources.xml_export import ExportedRevision, PageHead, SiteInfo

_HELD = 1 << 19  # bytes of texts that are held before it is asked which of them may still stand


class NoTexts(Exception):
    """The export leaves the texts out."""


@dataclass(frozen=True)
class Read:
    """What has been read: the pages created in the window, as they stood; the ids of those that were to be skipped; how
    many pages have their first revision and others; and how many begin with a later one."""

    pages: list[Page]
    skipped: list[int]
    whole: int
    cut_off: int

    @property
    def page_ids(self) -> list[int]:
        return [*self.skipped, *(page.page_id for page in self.pages)]


class Histories:
    """Listens to an export, at whose head `site` stands."""

    site = SiteInfo()

    def __init__(self, window: Window, cutoff: datetime, skip: Set[int]) -> None:
        self._window, self._cutoff, self._skip = window, cutoff, skip
        self._pages: list[Page] = []
        self._skipped: list[int] = []
        self._whole = self._cut_off = 0
        self._page: _PageHistory | None = None
        self._prefixes: dict[str, int] | None = None

    @property
    def waiting(self) -> int:
        """The pages that have been read since `take` was last called."""
        return len(self._pages)

    def take(self) -> Read:
        """What has been read since it was last called."""
        read = Read(self._pages, self._skipped, self._whole, self._cut_off)
        self._pages, self._skipped, self._whole, self._cut_off = [], [], 0, 0
        return read

    def begin(self, page: PageHead) -> bool:
        if page.page_id in self._skip:
            self._skipped.append(page.page_id)
            return False
        self._page = _PageHistory(page, self._window, self._cutoff)
        return True

    def revision(self, revision: ExportedRevision) -> bool:
        assert self._page is not None
        return self._page.add(revision)

    def end(self, unheard: int, unheard_parents: int) -> None:
        page, self._page = self._page, None
        if page is None:
            return
        is_whole = page.has_first or unheard_parents < unheard
        self._whole += is_whole and page.revisions + unheard > 1
        self._cut_off += not is_whole
        if found := page.at_cutoff(self._names()):
            any_case = self.site.case == "case-sensitive"
            self._pages.append(found if any_case else replace(found, title=first_letter_up(found.title)))

    def _names(self) -> dict[str, int]:
        """The names of the wiki's namespaces."""
        if self._prefixes is None:
            self._prefixes = moves.prefixes(self.site.namespaces)
        return self._prefixes


class _PageHistory:
    def __init__(self, page: PageHead, window: Window, cutoff: datetime) -> None:
        self._page, self._window, self._cutoff = page, window, cutoff
        self._newest: list[tuple[datetime, int, int, ExportedRevision]] = []  # a heap, the oldest of them first
        self._held = 0
        self._count = 0
        self._first: ExportedRevision | None = None
        self._redirect = ""  # what the first one says, where it is a redirect
        self._before: bytes | None = None
        self._unchanging: list[moves.Unchanging] = []
        self.has_first = False
        self.revisions = 0

    def add(self, revision: ExportedRevision) -> bool:
        """False where the page was created before the window, so that nothing else about it matters."""
        self.revisions += 1
        self.has_first = self.has_first or not revision.parent_id
        text = revision.text
        if text.is_absent:
            raise NoTexts
        if self._first is None or revision.moment < self._first.moment:
            self._first = revision
            if revision.moment < self._window.start:
                return False
            said = text.build() if text.may_begin_with(b"#") else ""
            self._redirect = said if redirects.target(said) else ""
        self._note_move(revision)
        if revision.moment <= self._cutoff:
            self._count += 1
            heapq.heappush(self._newest, (revision.moment, revision.rev_id, self._count, revision))
            self._held += text.kept
            if len(self._newest) > settling.HISTORY:
                self._held -= heapq.heappop(self._newest)[-1].text.kept
            if self._held > _HELD:
                self._drop_texts()
        return True

    def _note_move(self, revision: ExportedRevision) -> None:
        """One that changes nothing may be what a move has left, or one that is hidden."""
        raw, before = revision.text.raw, self._before
        self._before = raw
        if before is not None and (raw == before or not raw or not before) and "[[" in revision.comment:
            self._unchanging.append(moves.Unchanging(revision.moment, revision.rev_id, revision.comment))

    def at_cutoff(self, prefixes: Mapping[str, int]) -> Page | None:
        """None where all revisions came later, where the page is not of the window, was neither begun in the main
        namespace nor stood there at the cutoff, or is what a move has left."""
        first = self._first
        if first is None or not self._newest or first.moment not in self._window:
            return None
        title, begun_as = moves.titles_back(self._page.title, self._unchanging, self._cutoff)
        is_elsewhere = moves.namespace(title, prefixes) != 0
        if is_elsewhere and moves.namespace(begun_as, prefixes):
            return None
        if redirects.left_by_move(begun_as, self._redirect, first.comment):
            return None
        if is_elsewhere:
            return Page(self._page.page_id, title, first.moment, absent="moved", summary=first.comment)
        return self._as_it_stood(title, first)

    def _as_it_stood(self, title: str, first: ExportedRevision) -> Page:
        history = self._history()
        stands = [_stand(revision) for revision in history]
        place = settling.settled(stands)
        if place and redirects.target(history[0].text.build()):
            place = 0
        taken = history[place]
        hidden = taken.text.hidden
        return Page(
            self._page.page_id,
            title,
            first.moment,
            taken.rev_id,
            taken.moment,
            self._count,
            None if hidden else taken.text.build(),
            "hidden" if hidden else None,
            first.comment,
            stepped_over=settling.stepped_over(stands, place) if place else "",
        )

    def _history(self) -> list[ExportedRevision]:
        """The newest first."""
        return [entry[-1] for entry in sorted(self._newest, key=lambda entry: entry[:3], reverse=True)]

    def _drop_texts(self) -> None:
        """Those older than the revision that would stand if the page ended here. It stays fit as long as it is among
        the newest, and a revision that is put before it later can only be taken in its stead, not let one older be."""
        history = self._history()
        place = settling.newest_fit([_stand(revision) for revision in history])
        if place is None:
            return  # where none is fit, all of them are blank or hidden
        for revision in history[place + 1 :]:
            self._held -= revision.text.kept
            revision.text.drop()


def _stand(revision: ExportedRevision) -> settling.Stand:
    return settling.Stand(revision.rev_id, revision.text.size, revision.text.hidden)


def first_letter_up(title: str) -> str:
    """As a wiki with `<case>first-letter</case>`, which is MediaWiki's default, writes its titles."""
    first = title[:1].upper()
    return first + title[1:] if len(first) == 1 else title
