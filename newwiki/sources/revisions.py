"""Revisions by their numbers: fifty a request from the Action API, or picked out of a dump in one pass."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from newwiki.errors import TransientError
from newwiki.records import Site
from newwiki.sources import export
from newwiki.sources.api import Api
from newwiki.sources.dump import DumpSource
from newwiki.sources.export import PageHead
from newwiki.sources.mediawiki import ApiSource

_BATCH = 50  # what the API allows everyone


@dataclass(frozen=True)
class Revision:
    """What a page said from `revised_at` on; `wikitext` is None where the wiki hides it."""

    rev_id: int
    revised_at: datetime
    wikitext: str | None


class Revisions(Protocol):
    """A wiki that can be asked for revisions. `name` says which."""

    name: str

    def site(self) -> Site: ...

    def fetch(self, rev_ids: Sequence[int]) -> Iterator[list[Revision]]:
        """In batches, those of the revisions that are there, in any order."""
        ...


class RevisionsOfApi:
    """The wiki behind an api.php."""

    def __init__(self, place: str, contact: str | None = None) -> None:
        self._api = Api(place, contact)
        self._source = ApiSource(place, contact)
        self.name = self._source.name

    def tell(self, say: Callable[[str], None]) -> None:
        self._api.tell(say)
        self._source.tell(say)

    def site(self) -> Site:
        return self._source.site()

    def fetch(self, rev_ids: Sequence[int]) -> Iterator[list[Revision]]:
        for start in range(0, len(rev_ids), _BATCH):
            yield fetch_batch(self._api, rev_ids[start : start + _BATCH])


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


def fetch_batch(api: Api, rev_ids: Sequence[int]) -> list[Revision]:
    """Up to fifty revisions, without those that are gone. Raises TransientError where the wiki leaves one out."""
    found: dict[int, dict[str, Any]] = {}
    gone: set[int] = set()
    for answer in api.query(
        "texts", revids="|".join(map(str, rev_ids)), prop="revisions", rvprop="ids|timestamp|content", rvslots="main"
    ):
        gone |= {int(rev_id) for rev_id in answer.get("badrevids", {})}
        for page in answer.get("pages", []):
            found |= {revision["revid"]: revision for revision in page.get("revisions", [])}
    left_out = set(rev_ids) - found.keys() - gone
    if left_out:
        raise TransientError(f"the wiki's API at {api.url} left out revision {min(left_out)}; try again")
    return [_of_api(revision) for revision in found.values()]


def _of_api(revision: dict[str, Any]) -> Revision:
    slot = revision.get("slots", {}).get("main", {})
    text = None if "texthidden" in slot else slot.get("content")
    return Revision(revision["revid"], datetime.fromisoformat(revision["timestamp"]), text)


class _Picker:
    """Listens to an export for the revisions that are wanted."""

    def __init__(self, wanted: set[int]) -> None:
        self.wanted = wanted
        self.found: list[Revision] = []

    def begin(self, page: PageHead) -> bool:
        return bool(self.wanted)

    def revision(self, revision: export.Revision) -> bool:
        if revision.rev_id in self.wanted:
            self.wanted.remove(revision.rev_id)
            text = None if revision.text.hidden else revision.text.build()
            self.found.append(Revision(revision.rev_id, revision.moment, text))
        return bool(self.wanted)

    def end(self, unheard: int, unheard_parents: int) -> None:
        pass
