"""Report the progress of an incomplete run: how much is done, how fast, and the command that resumes it."""

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
    """The number of finished texts (or articles, for a run that reads them) out of `total`.

    `seconds` is the time taken so far. It is None if the run was resumed or has no results yet, because the run's times
    do not state it then.
    """

    state: str
    done: int
    total: int
    unit: str
    seconds: float | None
    heard_at: datetime | None

    @property
    def share(self) -> str:
        """The progress in percent, 100 only if everything is done."""
        return f"{min(int(100 * self.done / self.total), 100)}\N{NO-BREAK SPACE}%" if self.total else ""

    @property
    def rate(self) -> str | None:
        """The rate in words, or None if it is unknown. A slow rate is per minute or per hour."""
        for per, seconds in (("per second", 1), ("per minute", 60), ("per hour", 3600)):
            if self.seconds and (speed := self.done / self.seconds * seconds) >= 1:
                return f"{speed:,.0f} {self.unit} {per}"
        return None

    @property
    def left(self) -> str | None:
        """The remaining time of an active run at this rate, or None if it is unknown."""
        if self.state != "running" or not self.seconds:
            return None
        return duration((self.total - self.done) * self.seconds / self.done)


def progresses(connection: duckdb.DuckDBPyConnection, runs: list[Record]) -> Mapping[str, RunProgress]:
    """Return the progress of each incomplete run, by id."""
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
    """Return the command that resumes the run, or None if it is unknown."""
    named: dict[str, Any] = {run_field.name: run[run_field.name] for run_field in fields(Run)}
    return going_on.command(Run(**named), articles, database)


def duration(seconds: float) -> str:
    """Format a duration with at most two units: `40 s`, `3 min`, `1 h 2 min`, `2 d 5 h`."""
    minutes = round(seconds / 60)
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60} min"
    hours = round(minutes / 60)
    return f"{hours // 24} d {hours % 24} h"
