"""Find the entities in the texts of a page on request, with the evaluator that scored the run.

Finding entities takes longer than rendering a page, so it is done only on request. For the same reason, the finders are
imported with the first request.
"""

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
    """The mentions in each of a page's texts.

    `by` names the evaluator that found them; `why_none` is the reason if none are marked.
    """

    mentions: Mapping[str, Sequence[str]]
    by: str = ""
    why_none: str = ""

    def inner(self, text: str, elsewhere: Sequence[str]) -> Callable[[int, int], Markup]:
        """Return a function that gives the text from one character up to another, with entities marked.

        Entities that also occur in any of the texts `elsewhere` are marked differently.
        """
        from flows.report.marked_text import marked, marks

        other_mentions = [mention for other in elsewhere for mention in self.mentions.get(other, ())]
        text_marks = marks(text, self.mentions.get(text, ()), other_mentions, len(text))
        return lambda first, last: marked(text, text_marks, first, last)


class EntityFinders:
    """Entity finders shared by many threads; only one thread at a time finds entities."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._finders: Finders | None = None

    def find(self, evaluators: Sequence[Fingerprint], texts: Sequence[str]) -> EntityMarks:
        """Find the entities in these texts with the evaluator that scored the run."""
        from flows.report.marked_text import Finders

        with self._lock:
            self._finders = self._finders or Finders()
            finder = self._finders.among(evaluators)
            if isinstance(finder, str):
                return EntityMarks({}, why_none=finder)
            return EntityMarks(dict(zip(texts, finder.tag(texts), strict=True)), by=finder.model)
