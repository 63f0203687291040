"""Define the interface of renderers, and the arguments that they get.

An argument that a renderer does not read could have changed what the wiki shows. Such a template is `UNSAID`: the
decorator `renderer` sees to it, so no renderer can forget it.
"""

import functools
import re
from collections.abc import Callable, Sequence

from newwiki.text.language import Language
from newwiki.text.tags import TAG_MARK

UNSAID = "\x18"  # marks text that we cannot determine; the clause around it is removed (newwiki/text/clauses.py)

_KEY = re.compile(r"[\w \-]+|[+±×]\w*")
_NOTHING = f"{TAG_MARK} \t\n"
_DRESS = frozenset(["class", "style", "css", "id", "link", "links", "nolink", "sortable", "nocat", "cat"])
NAMED, ALL = "named", "all"  # for `ignores`: any argument with a name; any argument


class TemplateArguments:
    """A template's arguments: `a[1]`, `a["abbr"]`; a missing argument is an empty text.

    They remember which of them have been read.
    """

    def __init__(self, parts: Sequence[str], name: str = "", title: str = "") -> None:
        self.name = name
        self.title = title  # the page's title, if known
        self._values: dict[str, str] = {}
        self._read: set[str] = set()
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
        key = str(key)
        self._read.add(key)
        return self._values.get(key, "")

    @property
    def listed(self) -> list[str]:
        """The positional arguments in order."""
        return self.up_to(len(self._values))

    def up_to(self, count: int) -> list[str]:
        """Return the positional arguments in order, `count` of them at most."""
        listed: list[str] = []
        for place in range(1, count + 1):
            if (value := self._values.get(key := str(place))) is None:
                break
            self._read.add(key)
            listed.append(value)
        return listed

    def first_of(self, *keys: int | str) -> str:
        """Return the first of these arguments that is not empty; all of them count as read."""
        return next(filter(None, [self[key] for key in keys]), "")

    def given(self, ignored: frozenset[str] = frozenset()) -> dict[str, str]:
        """Return the arguments that are not empty, without those that are ignored; all of them count as read."""
        self._read.update(self._values)
        return {key: value for key, value in self._values.items() if _is_given(key, value, ignored)}

    def has_unread(self, ignored: frozenset[str]) -> bool:
        """Tell whether an argument that is not empty has not been read, except for those that are ignored."""
        unread = self._values.keys() - self._read
        return bool(unread) and any(_is_given(key, self._values[key], ignored) for key in unread)

    def named(self, name: str) -> "TemplateArguments":
        """Return these arguments for the template with this name."""
        self.name = name
        return self

    def after(self, first: str) -> "TemplateArguments":
        """Return these arguments, preceded by the argument that a parser function has after its colon."""
        arguments = TemplateArguments(["", *self._parts], title=self.title)
        arguments._values["1"] = first
        return arguments


def _is_given(key: str, value: str, ignored: frozenset[str]) -> bool:
    if not value or key in ignored or ALL in ignored or key in _DRESS or (NAMED in ignored and not key.isdecimal()):
        return False
    return bool(value.strip(_NOTHING))


Renderer = Callable[[TemplateArguments, Language], str]
RENDERERS: dict[str, Renderer] = {}


def renderer(*, ignores: str = "") -> Callable[[Renderer], Renderer]:
    """Register a function as the renderer of its name (without trailing underscore) in the data files.

    `ignores` lists the arguments that the templates take and that change nothing for a reader (`"2 lang reason"`, or
    `NAMED` or `ALL`). If an argument remains that the function does not read, the template is `UNSAID`.
    """
    ignored = frozenset(ignores.split())

    def register(function: Renderer) -> Renderer:
        @functools.wraps(function)
        def render(a: TemplateArguments, language: Language) -> str:
            shown = function(a, language)
            return UNSAID if a.has_unread(ignored) else shown

        RENDERERS[function.__name__.strip("_")] = render
        return render

    return register


def ordinary_name(name: str) -> str:
    return name.strip().lower().replace("_", " ")


def template_name(written: str) -> str:
    """Return a template's name as MediaWiki normalizes it: `cite_web` is Cite web."""
    name = " ".join(written.replace("_", " ").split())
    return name[:1].upper() + name[1:]
