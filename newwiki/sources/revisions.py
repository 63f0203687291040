"""Fetch revisions by id: in batches from the Action API, or from a dump in one pass."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from newwiki.snapshot import Site
from newwiki.sources import xml_export
from newwiki.sources.api import fetch_revisions, wikitext
from newwiki.sources.dump import DumpSource
from newwiki.sources.mediawiki import ApiSource
from newwiki.sources.timestamps import moment
from newwiki.sources.xml_export import PageHead


@dataclass(frozen=True)
class Revision:
    """A revision; `wikitext` is None if the wiki hides it."""

    rev_id: int
    revised_at: datetime
    wikitext: str | None


class Revisions(Protocol):
    """A wiki that can be asked for revisions. `name` identifies it."""

    name: str

    def site(self) -> Site: ...

    def fetch(self, rev_ids: Sequence[int]) -> Iterator[list[Revision]]:
        """Yield the revisions that exist, in batches, in any order."""
        ...


class RevisionsOfApi(ApiSource):
    """A wiki behind an api.php."""

    def fetch(self, rev_ids: Sequence[int]) -> Iterator[list[Revision]]:
        for batch in self._api.batches(rev_ids):
            revisions = fetch_revisions(self._api, "texts", batch).values()
            yield [
                Revision(revision["revid"], moment(revision["timestamp"]), wikitext(revision)) for revision in revisions
            ]


class RevisionsOfDump(DumpSource):
    """An XML export with full history."""

    def fetch(self, rev_ids: Sequence[int]) -> Iterator[list[Revision]]:
        picker = _Picker(set(rev_ids))
        for _ in self.listen(picker):
            if picker.found:
                yield picker.found
                picker.found = []
            if not picker.wanted:
                return
        yield picker.found


class _Picker:
    """Receives the pages of an export and picks the wanted revisions."""

    def __init__(self, wanted: set[int]) -> None:
        self.wanted = wanted
        self.found: list[Revision] = []

    def begin(self, page: PageHead) -> bool:
        return bool(self.wanted)

    def revision(self, revision: xml_export.ExportedRevision) -> bool:
        if revision.rev_id in self.wanted:
            self.wanted.remove(revision.rev_id)
            text = None if revision.text.hidden else revision.text.build()
            self.found.append(Revision(revision.rev_id, revision.moment, text))
        return bool(self.wanted)

    def end(self, unheard: int, unheard_parents: int, least_unheard_id: int | None) -> None:
        pass
