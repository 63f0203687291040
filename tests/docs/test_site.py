"""The site is made without a warning, so no page names another, or a heading, that is not there."""

import re
from pathlib import Path

import pytest
from sphinx.cmd.build import build_main

from tests.docs.blocks import PAGES, ROOT, links

_DOCS = ROOT / "docs"


def build(source: Path, out: Path) -> int:
    """What `make docs` does. 0 where nothing is wrong."""
    return build_main(["-W", "--keep-going", "-q", "-d", str(out / "doctrees"), str(source), str(out / "html")])


def test_the_site_is_made_without_a_warning(tmp_path: Path) -> None:
    assert build(_DOCS, tmp_path) == 0
    pages = {file.stem for file in (tmp_path / "html").glob("*.html")}
    assert pages >= {Path(page).stem.lower() for page in PAGES[1:]}
    html = (tmp_path / "html" / "index.html").read_text("utf-8")
    assert 'href="refresh.html#every-month-by-itself"' in html, "the README is the first page, and its links work"
    assert re.findall(r'(?:src|href)="https?://[^"]+\.(?:js|css)', html) == [], "the site asks no network for anything"


@pytest.mark.parametrize("link", ["nowhere.md", "other.md#nowhere"])
def test_a_link_that_leads_nowhere_fails(link: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "docs"
    source.mkdir()
    (source / "conf.py").write_text((_DOCS / "conf.py").read_text())
    (source / "other.md").write_text("---\norphan: true\n---\n# Other\n")
    (source / "index.md").write_text(f"# Start\n\n[a page]({link})\n")
    assert build(source, tmp_path) == 1
    assert "nowhere" in capsys.readouterr().err


@pytest.mark.parametrize("page", PAGES)
def test_a_link_to_a_file_leads_to_one(page: str) -> None:
    beside = (ROOT / page).parent
    lost = [link for link in links(page) if not (beside / link.partition("#")[0]).exists()]
    assert lost == []
