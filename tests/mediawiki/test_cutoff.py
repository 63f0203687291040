"""The law of the cutoff: the same window and cutoff give the same rows whenever they are asked, by API and dump."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from flows.refreshing.gather_and_publish import SnapshotDefinition
from newwiki.snapshot import Selection, Window
from newwiki.sources.dump import DumpSource
from newwiki.sources.mediawiki import ApiSource
from newwiki.sources.old import OldApi, OldDump
from newwiki.sources.source import Source

from . import month
from .conftest import StartWiki
from .exports import Edit, History, write_export
from .refreshing import CONTACT, Refreshed, ask
from .wiki import Event, Wiki

pytestmark = pytest.mark.slow

MAY = Window.month("2024-05")
JUNE_15 = datetime(2024, 6, 15, tzinfo=UTC)
ASKED = SnapshotDefinition(MAY, Selection(min_words=60, min_revisions=3), JUNE_15)
Rows = list[dict[str, object]]


def both(
    wiki: Wiki, written: Path, request: SnapshotDefinition, folder: Path, name: str
) -> tuple[Refreshed, Refreshed]:
    """The request asked now, through the API and of the dump that the wiki has written now."""
    old = request.kind == "old"
    api: Source = (OldApi if old else ApiSource)(wiki.api_url, CONTACT)
    dump: Source = (OldDump if old else DumpSource)(str(written))
    return ask(api, request, folder / f"{name}.api.duckdb"), ask(dump, request, folder / f"{name}.dump.duckdb")


@pytest.fixture(scope="module")
def moments(wiki: StartWiki, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Refreshed]:
    """The month of the tests, asked for at three moments, between which its pages are edited, moved and created."""
    folder = tmp_path_factory.mktemp("moments")
    served = wiki(write_export(folder / "month.xml", month.histories()))
    month.befall(served)
    # of the dump in June tests/mediawiki/test_month.py asks
    asked = {"api 6": ask(ApiSource(served.api_url, CONTACT), ASKED, folder / "6.duckdb")}
    for number in (7, 8):
        month.go_on(served, number)
        written = served.export(folder / f"{number}.xml")
        asked[f"api {number}"], asked[f"dump {number}"] = both(served, written, ASKED, folder, f"month {number}")
    return asked


def test_the_month_is_the_same_content_whenever_and_wherever_it_is_asked_for(moments: dict[str, Refreshed]) -> None:
    assert len({refreshed.content_sha256 for refreshed in moments.values()}) == 1
    first = moments["api 6"].rows("articles")
    assert {row["title"] for row in first} == {t for t, verdict in month.EXPECTED.items() if verdict == "selected"}
    for name, refreshed in moments.items():
        assert refreshed.rows("articles") == first, name


def test_every_page_of_the_month_has_the_same_row(moments: dict[str, Refreshed]) -> None:
    """But for the one that was deleted, of which a dump knows nothing."""
    first = moments["api 6"].rows("candidates")
    there = [row for row in first if row["title"] != "Deleted later"]
    assert len(first) == len(there) + 1 == month.STUBS + month.REDIRECTS + len(month.EXPECTED)
    for name, refreshed in moments.items():
        assert refreshed.rows("candidates") == (first if name.startswith("api") else there), name


@dataclass
class Histories:
    """Random things that happen to a few pages, as a wiki allows them."""

    chance: random.Random
    here: dict[str, str] = field(default_factory=dict)  # title → what it says
    left: set[str] = field(default_factory=set)  # the titles that moves have left
    gone: list[str] = field(default_factory=list)
    made: int = 0

    def events(self, first: datetime, last: datetime, count: int) -> Iterator[Event]:
        for number in range(count):
            yield from self._happens(first + (last - first) * number / count)

    def _happens(self, at: datetime) -> Iterator[Event]:
        movable = sorted(self.here.keys() - self.left)
        what = self.chance.choices(("create", "edit", "move", "restore"), (4, 3, 5, 1))[0] if movable else "create"
        title = self.chance.choice(sorted(self.here)) if self.here else ""
        if what == "create":
            self.made += 1
            title = f"{self.chance.choice(('', '', 'Draft:', 'User:Writer/'))}Page {self.made}"
        if what in ("create", "edit"):
            more = f"On day {at:%j} {title[-7:]} was found to be a page. It is."
            said = f"{self.here.get(title, '')}\n\n{more}"
            self.here[title] = said if self.chance.random() < 0.8 else f"#REDIRECT [[Page {self.made}0]]"
            self.left.discard(title)
            yield Event(at, "edit", title, text=self.here[title])
        elif what == "move":
            title = self.chance.choice(movable)
            self.made += 1
            to = f"{self.chance.choice(('', 'Draft:', 'User:Writer/'))}Page {self.made}"
            self.here[to], self.here[title] = self.here[title], ""
            self.left.add(title)
            yield Event(at, "move", title, to=to)
        else:
            yield Event(at, "delete", title)
            yield Event(at + timedelta(seconds=1), "restore", title)


CUTOFFS = [datetime(2024, 6, day, tzinfo=UTC) for day in (1, 18)]


@pytest.fixture(scope="module")
def random_wiki(
    wiki: StartWiki, tmp_path_factory: pytest.TempPathFactory
) -> list[tuple[str, datetime, Refreshed, Refreshed]]:
    """What was asked of a wiki with a random history, at each cutoff for all cutoffs so far."""
    folder = tmp_path_factory.mktemp("random")
    begun = [History("Begun in April", [Edit(datetime(2024, 4, 3, tzinfo=UTC), "A page of April is here. It is.")])]
    served = wiki(write_export(folder / "begun.xml", begun))
    histories = Histories(random.Random(1))
    asked = []
    for place, (first, last) in enumerate(pairwise((MAY.start, *CUTOFFS))):
        served.happen(*histories.events(first, last, count=70 if place == 0 else 50))
        written = served.export(folder / f"{place}.xml")
        for cutoff in CUTOFFS[: place + 1]:
            kinds = {"new": MAY} | ({"old": Window.before(MAY.end.date())} if cutoff == CUTOFFS[0] and place else {})
            for kind, window in kinds.items():
                requested = SnapshotDefinition(window, Selection(min_words=5, min_revisions=2), cutoff, kind)
                name = f"{kind} {place} {cutoff:%d}"
                asked.append((kind, cutoff, *both(served, written, requested, folder, name)))
    return asked


def test_random_histories_give_the_same_rows_whenever_and_wherever_they_are_asked_for(
    random_wiki: list[tuple[str, datetime, Refreshed, Refreshed]],
) -> None:
    first: dict[tuple[str, datetime], Refreshed] = {}
    for kind, cutoff, api, dump in random_wiki:
        before = first.setdefault((kind, cutoff), api)
        for refreshed in (api, dump):
            assert refreshed.rows("candidates") == before.rows("candidates"), (kind, cutoff, refreshed.path.name)
            assert refreshed.content_sha256 == before.content_sha256
    verdicts = {verdict for _, _, api, _ in random_wiki for verdict in api.funnel}
    assert {"selected", "redirect", "moved"} <= verdicts
