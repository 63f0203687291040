"""Read the templates of a dump as of the cutoff, on the way through its pages."""

from collections.abc import Mapping
from datetime import datetime

from newwiki.snapshot import TemplateSource
from newwiki.sources import moves
from newwiki.sources.history import Histories, NoTexts, Read, first_letter_up
from newwiki.sources.xml_export import ExportedRevision, PageHead

_TEMPLATE = 10  # the namespace's number in every wiki


class WithTemplates:
    """Receives the pages of an export for `histories`, and keeps the revision at the cutoff of each template.

    `histories` gets templates too, because a page that is a template today may have been an article at the cutoff.
    """

    def __init__(self, histories: Histories, cutoff: datetime) -> None:
        self._histories = histories
        self._cutoff = cutoff
        self._prefixes: Mapping[str, int] | None = None
        self._templates: list[TemplateSource] = []
        self._title = ""  # of the template that is being read, without its namespace
        self._newest: ExportedRevision | None = None
        self._is_heard = False  # whether `histories` wants the next revision
        self._unheard = self._unheard_parents = 0
        self._least_unheard_id: int | None = None

    def take(self) -> Read:
        """Return what was read since the last call."""
        read, self._templates = self._histories.take(self._templates), []
        return read

    @property
    def waiting(self) -> int:
        """The number of pages and templates read since the last `take`."""
        return self._histories.waiting + len(self._templates)

    def begin(self, page: PageHead) -> bool:
        if self._prefixes is None:
            self._prefixes = moves.prefixes(self._histories.site.namespaces)
        is_template = moves.namespace(page.title, self._prefixes) == _TEMPLATE
        self._title = page.title.partition(":")[2].strip() if is_template else ""
        self._newest, self._unheard, self._unheard_parents, self._least_unheard_id = None, 0, 0, None
        self._is_heard = self._histories.begin(page)
        return self._is_heard or is_template

    def revision(self, revision: ExportedRevision) -> bool:
        if self._is_heard:
            self._is_heard = self._histories.revision(revision)
        else:
            self._unheard += 1
            self._unheard_parents += bool(revision.parent_id)
            if not revision.parent_id:
                self._least_unheard_id = min(revision.rev_id, self._least_unheard_id or revision.rev_id)
        if not self._title:
            return self._is_heard
        if revision.text.is_absent:
            raise NoTexts
        if revision.moment <= self._cutoff and (self._newest is None or _key(revision) > _key(self._newest)):
            self._newest = revision
        return True

    def end(self, unheard: int, unheard_parents: int, least_unheard_id: int | None) -> None:
        if self._title:
            least_unheard_id = self._least_unheard_id
        self._histories.end(unheard + self._unheard, unheard_parents + self._unheard_parents, least_unheard_id)
        if self._newest is not None and not self._newest.text.hidden:
            any_case = self._histories.site.case == "case-sensitive"
            title = self._title if any_case else first_letter_up(self._title)
            self._templates.append(TemplateSource(title, self._newest.rev_id, self._newest.text.build()))
            self._newest = None


def _key(revision: ExportedRevision) -> tuple[datetime, int]:
    return revision.moment, revision.rev_id
