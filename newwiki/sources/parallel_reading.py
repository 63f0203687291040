"""The parts of a dump, read and judged in parallel: by processes of their own, as many as there are cores.

A process sends what it has found through a pipe, which holds it up as long as nobody listens, so that memory stays
bounded. It ends with its pipe: nothing outlives the process that started it.
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
_JUDGES = 4  # processes that one which reads can keep busy
_LARGE = 100_000_000  # bytes of a single file, unpacked, that are worth the start of processes


def is_worth_it(parts: Sequence[DumpPart]) -> bool:
    """Whether processes are to read these parts, or a single one that is large."""
    return len(parts) > 1 or (cores() > 1 and sum(likely_work(part.path) for part in parts) >= _LARGE)


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0))


def judged_parts(
    parts: Sequence[DumpPart], wanted: Wanted, name: str, last_rank: Callable[[], int] | None = None
) -> Iterator[tuple[JudgedPages, int]]:
    """The pages of all parts, in any order, and how many bytes of the files have been used.

    `last_rank` is asked after each batch, once what it held has been dealt with. Raises TerminalError for a part that
    cannot be read, a page that is there twice, and a dump without histories.
    """
    tally, positions = Tally(), dict.fromkeys(map(named, parts), 0)
    count = min(cores(), _JUDGES * len(parts))
    with ExitStack() as processes:
        work = _Work(parts, [processes.enter_context(_process(wanted)) for _ in range(count)])
        while ready := work.ready():
            for connection in ready:
                part = work.part(connection)
                found = _received(connection, part)
                if part:
                    tally.add(named(part), found.read.page_ids, found.read.whole, found.read.cut_off)
                    positions[named(part)] = max(positions[named(part)], found.read.position)
                work.go_on(connection, found)
                yield found.verdicts, sum(positions.values())
                if last_rank:
                    work.tell(connection, last_rank())
    tally.require_histories(name)


class _Work:
    """Which process reads which part, the one that takes longest first; those that are left without a part judge what
    the others have read."""

    def __init__(self, parts: Sequence[DumpPart], processes: Sequence[Connection]) -> None:
        self._waiting = sorted(parts, key=lambda part: likely_work(part.path))
        self._readers: dict[Connection, DumpPart] = {}
        self._judges: list[Connection] = []
        self._idle: list[Connection] = []
        self._asked_to_share: set[Connection] = set()
        self._told: dict[Connection, int] = {}
        for connection in processes:
            self._hand_out(connection)
        self._ask_to_share()

    def ready(self) -> list[Connection]:
        """Those that have something to say; empty where all is done."""
        busy = [*self._readers, *self._judges]
        return [connection for connection in wait(busy) if isinstance(connection, Connection)] if busy else []

    def part(self, connection: Connection) -> DumpPart | None:
        """What it reads; None where it judges."""
        return self._readers.get(connection)

    def go_on(self, connection: Connection, found: Found) -> None:
        """Gives work to all who are without, once one has said what it found."""
        if found.unjudged:
            self._asked_to_share.discard(connection)
            self._hand_on(found.unjudged)
        if found.over:
            self._asked_to_share.discard(connection)
            self._hand_out(connection)
        self._ask_to_share()

    def tell(self, connection: Connection, rank: int) -> None:
        """The last rank that is still wanted."""
        if connection in self._readers and rank < self._told.get(connection, EVERYTHING):
            self._told[connection] = rank
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
        """As many readers as there are processes without work."""
        for connection in self._readers:
            if len(self._asked_to_share) < len(self._idle) and connection not in self._asked_to_share:
                self._asked_to_share.add(connection)
                _send(connection, Share())


def _send(connection: Connection, what: object) -> None:
    """To one that has ended nothing is sent: what it last said, or that it said nothing, is heard from it next."""
    with suppress(BrokenPipeError, ConnectionResetError):
        connection.send(what)


def _received(connection: Connection, part: DumpPart | None) -> Found:
    try:
        answer = connection.recv()
    except (EOFError, ConnectionResetError) as error:
        did = f"read '{named(part)}'" if part else "judged its pages"
        raise TransientError(
            f"a process that {did} was ended, perhaps for want of memory; run this again to go on"
        ) from error
    if isinstance(answer, BaseException):
        raise answer
    assert isinstance(answer, Found)
    return answer


@contextmanager
def _process(wanted: Wanted) -> Iterator[Connection]:
    """A new interpreter, which imports nothing of what the main program is."""
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
