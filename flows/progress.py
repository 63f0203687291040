"""Show the progress of long work on stderr: the amount, the rate and the remaining time."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from newwiki.visible import visible


class Bar(Protocol):
    """The progress of one stretch of work. `update` receives the amount done, the total, and an optional note."""

    def update(self, done: int, total: int, note: str = "") -> None: ...


class Progress(Protocol):
    """The receiver of a step's progress and notes."""

    @contextmanager
    def stretch(self, title: str, unit: str) -> Iterator[Bar]: ...

    def note(self, text: str) -> None: ...


class _SilentBar:
    def update(self, done: int, total: int, note: str = "") -> None:
        pass


def reporter(quiet: bool) -> Progress:
    """Return the progress receiver of a command: the terminal, or nothing with `quiet`."""
    return Silent() if quiet else Console()


class Silent:
    """Discard all progress and notes."""

    @contextmanager
    def stretch(self, title: str, unit: str) -> Iterator[Bar]:
        yield _SilentBar()

    def note(self, text: str) -> None:
        pass


class NotesOnly(Silent):
    """Hand notes on, and discard the progress of steps that are parts of a larger stretch of work."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def note(self, text: str) -> None:
        self._progress.note(text)


class Console:
    """Show bars on a terminal. In a log file or pipe, print one line at the end of each stretch."""

    def __init__(self) -> None:
        from rich.console import Console as RichConsole

        self._console = RichConsole(stderr=True, highlight=False)

    @contextmanager
    def stretch(self, title: str, unit: str) -> Iterator[Bar]:
        import rich.progress as bars

        columns = (
            bars.TextColumn("{task.description}", markup=False),
            bars.BarColumn(),
            bars.TextColumn("{task.fields[count]}"),
            bars.TextColumn("{task.fields[rate]}"),
            bars.TextColumn("{task.fields[note]}", markup=False),
            bars.TimeElapsedColumn(),
            bars.TextColumn("left"),
            bars.TimeRemainingColumn(),
        )
        with bars.Progress(
            *columns, console=self._console, transient=True, disable=not self._console.is_terminal
        ) as live:
            bar = _LiveBar(live, live.add_task(visible(title), count="", rate="", note="", total=None), unit)
            yield bar
        self._console.print(visible(f"{title}: {bar.summary()}"), style="dim", markup=False, soft_wrap=True)

    def note(self, text: str) -> None:
        self._console.print(visible(text), markup=False, soft_wrap=True)


class _LiveBar:
    def __init__(self, live: object, task: object, unit: str) -> None:
        import time

        self._live, self._task = live, task
        self._shown = "MB" if unit == "bytes" else unit
        self._size = 1_000_000 if unit == "bytes" else 1
        self._clock = time.monotonic
        self._start = self._clock()
        self._first: tuple[float, int] | None = None
        self._done, self._note = 0, ""

    def update(self, done: int, total: int, note: str = "") -> None:
        self._first = self._first or (self._clock(), done)
        self._done, self._note = done, note
        self._live.update(  # type: ignore[attr-defined]
            self._task,
            completed=done,
            total=total,
            count=f"{self._amount(done)}/{self._amount(total)} {self._shown}",
            rate=self._rate(),
            note=visible(note),
        )

    def summary(self) -> str:
        seconds = self._clock() - self._start
        parts = [f"{self._amount(self._done)} {self._shown}", self._note, f"{seconds:.1f} s", self._rate()]
        return ", ".join(part for part in parts if part)

    def _rate(self) -> str:
        """Return the rate since the first update, which may already count the work of an earlier run.

        A rate below one unit per second is given per minute.
        """
        if self._first is None or self._first[1] == self._done:
            return ""
        start, done = self._first
        speed = (self._done - done) / self._size / max(self._clock() - start, 0.001)
        return f"{speed:,.0f} {self._shown}/s" if speed >= 1 else f"{speed * 60:,.0f} {self._shown}/min"

    def _amount(self, count: int) -> str:
        return f"{count / self._size:,.1f}" if self._size > 1 else f"{count:,}"
