"""What our reader makes of an export is what another makes of it, whatever the export is like."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html import escape
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from newwiki.errors import TerminalError
from newwiki.snapshot import Window
from newwiki.sources import history
from newwiki.sources.dump import DumpSource
from newwiki.sources.xml_export import Export, ExportedRevision, PageHead
from tests.newwiki.sources import by_mwxml

SEPTEMBER = Window.month("2026-09")
CUTOFF = datetime(2026, 10, 3, tzinfo=UTC)
FIRST = datetime(2026, 8, 30, tzinfo=UTC)
TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff")),
    st.sampled_from(["", "#REDIRECT [[New]]", " \n#redirect [[B]]", "a & b < c > d \"e\" 'f'", "é" * 50, "word " * 60]),
)
NAMES = ["P1", "P2", "New", "Talk:P1", "Talk:New"]
MOVES = [f"moved page [[{one}]] to [[{other}]]" for one in NAMES for other in NAMES if one != other]
EDITS = st.tuples(st.integers(0, 24 * 40), st.none() | TEXTS, st.sampled_from(["", "moved [[P1]]", *MOVES]))
PAGES = st.lists(st.tuples(st.integers(0, 2), st.lists(EDITS, min_size=1, max_size=8)), max_size=4)


def revision(number: int, hour: int, text: str | None, comment: str, parent: int, size: bool) -> str:
    attributes = f' bytes="{len((text or "").encode())}" sha1="phoiac" xml:space="preserve"' if size else ""
    body = '<text deleted="deleted" />' if text is None else f"<text{attributes}>{escape(text, quote=size)}</text>"
    said = f"<comment>{escape(comment)}</comment>" if comment else '<comment deleted="deleted" />'
    slot = "<content><role>aux</role><model>json</model><format>j</format><text bytes='2' sha1='x'>{}</text></content>"
    return (
        f"<revision>\n<id>{number}</id>{f'<parentid>{parent}</parentid>' if parent else ''}"
        f"<timestamp>{FIRST + timedelta(hours=hour):%Y-%m-%dT%H:%M:%SZ}</timestamp>"
        f"<contributor><username>W &amp; Co</username><id>7</id></contributor><minor />"
        f"{said}"
        f"<origin>{number}</origin><model>wikitext</model><format>text/x-wiki</format>{body}{slot if size else ''}"
        f"<sha1>phoiac</sha1></revision>"
    )


def title_of(page_id: int) -> str:
    """Of the first pages those that the moves name."""
    return f"P{page_id}" if page_id < 3 else f"p{page_id}_x"


def written(pages: Sequence[tuple[int, Sequence[tuple[int, str | None, str]]]], size: bool) -> list[str]:
    found, number = [], 0
    for page_id, (namespace, edits) in enumerate(pages, 1):
        revisions = []
        for place, (hour, text, comment) in enumerate(edits):
            number += 1
            revisions.append(revision(number, hour, text, comment, number - 1 if place else 0, size))
        title = f"{'Talk:' * (namespace % 2)}{title_of(page_id)}"
        head = f"<title>{title}</title><ns>{namespace % 2}</ns><id>{page_id}</id><redirect title='A' />"
        found.append(f"<page>{head}{''.join(revisions)}</page>")
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(PAGES, st.booleans(), st.sampled_from([1, 50, 1 << 20]))
def test_another_reader_finds_the_same_pages(
    tmp_path: Path, export: Callable[..., bytes], pages: list[tuple[int, list[tuple[int, str | None, str]]]],
    size: bool, held: int,
) -> None:  # fmt: skip
    """`held` bytes of texts are held before those go that cannot stand any more."""
    file = tmp_path / "wiki.xml"
    file.write_bytes(export(*written(pages, size)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(history, "_HELD", held)
        ours = list(chain.from_iterable(b.pages for b in DumpSource(str(file)).pages(SEPTEMBER, CUTOFF, frozenset())))
    assert ours == list(by_mwxml.pages(file, SEPTEMBER, CUTOFF))


@pytest.mark.parametrize("seed", range(6))
def test_a_history_longer_than_what_is_looked_at_stands_as_another_reader_says(
    tmp_path: Path, export: Callable[..., bytes], seed: int
) -> None:
    """Two hundred revisions that grow, shrink, are blanked and hidden, in order and out of it; few bytes are held."""
    chance = random.Random(seed)
    edits: list[tuple[int, str | None, str]] = []
    for hour in range(49, 249):
        kind = chance.random()
        text = None if kind < 0.1 else "" if kind < 0.6 else f"{hour} " * chance.choice([1, 2, 5, 20, 200])
        edits.append((hour, text, ""))
    if seed % 2:
        chance.shuffle(edits)
    file = tmp_path / "wiki.xml"
    file.write_bytes(export(*written([(0, edits[:part]) for part in range(20, 201, 20)], True)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(history, "_HELD", 500)
        ours = list(chain.from_iterable(b.pages for b in DumpSource(str(file)).pages(SEPTEMBER, CUTOFF, frozenset())))
    assert ours == list(by_mwxml.pages(file, SEPTEMBER, CUTOFF))
    assert len(ours) == 10


@dataclass
class Hearing:
    """Builds every text."""

    texts: list[tuple[int, str, int]] = field(default_factory=list)

    def begin(self, page: PageHead) -> bool:
        return True

    def revision(self, revision: ExportedRevision) -> bool:
        self.texts.append((revision.rev_id, revision.text.build(), revision.text.size))
        return True

    def end(self, unheard: int, unheard_parents: int, least_unheard_id: int | None) -> None:
        assert unheard == unheard_parents == 0
        assert least_unheard_id is None


def heard(data: bytes, size: int) -> list[tuple[int, str, int]]:
    listener = Hearing()
    export = Export(listener)
    for start in range(0, len(data), size):
        export.feed(data[start : start + size])
    export.close()
    return listener.texts


def test_it_does_not_matter_where_the_file_is_cut_into_pieces(export: Callable[..., bytes]) -> None:
    texts = ["", "a", "é & <b> ü\n\n", "x" * 300, None, "&amp;"]
    data = export(*written([(0, [(hour, text, "c") for hour, text in enumerate(texts)])] * 2, True))
    whole = heard(data, len(data))
    assert [(text, size) for _, text, size in whole[:6]] == [(t or "", len((t or "").encode())) for t in texts]
    for size in (1, 2, 3, 7, 64, 1000):
        assert heard(data, size) == whole


def test_what_xml_allows_in_a_text_is_read_as_xml_says(export: Callable[..., bytes], page: Callable[..., str]) -> None:
    """MediaWiki writes none of this, but other tools that pass an export on may."""
    head = "<revision><id>7</id><timestamp>2026-09-03T10:00:00Z</timestamp>"
    odd = "<text a='>' >a<![CDATA[<b>&amp;]]>&#x63;&#100;\r\n<!-- no -->e&apos;</text>"
    assert heard(export(page(7, "P", [f"{head}{odd}</revision>"])), 9) == [(7, "a<b>&amp;cd\ne'", 14)]


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        ("<text>", "<text><b>x</b>", "<b> where text is expected"),
        ("<text>", "<text>\x01", "invalid token"),
        ("<text>", "<text>&nbsp;", "undefined entity"),
        ("<text>a</text>", "", "without text"),
        ("<id>70</id>", "", "without rev_id"),
        ("<page>", "<page><page>", "<page> in a <page>"),
        ("</page>", "</page></page>", "mismatched tag"),
        ("<mediawiki ", "<!DOCTYPE mediawiki [<!ENTITY a 'b'>]><mediawiki ", "document type"),
        ("<mediawiki ", "<?xml version='1.0' encoding='iso-8859-1'?><mediawiki ", "encoding"),
        ("2026-09-03", "2026-13-03", "month must be"),
    ],
)
def test_an_invalid_export_gives_one_line_with_the_reason(
    tmp_path: Path, export: Callable[..., bytes], page: Callable[..., str], good: str, bad: str, said: str
) -> None:
    inside = "<revision><id>70</id><timestamp>2026-09-03T10:00:00Z</timestamp><text>a</text></revision>"
    file = tmp_path / "wiki.xml"
    file.write_bytes(export(page(7, "Lumen", [inside])).replace(good.encode(), bad.encode(), 1))
    with pytest.raises(TerminalError, match=f"wiki.xml' is not a readable MediaWiki XML export .*{said}") as raised:
        list(DumpSource(str(file)).pages(SEPTEMBER, CUTOFF, frozenset()))
    assert "\n" not in str(raised.value)


def test_a_page_outside_the_window_costs_no_text(
    tmp_path: Path, export: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And of one inside, only the text that stands is built."""
    built: list[bytes] = []
    from newwiki.sources import xml_text as module

    build = module._built

    def noted(raw: bytes) -> str:
        built.append(raw)
        return build(raw)

    monkeypatch.setattr(module, "_built", noted)
    before, inside = (
        [(hour, f"old {hour}", "") for hour in range(9)],
        [(100 + n, f"new {n} &amp;", "") for n in range(9)],
    )
    file = tmp_path / "wiki.xml"
    file.write_bytes(export(*written([(0, before), (0, inside), (1, inside)], True)))
    (batch,) = DumpSource(str(file)).pages(SEPTEMBER, CUTOFF, frozenset())
    assert [page.wikitext for page in batch.pages] == ["new 8 &amp;"]
    assert built == [b"new 8 &amp;amp;"]
