"""What a process does that reads and judges parts of a dump: it is told through a pipe, and ends with it.

A reader that is asked to share gives its next pages away before it judges them, which takes several times as long as
reading them; so the cores stay busy where parts are fewer, or of different lengths.
"""

import signal
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from multiprocessing.connection import Connection

from newwiki.errors import NewWikiError
from newwiki.novelty import Sketch, Sketcher, compared_text
from newwiki.ranking import up_to_rank
from newwiki.selection import judge
from newwiki.snapshot import Judged, Page, Selection, Site, Window
from newwiki.sources.dump import read_part
from newwiki.sources.parts import DumpPart
from newwiki.text.language import load_language

EVERYTHING = 1 << 64  # beyond the last rank
_PAUSE = 1.0  # seconds between two messages: storing what one says costs as much as judging many pages


@dataclass(frozen=True)
class Wanted:
    """What is wanted of every part. Of the pages in `skip` only their ids come. `walks` where it is a walk at random:
    then pages beyond a rank, of which the reader is told, need not be judged."""

    site: Site
    window: Window
    cutoff: datetime
    selection: Selection
    skip: frozenset[int]
    walks: bool = False


@dataclass(frozen=True)
class JudgedPages:
    """Some pages with their verdicts, and the sketches of those that passed, by page id."""

    judged: Sequence[Judged]
    sketches: Mapping[int, Sketch]


@dataclass
class ReadSoFar:
    """What was read of a part since the last message: the ids of its pages, how many have their first revision, how
    many begin with a later one, and how many bytes of the file have been used by now."""

    page_ids: list[int] = field(default_factory=list)
    whole: int = 0
    cut_off: int = 0
    position: int = 0


@dataclass(frozen=True)
class Found:
    """What a process has to say: verdicts; where it reads, what it has read; pages that another is to judge; and
    whether what it was given is `over`."""

    verdicts: JudgedPages
    read: ReadSoFar = field(default_factory=ReadSoFar)
    unjudged: Sequence[Page] = ()
    over: bool = False


@dataclass(frozen=True)
class Share:
    """Asks a reader for the next pages that it would judge."""


def work() -> None:
    """Answers what comes through the pipe, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for who started this one, and ends with its pipe
    connection: Connection = Connection(int(sys.argv[1]))
    try:
        worker = _Worker(connection, connection.recv())
        while True:
            worker.answer(connection.recv())
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # nobody listens any more
    except NewWikiError as error:
        connection.send(error)
    except BaseException:
        connection.send(RuntimeError(traceback.format_exc()))
        raise


class _Worker:
    def __init__(self, connection: Connection, wanted: Wanted) -> None:
        self._connection, self._wanted = connection, wanted
        self._language, self._sketcher = load_language(wanted.site.language), Sketcher()
        self._rank = EVERYTHING
        self._shares = False
        self._begin_message()

    def answer(self, told: DumpPart | Sequence[Page] | int | Share) -> None:
        if isinstance(told, DumpPart):
            self._read(told)
        elif isinstance(told, int):
            self._rank = told
        elif not isinstance(told, Share):
            self._judge(told)
            self._send(over=True)

    def _read(self, part: DumpPart) -> None:
        wanted, self._shares = self._wanted, False
        for read, self._so_far.position in read_part(part, wanted.site, wanted.window, wanted.cutoff, wanted.skip):
            self._hear()
            self._so_far.page_ids += read.page_ids
            self._so_far.whole += read.whole
            self._so_far.cut_off += read.cut_off
            pages = self._near(read.pages)
            if pages and self._shares:
                self._shares = False
                self._send(unjudged=pages)
                continue
            self._judge(pages)
            if time.monotonic() - self._sent >= _PAUSE:
                self._send()
        self._send(over=True)

    def _hear(self) -> None:
        while self._connection.poll():
            if isinstance(told := self._connection.recv(), Share):
                self._shares = True
            else:
                self._rank = told

    def _near(self, pages: list[Page]) -> list[Page]:
        if not self._wanted.walks:
            return pages
        there = [page for page in pages if page.absent != "moved"]
        return up_to_rank(there, self._wanted.selection.seed, self._rank)

    def _judge(self, pages: Sequence[Page]) -> None:
        for page in pages:
            judged = judge(page, self._wanted.selection, self._language, _counted)
            self._judged.append(judged)
            if judged.verdict == "selected":
                self._sketches[page.page_id] = self._sketcher.sketch(compared_text(judged))

    def _send(self, unjudged: Sequence[Page] = (), *, over: bool = False) -> None:
        verdicts = JudgedPages(self._judged, self._sketches)
        self._connection.send(Found(verdicts, self._so_far, unjudged, over))
        self._begin_message()

    def _begin_message(self) -> None:
        self._judged: list[Judged] = []
        self._sketches: dict[int, Sketch] = {}
        self._so_far = ReadSoFar()
        self._sent = time.monotonic()


def _counted(page: Page) -> int:
    assert page.revisions is not None, "a dump's pages come with their revisions counted"
    return page.revisions
