"""Measure time and memory of SQL queries, the report, `newwiki browse`, `compare` and `doctor` on a large database.

    python benchmarks/sql_speed.py [--db FILE.duckdb] [--rounds 3] [--months 1] [--runs 50] [--letters 300] [--only …]

The benchmark makes the database (see `many_scores.py`; ten months are 200 million scores), or uses a named one. It runs
each query of the cookbook in a fresh connection with the same restrictions as `newwiki sql`. The time is that of the
query until its last row, in Arrow. A command is timed from its start to its end. Everything runs in a process of its
own, whose peak resident memory is reported. `--only questions` (`pages`, `commands`) skips the other parts.
"""

import argparse
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from many_scores import Maker, Size
from rich.console import Console
from rich.table import Table

from storage.cookbook import questions
from storage.database import Database

PARTS = ("questions", "pages", "commands")


@dataclass(frozen=True)
class Measured:
    """The seconds of each round, their total processor time, and the peak resident memory in MB."""

    part: str
    name: str
    seconds: list[float]
    processor: float
    megabytes: float
    rows: int | None = None


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--db", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--months", type=int, default=Size.months)
    parser.add_argument("--runs", type=int, default=Size.runs)
    parser.add_argument("--letters", type=int, default=Size.letters)
    parser.add_argument("--only", choices=PARTS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.db or Path(folder) / "many.duckdb"
        if not path.exists():
            _make(path, Size(months=options.months, runs=options.runs, letters=options.letters))
        _show(path, [one for part in PARTS if options.only in (None, part) for one in _measured(part, path, options)])


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


def _measured(part: str, path: Path, options: argparse.Namespace) -> Iterator[Measured]:
    measure = {"questions": _questions, "pages": _pages, "commands": _commands}[part]
    for one in measure(path, options.rounds):
        print(f"{one.name}: {median(one.seconds):.2f} s, {one.megabytes:.0f} MB", file=sys.stderr)
        yield one


def _questions(path: Path, rounds: int) -> Iterator[Measured]:
    for question in questions():
        yield _alone("questions", question.name, rounds, _ask, path, question.query)


def _ask(path: Path, query: str) -> tuple[float, int]:
    with Database(path).fenced() as connection:
        start = time.perf_counter()
        rows = connection.sql(query).to_arrow_table().num_rows
        return time.perf_counter() - start, rows


def _pages(path: Path, rounds: int) -> Iterator[Measured]:
    run_id, snapshot_id = _newest(path)
    title = f"/articles/{snapshot_id}"
    for name, address in {
        "home": "/",
        "snapshot": f"/snapshots/{snapshot_id}",
        "articles": title,
        "article": f"{title}/7",
        "run": f"/runs/{run_id}",
        "run by a metric": f"/runs/{run_id}?order=rep_4",
        "prompt": f"/runs/{run_id}/7",
        "prompt by a metric": f"/runs/{run_id}/7?order=rep_4",
        "query": "/sql",
    }.items():
        yield _alone("pages", name, rounds, _get, path, address)


def _get(path: Path, address: str) -> tuple[float, int]:
    """Get a page as a reader who has already opened another page; return the seconds and the length of the page."""
    from starlette.testclient import TestClient

    from flows.report.browser.app import application
    from flows.report.browser.live import Live

    client = TestClient(application(Live(Database(path))), base_url="http://localhost")
    client.get("/static/style.css")
    start = time.perf_counter()
    answer = client.get(address)
    seconds = time.perf_counter() - start
    assert answer.status_code == 200, answer.text
    return seconds, len(answer.text)


def _commands(path: Path, rounds: int) -> Iterator[Measured]:
    run_id, snapshot_id = _newest(path)
    with Database(path).read() as connection:
        asked = "select run_id from runs where snapshot_id = ? and run_id <> ? order by model desc, run_id limit 1"
        ((other,),) = connection.execute(asked, [snapshot_id, run_id]).fetchall()
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in {
            "leaderboard": ["leaderboard", "--snapshot", snapshot_id],
            "compare": ["compare", other, run_id],
            "compare --by length": ["compare", other, run_id, "--by", "length"],
            "report": ["report", "--snapshot", snapshot_id, "--out", f"{folder}/report.html"],
            "doctor": ["doctor"],
        }.items():
            command = [sys.executable, "-m", "newwiki", *arguments, "--db", str(path)]
            yield _alone("commands", name, 1 if name == "doctor" else rounds, _run, command)


def _run(command: list[str]) -> tuple[float, int]:
    start = time.perf_counter()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    assert ended.stdout, ended.stderr
    return seconds, len(ended.stdout.splitlines())


def _newest(path: Path) -> tuple[str, str]:
    """Return a run on the newest snapshot, and this snapshot."""
    with Database(path).read() as connection:
        asked = "select min(run_id), snapshot_id from runs group by snapshot_id order by snapshot_id limit 1"
        ((run_id, snapshot_id),) = connection.execute(asked).fetchall()
        return run_id, snapshot_id


def _alone(part: str, name: str, rounds: int, function: Callable[..., tuple[float, int]], *given: object) -> Measured:
    """Run a function in a process of its own, round after round."""
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    child = context.Process(target=_child, args=(answers, rounds, function, given))
    child.start()
    seconds, rows, processor, megabytes = answers.get()
    child.join()
    return Measured(part, name, seconds, processor, megabytes, rows)


def _child(answers, rounds: int, function: Callable[..., tuple[float, int]], given: tuple[object, ...]) -> None:
    try:
        asked = [function(*given) for _ in range(rounds)]
    except BaseException:
        answers.put(([float("nan")], None, 0.0, 0.0))
        raise
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    processor = sum(one.ru_utime + one.ru_stime for one in used)
    answers.put(([one for one, _ in asked], asked[0][1], processor, max(one.ru_maxrss for one in used) / 1e3))


def _show(path: Path, measured: list[Measured]) -> None:
    with Database(path).read() as connection:
        [(scores,)] = connection.execute("select count(*) from scores").fetchall()
        [(texts,)] = connection.execute("select count(*) from completions").fetchall()
    table = Table(
        title=f"{scores:,} scores of {texts:,} texts: {path.stat().st_size / 1e6:,.0f} MB on disk; load of the machine "
        f"at the end {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
        title_justify="left",
    )
    for heading in ("", "what", "seconds", "(range)", "processor, s", "memory, MB", "rows or letters"):
        table.add_column(heading, justify="left" if heading in ("", "what") else "right")
    for one in measured:
        taken = sorted(one.seconds)
        span = f"({taken[0]:.2f} to {taken[-1]:.2f})"
        seconds, processor = f"{median(taken):.2f}", f"{one.processor / len(taken):.1f}"
        table.add_row(one.part, one.name, seconds, span, processor, f"{one.megabytes:,.0f}", f"{one.rows or 0:,}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
