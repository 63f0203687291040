"""Measure a leaderboard of many models over many months: the time to write it, its size, and its pages in a browser.

    python benchmarks/board_size.py [--months 10] [--models 200] [--prompts 40] [--out FOLDER]

The benchmark makes a database with made-up scores (see `many_scores.py`): each month has one run of each model on new
articles and one on old articles. `newwiki site` writes the site in a process of its own. Chromium then opens pages from
disk, each in a new window; the time lasts until the page is drawn (`loadEventEnd`).
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from many_scores import Maker, Size
from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.table import Table

from storage.database import Database

ROUNDS = 5
_DRAWN = "performance.getEntriesByType('navigation')[0].loadEventEnd"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--months", type=int, default=10)
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--prompts", type=int, default=40)
    parser.add_argument("--metrics", type=int, default=12)
    parser.add_argument("--out", type=Path, help="keep the database and the site in this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.out or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        database, site = folder / "board.duckdb", folder / "board"
        if not database.exists():
            size = Size(options.months, 2 * options.models, options.models, options.prompts, 1, options.metrics, 300)
            Maker(Database(database), size).make()
        start = time.perf_counter()
        command = [sys.executable, "-m", "newwiki", "site", "--db", str(database), "--out", str(site), "--quiet"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
        files = [file for file in site.rglob("*") if file.is_file()]
        pages = [file for file in files if file.suffix == ".html"]
        months = f"{options.months} months × {options.models} models × {options.prompts} prompts"
        print(
            f"{months}: written in {seconds:.0f} s; {len(files):,} files, {len(pages):,} pages, "
            f"{sum(file.stat().st_size for file in files) / 1e6:.0f} MB; the largest page has "
            f"{max(page.stat().st_size for page in pages) / 1e3:.0f} kB"
        )
        _show(site, [site / "index.html", site / "models.html", *_examples(site)])


def _examples(site: Path) -> list[Path]:
    """Return the newest month and one model."""
    newest = max(site.glob("snapshots/enwiki-20*.html"))
    return [newest, min(site.glob("models/*.html"))]


def _show(site: Path, pages: Sequence[Path]) -> None:
    table = Table("page", "kB", "kB with style and script", "seconds until it is drawn (median)", "range")
    shared = sum((site / name).stat().st_size for name in ("style.css", "script.js"))
    for page in pages:
        size = page.stat().st_size
        seconds = _opened(page)
        table.add_row(
            page.relative_to(site).as_posix(), f"{size / 1e3:.0f}", f"{(size + shared) / 1e3:.0f}",
            f"{median(seconds):.2f}", f"{min(seconds):.2f} to {max(seconds):.2f}",
        )  # fmt: skip
    Console(width=120).print(table)


def _opened(page: Path) -> list[float]:
    """Return the seconds that each new window takes to draw the page."""
    program = next((path for path in ("/usr/bin/chromium", "/usr/bin/chromium-browser") if os.path.exists(path)), None)
    seconds = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for _ in range(ROUNDS):
            window = browser.new_page(viewport={"width": 1440, "height": 900})
            window.goto(page.as_uri(), wait_until="load")
            window.wait_for_function(f"{_DRAWN} > 0")
            seconds.append(window.evaluate(_DRAWN) / 1000)
            window.close()
        browser.close()
    return seconds


if __name__ == "__main__":
    main()
