"""Mark new pages that nearly repeat the text of an earlier page, before the sample is drawn."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType

from flows.progress import Progress, Silent
from newwiki.novelty import NEAR_DUPLICATE, Index, Sketch, Sketcher, compared_text
from newwiki.snapshot import Judged, Nearest, Site, Window
from storage import snapshots
from storage.database import Database


@dataclass(frozen=True)
class ComparedText:
    """A text to compare with, its snapshot, its title and the creation time of its page."""

    snapshot_id: str
    title: str
    created_at: datetime
    sketch: Sketch


@dataclass
class Twins:
    """The most similar earlier text of each page, by page id."""

    nearest: dict[int, Nearest] = field(default_factory=dict)

    def add(self, page_id: int, text: ComparedText, similarity: float) -> None:
        known = self.nearest.get(page_id)
        if known is None or similarity > (known.similarity or 0):
            self.nearest[page_id] = Nearest(page_id, text.title, text.snapshot_id, similarity)


def drop_near_duplicates(
    database: Database,
    snapshot_id: str,
    site: Site,
    window: Window,
    pages: Sequence[Judged],
    against: Collection[str] = (),
    known: Mapping[int, Sketch] = MappingProxyType({}),
    *,
    progress: Progress | None = None,
) -> tuple[list[Judged], dict[int, Nearest]]:
    """Give the verdict `near_duplicate` to selected pages that nearly repeat an earlier text.

    The earlier text is another selected page, or an article of the snapshots `against`, and its page was created
    earlier. Also returns the nearest earlier text of each page, by page id. These include the wiki's other snapshots in
    the database, which do not affect the verdicts. `known` holds sketches that are already computed, by page id.
    """
    sketcher, decisive = Sketcher(), Twins()
    passed = sorted((page for page in pages if page.verdict == "selected"), key=lambda p: (p.created_at, p.title))
    sketches = [
        known[page.page_id] if page.page_id in known else sketcher.sketch(compared_text(page)) for page in passed
    ]
    texts = [
        ComparedText(snapshot_id, page.title, page.created_at, sketch)
        for page, sketch in zip(passed, sketches, strict=True)
    ]
    index = Index(sketches)
    with (progress or Silent()).stretch(f"comparing the texts of {snapshot_id}", "pages") as bar:
        for count, (page, similar) in enumerate(zip(passed, index.each_with_earlier(), strict=True), 1):
            for earlier, similarity in similar:
                decisive.add(page.page_id, texts[earlier], similarity)
            bar.update(count, len(passed))
    for other in sorted(against):
        _compare(passed, sketches, _texts(database, other, sketcher), decisive)
    recorded = Twins(dict(decisive.nearest))
    for other in snapshots.earlier(database, site.wiki, window.end):
        if other not in against:
            _compare(passed, sketches, _texts(database, other, sketcher), recorded)
    return [_judged(page, decisive.nearest.get(page.page_id)) for page in pages], recorded.nearest


def _texts(database: Database, snapshot_id: str, sketcher: Sketcher) -> list[ComparedText]:
    articles = sorted(snapshots.articles(database, snapshot_id), key=lambda a: (a.created_at, a.title))
    return [ComparedText(snapshot_id, a.title, a.created_at, sketcher.sketch(compared_text(a))) for a in articles]


def _compare(passed: Sequence[Judged], sketches: Sequence[Sketch], texts: Sequence[ComparedText], twins: Twins) -> None:
    index = Index([text.sketch for text in texts])
    for page, sketch in zip(passed, sketches, strict=True):
        for place, similarity in index.similar(sketch):
            if texts[place].created_at < page.created_at:
                twins.add(page.page_id, texts[place], similarity)


def _judged(page: Judged, nearest: Nearest | None) -> Judged:
    if page.verdict != "selected" or nearest is None or (nearest.similarity or 0) < NEAR_DUPLICATE:
        return page
    detail = f"{nearest.similarity:.2f} like '{nearest.nearest_title}' in {nearest.nearest_snapshot_id}"
    return replace(page, verdict="near_duplicate", detail=detail, first_sentence=None, completion=None)
