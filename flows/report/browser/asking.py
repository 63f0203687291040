"""A reader's own SQL, answered by a process of its own: whatever the query does, it ends in time and harms nobody.

DuckDB's own limits do not hold everywhere (a single call of a text function can take gigabytes, and cannot be
interrupted), so the process is limited, and ended when its time is up. Only one that reads is ever ended so.
"""

import csv
import multiprocessing
import os
import resource
import signal
import sys
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from flows import tables
from flows.report.browser.live import Live
from newwiki.errors import NewWikiError, TerminalError, UsageError

SECONDS = 20  # a writer waits a minute for its turn
SHOWN = 1_000  # rows in a table
_MEMORY = 2 << 30  # bytes
_LARGEST_FILE = 1 << 30  # bytes of CSV
_LIMITS: dict[str, str | int] = {"memory_limit": "1GB", "max_temp_directory_size": "0GB", "threads": 4}
_CELL, _LABEL = 2_000, 100  # characters of a cell in the rows that are shown, and in those that are only drawn
_BATCH = 10_000  # rows of CSV written at a time
_TOO_LONG = f"the query took over {SECONDS} s and was stopped; ask for less, or use `newwiki sql`"
_TOO_MUCH = f"the query needed more than {_MEMORY >> 30} GB of memory; ask for less, or use `newwiki sql`"
_DIED = "the query's process came to an end, most likely for want of memory; ask for less, or use `newwiki sql`"
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["flows.report.browser.asking", "storage.database"])


@dataclass(frozen=True)
class Answer:
    """The first rows of a result, long texts in them cut; `whole` where there are no more."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    whole: bool


def ask(live: Live, statement: str, most: int = SHOWN) -> Answer:
    """Up to `most` rows. Raises UsageError for a query that is refused, TerminalError for one that took too much."""
    answer: Answer = _in_a_process(live, statement, most, None)
    return answer


def save(live: Live, statement: str, file: Path) -> None:
    """Writes the whole result as CSV. Raises like `ask`."""
    _in_a_process(live, statement, 0, file)


def _in_a_process(live: Live, statement: str, most: int, file: Path | None) -> Any:
    if not statement.strip():
        raise UsageError("there is no query; write one, such as: select * from runs")
    receiver, sender = _PROCESSES.Pipe(duplex=False)
    with live.query(), receiver:
        process = _PROCESSES.Process(
            target=_answer, args=(sender, live.database.path, statement, most, file), daemon=True
        )
        process.start()
        sender.close()
        try:
            answer = receiver.recv() if receiver.poll(SECONDS) else TerminalError(_TOO_LONG)
        except EOFError:
            answer = TerminalError(_DIED)
        finally:
            process.kill()
            process.join()
    if isinstance(answer, NewWikiError):
        raise answer
    return answer


def _answer(sender: Connection, path: Path, statement: str, most: int, file: Path | None) -> None:
    """What the process does: sends an answer, or the error that it is."""
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # DuckDB draws a progress bar there
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends it
    signal.alarm(SECONDS + 5)  # or it ends itself, where there is no server any more
    import duckdb

    from storage.database import Database

    try:
        with Database(path).fenced(**_LIMITS) as connection:
            sender.send(_result(connection.execute(statement), most, file))
    except (MemoryError, duckdb.OutOfMemoryException):
        sender.send(TerminalError(_TOO_MUCH))
    except duckdb.Error as error:
        sender.send(UsageError(f"the query is refused: {_one_line(error)}"))
    except OSError as error:
        sender.send(
            TerminalError(f"the result cannot be written: {error.strerror}; ask for less, or use `newwiki sql`")
        )
    except NewWikiError as error:
        sender.send(error)


def _result(cursor: Any, most: int, file: Path | None) -> Answer | UsageError:
    if cursor is None or cursor.description is None:
        return UsageError("the query asks for nothing; write one, such as: select * from runs")
    columns = tuple(column[0] for column in cursor.description)
    if file:
        _write(cursor, columns, file)
        return Answer(columns, [], True)
    rows = cursor.fetchmany(most + 1)
    kept = [tuple(_cut(cell, _CELL if place < SHOWN else _LABEL) for cell in row) for place, row in enumerate(rows)]
    return Answer(columns, kept[:most], len(rows) <= most)


def _write(cursor: Any, columns: tuple[str, ...], file: Path) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        while rows := cursor.fetchmany(_BATCH):
            writer.writerows([["" if cell is None else tables.plain(cell) for cell in row] for row in rows])


def _cut(cell: Any, length: int) -> Any:
    """A cell as it can be shown: texts, and what is neither text nor number nor time, up to a length."""
    if cell is None or isinstance(cell, bool | int | float | Decimal | datetime | date):
        return cell
    text = str(cell)
    return text if len(text) <= length else f"{text[:length]}… ({len(text):,} characters)"


def _one_line(error: Exception) -> str:
    """What DuckDB says, without its drawing of where."""
    return " ".join(str(error).split("\nLINE ")[0].split())
