"""Read why a page was deleted from the comment in the wiki's deletion log.

The language's data file holds the words and the form of a criterion (`deletion_log`). A comment that has none of them
gives no reason: it is stored as it is, and nothing is guessed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from newwiki.text.language import Language

Route = Literal["speedy", "proposed", "discussion"]
# In this order: a comment that links a discussion may also name a criterion
_ROUTES: tuple[Route, ...] = ("discussion", "proposed", "speedy")
_KINDS = ("machine_generated", "copyright", "hoax")


@dataclass(frozen=True)
class Reason:
    """How and why a page was deleted, as far as the comment says so.

    - `route`: speedy deletion, proposed deletion, or after a discussion; None if unknown
    - `criterion`: the criterion for speedy deletion, such as G15; None if the comment names none
    - `kinds`: machine_generated, copyright or hoax, with the meanings that they have in `article_tags`
    """

    route: Route | None
    criterion: str | None
    kinds: tuple[str, ...]


def read_reason(comment: str, language: Language) -> Reason:
    """Return what a comment of the deletion log says."""
    text = comment.lower()
    log = language.deletion_log
    found = re.search(log["criterion"], text) if log["criterion"] else None
    criterion = found[1].replace(" ", "").upper() if found else None
    route = next((route for route in _ROUTES if _has(text, log[route], language)), "speedy" if criterion else None)
    return Reason(route, criterion, tuple(kind for kind in _KINDS if _has(text, log[kind], language)))


def _has(text: str, words: Sequence[str], language: Language) -> bool:
    """Tell whether a word of the text begins with one of these; in a language without spaces, whether it has one."""
    boundary = "" if language.spaceless else r"(?<!\w)"
    return any(re.search(boundary + re.escape(word), text) for word in words)
