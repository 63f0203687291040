"""`make audit`: what our prose loses of a page, and adds to it, beside what a real MediaWiki shows.

python -m tests.mediawiki.audit [PAGES] [--language en] [--all]

PAGES is a folder of wikitext (NAME.txt) or an XML export; without it, the sample wiki for English, and for another
language the pages beside this file, on a wiki that has their templates. `--all` prints every difference.
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

from rich.console import Console
from rich.table import Table

from newwiki.text.language import Language, load_language

from .comparing import UNEXPLAINED, Comparison, compare, for_the_wiki
from .languages import CODES, pages_of, write_export
from .wiki import INSTALL, Wiki, is_installed

_SAMPLE = Path(__file__).parents[2] / "newwiki" / "sample" / "wiki.xml"
_AT_ONCE = 2
_EXCERPT = 12  # words


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make audit", description=__doc__)
    parser.add_argument("pages", type=Path, nargs="?")
    parser.add_argument("--language", default="en", choices=("en", *CODES))
    parser.add_argument("--all", action="store_true", help="print every difference, not only the sums")
    given = parser.parse_args(arguments)
    if not is_installed():
        print(f"there is no MediaWiki here; run: {INSTALL}", file=sys.stderr)
        return 1
    source = given.pages or (_SAMPLE if given.language == "en" else pages_of(given.language))
    pages = list(read_pages(source))
    if not pages:
        print(f"{source} holds no page: name a folder with NAME.txt files, or an XML export", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        home, imported = Path(folder) / "home", Path(folder) / "imported"
        home.mkdir()
        imported.mkdir()
        export = _SAMPLE if given.language == "en" else write_export(given.language, Path(folder) / "templates.xml")
        wiki = Wiki.start(export, home, imported)
        try:
            compared = compare_all(pages, wiki, load_language(given.language))
        finally:
            wiki.stop()
    show(compared, Console(width=160, highlight=False), every=given.all)
    return 0


def read_pages(path: Path, *, every_revision: bool = False) -> Iterator[tuple[str, str]]:
    """Titles and texts: of the files of a folder, or of the last (or every) revision of an export's articles."""
    if path.is_dir():
        for file in sorted(path.glob("*.txt")):
            yield file.stem, file.read_text("utf-8")
        return
    for page in ElementTree.parse(path).iter("{http://www.mediawiki.org/xml/export-0.11/}page"):
        texts = [text.text or "" for text in page.iterfind("{*}revision/{*}text")]
        if page.findtext("{*}ns") == "0":
            for text in texts if every_revision else texts[-1:]:
                yield page.findtext("{*}title") or "", text


def compare_all(pages: Sequence[tuple[str, str]], wiki: Wiki, language: Language) -> list[Comparison]:
    """Every page beside what the wiki shows of it, in their order."""
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        html = threads.map(lambda page: wiki.rendered(page[0], for_the_wiki(page[1])), pages)
        return [compare(title, text, shown, language) for (title, text), shown in zip(pages, html, strict=True)]


def show(compared: Sequence[Comparison], console: Console, *, every: bool) -> None:
    """The table of what each page loses and gains by rule, what is unexplained in full, and the shares of 4-grams."""
    table = Table(
        "page", "shown", "4-grams", "ours", "strip_code", "words lost", "words added", box=None, pad_edge=False
    )
    for each in compared:
        shares = _share(each.found, each.grams), _share(each.found_by_strip_code, each.grams)
        table.add_row(each.title[:40], str(each.shown), str(each.grams), *shares, *_sums([each]))
    grams = sum(each.grams for each in compared)
    found, stripped = sum(each.found for each in compared), sum(each.found_by_strip_code for each in compared)
    shown = sum(each.shown for each in compared)
    table.add_section()
    table.add_row("all", str(shown), str(grams), _share(found, grams), _share(stripped, grams), *_sums(compared))
    console.print(table)
    for each in compared:
        for difference in each.differences:
            if every or difference.rule == UNEXPLAINED:
                lost, added = _excerpt(difference.lost, every), _excerpt(difference.invented, every)
                console.print(f"{each.title} · {difference.rule} · lost: {lost} · added: {added}", markup=False)
        for number in each.wrong_numbers:
            console.print(f"{each.title} · a number that MediaWiki does not show: {number}", markup=False)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else ""


def _sums(compared: Sequence[Comparison]) -> tuple[str, str]:
    lost: Counter[str] = Counter()
    added: Counter[str] = Counter()
    for each in compared:
        for difference in each.differences:
            lost[difference.rule] += len(difference.lost)
            added[difference.rule] += len(difference.invented)
    return _listed(lost), _listed(added)


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{rule} {count:,}" for rule, count in counts.most_common() if count)


def _excerpt(text: list[str], every: bool) -> str:
    return " ".join(text if every or len(text) <= _EXCERPT else [*text[:_EXCERPT], "…"]) or "nothing"


if __name__ == "__main__":
    sys.exit(main())
