"""How long the questions of the cookbook take on a database with 20 million scores.

    python benchmarks/sql_speed.py [--db FILE.duckdb] [--rounds 5] [--months 1] [--runs 50] [--letters 300]

Makes the database (see `many_scores.py`), or takes the one that is named. Each question is asked in a fresh connection
behind the fence, as `newwiki sql` asks it; the time is that of the query until its last row, in Arrow. What opening
takes is shown beside it.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from many_scores import Maker, Size
from rich.console import Console
from rich.table import Table

from storage.cookbook import Question, questions
from storage.database import Database


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--db", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--months", type=int, default=Size.months)
    parser.add_argument("--runs", type=int, default=Size.runs)
    parser.add_argument("--letters", type=int, default=Size.letters)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.db or Path(folder) / "many.duckdb"
        if not path.exists():
            _make(path, Size(months=options.months, runs=options.runs, letters=options.letters))
        _show(path, options.rounds)


def _make(path: Path, size: Size) -> None:
    start = time.perf_counter()
    print(f"making {path}", file=sys.stderr)
    maker = Maker(Database(path), size)
    maker.make()
    seconds = time.perf_counter() - start
    print(
        f"made in {seconds:.0f} s; finishing a scoring, its summaries included, took {median(maker.finishing):.2f} s "
        f"(median; longest {max(maker.finishing):.2f} s)"
    )


def _show(path: Path, rounds: int) -> None:
    with Database(path).read() as connection:
        [(scores,)] = connection.execute("select count(*) from scores").fetchall()
        [(texts, letters)] = connection.execute("select count(*), avg(length(text)) from completions").fetchall()
    table = Table(
        title=f"{scores:,} scores of {texts:,} texts of {letters:.0f} letters: {path.stat().st_size / 1e6:,.0f} MB",
        title_justify="left",
    )
    for heading in ("question", "ms", "(range)", "rows", "opening, ms"):
        table.add_column(heading, justify="left" if heading == "question" else "right")
    for question in questions():
        asked = [_asked(path, question) for _ in range(rounds)]
        taken = sorted(seconds * 1000 for seconds, _, _ in asked)
        opening = median(opening * 1000 for _, opening, _ in asked)
        span = f"({taken[0]:.0f} to {taken[-1]:.0f})"
        table.add_row(question.name, f"{median(taken):.0f}", span, f"{asked[0][2]:,}", f"{opening:.0f}")
    Console().print(table)


def _asked(path: Path, question: Question) -> tuple[float, float, int]:
    """Seconds of the query, seconds of opening before it, rows."""
    start = time.perf_counter()
    with Database(path).fenced() as connection:
        opened = time.perf_counter()
        rows = connection.sql(question.query).to_arrow_table().num_rows
        return time.perf_counter() - opened, opened - start, rows


if __name__ == "__main__":
    main()
