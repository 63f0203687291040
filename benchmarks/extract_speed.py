"""Measure how fast wikitext becomes prose: this project's extractor against `strip_code` of mwparserfromhell.

    python benchmarks/extract_speed.py [FOLDER]

The pages are the `.txt` files of the folder, by default `../shared/data/wikitext` next to the repository. If that
folder does not exist, they are the revisions of the sample wiki. The two extractors take turns over all pages, both
including parsing. The best of five turns counts, also for the slowest page. Then each extractor runs once more to
measure its peak memory.
"""

import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import mwparserfromhell

from newwiki.text.language import load_language
from newwiki.text.prose import extract_prose

ROOT = Path(__file__).parents[1]
TURNS = 5


def pages(folder: Path) -> list[str]:
    if folder.is_dir():
        return [file.read_text("utf-8") for file in sorted(folder.glob("*.txt"))]
    wiki = ElementTree.parse(ROOT / "newwiki" / "sample" / "wiki.xml")
    return [element.text or "" for element in wiki.iter() if element.tag.endswith("}text")]


def seconds(function: Callable[[str], str], texts: list[str]) -> float:
    start = time.perf_counter()
    for text in texts:
        function(text)
    return time.perf_counter() - start


def peak(function: Callable[[str], str], texts: list[str]) -> int:
    tracemalloc.start()
    for text in texts:
        function(text)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak_bytes


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "data" / "wikitext"
    texts, english = pages(folder), load_language("en")
    contestants: dict[str, Callable[[str], str]] = {
        "newwiki": lambda text: extract_prose(text, english),
        "strip_code": lambda text: str(mwparserfromhell.parse(text).strip_code()),
    }
    characters = sum(map(len, texts))
    print(f"{len(texts)} pages, {characters:,} characters, from {folder if folder.is_dir() else 'the sample wiki'}")
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(TURNS):
        for name, function in contestants.items():
            best[name] = min(best[name], seconds(function, texts))
    for name, function in contestants.items():
        print(f"{name:>10}: {characters / best[name]:>12,.0f} characters/s, peak {peak(function, texts) / 1e6:.1f} MB")
    print(f"     ratio: {best['strip_code'] / best['newwiki']:.2f} times the speed of strip_code")
    slowest = max(
        min(seconds(contestants["newwiki"], [text]) for _ in range(TURNS)) / len(text) * 1e6
        for text in texts
        if len(text) > 1000
    )
    print(f"   slowest: {slowest:.2f} s per million characters, of the pages over 1,000 characters")


if __name__ == "__main__":
    main()
