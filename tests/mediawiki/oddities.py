"""A month in which histories are imported, merged, restored and moved in every way, and the row that each page gets."""

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from flows.refreshing.gather_and_publish import SnapshotDefinition
from newwiki.snapshot import Selection, Window

from .exports import Edit, History, write_export
from .wiki import Event, Wiki

CUTOFF = datetime(2024, 6, 15, tzinfo=UTC)
REQUEST = SnapshotDefinition(Window.month("2024-05"), Selection(min_words=20, min_revisions=3), CUTOFF)
# The row of each page: the day of May on which it was created, its verdict, and its revisions, counted up to 3
EXPECTED = {
    "Plain": (2, "selected", 3),
    "Imported before": (3, "selected", 3),
    "Imported later": (3, "selected", 3),
    "Imported between": (3, "selected", 3),
    "Imported as the newest": (3, "selected", 3),
    "Imported but short": (3, "few_revisions", 2),
    "Imported and moved": (3, "selected", 3),
    "Uploaded": (5, "selected", 3),
    "Uploaded as a draft": (5, "selected", 3),
    "Merged in May": (4, "selected", 3),
    "Merged from a draft": (7, "selected", 3),
    "Merged after the cutoff": (4, "selected", 3),
    "Merged in part": (4, "selected", 3),
    "Merged and shrunk": (4, "selected", 3),
    "Merged and moved": (4, "selected", 3),
    "Restored": (3, "selected", 3),
    "Restored later": (3, "selected", 3),
    "Restored in the middle": (3, "few_revisions", 2),
    "Written twice": (14, "selected", 3),
    "Written twice and restored": (3, "selected", 3),
    "Split": (3, "few_revisions", 1),
    "Without a redirect (Arden)": (3, "selected", 3),
    "Usurped (Arden)": (3, "selected", 3),
    "Usurped": (8, "selected", 3),
    "Begun as a draft": (3, "selected", 3),
    "Over a redirect": (9, "selected", 3),
}
# An import that no log mentions, of revisions of April: only a dump shows the page
UNLOGGED = "Born elsewhere in April"
# Pages without a row: created before May elsewhere or here, merged into another page, or without their beginning
NO_ROW = {
    "Born elsewhere", "Merged with April", "Source of April", "Source in May", "Draft:Source",
    "Source after the cutoff", "Source in part", "Short source", "Moved source", "Without its beginning",
    "Old without its beginning", "Split off",
}  # fmt: skip
# The pages that were deleted under these titles have a row through the API alone: a dump does not know them
DELETED = ["Over a redirect", "Written twice", "Written twice and restored"]

_WORDS = ("river", "stone", "harbour", "lantern", "winter", "orchard", "council", "bridge", "market", "engine")


def made(start: Callable[[Path], Wiki], folder: Path) -> Wiki:
    """A wiki to which all this has happened."""
    begun = History("Begun in March", [Edit(datetime(2024, 3, 3, tzinfo=UTC), _text("Begun in March"))])
    wiki = start(write_export(folder / "begun.xml", [begun]))
    events = [*_imports(folder), *_merges(), *_restores(), *_moves()]
    wiki.happen(*sorted(events, key=lambda event: event.at))
    return wiki


def _imports(folder: Path) -> Iterator[Event]:
    def imported(at: datetime, title: str, *moments: datetime, text: str = "", logged: bool = False) -> Event:
        edits = [Edit(moment, text or _text(title, number)) for number, moment in enumerate(moments, 1)]
        xml = write_export(folder / "imported.xml", [History(title, edits)]).read_text("utf-8")
        return Event(at, "upload" if logged else "import", title, text=xml)

    old = [datetime(2015, 1, day, tzinfo=UTC) for day in (1, 2, 3)]
    new = [_may(5, hour) for hour in range(3)]
    yield from _written("Plain", _may(2))
    yield from _written("Imported before", _may(3))
    yield imported(_may(20), "Imported before", *old)
    yield from _written("Imported later", _may(3))
    yield imported(_july(1), "Imported later", *old)
    yield from _written("Imported between", _may(3))
    between = _may(3, 1) + timedelta(minutes=30)
    yield imported(_may(20), "Imported between", between, text=9 * _text("Something else"))
    yield from _written("Imported as the newest", _may(3), parts=2)
    yield imported(_may(20), "Imported as the newest", _may(18), text=_text("A new text"))
    yield from _written("Imported but short", _may(3), parts=2)
    yield imported(_may(20), "Imported but short", *old)
    yield from _written("Imported", _may(3))
    yield imported(_may(20), "Imported", *old)
    yield Event(_june(2), "move", "Imported", to="Imported and moved")
    yield Event(_july(2), "move", "Imported and moved", to="Imported and moved again")
    yield imported(_may(20), "Uploaded", *new, logged=True)
    yield imported(_may(20), "Draft:Uploaded as a draft", *new, logged=True)
    yield Event(_june(2), "move", "Draft:Uploaded as a draft", to="Uploaded as a draft")
    yield imported(_may(20), "Born elsewhere", *old)
    yield imported(_may(20), UNLOGGED, datetime(2024, 4, 9, tzinfo=UTC))


def _merges() -> Iterator[Event]:
    yield from _written("Source of April", datetime(2024, 4, 4, tzinfo=UTC))
    yield from _written("Merged with April", _may(10))
    yield Event(_may(25), "merge", "Source of April", to="Merged with April")
    yield from _written("Source in May", _may(4))
    yield from _written("Merged in May", _may(12))
    yield Event(_may(25), "merge", "Source in May", to="Merged in May")
    yield from _written("Draft:Source", _may(7))
    yield from _written("Merged from a draft", _june(3), parts=1)
    yield Event(_june(5), "merge", "Draft:Source", to="Merged from a draft")
    yield from _written("Source after the cutoff", _may(4))
    yield from _written("Merged after the cutoff", _may(9))
    yield Event(_july(2), "merge", "Source after the cutoff", to="Merged after the cutoff")
    yield from _written("Source in part", _may(4))
    yield from _written("Merged in part", _may(11))
    yield Event(_may(25), "merge", "Source in part", to="Merged in part", only=(_may(4, 1),))
    yield from _written("Short source", _may(4))
    yield Event(_may(12), "edit", "Merged and shrunk", text="Short.")
    yield Event(_may(25), "merge", "Short source", to="Merged and shrunk")
    yield from _written("Moved source", _may(4))
    yield from _written("Merged", _may(12))
    yield Event(_may(25), "merge", "Moved source", to="Merged")
    yield Event(_june(2), "move", "Merged", to="Merged and moved", redirect=False)


def _restores() -> Iterator[Event]:
    yield from _restored("Restored", _may(21))
    yield from _restored("Restored later", _july(1))
    yield from _restored("Without its beginning", _may(21), only=(_may(3, 1), _may(3, 2)))
    yield from _restored("Restored in the middle", _may(21), only=(_may(3), _may(3, 2)))
    yield Event(datetime(2024, 4, 4, tzinfo=UTC), "edit", "Old without its beginning", text="It is old.")
    yield from _restored("Old without its beginning", _may(21), only=tuple(_may(3, hour) for hour in range(3)))
    yield from _written("Written twice", _may(3))
    yield Event(_may(10), "delete", "Written twice")
    yield from _written("Written twice", _may(14))
    yield from _written("Written twice and restored", _may(3))
    yield Event(_may(10), "delete", "Written twice and restored")
    yield from _written("Written twice and restored", _may(14))
    yield Event(_may(20), "restore", "Written twice and restored")
    yield from _restored("Split", _may(21), only=(_may(3, 1), _may(3, 2)))
    yield Event(_may(22), "move", "Split", to="Split off", redirect=False)
    yield Event(_may(23), "restore", "Split")


def _moves() -> Iterator[Event]:
    yield from _written("Without a redirect", _may(3))
    yield Event(_june(2), "move", "Without a redirect", to="Without a redirect (Arden)", redirect=False)
    yield from _written("Usurped", _may(3))
    yield from _written("Usurper", _may(8))
    yield Event(_june(2), "move", "Usurped", to="Usurped (Arden)", redirect=False)
    yield Event(_june(3), "move", "Usurper", to="Usurped", redirect=False)
    yield from _written("Draft:Begun as a draft", _may(3))
    yield Event(_june(2), "move", "Draft:Begun as a draft", to="Begun as a draft")
    yield Event(_may(6), "edit", "Over a redirect", text="#REDIRECT [[Wanderer]]")
    yield from _written("Wanderer", _may(9))
    yield Event(_june(2), "move", "Wanderer", to="Over a redirect")


def _restored(title: str, at: datetime, only: Sequence[datetime] = ()) -> Iterator[Event]:
    yield from _written(title, _may(3))
    yield Event(_may(20), "delete", title)
    yield Event(at, "restore", title, only=tuple(only))


def _written(title: str, first: datetime, parts: int = 3) -> Iterator[Event]:
    """An edit an hour."""
    for number in range(parts):
        yield Event(first + timedelta(hours=number), "edit", title, text=_text(title, number + 4 - parts))


def _text(title: str, part: int = 3) -> str:
    """Three parts of twenty words and more, the same for the same title."""
    chance = random.Random(title)
    sentences = [f"The {' '.join(chance.choices(_WORDS, k=8))} was built in {1800 + number}." for number in range(9)]
    return f"'''{title}''' is a place of this test. " + " ".join(sentences[: 3 * part])


def _may(day: int, hour: int = 0) -> datetime:
    return datetime(2024, 5, day, hour, tzinfo=UTC)


def _june(day: int) -> datetime:
    return datetime(2024, 6, day, tzinfo=UTC)


def _july(day: int) -> datetime:
    return datetime(2024, 7, day, tzinfo=UTC)
