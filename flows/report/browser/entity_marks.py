"""The entities in the texts of a page, found by whoever scored the run: where a reader asks for them, as that takes
longer than a page.

What finds entities is imported with the first question, for the same reason."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from newwiki.records import Fingerprint

if TYPE_CHECKING:
    from flows.report.marked_text import Finders


@dataclass(frozen=True)
class EntityMarks:
    """The mentions in each of a page's texts. `by` is who found them; or `why_none` are marked."""

    mentions: Mapping[str, Sequence[str]]
    by: str = ""
    why_none: str = ""

    def inner(self, text: str, elsewhere: Sequence[str]) -> Callable[[int, int], Markup]:
        """What gives the text from one character up to another, its entities marked: those that any of the texts
        `elsewhere` has too otherwise than the rest."""
        from flows.report.marked_text import marked, marks

        there = [mention for other in elsewhere for mention in self.mentions.get(other, ())]
        found = marks(text, self.mentions.get(text, ()), there, len(text))
        return lambda first, last: marked(text, found, first, last)


class EntityFinders:
    """For many threads, of which one at a time finds entities."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._finders: Finders | None = None

    def find(self, evaluators: Sequence[Fingerprint], texts: Sequence[str]) -> EntityMarks:
        """In these texts, as those that scored the run see them."""
        from flows.report.marked_text import Finders

        with self._lock:
            self._finders = self._finders or Finders()
            finder = self._finders.among(evaluators)
            if isinstance(finder, str):
                return EntityMarks({}, why_none=finder)
            return EntityMarks(dict(zip(texts, finder.tag(texts), strict=True)), by=finder.model)
