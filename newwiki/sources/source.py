"""What every source is: something that lists the pages created in a window, with their wikitext at a cutoff."""

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar, runtime_checkable

from newwiki.registry import sources
from newwiki.snapshot import Page, Requests, Site, Window


@dataclass(frozen=True)
class Batch:
    """Some pages, and how far the source has come: `position` of `total`, in the source's unit.

    While a source still lists what there is, it gives no pages, says in `listed` what it lists (such as `creations`),
    and counts the days that it has looked through.
    """

    pages: list[Page]
    position: int
    total: int
    listed: str = ""


class Memory(Protocol):
    """What outlives an interruption: the answers to a question, in the order in which they came."""

    def recall(self, question: str) -> list[str]: ...

    def keep(self, question: str, answer: str) -> None: ...


class Source(Protocol):
    """One wiki. `name` says where its pages come from, `unit` in what it counts how far it has come."""

    name: str
    unit: str

    def site(self) -> Site:
        """The wiki's own description. Raises TransientError or TerminalError where there is no wiki to be had."""
        ...

    def pages(
        self,
        window: Window,
        cutoff: datetime,
        skip: Set[int],
        *,
        limit: int | None = None,
        memory: Memory | None = None,
    ) -> Iterator[Batch]:
        """Every page created in the window that was begun in the main namespace or stood there at the cutoff, but those
        whose page id is in `skip`.

        With `limit` only those of the so many first created (of two at the same second, the smaller page id), whether
        they are in `skip` or not. What is asked for to list them is kept in `memory`, and not asked for again.
        """
        ...

    def count_revisions(self, page: Page, cutoff: datetime, at_most: int) -> int:
        """The page's revisions up to and including the cutoff, counted no further than `at_most`."""
        ...

    def asked(self) -> list[Requests]:
        """What it has asked its wiki for since this was last called. A file is asked for nothing."""
        ...


@runtime_checkable
class Waiting(Protocol):
    """Something that may have to wait for a server."""

    def tell(self, say: Callable[[str], None]) -> None:
        """From now on each wait is said: how long it is, and by whose wish."""
        ...


Opener = TypeVar("Opener", bound=Callable[..., Source])


def source(name: str) -> Callable[[Opener], Opener]:
    """Registers what opens a source: `--name PLACE` calls it with PLACE and the operator's contact."""

    def register(opener: Opener) -> Opener:
        sources.add(name, opener)
        return opener

    return register
