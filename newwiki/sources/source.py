"""The interface of every source: list the pages created in a window, with their wikitext at a cutoff."""

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar, runtime_checkable

from newwiki.registry import sources
from newwiki.snapshot import Page, Requests, Site, TemplateSource, Window


@dataclass(frozen=True)
class Batch:
    """Some pages, and the source's progress: `position` of `total`, in the source's unit.

    While a source is still listing, it returns no pages, names in `listed` what it lists (such as `creations`), and
    counts the days listed so far. `templates` are those that a source has met on its way, wanted or not.
    """

    pages: list[Page]
    position: int
    total: int
    listed: str = ""
    templates: Sequence[TemplateSource] = ()


class Memory(Protocol):
    """Answers that survive an interruption: those to one question, in the order in which they came."""

    def recall(self, question: str) -> list[str]: ...

    def keep(self, question: str, answer: str) -> None: ...


class Source(Protocol):
    """One wiki. `name` says where its pages come from; progress is counted in `unit`."""

    name: str
    unit: str

    def site(self) -> Site:
        """Return the wiki's own description. Raises TransientError or TerminalError if no wiki can be reached."""
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
        """Yield every page created in the window that was created in the main namespace or was there at the cutoff,
        without those in `skip`.

        With `limit`, only the first `limit` pages by creation (of two in the same second, the smaller page id first),
        counting those in `skip`. The answers that list them are kept in `memory` and not requested again.
        """
        ...

    def count_revisions(self, page: Page, cutoff: datetime, at_most: int) -> int:
        """Return the number of the page's revisions up to and including the cutoff, counted up to `at_most`."""
        ...

    def templates(self, titles: Sequence[str], cutoff: datetime) -> Iterator[list[TemplateSource]]:
        """Yield each of these templates as of the cutoff, by its title without the namespace; nothing from a source
        that has given its templates with the pages."""
        ...

    def asked(self) -> list[Requests]:
        """Return the requests made since the last call; none for a file."""
        ...


@runtime_checkable
class Waiting(Protocol):
    """A source that may have to wait for a server."""

    def tell(self, say: Callable[[str], None]) -> None:
        """Report every wait through `say` from now on: its length, and whether the server asked for it."""
        ...


Opener = TypeVar("Opener", bound=Callable[..., Source])


def source(name: str) -> Callable[[Opener], Opener]:
    """Register a function that opens a source: `--name PLACE` calls it with PLACE and the operator's contact."""

    def register(opener: Opener) -> Opener:
        sources.add(name, opener)
        return opener

    return register
