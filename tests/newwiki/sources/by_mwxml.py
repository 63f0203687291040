"""The pages of an export as another reader has them: mwxml builds every revision, and all that may stand are kept."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import mwxml

from newwiki.snapshot import Page, Window
from newwiki.sources import moves, settling


def pages(file: Path, window: Window, cutoff: datetime) -> Iterator[Page]:
    with file.open("rb") as raw:
        dump = mwxml.Dump.from_file(raw)
        prefixes = moves.prefixes({one.id: one.name for one in dump.site_info.namespaces or ()})
        for element in dump:
            if page := _at_cutoff(element, window, cutoff, prefixes):
                yield page


def _at_cutoff(element: Any, window: Window, cutoff: datetime, prefixes: Mapping[str, int]) -> Page | None:
    revisions = [
        (datetime.fromtimestamp(revision.timestamp.unix(), UTC), revision.id, place, revision)
        for place, revision in enumerate(element)
    ]
    if not revisions:
        return None
    created, _, _, first = min(revisions, key=lambda entry: entry[1])
    counted = _counted(revisions)
    then = sorted(_counted([entry for entry in revisions if entry[0] <= cutoff]), reverse=True)
    if not then or first.parent_id or created not in window:
        return None
    unchanging = [
        moves.Unchanging(moment, rev_id, one.comment or "")
        for (*_, before), (moment, rev_id, _, one) in pairwise(counted)
        if _text(before) == _text(one) or not _text(before) or not _text(one)
    ]
    title, begun_as = moves.titles_back(element.title.replace("_", " "), unchanging, cutoff)
    elsewhere, begun_elsewhere = (bool(moves.namespace(one, prefixes)) for one in (title, begun_as))
    redirect = _text(first) if moves.redirect_target(_text(first)) else ""
    if (elsewhere and begun_elsewhere) or moves.left_by_move(begun_as, redirect, first.comment or ""):
        return None
    title = title[:1].upper() + title[1:]
    if elsewhere:
        return Page(element.id, title, created, absent="moved", summary=first.comment or "")
    newest = then[: settling.HISTORY]
    stands = [settling.Stand(rev_id, len(_text(one).encode()), bool(one.deleted.text)) for _, rev_id, _, one in newest]
    place = settling.settled(stands)
    if moves.redirect_target(_text(newest[0][-1])):
        place = 0
    moment, rev_id, _, taken = newest[place]
    hidden = bool(taken.deleted.text)
    return Page(
        element.id,
        title,
        created,
        rev_id,
        moment,
        len(then),
        None if hidden else _text(taken),
        "hidden" if hidden else None,
        first.comment or "",
        stepped_over=settling.stepped_over(stands, place) if place else "",
    )


def _counted(revisions: list[Any]) -> list[Any]:
    """Those that no revision with a smaller id is younger than."""
    return [one for one in revisions if not any(other[1] < one[1] and other[0] > one[0] for other in revisions)]


def _text(revision: Any) -> str:
    return "" if revision.deleted.text else revision.slots.contents["main"].text or ""
