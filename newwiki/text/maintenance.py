"""Read the maintenance templates of a page: what its editors say of it, such as that a language model may have
written it, or that it may be deleted.

The language's data file lists the templates by kind (`article_tags`). A tag is what an editor wrote, and neither a
measurement nor a fact about the author.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate

from newwiki.text.language import Language
from newwiki.text.tags import without_raw
from newwiki.text.templates.renderer import template_name

# The kinds with which a page is not selected, in the order in which a page of both kinds is rejected
COPYRIGHT, DELETION = "copyright", "deletion"

_LONGEST_NAME, _LONGEST_CALL = 120, 200  # characters
_CALL = re.compile(rf"(?<!\{{)\{{\{{\s*+([^|{{}}<>\[\]\n]{{1,{_LONGEST_NAME}}}+)\s*+(?=[|}}])")


@dataclass(frozen=True)
class Tag:
    """A maintenance template on a page.

    `kind` is a key of the language's `article_tags`: machine_generated, copyright, deletion, hoax or
    under_construction. `template` is the name as MediaWiki normalizes it. `written` is the call up to its first closing
    braces, at most 200 characters.
    """

    kind: str
    template: str
    written: str


def read_tags(wikitext: str, language: Language) -> tuple[Tag, ...]:
    """Return the maintenance templates in the order of the page; a template of two kinds is two tags.

    Templates within other templates count. Those in comments, `nowiki` and references do not. Takes time in proportion
    to the length of the page.
    """
    text = without_raw(wikitext)
    calls = [(template_name(call[1]), call.start()) for call in _CALL.finditer(text)]
    kinds = {name: _kinds(name, language) for name, _ in calls}
    return tuple(Tag(kind, name, _written(text, start)) for name, start in calls for kind in kinds[name])


def rejecting(tags: Sequence[Tag]) -> Tag | None:
    """Return the tag for which a page is not selected: the first of the kind copyright, or else deletion, or None."""
    return next((tag for kind in (COPYRIGHT, DELETION) for tag in tags if tag.kind == kind), None)


def _kinds(name: str, language: Language) -> list[str]:
    return [kind for kind, pattern in _patterns(language).items() if pattern.match(name.lower())]


def _patterns(language: Language) -> Mapping[str, re.Pattern[str]]:
    return {kind: _any_of(tuple(names)) for kind, names in language.article_tags.items() if names}


@functools.cache
def _any_of(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, names)))


def _written(text: str, start: int) -> str:
    end = text.find("}}", start, start + _LONGEST_CALL)
    return text[start : start + _LONGEST_CALL if end < 0 else end + 2]
