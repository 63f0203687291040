"""Rebuild a page as of the cutoff from the revisions of an export, in whatever order they come.

Only the newest revisions up to the cutoff are kept, and of those only the texts that may still be selected.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from datetime import datetime

from newwiki.snapshot import Page, Window
from newwiki.sources import moves, settling
from newwiki.sources.revision_order import OrderedHistory
from newwiki.sources.xml_export import ExportedRevision, PageHead, SiteInfo

_HELD = 1 << 19  # bytes of texts that may be held before the superseded ones are dropped


class NoTexts(Exception):
    """Raised for an export without texts."""


class OutOfOrder(Exception):
    """Raised for a page whose revisions are not in the order of their ids, if what was skipped or freed is needed after
    all; names the page."""


@dataclass(frozen=True)
class Read:
    """One batch of reading: the pages created in the window as of the cutoff, the ids of skipped pages, the number of
    pages that have their first revision and others (`whole`), and the number that begin later (`cut_off`)."""

    pages: list[Page]
    skipped: list[int]
    whole: int
    cut_off: int

    @property
    def page_ids(self) -> list[int]:
        return [*self.skipped, *(page.page_id for page in self.pages)]


class Histories:
    """Receives the pages of an export; `site` is the header of that export."""

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
        """The number of pages read since the last `take`."""
        return len(self._pages)

    def take(self) -> Read:
        """Return what was read since the last call."""
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

    def end(self, unheard: int, unheard_parents: int, least_unheard_id: int | None) -> None:
        page, self._page = self._page, None
        if page is None:
            return
        if page.is_created_after(least_unheard_id):
            raise OutOfOrder(page.title)
        is_whole = page.has_first or unheard_parents < unheard
        self._whole += is_whole and page.revisions + unheard > 1
        self._cut_off += not is_whole
        if stood := page.at_cutoff(self._names()):
            any_case = self.site.case == "case-sensitive"
            self._pages.append(stood if any_case else replace(stood, title=first_letter_up(stood.title)))

    def _names(self) -> dict[str, int]:
        """Return the numbers of the wiki's namespaces by name."""
        if self._prefixes is None:
            self._prefixes = moves.prefixes(self.site.namespaces)
        return self._prefixes


class _PageHistory:
    def __init__(self, page: PageHead, window: Window, cutoff: datetime) -> None:
        self._page, self._window, self._cutoff = page, window, cutoff
        # those up to the cutoff that count; None for all but the newest
        self._counted = OrderedHistory[ExportedRevision | None]()
        self._held = 0
        self._first: ExportedRevision | None = None
        self._redirect = ""  # the text of the first revision if it is a redirect
        self._before: ExportedRevision | None = None
        self._before_text = b""
        self._unchanging: list[moves.Unchanging] = []
        self.has_first = False
        self.revisions = 0

    def add(self, revision: ExportedRevision) -> bool:
        """Add a revision. Returns False if the page was created before the window, so the rest need not be read."""
        self.revisions += 1
        self.has_first = self.has_first or not revision.parent_id
        text = revision.text
        if text.is_absent:
            raise NoTexts
        if self._first is None or revision.rev_id < self._first.rev_id:
            self._first = revision
            if revision.moment < self._window.start:
                return False
            content = text.build() if text.may_begin_with(b"#") else ""
            self._redirect = content if moves.redirect_target(content) else ""
        self._note_move(revision)
        if revision.moment <= self._cutoff:
            self._held += text.kept
            for replaced in self._counted.add(revision.rev_id, revision.moment, revision):
                self._held -= replaced.text.kept if replaced else 0
            if len(self._counted.revisions) > settling.HISTORY:
                self._forget_oldest()
            if self._held > _HELD:
                self._drop_texts()
        return True

    def _forget_oldest(self) -> None:
        """Keep only the newest revisions, of which one will be selected. In a file with the newest first, the oldest is
        the last that was added."""
        for place in (0, -settling.HISTORY - 1):
            if oldest := self._counted.revisions[place]:
                self._held -= oldest.text.kept
                self._counted.revisions[place] = None

    def _note_move(self, revision: ExportedRevision) -> None:
        """Record a revision that changes nothing: a move leaves one, and so does a hidden text."""
        before, text, raw = self._before, self._before_text, revision.text.raw
        if before and before.moment > revision.moment and before.rev_id < revision.rev_id:
            return  # imported, so it does not count
        self._before, self._before_text = revision, raw
        if before and (raw == text or not raw or not text) and "[[" in revision.comment:
            self._unchanging.append(moves.Unchanging(revision.moment, revision.rev_id, revision.comment))

    @property
    def title(self) -> str:
        return self._page.title

    def is_created_after(self, rev_id: int | None) -> bool:
        """Tell whether the page was created by an earlier-numbered revision than those read."""
        return rev_id is not None and self._first is not None and rev_id < self._first.rev_id

    def at_cutoff(self, prefixes: Mapping[str, int]) -> Page | None:
        """Return the page as of the cutoff. None if all its revisions are later, if it was created outside the window,
        if its beginning is lost, if it was never in the main namespace by the cutoff, or if a move left it behind as a
        redirect."""
        first = self._first
        if first is None or first.parent_id or not self._counted.revisions or first.moment not in self._window:
            return None
        place = moves.place_at_cutoff(self._page.title, self._unchanging, self._cutoff, prefixes)
        if place is None or moves.left_by_move(place.begun_as, self._redirect, first.comment):
            return None
        if place.is_elsewhere:
            return Page(self._page.page_id, place.title, first.moment, absent="moved", summary=first.comment)
        return self._as_it_stood(place.title, first)

    def _as_it_stood(self, title: str, first: ExportedRevision) -> Page:
        history = self._history()
        stands = [_stand(revision) for revision in history]
        place = settling.settled(stands)
        if place and moves.redirect_target(history[0].text.build()):
            place = 0
        taken = history[place]
        if taken.text.is_dropped:
            raise OutOfOrder(self.title)
        hidden = taken.text.hidden
        return Page(
            self._page.page_id,
            title,
            first.moment,
            taken.rev_id,
            taken.moment,
            len(self._counted),
            None if hidden else taken.text.build(),
            "hidden" if hidden else None,
            first.comment,
            stepped_over=settling.stepped_over(stands, place) if place else "",
        )

    def _history(self) -> list[ExportedRevision]:
        """Return the kept revisions, newest first."""
        newest = [revision for revision in reversed(self._counted.revisions[-settling.HISTORY :]) if revision]
        if len(newest) < min(settling.HISTORY, len(self._counted)):
            raise OutOfOrder(self.title)
        return newest

    def _drop_texts(self) -> None:
        """Drop the texts older than the revision that would be selected if the page ended here. That revision stays
        selectable as long as it is among the newest; a revision inserted later can only replace it."""
        history = self._history()
        place = settling.newest_fit([_stand(revision) for revision in history])
        if place is None:
            return  # without a selectable revision all of them are blank or hidden
        for revision in history[place + 1 :]:
            self._held -= revision.text.kept
            revision.text.drop()


def _stand(revision: ExportedRevision) -> settling.Stand:
    return settling.Stand(revision.rev_id, revision.text.size, revision.text.hidden)


def first_letter_up(title: str) -> str:
    """Capitalize a title as a wiki with `<case>first-letter</case>`, MediaWiki's default, does."""
    first = title[:1].upper()
    return first + title[1:] if len(first) == 1 else title
