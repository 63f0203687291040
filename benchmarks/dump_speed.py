"""Measure how fast dumps are read, and how fast a month of articles with shared sentences is compared.

    python benchmarks/dump_speed.py [--pages 60000] [--articles 3000]

The benchmark makes an export of ten revisions per page (60,000 pages are about 1.8 GB), whose articles are drawn from a
pool of sentences. It reads the export with all pages inside the window, created before it, and created after it. The
reader takes turns with ElementTree's `iterparse`, which builds every element and forgets it. Each turn is a process of
its own, with its processor time and peak memory. Then it measures a refresh of the same pages in five parts, including
gz, bz2 and 7z, on one core and on two. Finally it measures the time of novelty.
"""

import argparse
import bz2
import gzip
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

from newwiki.novelty import NEAR_DUPLICATE, Index, Sketcher
from newwiki.snapshot import Window
from newwiki.sources.dump import DumpSource

CUTOFF = datetime(2026, 11, 1, tzinfo=UTC)
REVISIONS, SENTENCES, POOL = 10, 40, 5000
TURNS = 3
HEAD = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">\n  <siteinfo>\n'
    "    <dbname>madewiki</dbname>\n    <base>https://made.example/wiki/Main_Page</base>\n"
    "    <case>first-letter</case>\n  </siteinfo>\n"
)
TAIL = "</mediawiki>\n"
# the position of September's pages relative to the window
WINDOWS = {"inside": "2026-09", "before": "2026-10", "after": "2026-08"}


def article(chance: random.Random, pool: list[str]) -> str:
    return " ".join(chance.choices(pool, k=SENTENCES))


def sentences(chance: random.Random) -> list[str]:
    words = [f"word{number}" for number in range(3000)] + ["river", "town", "&amp;", "&quot;quoted&quot;", "Köln"]
    return [f"The {' '.join(chance.choices(words, k=13))} was there." for _ in range(POOL)]


def made_pages(count: int) -> Iterator[str]:
    chance = random.Random(0)
    pool, revision = sentences(chance), 0
    for number in range(1, count + 1):
        text = article(chance, pool)
        written = [f"  <page>\n    <title>Page {number}</title>\n    <ns>0</ns>\n    <id>{number}</id>\n"]
        for edit in range(REVISIONS):
            revision += 1
            parent = f"      <parentid>{revision - 1}</parentid>\n" if edit else ""
            part = " ".join(text.split(" ")[: 15 * SENTENCES * (edit + 1) // REVISIONS])
            written.append(
                f"    <revision>\n      <id>{revision}</id>\n{parent}"
                f"      <timestamp>2026-09-{1 + number % 28:02}T{edit:02}:00:00Z</timestamp>\n"
                "      <contributor>\n        <username>Writer</username>\n        <id>7</id>\n      </contributor>\n"
                f"      <comment>more</comment>\n      <origin>{revision}</origin>\n      <model>wikitext</model>\n"
                f'      <format>text/x-wiki</format>\n      <text xml:space="preserve">{part}</text>\n'
                "      <sha1>phoiac9h4m842xq45sp7s6u21eteeq1</sha1>\n    </revision>\n"
            )
        yield "".join([*written, "  </page>\n"])


def make(folder: Path, count: int) -> tuple[Path, list[Path]]:
    """Write the export to one file, and also split into five parts."""
    whole, plain = folder / "whole.xml", [folder / f"made-part{number}.xml" for number in range(1, 6)]
    files = [file.open("w", encoding="utf-8") for file in (whole, *plain)]
    for file in files:
        file.write(HEAD)
    for number, page in enumerate(made_pages(count)):
        files[0].write(page)
        files[1 + number % 5].write(page)
    for file in files:
        file.write(TAIL)
        file.close()
    return whole, [packed(file, kind) for file, kind in zip(plain, ("", "gz", "bz2", "7z", "gz"), strict=True)]


def packed(file: Path, kind: str) -> Path:
    if not kind or (kind == "7z" and not shutil.which("7z")):
        return file
    target = file.with_name(f"{file.name}.{kind}")
    if kind == "7z":
        command = ["7z", "a", "-mx1", "-bd", target.name, file.name]
        subprocess.run(command, cwd=file.parent, check=True, stdout=subprocess.DEVNULL)
    else:
        with file.open("rb") as source, {"gz": gzip.open, "bz2": bz2.open}[kind](target, "wb") as sink:
            shutil.copyfileobj(source, sink)
    file.unlink()
    return target


def iterparse(file: Path) -> int:
    pages = 0
    for _, element in ElementTree.iterparse(file, ("end",)):
        if element.tag.endswith("}page"):
            pages += 1
            element.clear()
    return pages


def reading(month: str) -> Callable[[Path], int]:
    return lambda file: sum(
        len(batch.pages) for batch in DumpSource(str(file)).pages(Window.month(month), CUTOFF, frozenset())
    )


READERS: dict[str, Callable[[Path], int]] = {
    "iterparse": iterparse, **{name: reading(month) for name, month in WINDOWS.items()},
}  # fmt: skip


def measured(reader: str, file: Path) -> tuple[float, float]:
    """Return the processor time in seconds and the peak memory in MiB of a process that only reads."""
    command = [sys.executable, __file__, "--reader", reader, "--file", str(file)]
    seconds, peak = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return seconds, peak


def read(reader: str, file: Path) -> None:
    start = time.process_time()
    READERS[reader](file)
    print(json.dumps([time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def refreshed(parts: list[Path], database: Path, cores: set[int]) -> float:
    """Return the elapsed seconds of a whole refresh, including program start and novelty."""
    places = [f"--dump={part}" for part in parts]
    asked = ["--month", "2026-09", "--cutoff", "2026-11-01", "--min-words", "100", "--min-revisions", "5", "--quiet"]
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "newwiki", "refresh", *places, *asked, "--db", str(database), "--format", "csv"],
        check=True, stdout=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )  # fmt: skip
    return time.perf_counter() - start


def show_reading(whole: Path) -> None:
    size = whole.stat().st_size / 1e6
    turns = {name: [measured(name, whole) for _ in range(1)] for name in READERS}
    for _ in range(TURNS - 1):
        for name in READERS:
            turns[name].append(measured(name, whole))
    best = {name: min(taken) for name, taken in turns.items()}
    print(f"{size:.0f} MB of XML, the best of {TURNS} turns")
    for name, (seconds, peak) in best.items():
        ratio = seconds / best["iterparse"][0]
        print(f"{name:10} {size / seconds:6.0f} MB/s  {ratio:5.2f} times iterparse's time  {peak:5.0f} MiB at the peak")


def show_parts(parts: list[Path], folder: Path) -> None:
    available = sorted(os.sched_getaffinity(0))
    if len(available) < 2:
        print("five parts: there is one core alone")
        return
    turns = [
        [refreshed(parts, folder / f"{turn}-{n}.duckdb", set(available[:n])) for n in (1, 2)] for turn in range(TURNS)
    ]
    one, two = map(min, zip(*turns, strict=True))
    print(
        f"five parts, read and judged, the best of {TURNS} turns: {one:.1f} s on one core, {two:.1f} s on two: "
        f"{two / one:.2f} of it"
    )


def show_novelty(count: int) -> None:
    chance = random.Random(1)
    pool, sketcher = sentences(chance), Sketcher()
    texts = [article(chance, pool) for _ in range(count)]
    start = time.perf_counter()
    sketches = [sketcher.sketch(text) for text in texts]
    index = Index(sketches)
    pairs = [value for similar in index.each_with_earlier() for _, value in similar]
    seconds = time.perf_counter() - start
    near = sum(value >= NEAR_DUPLICATE for value in pairs)
    print(
        f"novelty of {count} articles that share sentences: {seconds:.1f} s, {len(pairs)} alike, {near} nearly the same"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=60_000)
    parser.add_argument("--articles", type=int, default=3_000)
    parser.add_argument("--reader", choices=READERS)
    parser.add_argument("--file", type=Path)
    asked = parser.parse_args()
    if asked.reader:
        read(asked.reader, asked.file)
        return
    with tempfile.TemporaryDirectory() as folder:
        whole, parts = make(Path(folder), asked.pages)
        show_reading(whole)
        show_parts(parts, Path(folder))
    show_novelty(asked.articles)


if __name__ == "__main__":
    main()
