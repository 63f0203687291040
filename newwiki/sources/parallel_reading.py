"""Read and judge the parts of a dump in parallel, in as many processes as there are cores.

A process sends its results through a pipe, which blocks it while nobody reads, so memory stays bounded. It ends when
its pipe closes, so no process outlives the one that started it.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path

import newwiki
from newwiki.errors import TransientError
from newwiki.snapshot import Page
from newwiki.sources.dump import Tally, named
from newwiki.sources.parts import DumpPart
from newwiki.sources.reading_worker import EVERYTHING, Found, JudgedPages, Share, Wanted
from newwiki.sources.unpacking import likely_work

_START = "from newwiki.sources.reading_worker import work; work()"
_JUDGES = 4  # judging processes that one reading process can keep busy
_LARGE = 100_000_000  # unpacked bytes from which a single file is worth starting processes for


def is_worth_it(parts: Sequence[DumpPart]) -> bool:
    """Tell whether to start processes: for several parts, or for a single large one."""
    return len(parts) > 1 or (cores() > 1 and sum(likely_work(part.path) for part in parts) >= _LARGE)


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def judged_parts(
    parts: Sequence[DumpPart], wanted: Wanted, name: str, last_rank: Callable[[], int] | None = None
) -> Iterator[tuple[JudgedPages, int]]:
    """Yield the pages of all parts, in any order, and how many bytes of the files have been read.

    `last_rank` is called after each batch, once the batch has been handled. Raises TerminalError for an unreadable
    part, a page that occurs twice, and a dump without histories.
    """
    tally, positions = Tally(), dict.fromkeys(map(named, parts), 0)
    count = min(cores(), _JUDGES * len(parts))
    with ExitStack() as processes:
        work = _Work(parts, [processes.enter_context(_process(wanted)) for _ in range(count)])
        while ready := work.ready():
            for connection in ready:
                part = work.part(connection)
                report = _received(connection, part)
                if part:
                    tally.add(named(part), report.read.page_ids, report.read.whole, report.read.cut_off)
                    positions[named(part)] = max(positions[named(part)], report.read.position)
                work.go_on(connection, report)
                yield report.verdicts, sum(positions.values())
                if last_rank:
                    work.tell(connection, last_rank())
    tally.require_histories(name)


class _Work:
    """Assigns parts to processes, the slowest part first; processes without a part judge what the others have read."""

    def __init__(self, parts: Sequence[DumpPart], processes: Sequence[Connection]) -> None:
        self._waiting = sorted(parts, key=lambda part: likely_work(part.path))
        self._readers: dict[Connection, DumpPart] = {}
        self._judges: list[Connection] = []
        self._idle: list[Connection] = []
        self._asked_to_share: set[Connection] = set()
        self._last_ranks: dict[Connection, int] = {}
        for connection in processes:
            self._hand_out(connection)
        self._ask_to_share()

    def ready(self) -> list[Connection]:
        """Return the connections with a message; an empty list once everything is done."""
        busy = [*self._readers, *self._judges]
        return [connection for connection in wait(busy) if isinstance(connection, Connection)] if busy else []

    def part(self, connection: Connection) -> DumpPart | None:
        """Return the part that a process reads; None if it judges."""
        return self._readers.get(connection)

    def go_on(self, connection: Connection, report: Found) -> None:
        """Assign work to all idle processes after one has reported."""
        if report.unjudged:
            self._asked_to_share.discard(connection)
            self._hand_on(report.unjudged)
        if report.over:
            self._asked_to_share.discard(connection)
            self._hand_out(connection)
        self._ask_to_share()

    def tell(self, connection: Connection, rank: int) -> None:
        """Tell a reader the last rank that is still wanted."""
        if connection in self._readers and rank < self._last_ranks.get(connection, EVERYTHING):
            self._last_ranks[connection] = rank
            _send(connection, rank)

    def _hand_out(self, connection: Connection) -> None:
        self._readers.pop(connection, None)
        if connection in self._judges:
            self._judges.remove(connection)
        if self._waiting:
            self._readers[connection] = self._waiting.pop()
            _send(connection, self._readers[connection])
        else:
            self._idle.append(connection)

    def _hand_on(self, pages: Sequence[Page]) -> None:
        connection = self._idle.pop()
        self._judges.append(connection)
        _send(connection, pages)

    def _ask_to_share(self) -> None:
        """Ask as many readers to share as there are idle processes."""
        for connection in self._readers:
            if len(self._asked_to_share) < len(self._idle) and connection not in self._asked_to_share:
                self._asked_to_share.add(connection)
                _send(connection, Share())


def _send(connection: Connection, what: object) -> None:
    # A process that has ended receives nothing: its last message, or its silence, is noticed at the next receive
    with suppress(BrokenPipeError, ConnectionResetError):
        connection.send(what)


def _received(connection: Connection, part: DumpPart | None) -> Found:
    try:
        answer = connection.recv()
    except (EOFError, ConnectionResetError) as error:
        did = f"read '{named(part)}'" if part else "judged its pages"
        raise TransientError(
            f"a process that {did} was killed, perhaps for lack of memory; run the command again to resume"
        ) from error
    if isinstance(answer, BaseException):
        raise answer
    assert isinstance(answer, Found)
    return answer


@contextmanager
def _process(wanted: Wanted) -> Iterator[Connection]:
    """Start a new interpreter that does not import the main program."""
    ours, theirs = Pipe()
    code = Path(newwiki.__file__).parents[1]
    path = os.pathsep.join(filter(None, [str(code), os.environ.get("PYTHONPATH")]))
    with ours, subprocess.Popen(
        [sys.executable, "-c", _START, str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
        env=os.environ | {"PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        theirs.close()
        try:
            _send(ours, wanted)
            yield ours
        finally:
            process.kill()
