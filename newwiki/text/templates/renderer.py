"""Define the interface of renderers, and the arguments that they get."""

import re
from collections.abc import Callable, Sequence

from newwiki.text.language import Language

UNSAID = "\x18"  # marks text that we cannot determine; the clause around it is removed (newwiki/text/clauses.py)

_KEY = re.compile(r"[\w \-]+")


class TemplateArguments:
    """A template's arguments: `a[1]`, `a["abbr"]`; a missing argument is an empty text."""

    def __init__(self, parts: Sequence[str], name: str = "", title: str = "") -> None:
        self.name = name
        self.title = title  # the page's title, if known
        self._values: dict[str, str] = {}
        count = 0
        for part in parts:
            key, equals, value = part.partition("=")
            if equals and _KEY.fullmatch(key := key.strip()):
                self._values[key] = value.strip()
            else:
                count += 1
                self._values[str(count)] = part.strip()
        self._parts = parts

    def __getitem__(self, key: int | str) -> str:
        return self._values.get(str(key), "")

    @property
    def listed(self) -> list[str]:
        """The positional arguments in order."""
        listed: list[str] = []
        while (key := str(len(listed) + 1)) in self._values:
            listed.append(self._values[key])
        return listed

    def named(self, name: str) -> "TemplateArguments":
        """Return these arguments for the template with this name."""
        self.name = name
        return self

    def after(self, first: str) -> "TemplateArguments":
        """Return these arguments, preceded by the argument that a parser function has after its colon."""
        return TemplateArguments([first, *self._parts], title=self.title)


Renderer = Callable[[TemplateArguments, Language], str]
RENDERERS: dict[str, Renderer] = {}


def renderer(function: Renderer) -> Renderer:
    """Register a function as the renderer of its name (without trailing underscore) in the data files."""
    RENDERERS[function.__name__.strip("_")] = function
    return function


def ordinary_name(name: str) -> str:
    return name.strip().lower().replace("_", " ")
