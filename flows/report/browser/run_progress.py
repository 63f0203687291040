"""How far a run is that is not complete: of how much, how fast, and what goes on with it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

import duckdb

from flows.evaluating import going_on
from flows.report.browser.live import Record, records
from newwiki.records import Run
from storage.liveness import state


@dataclass(frozen=True)
class RunProgress:
    """`done` of `total` texts (or articles, for a run that reads them). `seconds` are those that it took, None where
    the run's times do not say it: it was gone on with, or has nothing yet."""

    state: str
    done: int
    total: int
    unit: str
    seconds: float | None
    heard_at: datetime | None

    @property
    def share(self) -> str:
        """In per cent, 100 only where all is done."""
        return f"{min(int(100 * self.done / self.total), 100)}\N{NO-BREAK SPACE}%" if self.total else ""

    @property
    def rate(self) -> str | None:
        """In words; None where it is not known. What is slow is told by the minute, and then by the hour."""
        for per, seconds in (("a second", 1), ("a minute", 60), ("an hour", 3600)):
            if self.seconds and (speed := self.done / self.seconds * seconds) >= 1:
                return f"{speed:,.0f} {self.unit} {per}"
        return None

    @property
    def left(self) -> str | None:
        """How long it takes still at that rate, of a run that goes on; None where it is not known."""
        if self.state != "running" or not self.seconds:
            return None
        return duration((self.total - self.done) * self.seconds / self.done)


def progresses(connection: duckdb.DuckDBPyConnection, runs: list[Record]) -> Mapping[str, RunProgress]:
    """By id, that of each of these runs that is not complete."""
    open_ = [run for run in runs if run["status"] != "complete"]
    ids = [run["run_id"] for run in open_]
    written = {row["run_id"]: row for row in records(connection, "browse_written", ids)} if ids else {}
    return {run["run_id"]: _progress(run, written.get(run["run_id"], {"completions": 0, "pages": 0})) for run in open_}


def _progress(run: Record, written: Record) -> RunProgress:
    reads = not run["samples"]
    done = written["pages"] if reads else written["completions"]
    resumed = "resumed" in json.loads(run["versions"])
    begun, heard = run["started_at"], run["heard_at"]
    known = done and not resumed and begun and heard and heard > begun
    return RunProgress(
        state=state(run["status"], heard, run["process"]),
        done=done,
        total=run["prompts"] * (run["samples"] or 1),
        unit="articles" if reads else "texts",
        seconds=(heard - begun).total_seconds() if known else None,
        heard_at=heard,
    )


def command(run: Record, articles: int | None, database: str) -> str | None:
    """What goes on with it, where that is known."""
    named: dict[str, Any] = {one.name: run[one.name] for one in fields(Run)}
    return going_on.command(Run(**named), articles, database)


def duration(seconds: float) -> str:
    """In words of two units at most: `40 s`, `3 min`, `1 h 2 min`, `2 d 5 h`."""
    minutes = round(seconds / 60)
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60} min"
    hours = round(minutes / 60)
    return f"{hours // 24} d {hours % 24} h"
