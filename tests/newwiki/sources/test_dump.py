import bz2
import gzip
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import pytest

from newwiki.errors import TerminalError
from newwiki.snapshot import Page, Site, Window
from newwiki.sources.dump import DumpSource

SEPTEMBER = Window.month("2026-09")
CUTOFF = datetime(2026, 10, 15, 12, tzinfo=UTC)

Write = Callable[..., str]


def pages(
    file: Path, *, window: Window = SEPTEMBER, cutoff: datetime = CUTOFF, skip: frozenset[int] = frozenset()
) -> list[Page]:
    return list(chain.from_iterable(batch.pages for batch in DumpSource(str(file)).pages(window, cutoff, skip)))


@pytest.fixture
def dump(tmp_path: Path, export: Callable[..., bytes]) -> Callable[..., Path]:
    """An export in a file: its pages as text."""

    def write(*written: str, name: str = "wiki.xml", **header: str | None) -> Path:
        (tmp_path / name).write_bytes(export(*written, **header))
        return tmp_path / name

    return write


@pytest.fixture
def lumen(page: Write, revision: Write) -> Callable[..., str]:
    """A page of three revisions, the last of them after the cutoff."""
    history = [
        revision(70, "2026-09-03T10:00:00Z", "first"),
        revision(71, "2026-10-15T12:00:00Z", "second & <b>third</b>", parent=70),
        revision(72, "2026-10-15T12:00:01Z", "too late", parent=71),
    ]
    return lambda number=7, title="Lumen", **options: page(number, title, history, **options)


def test_a_page_is_as_it_stood_at_the_cutoff(dump: Callable[..., Path], lumen: Write) -> None:
    assert pages(dump(lumen())) == [
        Page(7, "Lumen", datetime(2026, 9, 3, 10, tzinfo=UTC), 71, CUTOFF, 2, "second & <b>third</b>", None)
    ]


def test_the_newest_revision_counts_in_whatever_order_they_stand(
    dump: Callable[..., Path], page: Write, revision: Write
) -> None:
    newest_first = [
        revision(73, "2026-09-09T10:00:00Z", "at the same second, but later", parent=72),
        revision(72, "2026-09-09T10:00:00Z", "earlier", parent=70),
        revision(70, "2026-09-03T10:00:00Z", "first"),
    ]
    (found,) = pages(dump(page(7, "Lumen", newest_first)))
    assert (found.rev_id, found.revisions, found.created_at.day) == (73, 3, 3)


@pytest.mark.parametrize(
    ("first", "listed"),
    [
        ("2026-08-31T23:59:59Z", False),
        ("2026-09-01T00:00:00Z", True),
        ("2026-09-30T23:59:59Z", True),
        ("2026-10-01T00:00:00Z", False),
    ],
)
def test_a_page_is_created_with_its_first_revision(
    dump: Callable[..., Path], page: Write, revision: Write, first: str, listed: bool
) -> None:
    history = [revision(70, first, "a"), revision(71, "2026-10-02T00:00:00Z", "b", parent=70)]
    assert bool(pages(dump(page(7, "Lumen", history)))) is listed


def test_a_page_that_was_created_after_the_cutoff_is_not_there(
    dump: Callable[..., Path], page: Write, revision: Write
) -> None:
    file = dump(page(7, "Lumen", [revision(70, "2026-09-20T00:00:00Z", "a")]))
    assert pages(file, cutoff=datetime(2026, 9, 19, tzinfo=UTC)) == []


def test_only_the_main_namespace_is_read(dump: Callable[..., Path], lumen: Write) -> None:
    file = dump(lumen(7), lumen(8, "Talk:Lumen", namespace=1), lumen(9, "Rhine"))
    assert [found.page_id for found in pages(file)] == [7, 9]


def test_pages_to_skip_are_skipped(dump: Callable[..., Path], lumen: Write) -> None:
    file = dump(lumen(7), lumen(8, "Rhine"), lumen(9, "Elbe"))
    assert [found.title for found in pages(file, skip=frozenset({7, 9, 1000}))] == ["Rhine"]


def test_a_hidden_text_is_marked_as_hidden(dump: Callable[..., Path], page: Write, revision: Write) -> None:
    history = [revision(70, "2026-09-03T10:00:00Z", "a"), revision(71, "2026-09-04T10:00:00Z", None, parent=70)]
    (found,) = pages(dump(page(7, "Lumen", history)))
    assert (found.wikitext, found.absent, found.rev_id) == (None, "hidden", 71)


def test_an_empty_page_has_an_empty_text(dump: Callable[..., Path], page: Write, revision: Write) -> None:
    (found,) = pages(dump(page(7, "Lumen", [revision(70, "2026-09-03T10:00:00Z", "")])))
    assert (found.wikitext, found.absent) == ("", None)


def test_titles_and_texts_keep_every_script(dump: Callable[..., Path], page: Write, revision: Write) -> None:
    text = "שלום 🙂 & 'x' \"y\"\n\tz"
    (found,) = pages(dump(page(7, "Köln_am “Rhein” 🙂", [revision(70, "2026-09-03T10:00:00Z", text)])))
    assert (found.title, found.wikitext) == ("Köln am “Rhein” 🙂", text)


def test_plain_gzip_and_bzip2_give_the_same_pages(sample_wiki: Path, tmp_path: Path) -> None:
    """The name does not matter: the first bytes do."""
    raw = sample_wiki.read_bytes()
    (tmp_path / "a.gz").write_bytes(gzip.compress(raw))
    (tmp_path / "b.xml").write_bytes(bz2.compress(raw))
    plain = pages(sample_wiki)
    assert len(plain) == 24
    assert pages(tmp_path / "a.gz") == pages(tmp_path / "b.xml") == plain
    sites = [DumpSource(str(file)).site() for file in (sample_wiki, tmp_path / "a.gz", tmp_path / "b.xml")]
    assert sites == [Site("samplewiki", "en", "https://sample.example/wiki/Main_Page")] * 3


def test_progress_is_reported_in_bytes_of_the_file(sample_wiki: Path) -> None:
    source = DumpSource(str(sample_wiki))
    batches = list(source.pages(SEPTEMBER, CUTOFF, frozenset()))
    size = sample_wiki.stat().st_size
    assert source.unit == "bytes"
    assert [batch.total for batch in batches] == [size] * len(batches)
    assert batches[-1].position == size


def test_pages_come_in_batches(dump: Callable[..., Path], lumen: Write) -> None:
    file = dump(*(lumen(number, f"Lumen {number}") for number in range(1, 122)))
    batches = list(DumpSource(str(file)).pages(SEPTEMBER, CUTOFF, frozenset()))
    assert [len(batch.pages) for batch in batches] == [50, 50, 21]
    assert [batch.position for batch in batches] == sorted(batch.position for batch in batches)


def test_revisions_are_counted_no_further_than_asked(dump: Callable[..., Path], lumen: Write) -> None:
    file = dump(lumen())
    (found,) = pages(file)
    counted = [DumpSource(str(file)).count_revisions(found, CUTOFF, at_most) for at_most in (1, 2, 10)]
    assert counted == [1, 2, 2]


def test_a_long_history_is_read_in_bounded_memory(dump: Callable[..., Path], page: Write, revision: Write) -> None:
    """300 revisions of 100 kB: 30 MB, of which no more than a few texts may be held at once."""
    text = "The river runs. " * 6250
    history = (
        revision(70 + n, f"2026-09-03T10:{n // 60:02}:{n % 60:02}Z", text, parent=69 + n if n else None)
        for n in range(300)
    )
    file = dump(page(7, "Lumen", history))
    size = file.stat().st_size
    tracemalloc.start()
    try:
        (found,) = pages(file)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size > 30_000_000
    assert (found.revisions, found.rev_id) == (300, 369)
    assert peak < size / 10


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress])
@pytest.mark.parametrize("share", [0.5, 0.98])
def test_a_file_that_breaks_off_is_an_error_that_names_it(
    sample_wiki: Path, tmp_path: Path, compress: Callable[[bytes], bytes], share: float
) -> None:
    whole = compress(sample_wiki.read_bytes())
    (tmp_path / "broken").write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(
        TerminalError, match=r"broken' is not a readable MediaWiki XML export .*download or export the file again"
    ):
        pages(tmp_path / "broken")


@pytest.mark.parametrize(
    "content", [b"", b"B", b"\x1f\x8b", b"hello", b"<html></html>", b"<mediawiki>", b"\x00" * 100, b"PK\x03\x04"]
)
def test_an_invalid_export_is_an_error_that_names_the_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(TerminalError, match="other' is not a readable MediaWiki XML export"):
        DumpSource(str(tmp_path / "other")).site()
    with pytest.raises(TerminalError, match="other' is not a readable MediaWiki XML export"):
        pages(tmp_path / "other")


@pytest.mark.parametrize("place", range(10, 100, 10))
def test_a_damaged_gzip_is_an_error_that_names_it(sample_wiki: Path, tmp_path: Path, place: int) -> None:
    damaged = bytearray(gzip.compress(sample_wiki.read_bytes(), mtime=0))
    at = len(damaged) * place // 100
    damaged[at : at + 40] = b"\xff" * 40
    (tmp_path / "broken.gz").write_bytes(damaged)
    with pytest.raises(TerminalError, match=r"broken\.gz' is not a readable MediaWiki XML export"):
        pages(tmp_path / "broken.gz")


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("2026-09-03T10:00:00Z", "yesterday"),
        ("<timestamp>2026-09-03T10:00:00Z</timestamp>", ""),
        ("<title>Lumen</title>", ""),
        ("<id>70</id>", "<id>seventy</id>"),
        ("<revision>", "<revision><unheard-of />"),
    ],
)
def test_an_export_with_a_broken_page_is_an_error_that_names_it(
    dump: Callable[..., Path], page: Write, revision: Write, good: str, bad: str
) -> None:
    file = dump(page(7, "Lumen", [revision(70, "2026-09-03T10:00:00Z", "a")]).replace(good, bad))
    with pytest.raises(TerminalError, match=r"wiki\.xml' is not a readable MediaWiki XML export"):
        pages(file)


def test_a_dump_of_current_revisions_is_refused(dump: Callable[..., Path], page: Write, revision: Write) -> None:
    file = dump(*(page(n, f"P{n}", [revision(70 + n, "2026-09-03T10:00:00Z", "a", parent=n)]) for n in range(1, 4)))
    with pytest.raises(TerminalError, match=r"wiki\.xml' holds only the current revision.*pages-meta-history"):
        pages(file)


def test_new_pages_of_one_revision_are_a_full_history(dump: Callable[..., Path], page: Write, revision: Write) -> None:
    file = dump(*(page(n, f"P{n}", [revision(70 + n, "2026-09-03T10:00:00Z", "a")]) for n in range(1, 4)))
    assert len(pages(file)) == 3


def test_a_dump_without_texts_is_refused(dump: Callable[..., Path], page: Write, revision: Write) -> None:
    """stub-meta-history has full histories, and of each text only its size and place."""
    history = [revision(70, "2026-09-03T10:00:00Z", "a"), revision(71, "2026-09-04T10:00:00Z", "a", parent=70)]
    file = dump(page(7, "Lumen", history).replace("<text>a</text>", '<text bytes="863" id="70" />'))
    with pytest.raises(TerminalError):
        pages(file)


@pytest.mark.parametrize(
    ("header", "message"),
    [({"dbname": None}, "does not name its wiki"), ({"language": None}, "does not name its language")],
)
def test_an_export_names_its_wiki_and_language(
    dump: Callable[..., Path], lumen: Write, header: dict[str, None], message: str
) -> None:
    with pytest.raises(TerminalError, match=message):
        DumpSource(str(dump(lumen(), **header))).site()


def test_a_file_that_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(TerminalError, match=r"none\.xml"):
        DumpSource(str(tmp_path / "none.xml")).site()


def test_a_revision_that_emptied_the_page_is_stepped_over(
    dump: Callable[..., Path], page: Write, revision: Write
) -> None:
    """The revisions are counted to the cutoff all the same."""
    texts = ["first", "second is longer", "bad", ""]
    history = [
        revision(70 + n, f"2026-09-0{n + 1}T00:00:00Z", text, parent=69 + n if n else None)
        for n, text in enumerate(texts)
    ]
    (found,) = pages(dump(page(7, "Lumen", history)))
    assert (found.wikitext, found.rev_id, found.revisions) == ("second is longer", 71, 4)
    assert found.stepped_over == "revision 73 at the cutoff (0 bytes) stepped over for revision 71 (16 bytes)"


def test_a_page_that_became_a_redirect_stays_a_redirect(
    dump: Callable[..., Path], page: Write, revision: Write
) -> None:
    history = [
        revision(70, "2026-09-01T00:00:00Z", "long " * 50),
        revision(71, "2026-09-02T00:00:00Z", "#REDIRECT [[A]]"),
    ]
    (found,) = pages(dump(page(7, "Lumen", history)))
    assert (found.wikitext, found.stepped_over) == ("#REDIRECT [[A]]", "")


def test_a_redirect_left_by_a_move_is_not_a_new_page(dump: Callable[..., Path], page: Write, revision: Write) -> None:
    left = revision(70, "2026-09-03T10:00:00Z", "#REDIRECT [[New]]").replace(
        "<model>", "<comment>Writer moved page [[Old]] to [[New]]</comment><model>"
    )
    made = revision(71, "2026-09-03T10:00:00Z", "#REDIRECT [[New]]")
    assert [found.title for found in pages(dump(page(7, "Old", [left]), page(8, "Made", [made])))] == ["Made"]


def test_a_limit_takes_the_pages_created_first_whatever_is_skipped(
    dump: Callable[..., Path], page: Write, revision: Write
) -> None:
    days = {7: 9, 8: 3, 9: 3, 10: 1, 11: 2}
    file = dump(*(page(n, f"P{n}", [revision(70 + n, f"2026-09-0{day}T00:00:00Z", "a")]) for n, day in days.items()))
    batches = list(DumpSource(str(file)).pages(SEPTEMBER, CUTOFF, {11}, limit=3))
    assert [found.page_id for batch in batches for found in batch.pages] == [10, 8]


def test_a_page_is_created_with_its_smallest_revision_id(
    dump: Callable[..., Path], page: Write, revision: Write
) -> None:
    """An import adds older revisions with larger ids."""
    own = [revision(70, "2026-09-03T10:00:00Z", "own"), revision(75, "2026-09-06T10:00:00Z", "newer", parent=70)]
    imported = [revision(80, "2015-01-01T00:00:00Z", "foreign"), revision(81, "2026-09-05T10:00:00Z", "x", parent=70)]
    (found,) = pages(dump(page(7, "Lumen", [*own, *imported])))
    assert (found.created_at.day, found.revisions, found.wikitext) == (3, 2, "newer")


def test_a_merged_history_makes_a_page_older(dump: Callable[..., Path], page: Write, revision: Write) -> None:
    merged = [revision(60, "2026-08-30T10:00:00Z", "merged"), revision(70, "2026-09-03T10:00:00Z", "own")]
    assert pages(dump(page(7, "Lumen", merged))) == []


def test_a_page_without_its_beginning_is_not_there(dump: Callable[..., Path], page: Write, revision: Write) -> None:
    """Its first revision names a parent, which was deleted, or merged into another page."""
    cut = [
        revision(70, "2026-09-03T10:00:00Z", "second", parent=69),
        revision(71, "2026-09-04T10:00:00Z", "third", parent=70),
    ]
    whole = [revision(80, "2026-09-03T10:00:00Z", "first"), revision(81, "2026-09-04T10:00:00Z", "second", parent=80)]
    assert [found.page_id for found in pages(dump(page(7, "Lumen", cut), page(8, "Rhine", whole)))] == [8]


def test_revisions_by_time_are_refused_where_they_hide_a_creation(
    dump: Callable[..., Path], page: Write, revision: Write
) -> None:
    """The rest of a page older than the window is not read, so nothing else could be said of it."""
    by_time = [
        revision(80, "2015-01-01T00:00:00Z", "foreign"),
        revision(82, "2016-01-01T00:00:00Z", "foreign, too", parent=80),
        revision(70, "2026-09-03T10:00:00Z", "own"),
    ]
    with pytest.raises(
        TerminalError, match=r"does not list the revisions of 'Lumen' in the order of their ids.*--full"
    ):
        pages(dump(page(7, "Lumen", by_time)))


def test_an_old_page_with_an_import_is_skipped(dump: Callable[..., Path], page: Write, revision: Write) -> None:
    history = [revision(70, "2026-01-03T10:00:00Z", "own"), revision(80, "2015-01-01T00:00:00Z", "foreign")]
    assert pages(dump(page(7, "Lumen", history))) == []


def test_a_text_that_was_freed_and_is_needed_again_is_an_error(
    dump: Callable[..., Path], page: Write, revision: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("newwiki.sources.history._HELD", 1)
    history = [
        revision(70, "2026-09-03T10:00:00Z", "first"),
        revision(72, "2026-09-04T10:00:00Z", "replaced by the next one", parent=70),
        revision(71, "2026-09-05T10:00:00Z", "", parent=70),
    ]
    with pytest.raises(TerminalError, match="in the order of their ids"):
        pages(dump(page(7, "Lumen", history)))
