"""The process that reads and judges parts of a dump; it gets its work through a pipe, and ends with the pipe.

Judging takes several times as long as reading. So a reader that is asked to share hands over its next pages before it
judges them; this keeps all cores busy when there are few parts, or parts of different lengths.
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
from newwiki.selection import judge_or_wait
from newwiki.snapshot import Judged, Page, Selection, Site, TemplateSource, WaitingPage, Window
from newwiki.sources.dump import read_part
from newwiki.sources.parts import DumpPart
from newwiki.text.language import load_language

EVERYTHING = 1 << 64  # beyond the last rank
_PAUSE = 1.0  # seconds between two messages: storing one costs as much as judging many pages


@dataclass(frozen=True)
class Wanted:
    """What to read from every part. Pages in `skip` are reported by id only. With `walks` (a random walk), pages beyond
    a rank that the reader is told need not be judged."""

    site: Site
    window: Window
    cutoff: datetime
    selection: Selection
    skip: frozenset[int]
    walks: bool = False


@dataclass(frozen=True)
class JudgedPages:
    """Judged pages, by page id the sketches of those that passed, pages that wait for templates, and templates."""

    judged: Sequence[Judged]
    sketches: Mapping[int, Sketch]
    waiting: Sequence[WaitingPage] = ()
    templates: Sequence[TemplateSource] = ()


@dataclass
class ReadSoFar:
    """What was read of a part since the last message: page ids, the number of pages with their first revision
    (`whole`) or without it (`cut_off`), and the bytes of the file read so far."""

    page_ids: list[int] = field(default_factory=list)
    whole: int = 0
    cut_off: int = 0
    position: int = 0


@dataclass(frozen=True)
class Found:
    """A message from a process: verdicts; if it reads, its progress; pages for another process to judge; and whether it
    has finished its work (`over`)."""

    verdicts: JudgedPages
    read: ReadSoFar = field(default_factory=ReadSoFar)
    unjudged: Sequence[Page] = ()
    over: bool = False


@dataclass(frozen=True)
class Share:
    """Asks a reader to hand over the next pages instead of judging them."""


def work() -> None:
    """Answer messages from the pipe until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles it; this process ends with its pipe
    connection: Connection = Connection(int(sys.argv[1]))
    try:
        worker = _Worker(connection, connection.recv())
        while True:
            worker.answer(connection.recv())
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the parent has gone
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

    def answer(self, message: DumpPart | Sequence[Page] | int | Share) -> None:
        if isinstance(message, DumpPart):
            self._read(message)
        elif isinstance(message, int):
            self._rank = message
        elif not isinstance(message, Share):
            self._judge(message)
            self._send(over=True)

    def _read(self, part: DumpPart) -> None:
        wanted, self._shares = self._wanted, False
        for read, self._so_far.position in read_part(part, wanted.site, wanted.window, wanted.cutoff, wanted.skip):
            self._hear()
            self._so_far.page_ids += read.page_ids
            self._so_far.whole += read.whole
            self._so_far.cut_off += read.cut_off
            self._templates += read.templates
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
            if isinstance(message := self._connection.recv(), Share):
                self._shares = True
            else:
                self._rank = message

    def _near(self, pages: list[Page]) -> list[Page]:
        if not self._wanted.walks:
            return pages
        present = [page for page in pages if page.absent != "moved"]
        return up_to_rank(present, self._wanted.selection.seed, self._rank)

    def _judge(self, pages: Sequence[Page]) -> None:
        for page in pages:
            judged = judge_or_wait(page, self._wanted.selection, self._language, _counted)
            if isinstance(judged, WaitingPage):
                self._waiting.append(judged)
                continue
            self._judged.append(judged)
            if judged.verdict == "selected":
                self._sketches[page.page_id] = self._sketcher.sketch(compared_text(judged))

    def _send(self, unjudged: Sequence[Page] = (), *, over: bool = False) -> None:
        verdicts = JudgedPages(self._judged, self._sketches, self._waiting, self._templates)
        self._connection.send(Found(verdicts, self._so_far, unjudged, over))
        self._begin_message()

    def _begin_message(self) -> None:
        self._judged: list[Judged] = []
        self._waiting: list[WaitingPage] = []
        self._templates: list[TemplateSource] = []
        self._sketches: dict[int, Sketch] = {}
        self._so_far = ReadSoFar()
        self._sent = time.monotonic()


def _counted(page: Page) -> int:
    assert page.revisions is not None, "a dump's pages come with their revisions counted"
    return page.revisions
