"""The parts of a dump, read and judged side by side: by processes of their own, as many as there are cores.

A process sends what it has found through a pipe, which holds it up as long as nobody listens, so that memory stays
bounded. It ends with its pipe: nothing outlives the process that started it.
"""

import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path

import newwiki
from newwiki.errors import NewWikiError, TransientError
from newwiki.ranking import ranks
from newwiki.records import Judged, Page, Selection, Site, Window
from newwiki.selection import judge
from newwiki.sources.dump import Tally, named, read_part
from newwiki.sources.parts import Part
from newwiki.sources.unpacking import likely_work
from newwiki.text.language import Language, load_language

_START = "from newwiki.sources.side_by_side import work; work()"
_EVERYTHING = 1 << 64  # beyond the last rank


@dataclass(frozen=True)
class Reading:
    """What is wanted of every part. Of the pages in `skip` only their ids come. `walks` where it is a walk at random:
    then pages beyond a rank, of which the reader is told, need not be judged."""

    site: Site
    window: Window
    cutoff: datetime
    selection: Selection
    skip: frozenset[int]
    walks: bool = False


@dataclass(frozen=True)
class _Found:
    """Some pages of a part, and how many of its bytes have been used for them; `over` with the last of them."""

    judged: list[Judged]
    page_ids: list[int]
    whole: int
    cut_off: int
    position: int
    over: bool = False


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0))


def judged_parts(
    parts: Sequence[Part], reading: Reading, name: str, last_rank: Callable[[], int] | None = None
) -> Iterator[tuple[list[Judged], int]]:
    """The pages of all parts, in any order, and how many bytes of the files have been used.

    `last_rank` is asked after each batch, once what it held has been dealt with. Raises TerminalError for a part that
    cannot be read, a page that is there twice, and a dump without histories.
    """
    hands = _Parts(parts)
    tally, positions = Tally(), dict.fromkeys(map(named, parts), 0)
    with ExitStack() as processes:
        for _ in range(min(cores(), len(parts))):
            hands.hand_out(processes.enter_context(_process(reading)))
        while hands.at_work:
            for connection in hands.ready():
                part = hands.at_work[connection]
                found = _received(connection, part)
                tally.add(named(part), found.page_ids, found.whole, found.cut_off)
                positions[named(part)] = found.position
                if found.over:
                    hands.hand_out(connection)
                yield found.judged, sum(positions.values())
                if last_rank:
                    hands.tell(connection, last_rank())
    tally.require_histories(name)


class _Parts:
    """Who reads which part, the one that takes longest first, and the last rank that each has been told of."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._waiting = sorted(parts, key=lambda part: likely_work(part.path))
        self._told: dict[Connection, int] = {}
        self.at_work: dict[Connection, Part] = {}

    def ready(self) -> list[Connection]:
        """Those that have something to say."""
        return [connection for connection in wait(list(self.at_work)) if isinstance(connection, Connection)]

    def hand_out(self, connection: Connection) -> None:
        self.at_work.pop(connection, None)
        if self._waiting:
            part = self.at_work[connection] = self._waiting.pop()
            connection.send(part)

    def tell(self, connection: Connection, rank: int) -> None:
        if connection in self.at_work and rank < self._told.get(connection, _EVERYTHING):
            self._told[connection] = rank
            connection.send(rank)


def work() -> None:
    """What a process does: reads the parts that it is handed, and sends what it finds."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for who started this one, and ends with its pipe
    connection: Connection = Connection(int(sys.argv[1]))
    try:
        reading = connection.recv()
        worker = _Worker(connection, reading, load_language(reading.site.language))
        while True:
            worker.read(worker.next_part())
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # nobody listens any more
    except NewWikiError as error:
        connection.send(error)
    except BaseException:
        connection.send(RuntimeError(traceback.format_exc()))
        raise


class _Worker:
    def __init__(self, connection: Connection, reading: Reading, language: Language) -> None:
        self._connection, self._reading, self._language = connection, reading, language
        self._rank = _EVERYTHING

    def next_part(self) -> Part:
        while not isinstance(told := self._connection.recv(), Part):
            self._rank = told
        return told

    def read(self, part: Part) -> None:
        reading, position = self._reading, 0
        for read, position in read_part(part, reading.site, reading.window, reading.cutoff, reading.skip):
            while self._connection.poll():
                self._rank = self._connection.recv()
            judged = [self._judged(page) for page in self._near(read.pages)]
            self._connection.send(_Found(judged, read.page_ids, read.whole, read.cut_off, position))
        self._connection.send(_Found([], [], 0, 0, position, over=True))

    def _near(self, pages: list[Page]) -> list[Page]:
        if not self._reading.walks:
            return pages
        pages = [page for page in pages if page.absent != "moved"]
        order = ranks((page.page_id for page in pages), self._reading.selection.seed).tolist()
        return [page for page, rank in zip(pages, order, strict=True) if rank <= self._rank]

    def _judged(self, page: Page) -> Judged:
        return judge(page, self._reading.selection, self._language, _counted)


def _counted(page: Page) -> int:
    assert page.revisions is not None, "a dump's pages come with their revisions counted"
    return page.revisions


def _received(connection: Connection, part: Part) -> _Found:
    try:
        answer = connection.recv()
    except (EOFError, ConnectionResetError) as error:
        raise TransientError(
            f"the process that read '{named(part)}' was ended, perhaps for want of memory; run this again to go on"
        ) from error
    if isinstance(answer, BaseException):
        raise answer
    assert isinstance(answer, _Found)
    return answer


@contextmanager
def _process(reading: Reading) -> Iterator[Connection]:
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
            ours.send(reading)
            yield ours
        finally:
            process.kill()
