"""Answer and draw a reader's own SQL in a separate process with limits on time and memory.

DuckDB's own limits do not always hold: a single call of a text function can take gigabytes and cannot be interrupted.
The drawing library is also external code that can crash its process. The process is therefore limited, and killed when
its time is up. Only processes that read are ever killed.
"""

import multiprocessing
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from flows.presenting import tables
from flows.report.browser.live import Live
from newwiki.csv_files import write_csv
from newwiki.errors import NewWikiError, TerminalError, UsageError
from newwiki.visible import in_csv

SECONDS = 20  # a writer waits a minute for its turn
SHOWN = 1_000  # rows in a table
_MEMORY = 2 << 30  # bytes
_LARGEST_FILE = 1 << 30  # bytes of CSV
_LIMITS: dict[str, str | int] = {"memory_limit": "1GB", "max_temp_directory_size": "0GB", "threads": 4}
_CELL, _LABEL = 2_000, 100  # characters of a cell in displayed rows, and in rows that are only drawn
_BATCH = 10_000  # rows of CSV written at a time
_TOO_LONG = f"the query took more than {SECONDS} s and was stopped; ask for less, or use `newwiki sql`"
_TOO_MUCH = f"the query needed more than {_MEMORY >> 30} GB of memory; ask for less, or use `newwiki sql`"
_DIED = "the query's process ended, most likely because it ran out of memory; ask for less, or use `newwiki sql`"
_UNDRAWN = "this result cannot be drawn: the process that drew it ended; its rows are below"
_PROCESSES = multiprocessing.get_context("forkserver")
# imported before a process begins
_IMPORTED = ["flows.report.browser.plotting", "storage.database", "altair", "vl_convert"]


@dataclass(frozen=True)
class QueryAnswer:
    """The first rows of a result, with long texts cut; `whole` is True if there are no more rows."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    whole: bool


Draw = Callable[[QueryAnswer], Any]


def ask(live: Live, statement: str) -> QueryAnswer:
    """Return up to `SHOWN` rows.

    Raises UsageError for a query that is refused, and TerminalError for a query that exceeds the limits.
    """
    return _in_a_process(live, statement, SHOWN, None, None)[0]


def ask_and_draw(live: Live, statement: str, most: int, draw: Draw) -> tuple[QueryAnswer, Any]:
    """Return up to `most` rows, and the result of `draw` on them, or a NewWikiError if drawing fails.

    `draw` must be picklable and runs in the process. Raises the same errors as `ask`.
    """
    return _in_a_process(live, statement, most, None, draw)


def save(live: Live, statement: str, file: Path) -> None:
    """Write the whole result as CSV. Raises the same errors as `ask`."""
    _in_a_process(live, statement, 0, file, None)


def _in_a_process(
    live: Live, statement: str, most: int, file: Path | None, draw: Draw | None
) -> tuple[QueryAnswer, Any]:
    if not statement.strip():
        raise UsageError("there is no query; write one, such as: select * from runs")
    _PROCESSES.set_forkserver_preload(_IMPORTED)
    receiver, sender = _PROCESSES.Pipe(duplex=False)
    with live.query(), receiver:
        process = _PROCESSES.Process(
            target=_answer, args=(sender, live.database.path, statement, most, file, draw), daemon=True
        )
        process.start()
        sender.close()
        ends = time.monotonic() + SECONDS
        try:
            answer = _received(receiver, ends, _TOO_LONG, _DIED)
            failed = isinstance(answer, NewWikiError)
            drawn = _received(receiver, ends, _UNDRAWN, _UNDRAWN) if draw and not failed else None
        finally:
            process.kill()
            process.join()
    if isinstance(answer, NewWikiError):
        raise answer
    return answer, drawn


def _received(receiver: Connection, ends: float, late: str, died: str) -> Any:
    """Return the next message of the process, or a TerminalError with the reason for its absence."""
    try:
        return receiver.recv() if receiver.poll(max(ends - time.monotonic(), 0)) else TerminalError(late)
    except EOFError:
        return TerminalError(died)


def _answer(sender: Connection, path: Path, statement: str, most: int, file: Path | None, draw: Draw | None) -> None:
    """Run in the process: send the answer or its error, and then the drawing of the answer."""
    answer = _limited_answer(path, statement, most, file)
    sender.send(answer)
    if draw and isinstance(answer, QueryAnswer):
        _limit_memory(resource.RLIM_INFINITY)  # drawing reserves more memory than it uses, and no query runs any more
        try:
            sender.send(draw(answer))
        except NewWikiError as error:
            sender.send(error)
        except (ValueError, ArithmeticError) as error:  # numbers and times that no axis can show
            sender.send(TerminalError(f"this result cannot be drawn: {_one_line(error)}"))


def _limited_answer(path: Path, statement: str, most: int, file: Path | None) -> QueryAnswer | NewWikiError:
    _limit_memory(_MEMORY)
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # DuckDB draws a progress bar on stdout
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends this process
    signal.alarm(SECONDS + 5)  # ends this process if the server is gone
    import duckdb

    from storage.database import Database

    try:
        with Database(path).fenced(**_LIMITS) as connection:
            return _result(connection.execute(statement), most, file)
    except MemoryError:
        return TerminalError(_TOO_MUCH)
    except duckdb.Error as error:
        return UsageError(f"the query is refused: {_one_line(error)}")
    except OSError as error:
        return TerminalError(f"the result cannot be written: {error.strerror}; ask for less, or use `newwiki sql`")
    except NewWikiError as error:
        return TerminalError(_TOO_MUCH) if isinstance(error.__cause__, duckdb.OutOfMemoryException) else error


def _limit_memory(most: int) -> None:
    if sys.platform == "linux":
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (hard if most == resource.RLIM_INFINITY else most, hard))


def _result(cursor: Any, most: int, file: Path | None) -> QueryAnswer | UsageError:
    if cursor is None or cursor.description is None:
        return UsageError("the query is empty; write one, such as: select * from runs")
    columns = tuple(column[0] for column in cursor.description)
    if file:
        _write(cursor, columns, file)
        return QueryAnswer(columns, [], True)
    rows = cursor.fetchmany(most + 1)
    cut_rows = [tuple(_cut(cell, _CELL if place < SHOWN else _LABEL) for cell in row) for place, row in enumerate(rows)]
    return QueryAnswer(columns, cut_rows[:most], len(rows) <= most)


def _write(cursor: Any, columns: tuple[str, ...], file: Path) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        batches = iter(lambda: cursor.fetchmany(_BATCH), [])
        rows = (map(tables.in_spreadsheet, row) for batch in batches for row in batch)
        write_csv(stream, map(in_csv, columns), rows)


def _cut(cell: Any, length: int) -> Any:
    """Return a cell for display; texts, and values that are neither numbers nor times, are cut to a length."""
    if cell is None or isinstance(cell, bool | int | float | Decimal | datetime | date):
        return cell
    text = str(cell)
    return text if len(text) <= length else f"{text[:length]}… ({len(text):,} characters)"


def _one_line(error: Exception) -> str:
    """Return DuckDB's message without the excerpt of the query."""
    return " ".join(str(error).split("\nLINE ")[0].split())
