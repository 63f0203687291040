"""What every source is: something that lists the pages created in a window, with their wikitext at a cutoff."""

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from newwiki.records import Page, Site, Window
from newwiki.registry import sources


@dataclass(frozen=True)
class Batch:
    """Some pages, and how far the source has come: `position` of `total`, in the source's unit."""

    pages: list[Page]
    position: int
    total: int


class Source(Protocol):
    """One wiki. `name` says where its pages come from, `unit` in what it counts how far it has come."""

    name: str
    unit: str

    def site(self) -> Site:
        """The wiki's own description. Raises TransientError or TerminalError where there is no wiki to be had."""
        ...

    def pages(self, window: Window, cutoff: datetime, skip: Set[int]) -> Iterator[Batch]:
        """Every page of the main namespace created in the window, but those whose page id is in `skip`."""
        ...

    def count_revisions(self, page: Page, cutoff: datetime, at_most: int) -> int:
        """The page's revisions up to and including the cutoff, counted no further than `at_most`."""
        ...


Opener = TypeVar("Opener", bound=Callable[..., Source])


def source(name: str) -> Callable[[Opener], Opener]:
    """Registers what opens a source: `--name PLACE` calls it with PLACE and the operator's contact."""

    def register(opener: Opener) -> Opener:
        sources.add(name, opener)
        return opener

    return register
